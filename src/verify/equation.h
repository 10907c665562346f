/* The state equation m = m0 + C x with boolean goals, refined until it has no solution or the solution looks real.
 * Over the rationals or the integers, exact. No solution proves that no reachable marking satisfies the goal.
 *
 * Refinements, each a fact about every run, added when the last solution breaks it:
 *   trap     a set of places that keeps a token once it has one: marked at first, so marked for ever;
 *   siphon   a set of places without tokens at first: some transition that brings the first token in from outside must
 *            fire before any transition that needs one (covers read arcs and cycles that feed themselves);
 *   last     (when asked for) some transition fires last, unless none does: the marking has what it leaves behind.
 *
 * One Equation answers many goals of the same net; facts learnt for one serve the next. */
#pragma once
#include "sat/smt.h"
#include "verify/engine.h"

typedef struct Equation Equation;

typedef struct EquationSolution {
    uint64_t *firings; /* per transition, rounded up; transitions with equal effect share theirs with the first */
    uint64_t *marking; /* rounded down */
} EquationSolution;

Equation *equation_new(const Net *net, bool integers);
void equation_free(Equation *equation);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Equation, equation_free)

/* From now on the fact `last` may be used too; has it been? */
bool equation_used_last(const Equation *equation);
void equation_use_last(Equation *equation);

/* SAT_NO: the goal is unreachable. SAT_UNKNOWN also for numbers of 2^62 and more in the net. SAT_YES: a solution that
 * breaks no known fact. */
SatAnswer equation_solve(Equation *equation, const FormulaStore *formulas, FormulaId goal, Budget *budget);
/* After SAT_YES. Valid until the next question. */
const EquationSolution *equation_solution(const Equation *equation);
/* Is there a solution with sum of coefficient * tokens > bound? The largest values of places are found by asking. */
SatAnswer equation_exceeds(Equation *equation, const FormulaTerm *terms, size_t n, int64_t bound, Budget *budget);

uint32_t equation_traps(const Equation *equation);
uint32_t equation_siphons(const Equation *equation);

/* Looks for a run that fires about what the solution says and meets the goal on its way; appends it. */
bool equation_realise(const Equation *equation, const Query *query, uint64_t seed, Budget *budget, VecU32 *run);
