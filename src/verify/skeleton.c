#include "verify/skeleton.h"

#include "base/bisect.h"
#include "net/colours.h"
#include "prop/formula_fold.h"

#define SKELETON_SHARE 0.2
#define SKELETON_SECONDS 10.0

bool skeleton_exists(const Net *net)
{
    return net->colours && net->colours->counts;
}

/* The coloured place of an expanded one. */
static uint32_t coloured_of(const uint32_t *first, uint32_t n, uint32_t node)
{
    uint32_t next;
    BISECT(next, 1, n, first[next] <= node);
    return next - 1;
}

bool skeleton_terms(const Net *net, const FormulaTerm *terms, size_t n, SkeletonTerms *out)
{
    const NetColours *colours = net->colours;
    vec_clear(out);
    for (size_t i = 0; i < n;) {
        uint32_t place = coloured_of(colours->first_place, colours->coloured->n_places, terms[i].place);
        NetRange range = net_colours_asked_places(net, place);
        vec_push(out, ((FormulaTerm){place, terms[i].coefficient}));
        for (uint32_t p = range.from; p < range.to; p++, i++)
            if (i >= n || terms[i].place != p || terms[i].coefficient != vec_last(out).coefficient) return false;
    }
    return true;
}

typedef struct Projection {
    const Net *net;
    FormulaStore *skeleton;
} Projection;

/* What has no counterpart becomes true: the skeleton's goal holds wherever the net's does. */

static FoldValue fold_at_most(void *data, const FormulaTerm *terms, uint32_t n, int64_t bound)
{
    const Projection *x = data;
    SkeletonTerms projected = {0};
    FormulaId id = FORMULA_ID_TRUE;
    if (!skeleton_terms(x->net, terms, n, &projected) ||
        !formula_at_most(x->skeleton, projected.data, projected.len, bound, &id, NULL))
        id = FORMULA_ID_TRUE;
    vec_free(&projected);
    return id;
}

static FoldValue fold_guards(void *data, const uint32_t *transitions, uint32_t n, bool any)
{
    const Projection *x = data;
    const NetColours *colours = x->net->colours;
    if (!any || !transitions) return FORMULA_ID_TRUE;
    VecU32 projected = {0};
    for (uint32_t i = 0; i < n; i++) {
        uint32_t t = coloured_of(colours->first_transition, colours->coloured->n_transitions, transitions[i]);
        if (!projected.len || vec_last(&projected) != t) vec_push(&projected, t);
    }
    FormulaId id = formula_fireable(x->skeleton, projected.data, projected.len);
    vec_free(&projected);
    return id;
}

static FoldValue fold_junction(void *data, bool all, const FoldValue *parts, uint32_t n)
{
    const Projection *x = data;
    g_autofree FormulaId *children = g_new(FormulaId, (size_t)n + 1);
    for (uint32_t i = 0; i < n; i++) children[i] = (FormulaId)parts[i];
    return (all ? formula_and : formula_or)(x->skeleton, children, n);
}

/* A goal of the skeleton's that holds wherever this one does. */
static FormulaId goal_above(const FormulaStore *formulas, FormulaId goal, FormulaStore *skeleton)
{
    static const FormulaFold fold = {fold_at_most, fold_guards, fold_junction};
    return (FormulaId)formula_fold(formulas, goal, &fold, &(Projection){formulas->net, skeleton});
}

void skeleton_answer(Goals *g)
{
    if (!skeleton_exists(g->net)) return;
    const Net *net = g->net->colours->coloured;
    g_autoptr(FormulaStore) formulas = formula_store_new(net);
    VecU32 goals = {0}, asked = {0};
    for (size_t i = 0; i < g->n; i++) {
        FormulaId goal =
            g->targets[i].answered ? FORMULA_ID_TRUE : goal_above(g->formulas, g->targets[i].goal, formulas);
        if (goal == FORMULA_ID_TRUE) continue;
        vec_push(&goals, goal);
        vec_push(&asked, (uint32_t)i);
    }
    Result *results = g_new0(Result, goals.len + 1);
    Budget share = budget_part(g->budget, SKELETON_SHARE, SKELETON_SECONDS, NULL);
    portfolio_run(net, formulas, goals.data, goals.len, &(PortfolioOptions){.engine = g->options->engine}, &share,
                  results);
    for (size_t i = 0; i < goals.len; i++) {
        if (results[i].answer == ANSWER_UNREACHABLE)
            portfolio_goals_rule_out(g, asked.data[i], results[i].engine, "even when colours are forgotten");
        result_clear(&results[i]);
    }
    engine_say(&g->options->engine, "skeleton: %zu of %zu goals asked", goals.len, g->n);
    g_free(results);
    vec_free(&goals);
    vec_free(&asked);
}
