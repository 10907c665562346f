/* What event_list.c finds out about a list of events, event_list_stages.c about who touches the same token, and
 * event_list_clauses.c writes down. After event_list_check() every history is one: closed, without conflicts, and a run
 * of the net. */
#pragma once
#include "certify/event_list.h"
#include "certify/shared_bits.h"

enum { TOUCH_TESTS = 1, TOUCH_CHANGES = 2 };

/* What a transition has to do with a place, under the relation. */
typedef struct EventTouch {
    uint32_t place;
    uint32_t how; /* bits of TOUCH_ */
} EventTouch;

/* Some events that are no cutoffs. */
typedef struct EventMembers {
    size_t from;
    uint32_t n;    /* in w->members, in their order */
    uint64_t *set; /* of events: if they are many, else NULL */
    int32_t any;   /* the literal for: one of them is in */
} EventMembers;

/* A place from one change to the next. An event finds it at the stage that the last change below the event has made,
 * or at its first one. */
typedef struct EventStage {
    EventMembers changers, readers; /* who finds it so and changes it; only tests it */
} EventStage;

typedef struct Work {
    const Net *net;
    const EventList *ev;
    Cnf *cnf;
    size_t words;            /* of a set of events */
    VEC(EventTouch) touches; /* of each transition, one after the other */
    size_t *touch_start;
    uint32_t *now;          /* per place: what the transition that is looked at has to do with it; else 0 */
    SharedBits below;       /* per event: its causes, all of them; a last row of none */
    SharedBits after;       /* per event: the places that are marked after [e]; a last row: at first */
    VEC(EventStage) stages; /* the first ones, by place, and those that changes have made */
    VecU32 members;
    size_t *slot_start; /* per event: its first slot; they are in the order of the touches of its transition */
    uint32_t *finds;    /* per slot: a stage */
    uint32_t *makes;    /* per slot of a change by no cutoff: a stage */
    uint32_t *size;     /* |[e]| */
    uint32_t *level;    /* in the Foata normal form of [e] */
    int32_t *x;         /* per event its variable; 0: cutoff */
    int32_t *y;         /* per place */
    char **problem;
} Work;

static inline bool event_list_work_is_cutoff(const Work *w, uint32_t e)
{
    return w->ev->companion[e] != EVENT_LIST_NONE;
}
static inline bool event_list_work_is_below(const Work *w, uint32_t f, uint32_t e)
{
    return shared_bits_get(&w->below, e, f);
}
/* The touches of the transition of e, touch i at slot slot_start[e] + i. */
static inline const EventTouch *event_list_work_touches(const Work *w, uint32_t e, uint32_t *n)
{
    uint32_t t = w->ev->transition[e];
    *n = (uint32_t)(w->touch_start[t + 1] - w->touch_start[t]);
    return vec_from(&w->touches, w->touch_start[t]);
}

/* Checks each event and each cutoff. False: *w->problem says why. */
bool event_list_check(Work *w);
/* False, with *w->problem, when the budget is spent, or has no room for so many bytes. */
bool event_list_goes_on(Work *w);
bool event_list_has_room(Work *w, uint64_t bytes);

/* The stages, once `below` is known. */
bool event_list_stages_find(Work *w);
void event_list_stages_clear(Work *w);
/* Does f, which is below e, exclude another event below e? */
bool event_list_stages_exclude(const Work *w, uint32_t e, uint32_t f);
/* Appends a literal for each of the readers that is not below e; if none of them is, one for them together. */
void event_list_stages_readers(const Work *w, uint32_t e, const EventMembers *readers, VecI32 *literals);
/* Variables of the events and clauses: what is below an event is in when it is, and nothing that it excludes. */
bool event_list_stages_clauses(Work *w);
