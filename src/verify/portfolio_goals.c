#include "verify/portfolio_goals.h"

#include "net/colours.h"
#include "verify/goal.h"
#include "verify/reduced.h"
#include "verify/witness.h"

#include <string.h>

enum { LONGEST_HARVEST = 20000 };
#define HARVEST_SHARE 0.02
#define HARVEST_SECONDS 1.0

/* Reducing for all open goals again pays when half of them are answered, or when it costs next to nothing. */
#define CHEAP_JOINT 0.002

static void joint_free(void *data)
{
    Joint *joint = data;
    reduce_free(joint->reduction);
    g_free(joint);
}

void portfolio_goals_init(Goals *g, const Net *net, FormulaStore *formulas, const FormulaId *list, size_t n,
                          const PortfolioOptions *options, Budget *budget, Result *results)
{
    *g = (Goals){.net = net,
                 .formulas = formulas,
                 .options = options,
                 .budget = budget,
                 .results = results,
                 .n = n,
                 .open = n,
                 .targets = g_new0(Target, n),
                 .joints = g_ptr_array_new_with_free_func(joint_free),
                 .plain = netlts_new(net, 64)};
    g_mutex_init(&g->mutex);
    for (size_t i = 0; i < n; i++) {
        g->targets[i].goal = list[i];
        g_mutex_init(&g->targets[i].mutex);
    }
}

void portfolio_goals_clear(Goals *g)
{
    for (size_t i = 0; i < g->n; i++) {
        for (int safe = 0; safe < 2; safe++) {
            reduce_free(g->targets[i].reduced[safe].reduction);
            steps_clear(&g->targets[i].reduced[safe].steps);
        }
        g_mutex_clear(&g->targets[i].mutex);
    }
    g_mutex_clear(&g->mutex);
    g_ptr_array_unref(g->joints);
    netlts_free(g->plain);
    g_free(g->targets);
}

/* ---- answers ---- */

/* A run of a part of a net is one of the whole, and ends in a marking of the whole; but more may be enabled there. */
static bool is_of_whole(const Goals *g, const Target *target)
{
    if (!net_colours_partial(g->net)) return true;
    VecU32 below = {0};
    formula_below(g->formulas, target->goal, &below);
    bool good = true;
    for (size_t i = 0; i < below.len; i++) {
        FormulaKind kind = formula_node(g->formulas, below.data[i])->kind;
        good = good && kind != FORMULA_UNFIREABLE && kind != FORMULA_DEADLOCK;
    }
    vec_free(&below);
    return good;
}

static bool sound(const Goals *g, const Target *target, const Result *result)
{
    Query query = {g->net, g->formulas, target->goal};
    return result->answer != ANSWER_REACHABLE || witness_shows(&query, result);
}

/* Under the lock. */
static void accept(Goals *g, size_t i, Result *result)
{
    Target *target = &g->targets[i];
    target->answered = true;
    target->stop = 1;
    g->open--;
    result_clear(&g->results[i]);
    g->results[i] = *result;
    *result = (Result){0};
    if (g->options->answered) g->options->answered(i, &g->results[i], g->options->data);
}

/* Under the lock: open goals that hold somewhere along a run are answered by its beginning. */
static void harvest(Goals *g, const VecU32 *run, const char *engine)
{
    if (!g->open || run->len > LONGEST_HARVEST) return;
    g_autofree uint64_t *marking = g_new0(uint64_t, g->net->n_places + 1);
    memcpy(marking, g->net->initial, g->net->n_places * sizeof *marking);
    Budget budget = budget_part(g->budget, HARVEST_SHARE, HARVEST_SECONDS, NULL);
    for (size_t k = 0; k < run->len && g->open; k++) {
        if (!net_fire(g->net, marking, run->data[k])) return;
        for (size_t i = 0; i < g->n; i++) {
            if (g->targets[i].answered || budget_charge(&budget, goal_units(g->formulas, g->targets[i].goal))) continue;
            if (!formula_holds(g->formulas, g->targets[i].goal, g->plain, marking)) continue;
            if (!is_of_whole(g, &g->targets[i])) continue;
            Result result = {.answer = ANSWER_REACHABLE, .engine = engine};
            vec_append(&result.witness, run->data, k + 1);
            accept(g, i, &result);
        }
    }
}

static void deliver(Goals *g, size_t i, Result *result)
{
    Target *target = &g->targets[i];
    if (!sound(g, target, result)) {
        engine_say(&g->options->engine, "goal %zu: %s: the witness does not replay; ignored", i, result->engine);
        return;
    }
    g_mutex_lock(&g->mutex);
    if (!target->answered) {
        accept(g, i, result);
        if (g->results[i].answer == ANSWER_REACHABLE && !g->results[i].times.len)
            harvest(g, &g->results[i].witness, g->results[i].engine);
    }
    g_mutex_unlock(&g->mutex);
}

void portfolio_goals_deliver(Goals *g, size_t i, Result *result)
{
    if (result->answer == ANSWER_UNKNOWN) return;
    if (net_colours_partial(g->net) && (result->answer == ANSWER_UNREACHABLE || !is_of_whole(g, &g->targets[i])))
        return;
    deliver(g, i, result);
}

