/* The structural reductions of rules.def. Each looks at the whole net once, applies itself wherever it can,
 * and returns how often it did. Every rule preserves, for each vector of values of the shown places, whether a
 * reachable marking has these values; when rnet->deadlock is set also whether a reachable dead marking has.
 * A rule that is not sure leaves the net alone.
 *
 * References: Berthelot's agglomerations and implicit places; Thierry-Mieg, Structural Reductions Revisited
 * (2020), for the shape with shown places, the free components and the slices. */
#pragma once
#include "reduce/rnet.h"

typedef enum {
#define RULE(constant, name, help) RULE_##constant,
#include "reduce/rules.def"
#undef RULE
    N_RULES
} Rule;

#define RULE(constant, name, help) uint32_t rule_##name(Rnet *rnet, Budget *budget);
#include "reduce/rules.def"
#undef RULE
