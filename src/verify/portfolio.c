#include "verify/portfolio.h"

#include "reduce/reduce.h"
#include "verify/equation.h"
#include "verify/goal.h"
#include "unfold/unfold.h"
#include "verify/prefix_sat.h"
#include "verify/many_goals.h"
#include "verify/witness.h"

#include <assert.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

enum { MOST_THREADS = 64, THREADS_PER_GOAL = 2, LONGEST_HARVEST = 20000 };
#define HARVEST_SHARE 0.02
#define HARVEST_SECONDS 1.0
/* Less than this an engine needs to get going: a share is not smaller, nor larger than that part of what is left. */
#define SECONDS_PER_ARC 10e-6
#define LARGEST_START 0.1
/* Reducing is linear in practice; the rest of a limit belongs to the engines. */
#define REDUCE_SHARE 0.1
#define REDUCE_SECONDS 20.0
/* Of several goals together, before any is looked at alone. */
#define SHARED_SHARE 0.1
#define SHARED_SHARE_MANY 0.6
#define SHARED_SECONDS 60.0
#define SHARED_PATIENCE 1.0
#define LIFT_SHARE 0.2 /* of the time left, for making a run of the net from one of a reduced net */
#define LIFT_SECONDS 20
#define SHARED_SLICES 4 /* a goal may take so many times its part */

typedef struct Step {
    const char *engine;
    double seconds;
    bool safe;
} Step;

static const Step steps[] = {
#define STEP(engine, seconds, safe) {#engine, seconds, safe},
#include "verify/steps.def"
#undef STEP
};
enum { N_STEPS = G_N_ELEMENTS(steps) };

typedef struct Target {
    FormulaId goal;
    Reduction *reduced[2]; /* plain, safe */
    bool tried[2];
    bool unliftable[2]; /* a witness of the reduced net was too long for this one: engines work on this one from now on
                         */
    volatile sig_atomic_t answered; /* written under the lock, looked at without */
    volatile sig_atomic_t stop;
    bool gave_up[N_STEPS]; /* the engine ended by itself without an answer: longer will not help */
    char *why[N_STEPS];    /* what stopped it; NULL: not tried, or no reason */
    bool begun[N_STEPS], running[N_STEPS];
    GMutex mutex; /* of the reductions */
} Target;

typedef struct Portfolio {
    const Net *net;
    FormulaStore *formulas;
    Target *targets;
    size_t n, open;
    const PortfolioOptions *options;
    Budget *budget;
    Result *results;
    unsigned threads;
    NetLts *plain;
    unsigned shared; /* searches for all goals together that are still to be started */
    size_t next;     /* job number: step * n + target; all before it are begun or pointless */
    size_t attempts; /* since the steps were begun, or begun again */
    GMutex mutex;
} Portfolio;

/* ---- answers ---- */

static bool sound(const Portfolio *f, const Target *target, const Result *result)
{
    Query query = {f->net, f->formulas, target->goal};
    return result->answer != ANSWER_REACHABLE || witness_replays(&query, result->witness.data, result->witness.len);
}

/* Under the lock. */
static void accept(Portfolio *f, size_t i, Result *result)
{
    Target *target = &f->targets[i];
    target->answered = true;
    target->stop = 1;
    f->open--;
    result_clear(&f->results[i]);
    f->results[i] = *result;
    *result = (Result){0};
    if (f->options->answered) f->options->answered(i, &f->results[i], f->options->data);
}

/* Under the lock: open goals that hold somewhere along a run are answered by its beginning. */
static void harvest(Portfolio *f, const VecU32 *run, const char *engine)
{
    if (!f->open || run->len > LONGEST_HARVEST) return;
    g_autofree uint64_t *marking = g_new0(uint64_t, f->net->n_places + 1);
    memcpy(marking, f->net->initial, f->net->n_places * sizeof *marking);
    Budget budget = budget_part(f->budget, HARVEST_SHARE, HARVEST_SECONDS, NULL);
    for (size_t k = 0; k < run->len && f->open; k++) {
        if (!net_fire(f->net, marking, run->data[k])) return;
        for (size_t i = 0; i < f->n; i++) {
            if (f->targets[i].answered || budget_charge(&budget, goal_units(f->formulas, f->targets[i].goal))) continue;
            if (!formula_holds(f->formulas, f->targets[i].goal, f->plain, marking)) continue;
            Result result = {.answer = ANSWER_REACHABLE, .engine = engine};
            vec_append(&result.witness, run->data, k + 1);
            accept(f, i, &result);
        }
    }
}

