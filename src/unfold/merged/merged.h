/* Merged processes (Khomenko, Kondratyev, Koutny, Vogler: Merged Processes, 2006), built directly, without a prefix
 * that is merged afterwards (the question is that of Khomenko, Mokhov: An Algorithm for Direct Construction of Complete
 * Merged Processes, 2011; with reads: Rodriguez, Schwoon, Khomenko: Contextual Merged Processes, 2013).
 *
 * A condition is a place with its occurrence depth: the token that it got for the k-th time. An event is a transition
 * with the conditions that it takes, reads and makes. So conflicts do not multiply events: whoever put the k-th token
 * on a place, those who take it are one event. In a configuration of a safe net the conditions of one place are a chain
 * by causality; the depth of a condition is therefore how often the place was marked in any run so far, and a run gives
 * each firing its event.
 *
 * A set of events is a CONFIGURATION, the image of one of the unfolding, iff they can be put in an order in which
 * each takes and reads conditions that are there, makes (p,k) when p was marked k - 1 times and is empty, and readers
 * of a condition come before whoever takes it.
 *
 * Which events belong to the complete one. A configuration is SHORT when none with the same marking has fewer events. A
 * part of a short one that can come first is short. The LIVE events are those of short configurations, and every
 * reachable marking is that of a configuration of live events. CUTOFFS are other events that a short configuration
 * enables. That is the merging of the prefix whose cutoffs are the events e with some configuration (not only a
 * local one) of the same marking that is smaller than [e], by size; tests/merged_naive.h is this definition. */
#pragma once
#include "base/budget.h"
#include "base/vec.h"
#include "lts/relation.h"
#include "net/net.h"
#include "sat/sat.h"

enum { MERGED_TAKES, MERGED_READS, MERGED_MAKES, N_MERGED_KINDS };

typedef struct Merged {
    const Net *net;
    Relation relation;                                    /* classic: reads are loops; read; loops: loops are reads */
    VecU32 start[N_MERGED_KINDS], places[N_MERGED_KINDS]; /* what a transition does to places, under the relation */
    uint32_t n_events, n_live, n_conditions;
    VecU32 transition, live; /* by event */
    VecU32 row_start, row;   /* by event: conditions, in the order of the places above: taken, read, made */
    VecU32 place, depth;     /* by condition; depth 1 is the first token */
    VecU32 *by_place;        /* conditions of a place, the one of depth k at k - 1 */
    GHashTable *index;       /* of events, by transition and row */
    Ending end;
    uint32_t unsafe_place; /* of ENDING_UNSAFE */
    uint32_t longest;      /* events of the largest configuration that was looked at */
} Merged;

/* Relations: classic, read or loops. NULL and an error on nets with weights, inhibitor arcs or several tokens on a
 * place at first. Limits (max_events counts events) and a net that is not safe give the part built so far. */
Merged *merged_unfold(const Net *net, Relation relation, Budget *budget, GError **error);
void merged_free(Merged *merged);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Merged, merged_free)

/* Of a complete one: is a dead marking reachable? */
SatAnswer merged_dead(Merged *merged, Budget *budget);

static inline uint32_t merged_count(const Merged *m, int kind, uint32_t t)
{
    return m->start[kind].data[t + 1] - m->start[kind].data[t];
}
/* The places of a kind. */
static inline const uint32_t *merged_places(const Merged *m, int kind, uint32_t t)
{
    return vec_from(&m->places[kind], m->start[kind].data[t]);
}
/* The conditions of a kind, as many as the transition has places. */
static inline const uint32_t *merged_row(const Merged *m, int kind, uint32_t e)
{
    uint32_t at = m->row_start.data[e], t = m->transition.data[e];
    for (int k = 0; k < kind; k++) at += merged_count(m, k, t);
    return vec_from(&m->row, at);
}
/* for (MERGED_EACH(c, m, kind, e)): *c is each condition of a kind. */
#define MERGED_EACH(c, m, kind, e)                                                                                     \
    const uint32_t *c = merged_row(m, kind, e), *end_##c = c + merged_count(m, kind, (m)->transition.data[e]);         \
    c < end_##c;                                                                                                       \
    c++
