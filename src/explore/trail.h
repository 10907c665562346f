/* The present run of a search on labels (dpor.h, reverse.h): its configuration, the actions it enables and its races,
 * kept while it grows and shrinks at its end. No event is stored, unless all are to be counted.
 *
 * Each event of the run, each enabled one and each race has a weight: the least action among its causes and itself
 * (the greater that is, the lighter: programs have main first, which then comes last and shares most), then the
 * number of its causes. An event weighs more than its causes, so weights, and actions among equal ones, order
 * events as trail_less() says; only events of one action that exclude each other can tie. */
#pragma once
#include "base/sketch.h"
#include "explore/outcome.h"
#include "explore/race.h"

/* How the distinct events of the unfolding that are met are counted. */
typedef enum {
    COUNT_NOTHING,
    COUNT_EXACT,  /* all are kept */
    COUNT_SKETCH, /* sketch.h */
} CountEvents;

/* An action that was enabled before an event of the run disabled it. */
typedef struct TrailUndo {
    uint32_t label;
    uint64_t weight;
} TrailUndo;

typedef struct Trail {
    const Lts *lts;
    const NetLts *net; /* the same, or NULL */
    const Indep *indep;
    Outcome *outcome;
    bool wants_races;
    Bounds bounds;
    Config config;
    Extend *extend;
    Races races;
    uint32_t label_words;
    uint64_t *enabled;
    uint64_t *weight_of; /* by enabled action */
    VecU64 weight;       /* by position */
    VEC(TrailUndo) undo;
    VecU64 marks;  /* by position: how many undos and races there were before it, two each */
    uint64_t met;  /* extensions, over and over */
    Events events; /* COUNT_EXACT only */
    Sketch *sketch;
    VecU64 names; /* by position, COUNT_SKETCH only: a hash of the event */
    VecU64 scratch;
} Trail;

/* Borrows everything; net is the same as lts, or NULL. trail_begin() makes the empty run's extensions; false as
 * trail_push(). */
void trail_init(Trail *trail, const Lts *lts, const NetLts *net, const Indep *indep, ExtendMethod method,
                CountEvents count, bool wants_races, Bounds bounds, Outcome *outcome);
bool trail_begin(Trail *trail);
/* Also hands the counts of events over to the outcome. */
void trail_clear(Trail *trail);

/* Extends the run by an enabled action. False, with the reason in the outcome or the budget, when the search must end.
 */
bool trail_push(Trail *trail, uint32_t label);
void trail_pop(Trail *trail);

/* With nothing enabled, or with what sleeps alone: is the state dead, or what ended the run? */
LeafKind trail_leaf(const Trail *trail);

/* Is the event of this weight and action before the other one? */
static inline bool trail_less(uint64_t weight, uint32_t label, uint64_t other_weight, uint32_t other_label)
{
    return weight != other_weight ? weight < other_weight : label < other_label;
}