/* Takes the result over when it is the first sound answer. */
static void deliver(Portfolio *f, size_t i, Result *result)
{
    Target *target = &f->targets[i];
    if (result->answer == ANSWER_UNKNOWN) return;
    if (!sound(f, target, result)) {
        engine_say(&f->options->engine, "goal %zu: %s: the witness does not replay; ignored", i, result->engine);
        return;
    }
    g_mutex_lock(&f->mutex);
    if (!target->answered) {
        accept(f, i, result);
        if (f->results[i].answer == ANSWER_REACHABLE) harvest(f, &f->results[i].witness, f->results[i].engine);
    }
    g_mutex_unlock(&f->mutex);
}

static void answer_here(Portfolio *f, size_t i, Answer answer, const char *engine, const char *reason)
{
    Result result = {.answer = answer, .engine = engine, .reason = g_strdup(reason)};
    deliver(f, i, &result);
    result_clear(&result);
}

/* ---- reductions ---- */

static void describe_reduction(const Portfolio *f, size_t i, const Reduction *r, double seconds)
{
    if (!f->options->engine.log) return;
    g_autoptr(GString) text = g_string_new(NULL);
    for (Rule rule = 0; rule < N_RULES; rule++)
        if (r->applied[rule]) g_string_append_printf(text, " %s %u", reduce_rule_name(rule), r->applied[rule]);
    engine_say(&f->options->engine, "goal %zu: reduced to %u places, %u transitions in %.2f s:%s", i, r->net->n_places,
               r->net->n_transitions, seconds, text->len ? text->str : " no rule applies");
}

/* The goal's reduction, made by whoever asks first; NULL when the net cannot be reduced. */
static const Reduction *reduced(Portfolio *f, size_t i, bool safe)
{
    Target *target = &f->targets[i];
    g_mutex_lock(&target->mutex);
    if (!target->tried[safe]) {
        double start = budget_now();
        Budget budget = budget_part(f->budget, REDUCE_SHARE, REDUCE_SECONDS, NULL);
        ReduceOptions options = {.safe = safe};
        target->reduced[safe] = reduce_new(f->net, f->formulas, &target->goal, 1, &options, &budget);
        target->tried[safe] = true;
        if (target->reduced[safe]) describe_reduction(f, i, target->reduced[safe], budget_now() - start);
    }
    const Reduction *r = target->unliftable[safe] ? NULL : target->reduced[safe];
    g_mutex_unlock(&target->mutex);
    return r;
}

/* Only dead markings satisfy it, as far as the lifting needs to know: completing a run to a dead end changes nothing
 * the goal names. */
static bool lift_result(Portfolio *f, const Reduction *r, Result *result)
{
    if (!r || result->answer != ANSWER_REACHABLE) return true;
    g_mutex_lock(&f->mutex);
    Budget budget = budget_part(f->budget, LIFT_SHARE, LIFT_SECONDS, NULL);
    g_mutex_unlock(&f->mutex);
    return reduction_lift(r, true, &budget, &result->witness);
}

/* The same for goal i alone; a witness that is too long is no answer, and the reduction has been of no use. */
static void lift_own_result(Portfolio *f, size_t i, bool safe, const Reduction *r, Result *result)
{
    if (lift_result(f, r, result)) return;
    engine_say(&f->options->engine, "goal %zu: the witness is too long to lift; on with the net itself", i);
    result->answer = ANSWER_UNKNOWN;
    g_mutex_lock(&f->targets[i].mutex);
    f->targets[i].unliftable[safe] = true;
    g_mutex_unlock(&f->targets[i].mutex);
}

