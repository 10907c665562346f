/* The schedule of an unfolding: in which order possible extensions become events, and which of them are cutoffs. It is
 * the same whatever an event is; how extensions are found is the business of a Finder, a folder each (classic, context,
 * param).
 *
 * Every adequate order looks at the size |[e]| first, and an extension is larger than all its causes. So candidates
 * wait in one list per size, and when the turn of a size comes all its members are known and nothing needs sorting: a
 * candidate is a cutoff iff another configuration with its marking is smaller (unfold/markings.h), which takes a real
 * comparison by the order only between candidates of the same size and the same marking. Within a size the live events
 * come first, as they were found, so that a cutoff's companion has a smaller number; then the cutoffs.
 *
 * The schedule keeps the limits, asks the caller's goal, tells progress and knows why it ended. It owns the candidates
 * and the markings; the finder owns the events. */
#pragma once
#include "base/budget.h"
#include "unfold/markings.h"
#include "unfold/order.h"
#include "unfold/prefix.h"

/* A candidate. The pointer is good until the next one is pushed. */
typedef struct Waiting {
    uint32_t transition;
    uint32_t slot;   /* its marking, once judged */
    uint32_t number; /* the champion it was or tied with when it was judged; 0: behind another one */
    uint32_t n_words;
    uint32_t words[]; /* the finder's */
} Waiting;

/* What a way to find possible extensions has to offer; `finder` is its own state. Each may end the unfolding by
 * schedule_stop(). */
typedef struct Finder {
    /* Pushes what the empty configuration enables. */
    void (*bottom)(void *finder);
    /* The marking and its hash of a candidate whose turn has come; false when it stopped the schedule. NULL for a
     * finder that calls schedule_judge() for all that it pushes, because it has the marking at hand then. */
    bool (*marking)(void *finder, const Waiting *candidate, uint64_t *marking, uint64_t *hash);
    /* Optional. Sets *order to that of a, the candidate being judged, and b, one of the same size and marking; false
     * when difference() is to be asked. */
    bool (*compare)(void *finder, const Waiting *a, const Waiting *b, uint32_t size, int *order);
    /* Optional. The candidate being judged is the champion of its marking now. */
    void (*claims)(void *finder, Waiting *candidate, uint32_t size);
    /* Appends to only[0] the events of [a] that [b] has not, a itself included, and the reverse to only[1]. a is the
     * candidate being judged, b one of the same size and marking. */
    void (*difference)(void *finder, const Waiting *a, const Waiting *b, OrderSteps *only);
    /* As OrderAsk, of the two configurations last given to difference(). */
    bool (*has_larger)(void *finder, int which, uint32_t depth, uint32_t transition);
    /* Makes it an event; returns its number, by which the companions of later cutoffs are named. */
    uint32_t (*add)(void *finder, const Waiting *candidate, uint32_t size, uint32_t companion);
    /* Pushes larger candidates that were not worth making before the turn of this one came. NULL: all were made. */
    void (*follow)(void *finder, const Waiting *candidate);
    /* Pushes the extensions of the event just added, which is live. */
    void (*extend)(void *finder, const Waiting *candidate, uint32_t size, uint32_t event);
    /* Moves what was built into the finder's result. */
    void (*finish)(void *finder);
} Finder;

/* What the caller wants. */
typedef struct ScheduleRules {
    Order order;
    bool cutoffs;
    UnfoldGoal goal; /* or NULL; the event is what the finder's add() returned */
    void *goal_data;
} ScheduleRules;

typedef struct Schedule {
    const Finder *finder;
    void *data;
    ScheduleRules rules;
    Budget *budget;
    Markings markings;
    VEC(VecU32) lists; /* of Waiting, by size */
    VecU32 spare;      /* room of one whose turn is over */
    uint32_t size;     /* whose turn it is; 0 at the beginning */
    uint32_t n_events, n_cutoffs;

    bool stopped;
    Ending end;          /* ENDING_COMPLETE unless it was stopped */
    uint32_t goal_event; /* of ENDING_GOAL */

    VEC(size_t) cutoffs; /* where they are in the list whose turn it is */
    OrderWork *order_work;
    OrderSteps only[2];
    uint64_t *marking;
} Schedule;

/* For markings of so many words, kept shared or flat (unfold/markings.h), and transitions below n_transitions. */
void schedule_init(Schedule *schedule, const Finder *finder, void *data, ScheduleRules rules, Budget *budget,
                   uint32_t words, bool shared, uint32_t n_transitions);
void schedule_clear(Schedule *schedule);

/* From the first candidate to finish(). */
void schedule_run(Schedule *schedule);

/* The marking of the empty configuration, before anything else; returns its slot. */
uint32_t schedule_begin(Schedule *schedule, const uint64_t *marking, uint64_t hash);
/* Room among those of this size for one more with so many words. */
void schedule_make_room(Schedule *schedule, uint32_t size, uint32_t n_words);
/* A new candidate, larger than the one whose turn it is, with room for the finder's words. */
static inline Waiting *schedule_push(Schedule *schedule, uint32_t size, uint32_t transition, uint32_t n_words)
{
    const size_t more = sizeof(Waiting) / sizeof(uint32_t) + n_words;
    VecU32 *list = vec_from(&schedule->lists, size);
    if (G_UNLIKELY(size >= schedule->lists.len || list->len + more > list->cap)) {
        schedule_make_room(schedule, size, n_words);
        list = &schedule->lists.data[size];
    }
    assert(size > schedule->size); /* so the lists up to the current one are complete */
    Waiting *candidate = (Waiting *)(list->data + list->len);
    list->len += more;
    candidate->transition = transition;
    candidate->slot = UINT32_MAX;
    candidate->number = 0;
    candidate->n_words = n_words;
    return candidate;
}
/* Decides between the candidate, the last one pushed with this size or one of those whose turn it is, and the champion
 * of its marking. */
void schedule_judge(Schedule *schedule, uint32_t size, Waiting *candidate, const uint64_t *marking, uint64_t hash);
/* The same, of a marking that is in the table of markings already. */
void schedule_judge_slot(Schedule *schedule, uint32_t size, Waiting *candidate, uint32_t slot);
/* For a finder's finish(): notes in the prefix by which rules it was built and why it ended. */
void schedule_finish(const Schedule *schedule, Prefix *prefix);
/* Ends the unfolding; the first end counts. */
void schedule_stop(Schedule *schedule, Ending end);

static inline const uint64_t *schedule_marking(const Schedule *schedule, uint32_t slot)
{
    return markings_get(&schedule->markings, slot);
}
