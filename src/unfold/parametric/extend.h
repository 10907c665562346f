/* Possible extensions: all histories of an action that have a given, newest event as a maximal one.
 *
 * The candidates are the events dependent on the action and concurrent with the newest event. A
 * history is fixed by which candidates it contains, so the search decides them one by one: a node has
 * a configuration H and the candidates still open; it takes one in (with everything below it; what
 * conflicts leaves the candidates), searches, and then leaves it out (with everything above it).
 * Every history is met exactly once. Where the action is not enabled at H, the Lts names an obstacle and
 * only candidates that remove it are tried: a history must contain one of them. */
#pragma once
#include "base/budget.h"
#include "lts/commute.h"
#include "unfold/parametric/store.h"

typedef struct ParametricExtend {
    const ParametricStore *store;
    Budget *budget;
    /* One extension: the maximal events of its history in increasing order, how many events that has, its state. */
    void (*found)(void *data, uint32_t action, const VecU32 *causes, uint32_t size, const uint64_t *state);
    void *data;
    uint64_t n_nodes;

    /* OVERFLOW: firing event_failed at the configuration does not fit the layout, or, when that is STORE_NONE, whether
     * the pair commutes there cannot be told in it. REFUTED: event_failed, whose causes are all there, is not enabled
     * at the configuration, or, when that is STORE_NONE, the pair does not commute there. Or a limit. */
    Ending end;
    const uint64_t *configuration; /* of the last three ends */
    uint32_t event_failed, first, second;
    Commute violation;

    struct ParametricObstacle *obstacle; /* per obstacle of the Lts, filled as they are met */
    VEC(struct ParametricFrame) stack;
    uint32_t prepared; /* newest event + 1 for which the next two are */
    VecU64 taken;      /* the configuration of the node on top, as a bit set */
    VecU64 concurrent; /* with the newest event: words that are not zero, at concurrent_at */
    VecU32 concurrent_at;
    VecU64 open; /* candidates of all nodes, in the same way, one node after the other */
    VecU32 open_at;
    VecU64 states;  /* of all nodes */
    VecU32 added;   /* to [newest], in that order */
    VecU32 maximal; /* scratch */
    VecU64 scratch;
} ParametricExtend;

void parametric_extend_init(ParametricExtend *extend, const ParametricStore *store, Budget *budget);
void parametric_extend_clear(ParametricExtend *extend);

/* Searches for the action; `newest` is the store's last event and dependent on it. False unless it
 * ran to its end. */
bool parametric_extend_run(ParametricExtend *extend, uint32_t action, uint32_t newest);
/* Checks the doubtful pairs at a state; false when one does not commute there. */
bool parametric_extend_check(ParametricExtend *extend, uint64_t *state);
