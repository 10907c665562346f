#include "api/handles.h"

#include "api/words.h"
#include "base/error.h"
#include "explore/dpor.h"
#include "explore/netexplore.h"
#include "verify/dead_ends.h"

#define OPTIONS "algorithm relation order cutoffs alternatives search cache depth unroll await seed"
#define N_KINDS_TOLD (MZ_LEAF_STUCK + 1)

typedef enum { AWAIT_AUTO, AWAIT_ON, AWAIT_OFF } Await;

typedef struct Run {
    uint32_t *at;
    size_t length;
} Run;

struct mz_exploration {
    Handle handle;
    mz_net *net; /* kept */
    Ending ending;
    char *reason; /* NULL: complete */
    uint64_t leaves[N_KINDS_TOLD], events;
    uint32_t n_deadlocks, n_ends;
    Run *runs;
};

/* What waits came after MZ_LEAF_AGAIN, which is no leaf. */
_Static_assert((int)MZ_LEAF_BOUND == LEAF_BOUND && (int)MZ_LEAF_AGAIN == LEAF_WAITING, "leaves");
_Static_assert((int)MZ_LEAF_STUCK == LEAF_STUCK + 1 && LEAF_STUCK + 1 == N_LEAF_KINDS, "leaves");

typedef struct Exploring {
    const Net *net;
    const char *const *words;
    mz_leaf_function *leaf;
    void *data;
    Budget *budget;
    const uint32_t *starts; /* of what runs */
    uint32_t seen_starts;
    bool stopped;
    unsigned algorithm, cutoffs, await; /* the last two in the order of their words */
    const Indep *indep;
    Spins *spins;
    ExploreOptions options;
} Exploring;

static mz_leaf told_as(LeafKind kind)
{
    return (mz_leaf)(kind < LEAF_WAITING ? (int)kind : (int)kind + 1);
}

static void tell_leaf(void *data, LeafKind kind, const Config *config)
{
    Exploring *x = data;
    if (x->stopped) return;
    bool again = x->seen_starts && x->seen_starts != *x->starts + 1;
    x->seen_starts = *x->starts + 1;
    x->stopped = (again && !x->leaf(MZ_LEAF_AGAIN, NULL, 0, x->data)) ||
                 !x->leaf(told_as(kind), config->label.data, config->n, x->data);
    if (x->stopped) budget_exhaust(x->budget, ENDING_STOPPED);
}

/* ---- options ---- */

static bool read_alternatives(Exploring *x, GError **error)
{
    const char *text = words_value(x->words, "alternatives");
    guint64 k;
    if (text && g_str_has_prefix(text, "k=") && g_ascii_string_to_unsigned(text + 2, 10, 1, UINT32_MAX, &k, NULL)) {
        x->options.alternatives = ALTERNATIVES_PARTIAL;
        x->options.k = (uint32_t)k;
        return true;
    }
    unsigned choice = 0;
    if (!words_choice(x->words, "alternatives", "optimal source k=N", &choice, error)) return false;
    x->options.alternatives = choice ? ALTERNATIVES_SOURCE : ALTERNATIVES_OPTIMAL;
    return true;
}

