/* What a complete prefix proves, checked from the definitions. A certificate lists events <t,H> of the unfolding of
 * a safe net under a dependence relation: transition, immediate causes, and for a cutoff its companion. From the
 * net alone this module checks each event and each cutoff, and writes down as clauses that some configuration C of the
 * events that are no cutoffs is BAD:
 *
 *   the goal holds at the marking of C, or
 *   a transition enabled there has no event in the list that extends C, or
 *   firing a transition there puts a second token on a place.
 *
 * If the clauses are contradictory no reachable marking satisfies the goal: take any reachable marking and the
 * configuration of the unfolding, smallest in the adequate order `erv`, that reaches it. Event by event it lies in the
 * list (no extension is missing, no place gets a second token), and none of its events is a cutoff (the companion would
 * give a smaller configuration with the same marking). So it is one of the C, and the goal does not hold there.
 *
 * Each clause is true of every configuration of the unfolding that is made from listed events and got its events one by
 * one without a second token on a place, so a list that contains nonsense can only make the contradiction fail.
 *
 * What an event excludes, and what keeps it from extending a configuration, is told from the places it touches, each
 * from one change to the next: of all that find a place as one change has left it at most one changes it, and those
 * that only test it are below that one or excluded. (Two that only put a token there do not depend on each other; where
 * both come, the second finds a token.) So all this takes time and memory for the touches of the events, not for the
 * pairs of them. */
#pragma once
#include "certify/cnf.h"

enum { EVENT_LIST_MOST = 1 << 20 };

#define EVENT_LIST_NONE UINT32_MAX
#define EVENT_LIST_BOTTOM (UINT32_MAX - 1)

typedef enum { EVENT_LIST_CLASSIC, EVENT_LIST_READ, EVENT_LIST_LOOPS, N_EVENT_LIST_RELATIONS } EventListRelation;
extern const char *const event_list_relation_names[N_EVENT_LIST_RELATIONS];

typedef struct EventList {
    EventListRelation relation;
    uint32_t n;
    uint32_t *transition;
    uint32_t *companion;           /* EVENT_LIST_NONE: no cutoff; EVENT_LIST_BOTTOM: the initial marking */
    uint32_t *cause_start, *cause; /* n + 1; causes are smaller than the event */
} EventList;

void event_list_clear(EventList *events);

/* Checks the list and fills an initialised Cnf. False: *problem says what is wrong with the list. */
bool event_list_clauses(const Net *net, const EventList *events, const FormulaStore *store, FormulaId goal, Cnf *cnf,
                        char **problem);
