/* Symmetries of a net that keep a goal, as a certificate of the kind symmetric lists them: each a list node, image,
 * node, image, ... of the nodes that it moves (transitions are numbered after the places), ended by NET_NONE.
 *
 * A list is a symmetry when it permutes the places and the transitions that it has, keeps arcs of every kind with their
 * weights, and makes of the goal the same formula. Then t fires from m to n iff s(t) fires from s(m) to s(n), and the
 * goal holds at m iff it holds at s(m). So do all products of such s and of their inverses.
 *
 * Let a set R of markings without the goal have, of the initial marking and of what the enabled members of some set T
 * of stubborn_sets.h lead to from each member of R, an image under such a product. Then the goal is unreachable from
 * all images of members of R, the initial marking among them. Otherwise take the shortest run to the goal from one of
 * them, s(r). It is not empty, as r has not the goal. s takes it back to a run from r as long, of which, as
 * stubborn_sets.h shows, some member of T may be the first, which leads to an image of a member of R with a shorter run
 * to the goal. */
#pragma once
#include "base/budget.h"
#include "prop/formula.h"

/* Lists, at most. */
enum { SYMMETRIES_MOST = 1 << 10 };

typedef struct Symmetries {
    const Net *net;
    const VecU32 *lists;
    Budget *budget;
    uint32_t *to;     /* where the one that is looked at takes each node */
    uint32_t *seen;   /* per transition: the number of the last list that it was looked at for */
    uint64_t *counts; /* scratch */
} Symmetries;

/* Borrows all. */
Symmetries *symmetries_new(const Net *net, const VecU32 *lists, Budget *budget);
void symmetries_free(Symmetries *s);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Symmetries, symmetries_free)

/* Are they symmetries of net and goal? Otherwise *problem. The store gets what they make of the goal. */
bool symmetries_check(Symmetries *s, FormulaStore *store, FormulaId goal, char **problem);

/* Puts the images of a marking in its place, one after the other, as long as a list in turn lessens it: of the images
 * of its places, in the order of the list, the first that changes gets less. Of lists for which that never ends so many
 * rounds are enough, which costs the certificate its markings and nobody an answer. */
enum { SYMMETRIES_ROUNDS = 1000 };
void symmetries_lessen(Symmetries *s, uint64_t *marking);
