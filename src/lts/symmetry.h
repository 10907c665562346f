/* Symmetries of a net: permutations of its nodes (places, then transitions) that keep arcs of every kind with their
 * weights. The initial marking need not be kept. If s is one, t fires from m to n iff s(t) fires from s(m) to s(n), so
 * a search may put s(m) in place of m. symmetry_normalise() does that for as long as a marking gets smaller: one that
 * stands for all markings of its orbit, or, since it only looks at the given symmetries one by one, for many of them.
 *
 * "Smaller" is lexicographic, in an order of the places that the symmetries come with. The result is a function of the
 * marking: of the symmetries in turn, the first to the last and again, each that lessens it is applied. */
#pragma once
#include "base/vec.h"
#include "lts/netlts.h"

typedef struct SymmetryMove {
    uint32_t from, to; /* a place or a transition, and where the symmetry takes it */
} SymmetryMove;

typedef struct Symmetry {
    const Net *net;
    VecU32 lists;        /* as given */
    uint32_t n;          /* symmetries */
    SymmetryMove *moves; /* of places and transitions that do not stay where they are */
    uint32_t *places,
        *transitions; /* of symmetry i: moves places[i] .. transitions[i] - 1, and from there to places[i + 1] */
    uint32_t words;
    uint64_t *moving;  /* bit set per place: the symmetries that move it */
    uint64_t *suspect; /* scratch: those that may lessen the marking */
    uint64_t *counts;  /* scratch */
    uint64_t effort;   /* moves looked at so far */
} Symmetry;

/* Lists of symmetries, each node, image, node, image, ..., NET_NONE: first the places that it moves, by their images in
 * the order of places, then the transitions. Takes the lists over, which are not checked. Borrows the net. For one
 * thread at a time. */
Symmetry *symmetry_new(const Net *net, VecU32 *lists);
void symmetry_free(Symmetry *symmetry);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Symmetry, symmetry_free)

/* In place. fired: the last transition fired, when the marking before it was the result of this function; NET_NONE:
 * nothing is known. Appends the symmetries that were applied to `applied`, if there is one. */
void symmetry_normalise(Symmetry *symmetry, const NetLts *lts, uint64_t *state, uint32_t fired, VecU32 *applied);

/* After symmetry i was applied to a marking: real[t], the transition that t stands for, for all t. */
void symmetry_conjugate(const Symmetry *symmetry, uint32_t i, uint32_t *real);
