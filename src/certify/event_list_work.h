/* What event_list.c finds out about a list of events and event_list_clauses.c writes down. Sets of events are bit sets
 * of `words` words. After event_list_check() every history is one: closed, without conflicts, and a run of the net. */
#pragma once
#include "base/bitset.h"
#include "certify/event_list.h"

enum { TOUCH_TESTS = 1, TOUCH_CHANGES = 2 };

/* What a transition has to do with a place, under the relation. */
typedef struct EventTouch {
    uint32_t place;
    uint32_t how; /* bits of TOUCH_ */
} EventTouch;

/* Events that take the same token: they test and change one place and have the same last change of it before them.
 * Neither of two lies below the other (the one below would be a later change), so they exclude each other. */
typedef struct Group {
    uint32_t from, n; /* in members: those that are no cutoffs, two or more */
    int32_t taken;    /* the literal for: one of them is in */
    uint64_t *set;    /* of events: they, and all above them */
} Group;

typedef struct Work {
    const Net *net;
    const EventList *ev;
    Cnf *cnf;
    size_t words;
    VEC(EventTouch) touches; /* of each transition, one after the other */
    size_t *touch_start;
    uint32_t *now;      /* per place: what the transition that is looked at has to do with it; else 0 */
    uint64_t *below;    /* per event: its causes, all of them */
    uint64_t *above;    /* per event that is no cutoff: those above it that are none either */
    uint64_t *conflict; /* per event, among events that are no cutoffs */
    VEC(Group) groups;
    VecU32 members;
    size_t *own_start; /* per event, cutoffs too: its groups in `own` */
    VecU32 own;
    uint64_t **live_of; /* per transition: events that are no cutoffs and depend on it; NULL: none */
    uint64_t *marking;  /* per event, after [e]; bits of places */
    size_t p_words;
    uint32_t *size;  /* |[e]| */
    uint32_t *level; /* in the Foata normal form of [e] */
    int32_t *x;      /* per event its variable; 0: cutoff */
    int32_t *y;      /* per place */
    char **problem;
} Work;

static inline uint64_t *event_list_work_row(uint64_t *matrix, size_t words, size_t i)
{
    return matrix + i * words;
}
static inline bool event_list_work_is_cutoff(const Work *w, uint32_t e)
{
    return w->ev->companion[e] != EVENT_LIST_NONE;
}

/* The last of the changers that is below e, EVENT_LIST_NONE: none is. */
static inline uint32_t event_list_work_last_below(const Work *w, uint32_t e, const uint64_t *changers)
{
    const uint64_t *below = event_list_work_row(w->below, w->words, e);
    for (size_t k = e / 64 + 1; k-- > 0;)
        if (below[k] & changers[k]) return (uint32_t)(k * 64 + 63) - (uint32_t)__builtin_clzll(below[k] & changers[k]);
    return EVENT_LIST_NONE;
}

/* Checks each event and each cutoff; conflicts become clauses on the way. False: *w->problem says why. */
bool event_list_check(Work *w);
/* False, with *w->problem, when the budget is spent. */
bool event_list_goes_on(Work *w);
