/* Random goals, and from which markings of a net one is reachable, by definition. */
#pragma once
#include "test.h"

#include "home_naive.h"
#include "naive_formula.h"
#include "prop/expression.h"

static inline bool *can_reach(const NaiveGraph *g, const RandomFormula *goal)
{
    bool *can = g_new0(bool, g->markings->len);
    for (guint i = 0; i < g->markings->len; i++) can[i] = rf_holds(goal, g->net, g->markings->pdata[i]);
    naive_graph_close(g, can);
    return can;
}

static inline RandomFormula *random_goal(Rng *rng, FormulaStore *store, FormulaId *goal)
{
    RandomFormula *formula = rf_new(rng, store->net, 1 + (int)rng_below(rng, 2));
    g_autoptr(GString) text = g_string_new(NULL);
    rf_text(formula, store->net, text);
    ck_assert(expression_parse(store, text->str, "goal", goal, NULL));
    return formula;
}
