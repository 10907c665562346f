#include "home/home.h"

#include "home/bottoms.h"
#include "home/downhill.h"
#include "home/live.h"
#include "home/stray.h"
#include "lts/replay.h"
#include "reduce/reduce.h"

/* A search that small comes before anything else. */
enum { FEW_MARKINGS = 20000 };
#define STRAY_SHARE 0.1
#define STRAY_SECONDS 3.0
#define SEARCH_SHARE 0.6
#define DOWNHILL_SHARE 0.5

void home_result_clear(HomeResult *result)
{
    g_free(result->reason);
    vec_free(&result->run);
    *result = (HomeResult){0};
}

typedef struct Attempt {
    const HomeQuestion *question; /* as asked */
    const Reduction *reduction;   /* or NULL */
    const Net *net;               /* where the search goes on */
    FormulaStore *formulas;
    const FormulaId *goals;
    Explicit *search;
    HomeResult *result;
} Attempt;

/* The result's run is one of the net where the search goes on. */
static void lose(Attempt *a, size_t goal, Budget *budget)
{
    HomeResult *r = a->result;
    g_autofree uint64_t *reached = replay_start(a->question->net);
    if ((a->reduction && !reduce_lift(a->reduction, false, budget, &r->run)) ||
        replay_run(a->question->net, r->run.data, r->run.len, reached) != r->run.len) {
        vec_clear(&r->run);
        r->reason = g_strdup("the run that loses the goal on the reduced net does not fit into memory or time");
        return;
    }
    r->verdict = VERDICT_VIOLATED;
    r->lost = goal;
}

static void read_bottoms(Attempt *a, Budget *budget)
{
    Bottoms bottoms = {0};
    size_t n = a->question->n, first = n;
    if (!bottoms_find(a->search, a->formulas, a->goals, n, budget, &bottoms)) {
        a->result->reason = g_strdup_printf("explicit: %s while components were looked for", budget_text(budget));
    } else {
        for (size_t i = 0; i < n; i++)
            if (bottoms.lost_at[i] != STORE_NONE && (first == n || bottoms.lost_at[i] < bottoms.lost_at[first]))
                first = i;
        if (first == n)
            a->result->verdict = VERDICT_HOLDS;
        else {
            explicit_path(a->search, bottoms.lost_at[first], &a->result->run);
            lose(a, first, budget);
        }
    }
    bottoms_clear(&bottoms);
}

/* Goes on with the search; true when it has come to its end, whatever that says. */
static bool search_on(Attempt *a, Budget *budget)
{
    Ending end = explicit_run(a->search, NULL, budget);
    HomeResult *r = a->result;
    r->engine = "explicit";
    r->markings = a->search->store.len;
    g_clear_pointer(&r->reason, g_free);
    if (end == ENDING_COMPLETE) {
        read_bottoms(a, budget);
    } else {
        r->reason = ending_is_limit(end)
                        ? g_strdup_printf("explicit: %s after %u markings", budget_text(budget), a->search->store.len)
                        : g_strdup("there are infinitely many markings, and no run was found after "
                                   "which it is certainly impossible");
    }
    return !ending_is_limit(end);
}

static bool stray(Attempt *a, const EngineOptions *options, double share, bool prove, Budget *budget)
{
    Budget own = budget_part(budget, share, STRAY_SECONDS, NULL);
    Stray found = {0};
    if (!stray_find(a->question, options, prove, &own, &found)) return false;
    HomeResult *r = a->result;
    g_clear_pointer(&r->reason, g_free);
    r->verdict = VERDICT_VIOLATED;
    r->engine = found.engine;
    r->lost = found.goal;
    r->run = found.run;
    r->markings = 0;
    return true;
}

/* By a rank: one goal alone. */
static bool go_downhill(Attempt *a, const EngineOptions *options, Budget *budget)
{
    if (a->question->n != 1) return false;
    Budget own = budget_part(budget, DOWNHILL_SHARE, 0, NULL);
    Downhill found = {0};
    HomeResult *r = a->result;
    downhill_ask(a->net, a->formulas, a->goals[0], options, NULL, &own, &found);
    if (found.verdict != VERDICT_UNKNOWN) {
        g_clear_pointer(&r->reason, g_free);
        r->engine = "downhill";
        r->markings = 0;
        vec_append(&r->run, found.run.data, found.run.len);
    }
    if (found.verdict == VERDICT_HOLDS) r->verdict = VERDICT_HOLDS;
    if (found.verdict == VERDICT_VIOLATED) lose(a, 0, budget);
    downhill_clear(&found);
    return r->verdict != VERDICT_UNKNOWN;
}

/* Only HOLDS: a net that is not live wants a run. */
static bool all_live(Attempt *a, const EngineOptions *options, Budget *budget)
{
    Budget own = budget_part(budget, SEARCH_SHARE, 0, NULL);
    g_autofree char *stopped = NULL;
    uint64_t markings = 0;
    if (live_by_components(a->question->net, options, &own, &markings, &stopped) != TRUTH_YES) return false;
    g_clear_pointer(&a->result->reason, g_free);
    a->result->verdict = VERDICT_HOLDS;
    a->result->markings = markings;
    return true;
}

static void attempt(Attempt *a, const EngineOptions *options, Budget *budget)
{
    Budget few = budget_part(budget, SEARCH_SHARE, 0, NULL);
    budget_limit_events(&few, FEW_MARKINGS);
    bool ended = search_on(a, &few);
    /* Each of these looks at a large net before it asks the budget. */
    if (a->result->verdict != VERDICT_UNKNOWN || budget_look(budget)) return;
    if (stray(a, options, STRAY_SHARE, false, budget) || budget_look(budget)) return;
    if (!ended && a->question->live && all_live(a, options, budget)) return;
    if (budget_look(budget) || go_downhill(a, options, budget)) return;
    if (!ended) {
        Budget more = budget_part(budget, SEARCH_SHARE, 0, NULL);
        search_on(a, &more);
    }
    if (a->result->verdict == VERDICT_UNKNOWN && !budget_look(budget)) stray(a, options, 1, true, budget);
}

void home_ask(const HomeQuestion *q, const EngineOptions *options, Budget *budget, HomeResult *result)
{
    if (q->live && live_by_structure(q->net, budget)) {
        result->verdict = VERDICT_HOLDS;
        result->engine = "freechoice";
        return;
    }
    Budget reducing = budget_part(budget, STRAY_SHARE, 0, NULL);
    g_autoptr(Reduction) reduction =
        reduce_new(q->net, q->formulas, q->goals, q->n, &(ReduceOptions){.home = true}, &reducing);
    Attempt a = {.question = q, .net = q->net, .formulas = q->formulas, .goals = q->goals, .result = result};
    if (reduction) {
        a.reduction = reduction;
        a.net = reduction->net;
        a.formulas = reduction->formulas;
        a.goals = reduction->goals;
        engine_say(options, "home: %u of %u places and %u of %u transitions are left", a.net->n_places,
                   q->net->n_places, a.net->n_transitions, q->net->n_transitions);
    }
    a.search = explicit_new(a.net);
    attempt(&a, options, budget);
    explicit_free(a.search);
}