static bool answer_by_reduction(Portfolio *f, size_t i, bool safe, const Reduction *r)
{
    if (!r || r->goals[0] > FORMULA_ID_TRUE) return false;
    Result result = {.engine = "reduce"};
    if (r->goals[0] == FORMULA_ID_FALSE) {
        result.answer = ANSWER_UNREACHABLE;
        result.reason = g_strdup("the goal is constantly false on the reduced net");
    } else {
        result.answer = ANSWER_REACHABLE;
        lift_own_result(f, i, safe, r, &result);
    }
    bool done = result.answer != ANSWER_UNKNOWN;
    deliver(f, i, &result);
    result_clear(&result);
    return done && f->targets[i].answered;
}

/* ---- attempts ---- */

static bool allowed(const Portfolio *f, const char *engine)
{
    if (!f->options->only) return true;
    g_auto(GStrv) names = g_strsplit(f->options->only, ",", -1);
    return g_strv_contains((const char *const *)names, engine);
}

static double start_of(const Net *net)
{
    uint64_t arcs = 0;
    for (ArcKind kind = 0; kind < N_ARC_KINDS; kind++) arcs += net_arc_count(net, kind);
    return SECONDS_PER_ARC * (double)arcs;
}

/* Its part of the time that is left, were all later steps of all open goals to use theirs. */
static double share(const Portfolio *f, size_t step, const Net *net)
{
    double left = budget_left(f->budget), later = 0, nominal = steps[step].seconds;
    if (isinf(left)) return nominal;
    double rest = MAX(left / 3, 1.0);
    for (size_t k = step; k < N_STEPS; k++) later += steps[k].seconds > 0 ? steps[k].seconds : rest;
    double wanted = nominal > 0 ? nominal : rest;
    double fair = left * f->threads * wanted / (later * (double)MAX(f->open, 1));
    if (nominal <= 0 && f->open <= f->threads) return left;
    double least = MAX(0.05, MIN(start_of(net), LARGEST_START * left));
    return MAX(least, nominal > 0 ? MIN(nominal, fair) : fair);
}

static void attempt(Portfolio *f, size_t step, size_t i)
{
    Target *target = &f->targets[i];
    const Reduction *r = reduced(f, i, steps[step].safe);
    if (answer_by_reduction(f, i, steps[step].safe, r)) return;
    r = reduced(f, i, steps[step].safe);
    const Engine *engine = engine_find(steps[step].engine);
    Query query = {f->net, f->formulas, target->goal};
    if (r) query = (Query){r->net, r->formulas, r->goals[0]};
    g_mutex_lock(&f->mutex);
    Budget budget = budget_child(f->budget, share(f, step, query.net), &target->stop);
    g_mutex_unlock(&f->mutex);
    EngineOptions options = f->options->engine;
    options.seed += step;
    options.threads = 1;
    options.certificate = NULL;
    Result result = {0};
    double start = budget_now();
    engine->run(&query, &options, &budget, &result);
    if (!target->answered)
        engine_say(&f->options->engine, "goal %zu: %s %s in %.2f s%s%s", i, steps[step].engine,
                   answer_text(result.answer), budget_now() - start, result.reason ? ": " : "",
                   result.reason ? result.reason : "");
    if (result.answer == ANSWER_UNKNOWN) {
        target->gave_up[step] = budget.reason == BUDGET_OK;
        g_free(target->why[step]);
        target->why[step] = g_strdup(result.reason ? result.reason : "gave up");
    }
    lift_own_result(f, i, steps[step].safe, r, &result);
    deliver(f, i, &result);
    result_clear(&result);
}

static bool pointless(const Portfolio *f, size_t step, const Target *target)
{
    if (target->answered || target->begun[step] || !allowed(f, steps[step].engine)) return true;
    for (size_t k = 0; k < step; k++)
        if (target->gave_up[k] && strcmp(steps[k].engine, steps[step].engine) == 0) return true;
    return false;
}

/* ---- all goals together ---- */

typedef struct Together {
    Portfolio *f;
    const Reduction *reduction; /* or NULL */
    const char *engine;
    bool *met;
} Together;

