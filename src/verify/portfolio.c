#include "verify/portfolio.h"

#include "verify/portfolio_goals.h"
#include "verify/portfolio_together.h"
#include "verify/reduced.h"
#include "verify/skeleton.h"

#include <assert.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

enum { MOST_THREADS = 64, THREADS_PER_GOAL = 2 };
/* Less than this an engine needs to get going: a share is not smaller, nor larger than that part of what is left. */
#define SECONDS_PER_ARC 10e-6
#define LARGEST_START 0.1
/* Up to here a net is looked at as if it had few markings, before threads begin. */
enum { SMALL_ARCS = 10000 };

typedef struct Step {
    const char *engine;
    enum { PLAIN, SAFE, GIVEN } net; /* schedule.def */
    double seconds, proof_part, proof_seconds;
    bool small;
} Step;

static const Step steps[] = {
#define NOT (-1)
#define SMALL(engine, seconds) {#engine, PLAIN, seconds, NOT, 0, true},
#define TOGETHER(engine, net, fraction)
#define STEP(engine, net, seconds, proof_part, proof_seconds) {#engine, net, seconds, proof_part, proof_seconds, false},
#include "verify/schedule.def"
#undef SMALL
#undef TOGETHER
#undef STEP
#undef NOT
};
enum { N_STEPS = G_N_ELEMENTS(steps) };

/* How far one goal is in the schedule. */
typedef struct Progress {
    bool begun[N_STEPS], running[N_STEPS];
    bool gave_up[N_STEPS]; /* the engine ended by itself without an answer: longer will not help */
    bool hopeless;         /* no marking satisfies it, which is still to be proved as is wanted: walks are vain */
    char *why[N_STEPS];    /* what stopped it; NULL: not tried, or no reason */
} Progress;

/* The lock of the goals is also that of what follows them. */
typedef struct Portfolio {
    Goals goals;
    const PortfolioOptions *options;
    unsigned threads;
    Progress *progress; /* by goal */
    unsigned together;  /* of the searches for all goals together: the next one */
    size_t next;        /* job number: step * n + goal; all before it are begun or pointless */
    size_t attempts;    /* since the steps were begun, or begun again */
    Budget *small;      /* of the small steps, while they are done */
} Portfolio;

static void lock(Portfolio *f)
{
    g_mutex_lock(&f->goals.mutex);
}

static void unlock(Portfolio *f)
{
    g_mutex_unlock(&f->goals.mutex);
}

/* ---- which step, and how long ---- */

static bool allowed(const Portfolio *f, const char *engine)
{
    if (!f->options->only) return true;
    g_auto(GStrv) names = g_strsplit(f->options->only, ",", -1);
    return g_strv_contains((const char *const *)names, engine);
}

/* In the plan of those who name no engines. */
static bool is_usual(size_t step)
{
    return steps[step].seconds >= 0 && !steps[step].small;
}

static bool only_finds(size_t step)
{
    return strcmp(steps[step].engine, "walk") == 0;
}

/* An engine that is named and has no usual step gets its other one. */
static bool is_named(const Portfolio *f, size_t step)
{
    if (!f->options->only || !allowed(f, steps[step].engine)) return false;
    for (size_t k = 0; k < N_STEPS; k++)
        if (is_usual(k) && strcmp(steps[k].engine, steps[step].engine) == 0) return false;
    return true;
}

/* Does it get whatever is left, so that it can be begun again with more? */
static bool takes_the_rest(const Portfolio *f, size_t step)
{
    return f->options->certified ? steps[step].proof_seconds <= 0 : steps[step].seconds <= 0;
}

static bool is_planned(const Portfolio *f, size_t step)
{
    return f->options->certified ? steps[step].proof_part > 0 : is_usual(step) || is_named(f, step);
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
    double left = budget_left(f->goals.budget), later = 0, nominal = steps[step].seconds;
    if (isinf(left)) return nominal;
    double rest = MAX(left / 3, 1.0);
    for (size_t k = step; k < N_STEPS; k++)
        if (is_planned(f, k)) later += steps[k].seconds > 0 ? steps[k].seconds : rest;
    double wanted = nominal > 0 ? nominal : rest;
    double fair = left * f->threads * wanted / (later * (double)MAX(f->goals.open, 1));
    if (nominal <= 0 && f->goals.open <= f->threads) return left;
    double least = MAX(0.05, MIN(start_of(net), LARGEST_START * left));
    return MAX(least, nominal > 0 ? MIN(nominal, fair) : fair);
}

static Budget budget_of(Portfolio *f, size_t step, size_t i, const Net *net)
{
    const Goals *g = &f->goals;
    const StopFlag *stop = &g->targets[i].stop;
    if (f->small) return budget_child(f->small, steps[step].seconds, stop);
    if (f->options->certified) return budget_part(g->budget, steps[step].proof_part, steps[step].proof_seconds, stop);
    return budget_child(g->budget, share(f, step, net), stop);
}

