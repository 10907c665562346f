#include "batch/contest_ask.h"

#include "verify/examination.h"
#include "verify/witness.h"

#include <string.h>

/* ---- reachability: one goal or many ---- */

typedef struct Goals {
    Contest *contest;
    size_t n;
    FormulaId *goals;
    ContestQuery *queries;
    bool *reachable_means; /* TRUE or FALSE, per goal */
} Goals;

static void tell_goal(size_t i, const Result *result, void *data)
{
    const Goals *g = data;
    if (result->answer == ANSWER_UNKNOWN) return;
    bool verdict = (result->answer == ANSWER_REACHABLE) == g->reachable_means[i];
    contest_answer(g->contest, g->queries[i], verdict ? VERDICT_TRUE : VERDICT_FALSE, 0, result->engine);
    /* While other threads may still work on the formulas the run is kept as it came; afterwards it is shortened. */
    if (result->answer == ANSWER_REACHABLE) contest_keep_run(g->contest, g->queries[i], &result->witness);
}

/* The user's one engine, goal by goal; each gets an equal share of the time left. */
static void ask_one_engine(const Goals *g)
{
    Contest *c = g->contest;
    const Engine *engine = engine_find(c->run->engine);
    EngineOptions options = contest_engine_options(c);
    for (size_t i = 0; i < g->n && !budget_look(c->budget); i++) {
        Query query = {c->net, c->formulas, g->goals[i]};
        double part = 1.0 / (double)(g->n - i);
        Budget share = budget_part(c->budget, part, 0, NULL);
        Result result = {0};
        engine_run(engine, &query, &options, &share, &result);
        bool replays =
            result.answer != ANSWER_REACHABLE || witness_replays(&query, result.witness.data, result.witness.len);
        if (replays) tell_goal(i, &result, (void *)g);
        if (result.answer == ANSWER_UNKNOWN) contest_reason(c, g->queries[i], result.reason);
        if (!replays) contest_reason(c, g->queries[i], "the witness does not replay; no answer is given");
        if (result.answer == ANSWER_REACHABLE) contest_keep_short_run(c, g->queries[i], g->goals[i], &result.witness);
        if (result.answer == ANSWER_UNREACHABLE) contest_keep_proof(c, g->queries[i], g->goals[i], part);
        result_clear(&result);
    }
}

static void ask_portfolio(const Goals *g, const char *only)
{
    Contest *c = g->contest;
    g_autofree Result *results = g_new0(Result, g->n + 1);
    PortfolioOptions options = {
        .engine = contest_engine_options(c), .only = only, .answered = tell_goal, .data = (void *)g};
    portfolio_run(c->net, c->formulas, g->goals, g->n, &options, c->budget, results);
    g_autofree bool *unreachable = g_new0(bool, g->n + 1);
    size_t proofs = 0;
    for (size_t i = 0; i < g->n; i++) {
        unreachable[i] = results[i].answer == ANSWER_UNREACHABLE;
        proofs += unreachable[i];
        if (results[i].answer == ANSWER_UNKNOWN) contest_reason(c, g->queries[i], results[i].reason);
        if (results[i].answer == ANSWER_REACHABLE)
            contest_keep_short_run(c, g->queries[i], g->goals[i], &results[i].witness);
        result_clear(&results[i]);
    }
    for (size_t i = 0, left = proofs; i < g->n && left; i++)
        if (unreachable[i]) contest_keep_proof(c, g->queries[i], g->goals[i], 1.0 / (double)left--);
}

static void ask_goals(const Goals *g)
{
    const char *engine = g->contest->run->engine;
    bool several = engine && strchr(engine, ',');
    if (engine && !several && strcmp(engine, "auto") != 0)
        ask_one_engine(g);
    else
        ask_portfolio(g, several ? engine : NULL);
}

void contest_ask_deadlock(Contest *c)
{
    FormulaId goal = formula_deadlock(c->formulas);
    ContestQuery query = contest_announce(c, QUERY_WHOLE, NULL);
    ask_goals(&(Goals){c, 1, &goal, &query, (bool[]){true}});
}

void contest_ask_formulas(Contest *c, const PropertySet *set)
{
    size_t all = set->properties.len;
    g_autofree FormulaId *goals = g_new(FormulaId, all + 1);
    g_autofree ContestQuery *queries = g_new(ContestQuery, all + 1);
    g_autofree bool *reachable_means = g_new(bool, all + 1);
    Goals g = {c, 0, goals, queries, reachable_means};
    for (size_t i = 0; i < all; i++) {
        const Property *p = &set->properties.data[i];
        ContestQuery query = contest_announce(c, QUERY_PROPERTY, p->id);
        if (p->kind != PROPERTY_EXISTS && p->kind != PROPERTY_ALWAYS) {
            contest_not_asked(c, query, p, "a bound is not a formula");
            continue;
        }
        queries[g.n] = query;
        reachable_means[g.n] = p->kind == PROPERTY_EXISTS;
        goals[g.n++] = p->kind == PROPERTY_EXISTS ? p->formula : formula_not(c->formulas, p->formula);
    }
    ask_goals(&g);
}

/* ---- bounds ---- */

typedef struct Bounds {
    Contest *contest;
    ContestQuery *queries;
} Bounds;

static void tell_bound(size_t i, const ExaminationBound *bound, void *data)
{
    const Bounds *b = data;
    contest_answer(b->contest, b->queries[i], bound->infinite ? VERDICT_INFINITE : VERDICT_NUMBER, bound->value,
                   bound->engine);
}

/* A bound is shown by a run that reaches it and a proof that nothing reaches more. */
static void keep_bound(const Contest *c, ContestQuery query, const VecU32 *places, const ExaminationBound *bound,
                       size_t of)
{
    FormulaId reaches, exceeds;
    if (examination_bound_goal(c->formulas, places, bound, false, &reaches))
        contest_keep_evidence(c, query, reaches, true);
    if (examination_bound_goal(c->formulas, places, bound, true, &exceeds))
        contest_keep_proof(c, query, exceeds, 1.0 / (double)of);
}

void contest_ask_bounds(Contest *c, const PropertySet *set)
{
    size_t all = set->properties.len, n = 0;
    g_autofree VecU32 *sums = g_new0(VecU32, all + 1);
    g_autofree ContestQuery *queries = g_new(ContestQuery, all + 1);
    for (size_t i = 0; i < all; i++) {
        const Property *p = &set->properties.data[i];
        queries[n] = contest_announce(c, QUERY_PROPERTY, p->id);
        if (p->kind == PROPERTY_BOUND)
            sums[n++] = p->places; /* borrowed */
        else
            contest_not_asked(c, queries[n], p, "a formula is not a bound");
    }
    g_autofree ExaminationBound *bounds = g_new0(ExaminationBound, n + 1);
    Examination examination = {.net = c->net, .options = contest_engine_options(c)};
    examination_bounds(&examination, sums, n, c->budget, bounds, tell_bound, &(Bounds){c, queries});
    for (size_t i = 0; i < n; i++) {
        if (!bounds[i].known) contest_reason(c, queries[i], bounds[i].reason);
        keep_bound(c, queries[i], &sums[i], &bounds[i], n - i);
        g_free(bounds[i].reason);
    }
}
