/* The names of the stateless explorers, from algorithms.def: UPOR is explore.h, CDPOR conditional.h, the others are
 * dpor.h. */
#pragma once

typedef enum {
#define ALGORITHM(constant, name, help) ALGORITHM_##constant,
#include "explore/algorithms.def"
#undef ALGORITHM
    N_ALGORITHMS
} Algorithm;

const char *algorithm_name(Algorithm algorithm);
