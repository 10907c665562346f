/* Place invariants: y >= 0, y != 0 with y C = 0 for the incidence matrix C, so that y m = y m0 at every
 * reachable m and m(p) <= y m0 / y(p). Computed by Farkas' elimination (transition by transition,
 * positive rows are added to negative ones), which is exponential at worst: within the limit on work
 * the result is all invariants of minimal support, past it some of them. Arithmetic is exact; a row
 * whose coefficients would pass 63 bits is dropped. The same net gives the same list. */
#pragma once
#include "base/budget.h"
#include "net/net.h"

typedef struct Invariant {
    uint32_t *place; /* the support, ascending */
    uint64_t *weight;
    uint32_t len;
    uint64_t tokens; /* y m0; UINT64_MAX: too large, the invariant says nothing */
} Invariant;

typedef struct Invariants {
    Invariant *item; /* by first place, then by length of support */
    uint32_t n;
    bool all; /* all of minimal support are there */
} Invariants;

/* `work` is about the number of coefficients touched; 0 for the default of 3 * 10^7. */
Invariants *invariant_compute(const Net *net, uint64_t work, Budget *budget);
void invariant_free(Invariants *invariants);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Invariants, invariant_free)
