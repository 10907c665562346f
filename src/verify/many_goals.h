/* Searches that look for several goals of one net at once: one walk, one exhaustive search. */
#pragma once
#include "verify/engine.h"

typedef struct ManyGoals {
    const Net *net;
    const FormulaStore *formulas;
    const FormulaId *goals;
    size_t n;
    /* Is the goal still wanted? Asked often. */
    bool (*open)(size_t goal, void *data);
    /* The goal holds at the end of the path; it is not wanted any more when this returns. */
    void (*found)(size_t goal, const VecU32 *path, void *data);
    void *data;
} ManyGoals;

/* Walks until every goal is met, the budget is spent, or nothing was met for `patience` seconds. */
void many_goals_walk(const ManyGoals *goals, uint64_t seed, double patience, Budget *budget);
/* True when all markings were visited: goals still open are unreachable. */
bool many_goals_explicit(const ManyGoals *goals, Budget *budget, uint64_t *markings);
