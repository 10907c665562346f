#include "explore/algorithm.h"

#include <assert.h>

const char *algorithm_name(Algorithm algorithm)
{
    static const char *const names[] = {
#define ALGORITHM(constant, name, help) name,
#include "explore/algorithms.def"
#undef ALGORITHM
    };
    assert(algorithm < N_ALGORITHMS);
    return names[algorithm];
}
