/* What a goal asks of single places, for narrow.c: a conjunction of clauses, each a disjunction of bounds of places.
 * What is not such a clause is left out, so markings that meet the goal meet all clauses. */
#pragma once
#include "base/vec.h"
#include "prop/formula.h"

/* m(place) <= bound, or >= bound. */
typedef struct Literal {
    int64_t bound;
    uint32_t place, clause;
    bool at_least, dead;
} Literal;

typedef struct Clause {
    uint32_t from, open; /* its literals, and how many can still hold */
    bool holds;
} Clause;

typedef struct GoalClauses {
    VEC(Literal) literals;
    VEC(Clause) clauses;
    bool never; /* a part of the goal is false */
} GoalClauses;

void goal_clauses_init(GoalClauses *clauses, const FormulaStore *formulas, FormulaId goal);
void goal_clauses_clear(GoalClauses *clauses);