static bool read_options(Exploring *x, GError **error)
{
    const char *order = words_value(x->words, "order");
    unsigned search = SEARCH_DFS;
    uint64_t cache = CACHE_USUAL, depth = 0, unroll = 0;
    x->cutoffs = 2;
    x->await = AWAIT_OFF;
    x->options = (ExploreOptions){.order = ORDER_ERV};
    if (!words_check(x->words, OPTIONS, error) || !read_alternatives(x, error) ||
        (order && !words_order(order, &x->options.order, error)) ||
        !words_choice(x->words, "algorithm", "upor odpor reverse sdpor sleep", &x->algorithm, error) ||
        !words_choice(x->words, "cutoffs", "on off auto", &x->cutoffs, error) ||
        !words_choice(x->words, "search", "dfs bfs random size", &search, error) ||
        !words_number(x->words, "cache", 0, CACHE_USUAL - 1, &cache, error) ||
        !words_number(x->words, "depth", 0, UINT32_MAX, &depth, error) ||
        !words_number(x->words, "unroll", 0, UINT32_MAX, &unroll, error) ||
        !words_choice(x->words, "await", "auto on off", &x->await, error) ||
        !words_number(x->words, "seed", 0, UINT64_MAX, &x->options.seed, error))
        return false;
    /* The words above are in the order of the table. */
    assert(!words_value(x->words, "algorithm") ||
           g_str_equal(words_value(x->words, "algorithm"), algorithm_name((Algorithm)x->algorithm)));
    x->options.search = (SearchOrder)search;
    x->options.cache = cache;
    x->options.depth = (uint32_t)depth;
    x->options.unroll = (uint32_t)unroll;
    x->options.cutoffs = x->cutoffs == 0;
    if (unroll && x->options.cutoffs) {
        g_set_error_literal(error, MAZURKA_ERROR, ERROR_USAGE, "unroll bounds runs that have no cutoffs");
        return false;
    }
    if (x->algorithm == ALGORITHM_UPOR || x->cutoffs) return true;
    g_set_error(error, MAZURKA_ERROR, ERROR_USAGE, "%s has no cutoffs, it explores terminating nets",
                algorithm_name((Algorithm)x->algorithm));
    return false;
}

static Indep *read_relation(const Exploring *x, GError **error)
{
    const char *name = relation_given(words_value(x->words, "relation"), RELATION_DEFAULT_EXPLORE);
    Relation relation;
    return words_relation(name, &relation, error) ? indep_named(x->net, name, x->budget, error) : NULL;
}

/* ---- results ---- */

static bool keep(mz_exploration *result, const ExploreStats *stats, const NetLts *lts, const ExploreDead *dead,
                 size_t n_dead, const char *reason, GError **error)
{
    DeadEnds ends;
    if (!dead_ends_init(&ends, lts, dead, n_dead, error)) return false;
    for (int kind = 0; kind < N_LEAF_KINDS; kind++) result->leaves[told_as((LeafKind)kind)] = stats->leaves[kind];
    result->events = stats->events;
    result->reason = g_strdup(reason);
    result->n_deadlocks = (uint32_t)ends.n_deadlocks;
    result->n_ends = (uint32_t)ends.n_final;
    size_t n = ends.n_deadlocks + ends.n_final;
    result->runs = g_new0(Run, n + 1);
    for (size_t i = 0; i < n; i++) {
        result->runs[i].length = ends.list[i]->length;
        result->runs[i].at = g_new(uint32_t, ends.list[i]->length + 1);
        if (ends.list[i]->length)
            memcpy(result->runs[i].at, ends.list[i]->run, ends.list[i]->length * sizeof(uint32_t));
    }
    dead_ends_clear(&ends);
    return true;
}

static bool explore_unfolding(Exploring *x, mz_exploration *result, GError **error)
{
    NetExplore run = {0};
    x->starts = &run.starts;
    x->options.spins = x->spins;
    x->options.spins_late = x->await == AWAIT_AUTO;
    x->options.leaf = x->leaf ? tell_leaf : NULL;
    x->options.data = x;
    netexplore_run(&run, x->net, x->indep, &x->options, x->cutoffs == 2, x->budget);
    size_t n_dead;
    const ExploreDead *dead = explore_dead(run.explorer, &n_dead);
    result->ending = run.end;
    bool ok = keep(result, explore_stats(run.explorer), run.lts, dead, n_dead, netexplore_reason(&run), error);
    x->starts = NULL;
    netexplore_clear(&run);
    return ok;
}

