/* A finite prefix of an unfolding, as every engine returns it: read-only arrays of events and
 * conditions. It refers to the net, which must outlive it.
 *
 * Events are numbered so that causes come before effects and |[e]| never decreases. Conditions are numbered by
 * producer: those of the initial marking first (0 .. post_start[0]-1), then the postset of event 0, of
 * event 1 and so on; so the postset of e is the interval post_start[e] .. post_start[e+1]-1, in the
 * order of places. Presets are sorted by place.
 *
 * Under the classic relation a read arc is a loop: the condition is in the preset and a new one in the
 * postset. The read-aware engine fills read_start/read instead, and the history arrays: a history is
 * one event <t,H> of the parametric unfolding, an event here is what all histories of one occurrence
 * share. Cutoffs are a matter of histories: some of an event's histories may be cutoffs and others not.
 * event_companion[e] is PREFIX_NONE as soon as one of them is none; these events are the live ones, and
 * the occurrence net of the live events with their conditions reaches, by firing, exactly the reachable
 * markings: every history that is no cutoff fires there, and whatever else fires is a run of the net.
 * Its configurations are the sets of live events closed under causes (producers of what is consumed and
 * read), without two consumers of one condition, in which "reader before consumer of the condition
 * read" together with causality has no cycle. A cutoff history of a live event may fire there and lead to a
 * marking whose successors are not in the prefix: so ask the marking, not the events, whether it is dead. The
 * parametric engine has no conditions (has_conditions is false, pre and post are empty) and gives immediate causes
 * instead. */
#pragma once
#include "base/budget.h"
#include "lts/commute.h"
#include "lts/indep.h"
#include "net/net.h"
#include "unfold/order.h"

#include <assert.h>

#define PREFIX_NONE UINT32_MAX         /* companion: not a cutoff */
#define PREFIX_BOTTOM (UINT32_MAX - 1) /* the initial marking: as producer, or as companion of a cutoff */

/* Slice of ids. */
typedef struct PrefixRow {
    const uint32_t *id;
    uint32_t len;
} PrefixRow;

/* Why building ended. */
/* How the building of a prefix ends. COMPLETE: every possible extension of the non-cutoffs is in it. GOAL: the caller's
 * goal stopped it. UNSAFE: see unsafe_run. Only the parametric engine: UNBOUNDED: unsafe_run ends in a marking above
 * the one after its first pump_from firings; ENDLESS: no cutoffs, no limits, and unsafe_run comes back to the marking
 * after pump_from firings; REFUTED: after unsafe_run the pair does not commute. */
/* Called once per event of the prefix, cutoffs included, when it is added: its id, its transition and
 * the marking of [e] as a bit set over places (safe engines) of bitset_words(n_places) words. Returns
 * true to stop; the prefix then ends with ENDING_GOAL and contains the event with its postset. */
typedef bool (*UnfoldGoal)(uint32_t event, uint32_t transition, const uint64_t *marking, void *data);

/* Histories of the read-aware engine; all NULL and 0 elsewhere. Causes come before effects. */
typedef struct PrefixHistories {
    uint32_t n, n_cutoffs;
    uint32_t *event;               /* which event of the prefix it is a history of */
    uint32_t *companion;           /* a history, PREFIX_NONE or PREFIX_BOTTOM */
    uint32_t *size, *depth;        /* |H| + 1; depth in H */
    uint32_t *cause_start, *cause; /* immediate causes, histories */
    uint32_t *first;               /* per event of the prefix: its first and smallest history */
} PrefixHistories;

typedef struct Prefix {
    const Net *net;
    Relation relation;
    Order order;
    bool cutoffs; /* were cutoffs looked for */

    uint32_t n_events, n_cutoffs, n_conditions;
    bool has_conditions;
    uint32_t *event_transition;
    uint32_t *event_companion;     /* an event, PREFIX_NONE or PREFIX_BOTTOM */
    uint32_t *event_size;          /* |[e]|, e included; of the smallest history where there are several */
    uint32_t *event_depth;         /* longest chain of causes that ends in e, e included */
    uint32_t *pre_start, *pre;     /* n_events + 1; conditions consumed */
    uint32_t *read_start, *read;   /* conditions read, or NULL */
    uint32_t *post_start;          /* n_events + 1 */
    uint32_t *cause_start, *cause; /* immediate causes when there are no conditions, else NULL */
    uint32_t *condition_place;
    uint32_t *condition_event; /* an event or PREFIX_BOTTOM */
    PrefixHistories histories;

    Ending end;
    uint32_t goal_event;  /* of ENDING_GOAL; read-aware: reached by the last history */
    uint32_t *unsafe_run; /* of ENDING_UNSAFE: transitions; the last firing puts the second token */
    uint32_t unsafe_len, unsafe_place;
    uint32_t pump_from;
    uint32_t pair[2]; /* of ENDING_REFUTED: transitions, the first is enabled after unsafe_run */
    Commute violation;
    uint64_t n_markings; /* different markings of local configurations; 0 = not counted */
} Prefix;

/* An empty prefix; engines fill it. */
Prefix *prefix_new(const Net *net);
void prefix_free(Prefix *prefix);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Prefix, prefix_free)

static inline bool prefix_is_cutoff(const Prefix *prefix, uint32_t e)
{
    assert(e < prefix->n_events);
    return prefix->event_companion[e] != PREFIX_NONE;
}
/* Row e of a list, which may be NULL when all its rows are empty. */
static inline PrefixRow prefix_row(const uint32_t *start, const uint32_t *list, uint32_t e)
{
    uint32_t len = start[e + 1] - start[e];
    assert(list || !len);
    return (PrefixRow){len ? list + start[e] : NULL, len};
}
static inline PrefixRow prefix_pre(const Prefix *prefix, uint32_t e)
{
    assert(e < prefix->n_events);
    return prefix_row(prefix->pre_start, prefix->pre, e);
}
static inline PrefixRow prefix_read(const Prefix *prefix, uint32_t e)
{
    return prefix->read_start ? prefix_row(prefix->read_start, prefix->read, e) : (PrefixRow){NULL, 0};
}
/* The number of events under the relation: histories where there are any. */
static inline uint32_t prefix_count(const Prefix *prefix)
{
    return prefix->histories.n ? prefix->histories.n : prefix->n_events;
}
static inline uint32_t prefix_count_cutoffs(const Prefix *prefix)
{
    return prefix->histories.n ? prefix->histories.n_cutoffs : prefix->n_cutoffs;
}

/* Appends the events of [e], e last, causes before effects, to `events` (room for event_size[e]);
 * returns their number. Follows conditions consumed and read (the reads of e itself and of its
 * causes), or immediate causes. Cost: |[e]| plus one pass of n_events/64 words. */
uint32_t prefix_local(const Prefix *prefix, uint32_t e, uint32_t *events);

/* The same for a history of a read-aware prefix: the histories below it, itself last; a run of them in
 * this order respects causes and readers before consumers. Room for histories.size[h]. */
uint32_t prefix_local_history(const Prefix *prefix, uint32_t h, uint32_t *histories);

/* The marking of [e] as counts of the net's places, by firing it; of a read-aware event that of its first
 * history. e may be PREFIX_BOTTOM. */
void prefix_marking(const Prefix *prefix, uint32_t e, uint64_t *marking);
/* The same for a history, or PREFIX_BOTTOM. */
void prefix_history_marking(const Prefix *prefix, uint32_t h, uint64_t *marking);