static bool still_open(size_t i, void *data)
{
    const Together *together = data;
    return !together->f->targets[i].answered && !together->met[i];
}

static void found_together(size_t i, const VecU32 *path, void *data)
{
    const Together *together = data;
    Result result = {.answer = ANSWER_REACHABLE, .engine = together->engine};
    vec_append(&result.witness, path->data, path->len);
    if (lift_result(together->f, together->reduction, &result)) deliver(together->f, i, &result);
    result_clear(&result);
    /* Too long to lift or not sound: it must not be found again and again. */
    together->met[i] = true;
}

/* The more goals, the more of the time: looking at many one by one leaves too little for each. */
static double shared_share(const Portfolio *f)
{
    double n = (double)f->open;
    return SHARED_SHARE + (SHARED_SHARE_MANY - SHARED_SHARE) * n / (n + 30);
}

/* Of goal i, when those before it have had theirs: some may take more than an equal part. */
static Budget slice_of(Portfolio *f, size_t i, const Budget *budget)
{
    double left = budget_left(budget),
           seconds = isinf(left) ? SHARED_SECONDS : MIN(SHARED_SLICES / (double)(f->n - i), 1.0) * left;
    return budget_child(budget, MAX(seconds, 0.02), &f->targets[i].stop);
}

static void walk_together(Together *together, const ManyGoals *shared, Budget *budget)
{
    (void)together;
    many_goals_walk(shared, together->f->options->engine.seed, SHARED_PATIENCE, budget);
}

static void search_together(Together *together, const ManyGoals *shared, Budget *budget)
{
    Portfolio *f = together->f;
    uint64_t markings;
    bool complete = many_goals_explicit(shared, budget, &markings);
    for (size_t i = 0; i < f->n && complete; i++)
        if (still_open(i, together))
            answer_here(f, i, ANSWER_UNREACHABLE, "explicit", "all markings of the reduced net visited");
}

/* One equation for all: its facts serve every goal. */
static void solve_together(Together *together, const ManyGoals *shared, Budget *budget)
{
    Portfolio *f = together->f;
    g_autoptr(Equation) eq = equation_new(shared->net, false);
    VecU32 run = {0};
    for (size_t i = 0; i < f->n && !budget_look(budget); i++) {
        if (!still_open(i, together)) continue;
        Budget slice = slice_of(f, i, budget);
        SatAnswer answer = equation_solve(eq, shared->formulas, shared->goals[i], &slice);
        if (answer == SAT_NO) answer_here(f, i, ANSWER_UNREACHABLE, "equation", "the state equation has no solution");
        Query query = {shared->net, (FormulaStore *)shared->formulas, shared->goals[i]};
        if (answer == SAT_YES && equation_realise(eq, &query, f->options->engine.seed, &slice, &run))
            found_together(i, &run, together);
    }
    vec_free(&run);
}

/* One prefix for all, asked by SAT goal by goal; an unfinished one can only say yes. */
static void unfold_together(Together *together, const ManyGoals *shared, Budget *budget)
{
    Portfolio *f = together->f;
    if (netlts_initial_width(shared->net) > 1) return;
    UnfoldOptions options = {.engine = UNFOLD_CONTEXT, .relation = RELATION_LOOPS, .order = ORDER_ERV, .cutoffs = true};
    Budget building = budget_part(budget, 0.5, SHARED_SECONDS, NULL);
    g_autoptr(Prefix) prefix = unfold(shared->net, &options, &building, NULL);
    if (!prefix || (prefix->end != PREFIX_COMPLETE && prefix->end != PREFIX_LIMIT)) return;
    g_autoptr(PrefixSat) sat = prefix_sat_new(prefix, budget);
    if (!sat) return;
    VecU32 run = {0};
    for (size_t i = 0; i < f->n && !budget_look(budget); i++) {
        if (!still_open(i, together)) continue;
        Budget slice = slice_of(f, i, budget);
        vec_clear(&run);
        SatAnswer answer = prefix_sat_reach(sat, shared->formulas, shared->goals[i], &slice, &run);
        if (answer == SAT_YES) found_together(i, &run, together);
        if (answer == SAT_NO && prefix->end == PREFIX_COMPLETE)
            answer_here(f, i, ANSWER_UNREACHABLE, "unfold", "no configuration of a complete prefix satisfies it");
    }
    vec_free(&run);
}