static bool explore_labels(Exploring *x, mz_exploration *result, GError **error)
{
    DporRun run = {0};
    DporOptions options = {.algorithm = (Algorithm)x->algorithm,
                           .depth = x->options.depth,
                           .unroll = x->options.unroll,
                           .spins = x->spins,
                           .spins_late = x->await == AWAIT_AUTO,
                           .leaf = x->leaf ? tell_leaf : NULL,
                           .data = x};
    x->starts = &run.starts;
    dpor_run(&run, x->net, x->indep, &options, x->budget);
    const Outcome *o = &run.outcome;
    result->ending = o->end;
    bool ok = keep(result, &o->stats, run.lts, o->dead.data, o->dead.len, outcome_reason(o), error);
    x->starts = NULL;
    dpor_clear(&run);
    return ok;
}

mz_exploration *mz_explore(const mz_net *net, const char *const *words, mz_limits *limits, mz_leaf_function *leaf,
                           void *data, mz_error **error)
{
    assert(IS_HANDLE(net, NET));
    Call call;
    GError *failed = NULL;
    Budget *budget = api_limits_begin(limits, &call);
    Exploring x = {.net = api_net_inside(net), .words = words, .leaf = leaf, .data = data, .budget = budget};
    if (!read_options(&x, &failed)) return api_error_hand(failed, error);
    g_autoptr(Indep) indep = read_relation(&x, &failed);
    if (!indep) return api_error_hand(failed, error);
    g_autoptr(Spins) spins = x.await == AWAIT_OFF ? NULL : spins_of(x.net);
    x.indep = indep;
    x.spins = spins;
    mz_exploration *result = g_new0(mz_exploration, 1);
    result->handle = HANDLE_EXPLORATION;
    result->net = api_net_keep(net);
    bool ok =
        x.algorithm == ALGORITHM_UPOR ? explore_unfolding(&x, result, &failed) : explore_labels(&x, result, &failed);
    if (ok) return result;
    mz_exploration_free(result);
    return api_error_hand(failed, error);
}

void mz_exploration_free(mz_exploration *exploration)
{
    if (!exploration) return;
    END_HANDLE(exploration, EXPLORATION);
    for (uint32_t i = 0; i < exploration->n_deadlocks + exploration->n_ends; i++) g_free(exploration->runs[i].at);
    g_free(exploration->runs);
    g_free(exploration->reason);
    mz_net_free(exploration->net);
    g_free(exploration);
}

mz_ending mz_exploration_ending(const mz_exploration *exploration)
{
    assert(IS_HANDLE(exploration, EXPLORATION));
    return (mz_ending)exploration->ending;
}

bool mz_exploration_complete(const mz_exploration *exploration)
{
    assert(IS_HANDLE(exploration, EXPLORATION));
    return !exploration->reason;
}

const char *mz_exploration_reason(const mz_exploration *exploration)
{
    assert(IS_HANDLE(exploration, EXPLORATION));
    return exploration->reason ? exploration->reason : "";
}

uint64_t mz_exploration_leaves(const mz_exploration *exploration, mz_leaf kind)
{
    assert(IS_HANDLE(exploration, EXPLORATION) && (unsigned)kind < N_KINDS_TOLD);
    return exploration->leaves[kind];
}

uint64_t mz_exploration_events(const mz_exploration *exploration)
{
    assert(IS_HANDLE(exploration, EXPLORATION));
    return exploration->events;
}

uint32_t mz_exploration_deadlocks(const mz_exploration *exploration)
{
    assert(IS_HANDLE(exploration, EXPLORATION));
    return exploration->n_deadlocks;
}

uint32_t mz_exploration_ends(const mz_exploration *exploration)
{
    assert(IS_HANDLE(exploration, EXPLORATION));
    return exploration->n_ends;
}

const uint32_t *mz_exploration_run(const mz_exploration *exploration, uint32_t i, size_t *length)
{
    assert(IS_HANDLE(exploration, EXPLORATION) && i < exploration->n_deadlocks + exploration->n_ends);
    if (length) *length = exploration->runs[i].length;
    return exploration->runs[i].at;
}