/* Under the lock. */
static bool pointless(const Portfolio *f, size_t step, size_t i)
{
    const Progress *p = &f->progress[i];
    if (f->goals.targets[i].answered || p->begun[step]) return true;
    if (!is_planned(f, step) || !allowed(f, steps[step].engine)) return true;
    if (p->hopeless && only_finds(step)) return true;
    for (size_t k = 0; k < step; k++)
        if (p->gave_up[k] && strcmp(steps[k].engine, steps[step].engine) == 0 &&
            (steps[k].net == GIVEN) == (steps[step].net == GIVEN))
            return true;
    return false;
}

/* By work all shares may be used up before the clock ends: the last steps go on, with more. Under the lock. */
static void begin_again(Portfolio *f)
{
    Goals *g = &f->goals;
    if (!budget_is_by_work(g->budget) || !budget_is_timed(g->budget) || !f->attempts || f->together < N_TOGETHER)
        return;
    f->attempts = 0;
    f->next = 0;
    while (f->next < N_STEPS && !(is_planned(f, f->next) && takes_the_rest(f, f->next))) f->next++;
    f->next *= g->n;
    for (size_t i = 0; i < g->n; i++) memset(f->progress[i].begun, 0, sizeof f->progress[i].begun);
}

/* Walks differ by their seed; of another engine a second run at the same time would only repeat the first. */
static bool repeats(const Progress *p, size_t step)
{
    for (size_t k = 0; k < N_STEPS; k++)
        if (p->running[k] && strcmp(steps[k].engine, steps[step].engine) == 0) return !only_finds(step);
    return false;
}

/* The first job that makes sense now; N_STEPS * n when there is none. Under the lock. */
static size_t next_job(Portfolio *f)
{
    size_t n = f->goals.n, end = N_STEPS * n;
    while (f->next < end && pointless(f, f->next / n, f->next % n)) f->next++;
    for (size_t job = f->next; job < end; job++)
        if (!pointless(f, job / n, job % n) && !repeats(&f->progress[job % n], job / n)) return job;
    return end;
}

/* ---- attempts ---- */

static void run_engine(Portfolio *f, size_t step, size_t i, const Query *query, const ProofFile *proof, Budget *budget,
                       Result *result)
{
    EngineOptions options = f->options->engine;
    options.seed += step;
    options.threads = 1;
    options.certificate = proof;
    options.reduced = true;
    double start = budget_now();
    engine_find(steps[step].engine)->run(query, &options, budget, result);
    if (!f->goals.targets[i].answered)
        engine_say(&f->options->engine, "goal %zu: %s %s in %.2f s%s%s", i, steps[step].engine,
                   result_answer_text(result->answer), budget_now() - start, result->reason ? ": " : "",
                   result->reason ? result->reason : "");
}

/* What an engine left behind that has no answer. */
static void note_end(Portfolio *f, size_t step, size_t i, const Result *result, const Budget *budget)
{
    if (result->answer != ANSWER_UNKNOWN) return;
    Progress *p = &f->progress[i];
    lock(f);
    p->gave_up[step] = !budget_ended(budget) || budget_ending(budget) == ENDING_MEMORY; /* more time is no help */
    g_free(p->why[step]);
    p->why[step] = g_strdup(result->reason ? result->reason : "gave up");
    unlock(f);
}

/* On the reduction or, when that is not wanted or has become of no use just now, on the net itself. */
static void attempt(Portfolio *f, size_t step, size_t i)
{
    Goals *g = &f->goals;
    bool safe = steps[step].net == SAFE;
    Query original = {g->net, g->formulas, g->targets[i].goal};
    Result result = {0};
    for (bool again = true; again;) {
        const Reduction *r = NULL;
        ProofFile file, *proof;
        Query query = original;
        if (steps[step].net != GIVEN) query = portfolio_goals_reduced(g, i, safe, &r);
        proof = !f->small && portfolio_goals_proof(g, i, safe, r, &original, &file) ? &file : NULL;
        Budget budget = budget_of(f, step, i, query.net);
        bool said_all = reduced_settled(&query, &f->options->engine, proof, &budget, &result);
        if (!said_all) run_engine(f, step, i, &query, proof, &budget, &result);
        note_end(f, step, i, &result, &budget);
        portfolio_goals_lift_own(g, i, safe, r, &result);
        again = said_all && result.answer == ANSWER_UNKNOWN && r;
    }
    bool unproved = f->options->certified && f->small && result.answer == ANSWER_UNREACHABLE;
    if (unproved)
        f->progress[i].hopeless = true;
    else
        portfolio_goals_deliver(g, i, &result);
    result_clear(&result);
}

/* ---- small nets ---- */