/* Started from the last to the first. A short search first: when it is complete, it answers everything. */
static const struct {
    const char *name;
    bool safe;       /* on the reduction that keeps safe nets safe */
    double fraction; /* of the share of shared steps */
    void (*run)(Together *together, const ManyGoals *shared, Budget *budget);
} shared_steps[] = {{"unfold", true, 1, unfold_together},
                    {"explicit", false, 1, search_together},
                    {"equation", false, 1, solve_together},
                    {"explicit", false, 0.1, search_together},
                    {"walk", false, 1, walk_together}};

/* Each on its own reduction for all goals still open. */
static void start_together(Portfolio *f, unsigned which)
{
    g_autofree FormulaId *goals = g_new(FormulaId, f->n);
    g_autofree bool *met = g_new0(bool, f->n);
    for (size_t i = 0; i < f->n; i++) goals[i] = f->targets[i].answered ? FORMULA_ID_FALSE : f->targets[i].goal;
    Budget budget = budget_part(f->budget, shared_share(f) * shared_steps[which].fraction, SHARED_SECONDS, NULL);
    ReduceOptions reduce = {.safe = shared_steps[which].safe};
    g_autoptr(Reduction) r = reduce_new(f->net, f->formulas, goals, f->n, &reduce, &budget);
    Together together = {f, r, shared_steps[which].name, met};
    ManyGoals shared = {f->net, f->formulas, goals, f->n, still_open, found_together, &together};
    if (r) shared.net = r->net, shared.formulas = r->formulas, shared.goals = r->goals;
    size_t open = f->open;
    double start = budget_now();
    shared_steps[which].run(&together, &shared, &budget);
    engine_say(&f->options->engine, "%s together: %zu goals before, %zu after %.2f s", shared_steps[which].name, open,
               f->open, budget_now() - start);
}

/* By work all shares may be used up before the clock ends: the last steps go on, with more. Under the lock. */
static void begin_again(Portfolio *f)
{
    if (!f->budget->work || f->budget->deadline <= 0 || !f->attempts || f->shared) return;
    f->attempts = 0;
    f->next = 0;
    while (f->next < N_STEPS && steps[f->next].seconds > 0) f->next++;
    f->next *= f->n;
    for (size_t i = 0; i < f->n; i++) memset(f->targets[i].begun, 0, sizeof f->targets[i].begun);
}

/* Walks differ by their seed; of another engine a second run at the same time would only repeat the first. */
static bool repeats(const Target *target, size_t step)
{
    for (size_t k = 0; k < N_STEPS; k++)
        if (target->running[k] && strcmp(steps[k].engine, steps[step].engine) == 0)
            return strcmp(steps[k].engine, "walk") != 0;
    return false;
}

/* The first job that makes sense now; N_STEPS * n when there is none. Under the lock. */
static size_t next_job(Portfolio *f)
{
    size_t n = N_STEPS * f->n;
    while (f->next < n && pointless(f, f->next / f->n, &f->targets[f->next % f->n])) f->next++;
    for (size_t job = f->next; job < n; job++) {
        const Target *target = &f->targets[job % f->n];
        if (!pointless(f, job / f->n, target) && !repeats(target, job / f->n)) return job;
    }
    return n;
}

static void *work(void *data)
{
    Portfolio *f = data;
    for (;;) {
        g_mutex_lock(&f->mutex);
        if (f->shared && f->open) {
            unsigned which = --f->shared;
            g_mutex_unlock(&f->mutex);
            start_together(f, which);
            continue;
        }
        size_t job = next_job(f);
        if (f->next >= N_STEPS * f->n) {
            begin_again(f);
            job = next_job(f);
        }
        f->attempts++;
        bool over = job >= N_STEPS * f->n || !f->open;
        Target *target = &f->targets[job % f->n];
        size_t step = job / f->n;
        if (!over) target->begun[step] = target->running[step] = true;
        g_mutex_unlock(&f->mutex);
        Budget now = budget_child(f->budget, 0, NULL);
        if (over || budget_look(&now)) return NULL;
        attempt(f, step, job % f->n);
        g_mutex_lock(&f->mutex);
        target->running[step] = false;
        g_mutex_unlock(&f->mutex);
    }
}

