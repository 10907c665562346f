/* From an event that cannot fire, though its causes have, to two actions that do not commute. */
#pragma once
#include "lts/commute.h"
#include "unfold/parametric/store.h"

typedef struct ParametricSquare {
    uint32_t first, second; /* actions; first is enabled after the run */
    Commute violation;
} ParametricSquare;

/* `event` is not enabled at the configuration (a bit set over the store's events), which contains its
 * history. Fills `run` with actions from the initial state. The search shortens the
 * configuration in each round, so it ends. */
ParametricSquare parametric_square_find(const ParametricStore *store, const uint64_t *configuration, uint32_t event,
                                        VecU32 *run);
