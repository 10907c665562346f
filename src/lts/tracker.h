/* One marking that moves, with its set of enabled transitions kept up to date. For walks and other searches that hold
 * one state at a time.
 *
 * Each transition that cannot fire watches one place that keeps it from firing, and is looked at again only when the
 * count there changes; when a count falls, the enabled ones are looked at, or those that test the place, whichever are
 * fewer. So a place that ten thousand transitions test costs no more than what becomes of those few that lack nothing
 * else. */
#pragma once
#include "base/exact.h"
#include "net/net.h"

typedef struct TrackerChange {
    uint32_t place;
    bool grows;
    uint64_t by;
} TrackerChange;

/* An arc that tests a place. */
typedef struct TrackerTest {
    uint32_t node; /* the transition, seen from the place; or the other way round */
    bool inhibits;
    uint64_t weight;
} TrackerTest;

/* Places and transitions that are counted together. */
typedef struct TrackerGroups {
    uint32_t *place, *transition;     /* the group of each */
    uint32_t n_places, n_transitions; /* groups */
} TrackerGroups;

typedef struct Tracker {
    const Net *net;
    uint64_t *marking;
    uint32_t *watched; /* per transition: a place that keeps it from firing; NET_NONE: it is enabled */
    uint32_t *watcher; /* per place: the first transition that watches it, or NET_NONE */
    uint32_t *sibling; /* per transition: the next one that watches the same place */
    uint32_t *enabled; /* the enabled ones, in an order that depends on the past */
    uint32_t *position;
    uint32_t n_enabled;
    uint32_t *change_start; /* places a transition really changes */
    TrackerChange *changes;
    uint32_t *test_start; /* by place */
    TrackerTest *tests;
    uint32_t *guard_start; /* by transition */
    TrackerTest *guards;
    uint64_t *threshold; /* per place: the largest weight that tests it */
    bool *inhibiting;    /* per place: does it keep some transition from firing when it has enough? */
    uint64_t looks;      /* what all firings so far have cost: tests looked at */
    /* What is counted along with the marking; NULL: nothing. */
    const TrackerGroups *groups;
    Total *tokens;      /* in each group of places */
    uint32_t *fireable; /* enabled ones of each group of transitions */
} Tracker;

/* At the initial marking. Borrows the net. */
Tracker *tracker_new(const Net *net);
/* From now on counts the groups, which are borrowed. */
void tracker_count_groups(Tracker *tracker, const TrackerGroups *groups);
/* The same place in the same order of enabled transitions: a cheap way back. */
Tracker *tracker_copy(const Tracker *tracker);
/* Makes `to` equal to `from`, a tracker of the same net. */
void tracker_assign(Tracker *to, const Tracker *from);
void tracker_free(Tracker *tracker);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Tracker, tracker_free)

static inline bool tracker_is_enabled(const Tracker *tracker, uint32_t t)
{
    return tracker->watched[t] == NET_NONE;
}
/* How many arcs keep it from firing. */
uint32_t tracker_unmet(const Tracker *tracker, uint32_t t);
/* The first enabled transition behind `last`, going round among those from `from` up to, not including, `to`; `last`
 * itself comes at the end. NET_NONE: none within TRACKER_LOOKS. */
enum { TRACKER_LOOKS = 1 << 14 };
uint32_t tracker_next_enabled(const Tracker *tracker, uint32_t from, uint32_t to, uint32_t last);
/* Fires an enabled transition; false, nothing changed, when a count would pass 2^64 - 1. */
bool tracker_fire(Tracker *tracker, uint32_t t);
/* What the looks since there were `before` cost, in units of Budget. */
uint32_t tracker_units(const Tracker *tracker, uint64_t before);
/* Undoes the firing of t (not necessarily the last one, as long as counts stay in range). */
void tracker_unfire(Tracker *tracker, uint32_t t);