static void work_together(Portfolio *f)
{
    GThread *threads[MOST_THREADS];
    unsigned n = f->threads - 1;
    for (unsigned i = 0; i < n; i++) threads[i] = g_thread_new("portfolio", work, f);
    work(f);
    for (unsigned i = 0; i < n; i++) g_thread_join(threads[i]);
}

/* ---- what needs no engine ---- */

static void answer_at_once(Portfolio *f)
{
    for (size_t i = 0; i < f->n; i++) {
        FormulaId goal = f->targets[i].goal;
        if (goal == FORMULA_ID_FALSE) {
            answer_here(f, i, ANSWER_UNREACHABLE, "initial", "the goal is constantly false");
        } else if (formula_holds(f->formulas, goal, f->plain, f->net->initial)) {
            answer_here(f, i, ANSWER_REACHABLE, "initial", NULL);
        }
    }
}

/* "time limit; walk, explicit: stopped at their share; pdr: for safe nets only": the last word of each engine. */
static char *why_unknown(const Portfolio *f, const Target *target)
{
    g_autoptr(GString) ended = g_string_new(NULL), stopped = g_string_new(NULL);
    for (size_t step = 0; step < N_STEPS; step++) {
        bool last = target->why[step] != NULL;
        for (size_t k = step + 1; k < N_STEPS; k++)
            if (target->why[k] && strcmp(steps[k].engine, steps[step].engine) == 0) last = false;
        if (!last) continue;
        if (target->gave_up[step])
            g_string_append_printf(ended, "; %s: %s", steps[step].engine, target->why[step]);
        else
            g_string_append_printf(stopped, "%s%s", stopped->len ? ", " : "; ", steps[step].engine);
    }
    return g_strdup_printf(
        "%s%s%s%s", f->budget->reason != BUDGET_OK ? budget_reason_text(f->budget->reason) : "no engine could answer",
        stopped->str, stopped->len ? " stopped at their share" : "", ended->str);
}

static unsigned thread_count(const PortfolioOptions *options, size_t goals)
{
    unsigned n = options->engine.threads;
    if (!n) n = (unsigned)MAX(sysconf(_SC_NPROCESSORS_ONLN), 1);
    return (unsigned)MIN(MIN(n, MOST_THREADS), THREADS_PER_GOAL * goals);
}

void portfolio_run(const Net *net, FormulaStore *formulas, const FormulaId *goals, size_t n,
                   const PortfolioOptions *options, Budget *budget, Result *results)
{
    if (!n) return;
    Portfolio f = {.net = net,
                   .formulas = formulas,
                   .n = n,
                   .open = n,
                   .options = options,
                   .budget = budget,
                   .results = results,
                   .targets = g_new0(Target, n),
                   .threads = thread_count(options, n)};
    g_mutex_init(&f.mutex);
    f.plain = netlts_new(net, 64);
    for (size_t i = 0; i < n; i++) {
        f.targets[i].goal = goals[i];
        g_mutex_init(&f.targets[i].mutex);
    }
    answer_at_once(&f);
    f.shared = f.open > 1 && !options->only ? G_N_ELEMENTS(shared_steps) : 0;
    if (f.open) work_together(&f);
    budget_look(budget);
    for (size_t i = 0; i < n; i++) {
        Target *target = &f.targets[i];
        if (!target->answered) {
            results[i].engine = "auto";
            results[i].reason = why_unknown(&f, target);
        }
        for (size_t step = 0; step < N_STEPS; step++) g_free(target->why[step]);
        reduction_free(target->reduced[0]);
        reduction_free(target->reduced[1]);
        g_mutex_clear(&target->mutex);
    }
    g_mutex_clear(&f.mutex);
    netlts_free(f.plain);
    g_free(f.targets);
}
