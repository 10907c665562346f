#include "home/home_goals.h"

#include "base/error.h"
#include "net/colours.h"
#include "prop/expression.h"
#include "verify/examination.h"

/* Exactly the initial marking. */
static bool initial_goal(FormulaStore *formulas, FormulaId *goal, GError **error)
{
    const Net *net = formulas->net;
    VecU32 parts = {0};
    VEC(FormulaTerm) empty = {0};
    bool ok = true;
    for (uint32_t p = 0; p < net->n_places && ok; p++) {
        FormulaId sides[2];
        if (!net->initial[p]) {
            vec_push(&empty, ((FormulaTerm){p, 1}));
            continue;
        }
        if (net->initial[p] > (uint64_t)INT64_MAX - 1) {
            g_set_error(error, MAZURKA_ERROR, ERROR_LIMIT, "place %s has more tokens than a formula can name",
                        net_place_id(net, p));
            ok = false;
            break;
        }
        int64_t tokens = (int64_t)net->initial[p];
        ok = formula_at_most(formulas, &(FormulaTerm){p, 1}, 1, tokens, &sides[0], error) &&
             formula_at_most(formulas, &(FormulaTerm){p, -1}, 1, -tokens, &sides[1], error);
        if (ok) vec_append(&parts, sides, 2);
    }
    FormulaId none = FORMULA_ID_TRUE;
    ok = ok && formula_at_most(formulas, empty.data, empty.len, 0, &none, error);
    vec_push(&parts, none);
    if (ok) *goal = formula_and(formulas, parts.data, parts.len);
    vec_free(&parts);
    vec_free(&empty);
    return ok;
}

static bool live_goals(HomeGoals *g, const Net *net, const char *id, GError **error)
{
    if (!id || !*id) {
        for (uint32_t t = 0; t < net_colours_asked(net)->n_transitions; t++)
            vec_push(&g->goals, examination_fires(g->formulas, t));
        return true;
    }
    NetRange range;
    if (!net_colours_named_transitions(net, id, &range)) {
        const char *near = expression_nearest(net, id, false);
        error_at(error, ERROR_USAGE, "--live", 0, 0, "there is no transition '%s'%s%s%s", id,
                 near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
        return false;
    }
    VecU32 transitions = {0};
    for (uint32_t t = range.from; t < range.to; t++) vec_push(&transitions, t);
    vec_push(&g->goals, formula_fireable(g->formulas, transitions.data, transitions.len));
    vec_free(&transitions);
    return true;
}

static bool make(HomeGoals *g, const Net *net, HomeGoalsKind kind, const char *argument, GError **error)
{
    FormulaId goal;
    if (kind == HOME_GOALS_LIVE) return live_goals(g, net, argument, error);
    if (!(kind == HOME_GOALS_HOME ? expression_parse(g->formulas, argument, "--home", &goal, error)
                                  : initial_goal(g->formulas, &goal, error)))
        return false;
    vec_push(&g->goals, goal);
    return true;
}

bool home_goals_init(HomeGoals *g, const Net *net, HomeGoalsKind kind, const char *argument, GError **error)
{
    *g = (HomeGoals){.formulas = formula_store_new(net)};
    if (!make(g, net, kind, argument, error)) {
        home_goals_clear(g);
        return false;
    }
    g->question = (HomeQuestion){net, g->formulas, g->goals.data, g->goals.len,
                                 kind == HOME_GOALS_LIVE && (!argument || !*argument)};
    return true;
}

void home_goals_clear(HomeGoals *g)
{
    formula_store_free(g->formulas);
    vec_free(&g->goals);
    *g = (HomeGoals){0};
}
