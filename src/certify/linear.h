/* What linear inequalities prove about all reachable markings of any net: weighted, unsafe, with read and inhibitor
 * arcs. The unknowns are the tokens M(p) of each place p and the number x(t) of firings of each transition t on the way
 * to M: unknown p for p < PLACES, PLACES + t for t. All are integers and at least 0, and every reachable marking
 * satisfies
 *
 *   equation   M(p) - sum over t of effect(t, p) * x(t) = M0(p), for each place p;
 *   trap       the sum of M over a trap is at least 1: some place has a token at first, and each transition that takes
 *              from the set leaves a token there (it puts one there, or reads more than it takes);
 *   siphon     for a set of places without a token at first: x(t) >= 1 for a transition that puts a token there and
 *              needs none from it, or x(t) = 0 for all transitions that need one from it (take or read).
 *
 * Atoms are inequalities "sum of factor * unknown <= bound", false or true. A lemma names some atoms taken to be true
 * (factor > 0) or false (factor < 0; then the sum is at least bound + 1), traps and equations. The sum of all of them,
 * each times its factor, must be an inequality without a solution: every unknown has a factor >= 0, and the bound is
 * negative. So the atoms are not all as the lemma takes them: a clause. A lemma whose atoms name places only is an
 * inductive inequality on markings: its equations add up to one that holds at first and that no transition breaks.
 *
 * The clauses of the lemmas, of the siphons, of the goal and, if the certificate leans on it, of what the last firing
 * leaves behind (last_firing.h), over the same atoms, are contradictory if the proof is right. Then no reachable
 * marking satisfies the goal. Arithmetic is exact (wide.h). */
#pragma once
#include "certify/cnf.h"

typedef struct LinearTerm {
    uint32_t number;
    int64_t factor;
} LinearTerm;

/* Lists one after the other; list i ends before terms[ends[i]]. */
typedef struct LinearLists {
    VEC(LinearTerm) terms;
    VEC(size_t) ends;
} LinearLists;

typedef struct Linear {
    LinearLists atoms;   /* sorted by unknown; the first factor is positive, none is 0 */
    VEC(int64_t) bounds; /* per atom */
    LinearLists traps;   /* places, with factor 1 */
    LinearLists
        siphons; /* places, with factor 1. Siphon k adds two atoms behind the others, number A + 2k: the sum of those
                    that bring tokens in is <= 0, and A + 2k + 1: the sum of those that need one is <= 0 */
    LinearLists uses;      /* per lemma: atoms */
    LinearLists leans;     /* per lemma: traps; factors are positive */
    LinearLists equations; /* per lemma: places */
    bool last;             /* it leans on last_firing.h */
} Linear;

void linear_clear(Linear *linear);

static inline size_t linear_count(const LinearLists *lists)
{
    return lists->ends.len;
}
/* List i of n terms. */
static inline const LinearTerm *linear_list(const LinearLists *lists, size_t i, size_t *n)
{
    size_t from = i ? lists->ends.data[i - 1] : 0;
    *n = lists->ends.data[i] - from;
    return vec_from(&lists->terms, from);
}
static inline void linear_end(LinearLists *lists)
{
    vec_push(&lists->ends, lists->terms.len);
}

/* Checks traps, siphons and lemmas and fills an initialised Cnf. False: *problem says what is wrong. */
bool linear_clauses(const Net *net, const Linear *linear, const FormulaStore *store, FormulaId goal, Cnf *cnf,
                    char **problem);

/* ---- as text: one line for each atom ("BOUND unknown*factor ..."), trap and siphon ("place ..."), and lemma
 * ("atom*factor ... | trap*factor ... | place*factor ..."); linear_file.c, linear_write.c ---- */

typedef enum { LINEAR_ATOMS, LINEAR_TRAPS, LINEAR_SIPHONS, LINEAR_LEMMAS, N_LINEAR_PARTS } LinearPart;
extern const char *const linear_part_names[N_LINEAR_PARTS];

/* Of lemmas the atoms that they use. */
const LinearLists *linear_lists(const Linear *linear, LinearPart part);
size_t linear_part_count(const Linear *linear, LinearPart part);
void linear_put(const Linear *linear, LinearPart part, size_t i, GString *line);
/* Appends what the line says. False: it is malformed. */
bool linear_parse(Linear *linear, LinearPart part, const char *line);