void portfolio_goals_answer(Goals *g, size_t i, Answer answer, const char *engine, const char *reason)
{
    Result result = {.answer = answer, .engine = engine, .reason = g_strdup(reason)};
    portfolio_goals_deliver(g, i, &result);
    result_clear(&result);
}

void portfolio_goals_rule_out(Goals *g, size_t i, const char *engine, const char *reason)
{
    Result result = {.answer = ANSWER_UNREACHABLE, .engine = engine, .reason = g_strdup(reason)};
    deliver(g, i, &result);
    result_clear(&result);
}

/* ---- reductions ---- */

static void describe(const Goals *g, size_t i, const Reduction *r, double seconds)
{
    if (!g->options->engine.log) return;
    g_autoptr(GString) text = g_string_new(NULL);
    for (Rule rule = 0; rule < N_RULES; rule++)
        if (r->applied[rule]) g_string_append_printf(text, " %s %u", reduce_rule_name(rule), r->applied[rule]);
    engine_say(&g->options->engine, "goal %zu: reduced to %u places, %u transitions in %.2f s:%s", i, r->net->n_places,
               r->net->n_transitions, seconds, text->len ? text->str : " no rule applies");
}

static void reduce(Goals *g, size_t i, bool safe)
{
    Target *target = &g->targets[i];
    Reduced *r = &target->reduced[safe];
    double start = budget_now();
    Budget budget = budget_part(g->budget, REDUCED_MAKE_SHARE, REDUCED_MAKE_SECONDS, NULL);
    ReduceOptions options = {.safe = safe, .steps = g->options->certified ? &r->steps : NULL};
    r->tried = true;
    r->reduction = reduce_new(g->net, g->formulas, &target->goal, 1, &options, &budget);
    if (g->options->certified && !r->steps.list.len) g_clear_pointer(&r->reduction, reduce_free);
    if (r->reduction) describe(g, i, r->reduction, budget_now() - start);
}

/* Under the lock. */
static const Joint *joint_of(const Goals *g, bool safe, const Budget *budget)
{
    for (guint i = g->joints->len; i-- > 0;) {
        const Joint *joint = g_ptr_array_index(g->joints, i);
        if (joint->safe != safe || !joint->whole) continue;
        bool fresh = joint->open == g->open, cheap = joint->seconds < CHEAP_JOINT * budget_left(budget);
        return fresh || (!cheap && 2 * g->open > joint->open) ? joint : NULL;
    }
    return NULL;
}

const Reduction *portfolio_goals_joint(Goals *g, bool safe, Budget *budget)
{
    g_mutex_lock(&g->mutex);
    const Joint *known = joint_of(g, safe, budget);
    g_autofree FormulaId *goals = g_new(FormulaId, g->n);
    for (size_t i = 0; i < g->n; i++) goals[i] = g->targets[i].answered ? FORMULA_ID_FALSE : g->targets[i].goal;
    size_t open = g->open;
    g_mutex_unlock(&g->mutex);
    if (known) return known->reduction;
    double start = budget_clock(budget);
    ReduceOptions options = {.safe = safe};
    Joint *joint = g_new(Joint, 1);
    *joint = (Joint){
        .reduction = reduce_new(g->net, g->formulas, goals, g->n, &options, budget), .safe = safe, .open = open};
    joint->seconds = budget_clock(budget) - start;
    joint->whole = !budget_look(budget);
    g_mutex_lock(&g->mutex);
    g_ptr_array_add(g->joints, joint);
    g_mutex_unlock(&g->mutex);
    return joint->reduction;
}

Query portfolio_goals_reduced(Goals *g, size_t i, bool safe, const Reduction **reduction)
{
    Target *target = &g->targets[i];
    g_mutex_lock(&target->mutex);
    if (!target->reduced[safe].tried) reduce(g, i, safe);
    const Reduction *r = target->reduced[safe].unliftable ? NULL : target->reduced[safe].reduction;
    g_mutex_unlock(&target->mutex);
    *reduction = r;
    return r ? (Query){r->net, r->formulas, r->goals[0]} : (Query){g->net, g->formulas, target->goal};
}

bool portfolio_goals_proof(const Goals *g, size_t i, bool safe, const Reduction *reduction, const Query *original,
                           ProofFile *file)
{
    const ProofFile *wanted = g->options->engine.certificate;
    if (!wanted) return false;
    *file = *wanted;
    if (reduction) {
        file->original = original;
        file->steps = &g->targets[i].reduced[safe].steps;
    }
    return true;
}

bool portfolio_goals_lift(const Goals *g, const Reduction *reduction, Result *result)
{
    return reduced_lift(reduction, g->budget, result);
}

void portfolio_goals_lift_own(Goals *g, size_t i, bool safe, const Reduction *reduction, Result *result)
{
    if (portfolio_goals_lift(g, reduction, result)) return;
    engine_say(&g->options->engine, "goal %zu: the witness is too long to lift; on with the net itself", i);
    result->answer = ANSWER_UNKNOWN;
    g_mutex_lock(&g->targets[i].mutex);
    g->targets[i].reduced[safe].unliftable = true;
    g_mutex_unlock(&g->targets[i].mutex);
}
