#include "view/executions.h"

#include "explore/conditional.h"
#include "explore/netexplore.h"
#include "net/safeness.h"
#include "verify/dead_ends.h"

/* Final markings that nobody understands are no ends. */
static size_t count_deadlocks(const NetLts *lts, const ExploreDead *dead, size_t n)
{
    DeadEnds ends;
    if (!dead_ends_init(&ends, lts, dead, n, NULL)) return n;
    size_t deadlocks = ends.n_deadlocks;
    dead_ends_clear(&ends);
    return deadlocks;
}

static void fill(Executions *x, const ExploreStats *s, size_t dead, const char *reason)
{
    x->traces = s->leaves[LEAF_MAXIMAL];
    x->ssb = s->leaves[LEAF_BLOCKED];
    x->events = (int64_t)s->events;
    x->nodes = s->nodes;
    x->deadlocks = dead;
    x->reason = g_strdup(reason);
    x->memory_kib = budget_resident() / 1024;
}

static void run_upor(Executions *x, const Net *net, const Indep *indep, const Spins *spins, Budget *budget)
{
    ExploreOptions options = {.order = ORDER_ERV,
                              .cache = CACHE_UNLIMITED,
                              .spins = spins,
                              .spins_late = true,
                              .start = x->tree ? runtree_start : NULL,
                              .leaf = x->tree ? runtree_leaf : NULL,
                              .data = x->tree};
    NetExplore run;
    netexplore_run(&run, net, indep, &options, x->cutoffs, budget);
    size_t n;
    const ExploreDead *dead = explore_dead(run.explorer, &n);
    fill(x, explore_stats(run.explorer), count_deadlocks(run.lts, dead, n), netexplore_reason(&run));
    if (x->tree) runtree_mark_deadlocks(x->tree, net);
    netexplore_clear(&run);
}

void executions_run(Executions *x, const Net *net, const Indep *indep, Budget *budget)
{
    g_autoptr(Spins) spins = spins_new(net, net->nupn && safeness_decide(net, NULL, NULL) == SAFE_YES);
    if (x->algorithm == ALGORITHM_UPOR) {
        run_upor(x, net, indep, spins, budget);
        return;
    }
    DporRun run;
    if (x->algorithm != ALGORITHM_CDPOR) {
        DporOptions options = {.algorithm = x->algorithm,
                               .count = COUNT_EXACT,
                               .spins = spins,
                               .spins_late = true,
                               .start = x->tree ? runtree_start : NULL,
                               .leaf = x->tree ? runtree_leaf : NULL,
                               .data = x->tree};
        dpor_run(&run, net, indep, &options, budget);
    } else {
        g_autoptr(GError) error = NULL;
        g_autoptr(Constraints) constraints = constraints_within(net, budget, &error);
        if (!constraints) {
            x->reason = g_strdup(error->message);
            return;
        }
        ConditionalOptions options = {.spins = spins, .leaf = x->tree ? runtree_run : NULL, .data = x->tree};
        conditional_run(&run, constraints, &options, budget);
    }
    size_t deadlocks = count_deadlocks(run.lts, run.outcome.dead.data, run.outcome.dead.len);
    fill(x, &run.outcome.stats, deadlocks, outcome_reason(&run.outcome));
    if (x->algorithm == ALGORITHM_CDPOR) x->events = -1;
    if (x->tree) runtree_mark_deadlocks(x->tree, net);
    dpor_clear(&run);
}

ViewTree executions_tree(const Executions *x)
{
    return (ViewTree){.algorithm = algorithm_name(x->algorithm),
                      .tree = x->tree,
                      .events = x->events,
                      .nodes = (int64_t)x->nodes,
                      .deadlocks = (int64_t)x->deadlocks,
                      .reason = x->reason};
}

void executions_clear(Executions *x)
{
    g_free(x->reason);
    x->reason = NULL;
}
