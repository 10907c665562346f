/* What users ask for by a word: that some markings, the initial one, or the firing of transitions can always be reached
 * again. Each word becomes goals for home_ask() or home_proof_write(). */
#pragma once
#include "home/home.h"

typedef enum {
    HOME_GOALS_HOME,       /* markings of an expression */
    HOME_GOALS_REVERSIBLE, /* exactly the initial marking */
    HOME_GOALS_LIVE,       /* the firing of one transition by its id or, without one, of each */
} HomeGoalsKind;

typedef struct HomeGoals {
    FormulaStore *formulas;
    VecU32 goals;
    HomeQuestion question; /* made of them */
} HomeGoals;

/* `argument` is the expression or the id; NULL or empty: none. */
bool home_goals_init(HomeGoals *goals, const Net *net, HomeGoalsKind kind, const char *argument, GError **error);
void home_goals_clear(HomeGoals *goals);