/* What it may cost is counted, not timed, and one thread does it: so whether a net is small depends on nothing else. */
static void look_small(Portfolio *f)
{
    Goals *g = &f->goals;
    if (f->options->only || net_arcs_in_file(g->net) > SMALL_ARCS) return;
    uint64_t work = 0;
    Budget counted = budget_child(g->budget, 0, NULL);
    if (!budget_is_by_work(&counted)) budget_by_work(&counted, &work, 0);
    f->small = &counted;
    for (size_t step = 0; step < N_STEPS && g->open; step++) {
        if (!steps[step].small) continue;
        Budget part = budget_child(&counted, steps[step].seconds, NULL);
        if (g->n == 1)
            attempt(f, step, 0);
        else if (!f->options->certified)
            portfolio_together_small(g, steps[step].engine, &part);
    }
    f->small = NULL;
}

/* ---- workers ---- */

static void *work(void *data)
{
    Portfolio *f = data;
    Goals *g = &f->goals;
    for (;;) {
        lock(f);
        if (f->together < N_TOGETHER && g->open) {
            unsigned which = f->together++;
            unlock(f);
            portfolio_together_run(g, which);
            continue;
        }
        size_t job = next_job(f);
        if (f->next >= N_STEPS * g->n) {
            begin_again(f);
            job = next_job(f);
        }
        f->attempts++;
        bool over = job >= N_STEPS * g->n || !g->open;
        size_t step = job / g->n, i = job % g->n;
        if (!over) f->progress[i].begun[step] = f->progress[i].running[step] = true;
        unlock(f);
        Budget now = budget_child(g->budget, 0, NULL);
        if (over || budget_look(&now)) return NULL;
        attempt(f, step, i);
        lock(f);
        f->progress[i].running[step] = false;
        unlock(f);
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

static void answer_at_once(Goals *g)
{
    for (size_t i = 0; i < g->n; i++) {
        FormulaId goal = g->targets[i].goal;
        if (goal == FORMULA_ID_FALSE) {
            portfolio_goals_rule_out(g, i, "initial", "the goal is constantly false");
        } else if (formula_holds(g->formulas, goal, g->plain, g->net->initial)) {
            portfolio_goals_answer(g, i, ANSWER_REACHABLE, "initial", NULL);
        }
    }
}

/* "time limit; walk, explicit: stopped at their share; pdr: for safe nets only": the last word of each engine. */
static char *why_unknown(const Progress *p, const Budget *budget)
{
    g_autoptr(GString) ended = g_string_new(NULL), stopped = g_string_new(NULL);
    for (size_t step = 0; step < N_STEPS; step++) {
        bool last = p->why[step] != NULL;
        for (size_t k = step + 1; k < N_STEPS; k++)
            if (p->why[k] && strcmp(steps[k].engine, steps[step].engine) == 0) last = false;
        if (!last) continue;
        if (p->gave_up[step])
            g_string_append_printf(ended, "; %s: %s", steps[step].engine, p->why[step]);
        else
            g_string_append_printf(stopped, "%s%s", stopped->len ? ", " : "; ", steps[step].engine);
    }
    return g_strdup_printf("%s%s%s%s", budget_ended(budget) ? budget_text(budget) : "no engine could answer",
                           stopped->str, stopped->len ? " stopped at their share" : "", ended->str);
}

/* Proofs go to one file: there only one engine works at a time. */
static unsigned thread_count(const PortfolioOptions *options, size_t goals)
{
    unsigned n = options->certified ? 1 : options->engine.threads;
    if (!n) n = (unsigned)MAX(sysconf(_SC_NPROCESSORS_ONLN), 1);
    return (unsigned)MIN(MIN(n, MOST_THREADS), THREADS_PER_GOAL * goals);
}

void portfolio_run(const Net *net, FormulaStore *formulas, const FormulaId *goals, size_t n,
                   const PortfolioOptions *options, Budget *budget, Result *results)
{
    if (!n) return;
    assert(options->certified || !options->engine.certificate);
    Portfolio f = {.options = options, .threads = thread_count(options, n), .progress = g_new0(Progress, n)};
    portfolio_goals_init(&f.goals, net, formulas, goals, n, options, budget, results);
    if (!options->certified) answer_at_once(&f.goals);
    if (!options->certified && !options->only) skeleton_answer(&f.goals);
    if (f.goals.open) look_small(&f);
    f.together = f.goals.open > 1 && !options->only && !options->certified ? 0 : N_TOGETHER;
    if (f.goals.open) work_together(&f);
    budget_look(budget);
    for (size_t i = 0; i < n; i++) {
        if (!f.goals.targets[i].answered) {
            results[i].engine = options->certified ? "certified" : "auto";
            results[i].reason = why_unknown(&f.progress[i], budget);
        }
        for (size_t step = 0; step < N_STEPS; step++) g_free(f.progress[i].why[step]);
    }
    portfolio_goals_clear(&f.goals);
    g_free(f.progress);
}
