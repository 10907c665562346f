/* How many traces has a net? Knuth's estimator over the tree of reverse search (reverse.h), whose nodes are the traces:
 * a probe goes from a node to a random child until there is none, and the sum of the products of the numbers of
 * children on the way has the size of the subtree as its mean. Single probes vary by orders of magnitude, so the top
 * of the tree is visited whole, breadth first, and each subtree that hangs from it is probed in turn.
 *
 * The traces are those of every exact algorithm, whichever explores. Nets whose runs do not end have no estimate. */
#pragma once
#include "base/rng.h"
#include "explore/reverse.h"

typedef struct Estimate Estimate;

/* Borrows everything; net is the same as lts, or NULL. */
Estimate *estimate_new(const Lts *lts, const NetLts *net, const Indep *indep, uint64_t seed, Budget *budget);
void estimate_free(Estimate *estimate);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Estimate, estimate_free)

/* One more visit of the top, or one probe. False when it can become no better: all was visited, or it had to stop. */
bool estimate_step(Estimate *estimate);

/* The number of traces, and two standard errors to both sides, but no less than were met. False: nothing is known yet.
 */
bool estimate_get(const Estimate *estimate, double *traces, double *low, double *high);
/* Did a marking not fit the layout? */
bool estimate_overflows(const Estimate *estimate);
/* Was all visited? Then the number is exact. */
bool estimate_is_exact(const Estimate *estimate);
