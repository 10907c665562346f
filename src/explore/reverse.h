/* Reverse search ([AF96], as [MU04] have it for maximal cliques) over the maximal configurations of an unfolding: every
 * trace once and no blocked run, as with wakeup trees, but nothing is remembered of what was explored. Each
 * configuration but one has a parent, which can be computed from it alone, and those whose parent it is can be found
 * from it alone. So a subtree is known by one run, and threads, processes and machines that explore different ones
 * share nothing.
 *
 * Let < be a total order of events in which causes come first (trail.h has one; where that one ties, any way to break
 * the tie does), and K< e the events of K before e. For a configuration X let C(X) be the maximal one that is made from
 * X by adding the least enabled event over and over. What an event newly enables is greater than it, so they are added
 * in increasing order.
 *
 *   Root      C({}).
 *   Parent    of a maximal K that is not the root: let e be its least event with C(K<=e) = K, its last choice; the
 *             parent is D = C(K<e).
 *
 * That e exists, since K has a greatest event. D is not K. It has an event before e that K has not: otherwise e, which
 * is enabled at K<e, would be the next one added to it. So D comes before K in the lexicographic order, where the one
 * that has the least event in which they differ comes first, and every K has the root as its ancestor.
 *
 *   Children  of D: e is not in D, and its causes are, as K<e is inside D: it is a conflicting extension of D, a race.
 *             K<e is X(e): the events of D before e whose local configurations do not conflict with e. (One of those
 *             that is missing in K, the least, would be enabled at K<=e, and C would have added it.) So
 *             K = C(X(e) and e).
 *             Conversely, C(X(e) and e) is a child of D, with e as its last choice, iff
 *     1. nothing before e is added to X(e) and e. It would be a race g < e of D with its causes in X(e), without
 *        conflicts there, and with an action independent of e's.
 *     2. C(X(e)) = D. Otherwise there is a race g of D that is enabled at X(e) with all of D before g: all conflicts of
 *        g in D are behind g (it is `early`), and none of them is in X(e).
 *
 * (If C(X) = K and X is inside Y, inside K, then C(Y) = K; so by 2 no event of K before e was a last choice.) By 2 the
 * race e itself is not early, and D's own last choice is before e. Both conditions ask only the races of D, which are
 * at hand: see trail.h. The run of D is its events in increasing order. Conflicts and causes are sets of its positions.
 *
 * A run X(e) e tells the child; that and the present run with its races are all that is kept, besides the runs of
 * children not visited yet, of which there are few (Backlog.most): those of the ancestors of the present configuration.
 * With n events in the longest run, T actions and at most c races in one, these are at most c n T^2 runs, since the
 * last choices of ancestors increase, and there are n T^2 weights with an action. So space is polynomial wherever c is;
 * mazurka-theory(7) says where, and why reversing one race for each pair of events is no way to that in nets.
 * tests/test_space.c counts. */
#pragma once
#include "explore/backlog.h"
#include "explore/dpor.h"

typedef struct Reverse {
    Trail trail;
    const DporOptions *options;
    DporStats *stats;
    VecU32 early, late; /* races of the present configuration, by their number; late ones by their first conflict */
    VecU64 kept;        /* X(e) */
    VecU32 run;
    LeafKind kind; /* of the configuration that was visited last: MAXIMAL or BOUND */
} Reverse;

/* Borrows everything. False, with the reason in the outcome, when nothing can be visited. */
bool reverse_init(Reverse *search, Outcome *outcome, DporStats *stats, const Lts *lts, const NetLts *net,
                  const Indep *indep, const DporOptions *options);
void reverse_clear(Reverse *search);

/* Is this a run as reverse_visit() adds them, of enabled actions in increasing order? For those from outside, at the
 * beginning of a search that visits nothing after it. A search that meets its end here, a limit or a wrong relation,
 * says true: visiting the run will tell that. */
bool reverse_accepts(Reverse *search, const uint32_t *run, size_t n);

/* Visits the configuration that a run tells (the empty one tells the root) and adds the runs that tell its children,
 * those that share most with it last. False when the search must end: then nothing was visited, counted or added. */
bool reverse_visit(Reverse *search, const uint32_t *run, size_t n, Backlog *children);
