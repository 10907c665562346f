#include "explore/crew.h"

#include <assert.h>
#include <stdatomic.h>

typedef struct Crew Crew;

typedef struct Worker {
    Crew *crew;
    unsigned number;
    GThread *thread;
    Outcome *outcome, own;
    DporStats stats;
    Budget *budget, part;
    Reverse search;
    VecU32 run;
    Backlog children;
    GMutex lock; /* of the backlog */
    Backlog backlog;
    _Atomic uint64_t leaves; /* so far, for those who ask */
    uint64_t met;
} Worker;

struct Crew {
    const Lts *lts;
    const NetLts *net;
    const Indep *indep;
    const DporOptions *options;
    unsigned n;
    Worker *workers;
    _Atomic uint64_t open;   /* runs that wait or are being visited: 0 when all is done */
    _Atomic uint64_t queued; /* runs that wait */
    _Atomic uint64_t met;
    _Atomic unsigned idle;
    StopFlag stop;
    GMutex lock; /* of what follows, and of whoever is told about leaves */
    GCond changed;
};

/* ---- runs to visit ---- */

static void wake(Crew *crew)
{
    g_mutex_lock(&crew->lock);
    g_cond_broadcast(&crew->changed);
    g_mutex_unlock(&crew->lock);
}

static void stop(Crew *crew)
{
    atomic_store(&crew->stop, true);
    wake(crew);
}

static bool take_from(Worker *w, Worker *from, bool oldest)
{
    g_mutex_lock(&from->lock);
    bool any = backlog_len(&from->backlog);
    if (any && oldest) backlog_take_oldest(&from->backlog, &w->run);
    if (any && !oldest) backlog_take_newest(&from->backlog, &w->run);
    if (any) atomic_fetch_sub(&w->crew->queued, 1);
    g_mutex_unlock(&from->lock);
    return any;
}

static bool take_any(Worker *w)
{
    Crew *crew = w->crew;
    if (take_from(w, w, crew->options->split)) return true;
    for (unsigned k = 1; k < crew->n; k++)
        if (take_from(w, &crew->workers[(w->number + k) % crew->n], true)) {
            w->stats.stolen++;
            return true;
        }
    return false;
}

static void wait_for_runs(Worker *w)
{
    Crew *crew = w->crew;
    double begin = budget_now();
    g_mutex_lock(&crew->lock);
    atomic_fetch_add(&crew->idle, 1);
    while (atomic_load(&crew->open) && !atomic_load(&crew->queued) && !atomic_load(&crew->stop))
        g_cond_wait(&crew->changed, &crew->lock);
    atomic_fetch_sub(&crew->idle, 1);
    g_mutex_unlock(&crew->lock);
    w->stats.idle += budget_now() - begin;
}

/* False when there is nothing left, or all must stop. Who waits says so before looking whether something is queued, and
 * who adds something looks for idle ones afterwards: none sleeps beside work. */
static bool take(Worker *w)
{
    Crew *crew = w->crew;
    while (!atomic_load(&crew->stop)) {
        if (crew->options->split && atomic_load(&crew->queued) >= crew->options->split) return false;
        if (take_any(w)) return true;
        wait_for_runs(w);
        if (!atomic_load(&crew->open)) return false;
    }
    return false;
}

static void give(Worker *w, const Backlog *runs)
{
    Crew *crew = w->crew;
    g_mutex_lock(&w->lock);
    backlog_append(&w->backlog, runs);
    g_mutex_unlock(&w->lock);
    atomic_fetch_add(&crew->queued, backlog_len(runs));
    if (backlog_len(runs) && atomic_load(&crew->idle)) wake(crew);
}

/* ---- a worker ---- */

static bool over_limit(Worker *w)
{
    uint64_t most = budget_max_events(w->budget), met = w->search.trail.met;
    if (!most) return false;
    uint64_t all = atomic_fetch_add(&w->crew->met, met - w->met) + (met - w->met);
    w->met = met;
    if (all > most) budget_exhaust(w->budget, ENDING_EVENTS);
    return all > most;
}

static void tell(Worker *w)
{
    Crew *crew = w->crew;
    uint64_t leaves = atomic_load_explicit(&w->leaves, memory_order_relaxed) + 1;
    atomic_store_explicit(&w->leaves, leaves, memory_order_relaxed);
    if (crew->options->leaf) {
        g_mutex_lock(&crew->lock);
        crew->options->leaf(crew->options->data, w->search.kind, &w->search.trail.config);
        g_mutex_unlock(&crew->lock);
    }
    if (w->number || leaves % 64) return;
    uint64_t others = 0;
    for (unsigned k = 1; k < crew->n; k++)
        others += atomic_load_explicit(&crew->workers[k].leaves, memory_order_relaxed);
    w->outcome->elsewhere = others;
}

static void work(Worker *w)
{
    Crew *crew = w->crew;
    while (take(w)) {
        backlog_empty(&w->children);
        bool visited = reverse_visit(&w->search, w->run.data, w->run.len, &w->children);
        if (!visited) backlog_push(&w->children, w->run.data, w->run.len);
        if (visited) tell(w);
        atomic_fetch_add(&crew->open, backlog_len(&w->children));
        give(w, &w->children);
        if (atomic_fetch_sub(&crew->open, 1) == 1) wake(crew);
        if (!visited || over_limit(w) || outcome_stopped(w->outcome)) stop(crew);
    }
}

static gpointer run_worker(gpointer data)
{
    Worker *w = data;
    if (reverse_init(&w->search, w->outcome, &w->stats, w->crew->lts, w->crew->net, w->crew->indep, w->crew->options))
        work(w);
    else
        stop(w->crew);
    outcome_end(w->outcome);
    w->stats.most_tree = (uint32_t)w->backlog.most;
    reverse_clear(&w->search);
    return NULL;
}

/* ---- all of them ---- */

static void worker_init(Worker *w, Crew *crew, unsigned number, Outcome *outcome, Budget *budget)
{
    w->crew = crew;
    w->number = number;
    g_mutex_init(&w->lock);
    w->budget = budget;
    if (number) {
        w->part = budget_child(budget, 0, &crew->stop);
        w->budget = &w->part;
    }
    w->outcome = number ? &w->own : outcome;
    outcome_init(w->outcome, crew->lts, w->budget);
    w->outcome->least_runs = true;
}

static void add_stats(DporStats *to, const DporStats *from)
{
    to->races += from->races;
    to->inserted += from->inserted;
    to->covered += from->covered;
    to->most_tree += from->most_tree;
    to->most_races = MAX(to->most_races, from->most_races);
    to->race_words = MAX(to->race_words, from->race_words);
    to->stolen += from->stolen;
    to->idle += from->idle;
}

/* What ended one of them ended all, and the others were only told to stop. */
static void collect(Worker *w, Outcome *outcome, DporStats *stats, Backlog *todo)
{
    add_stats(stats, &w->stats);
    backlog_append(todo, &w->backlog);
    if (w->number) {
        outcome_add(outcome, &w->own);
        if (outcome->end == ENDING_COMPLETE || outcome->end == ENDING_STOPPED) outcome->end = w->own.end;
        outcome_clear(&w->own);
    }
    vec_free(&w->run);
    backlog_clear(&w->children);
    backlog_clear(&w->backlog);
    g_mutex_clear(&w->lock);
}

void crew_explore(Outcome *outcome, DporStats *stats, const Lts *lts, const NetLts *net, const Indep *indep,
                  const DporOptions *options, Backlog *todo, Budget *budget)
{
    unsigned n = options->split ? 1 : MAX(options->threads, 1);
    assert(n == 1 || options->count == COUNT_NOTHING); /* threads have no events in common */
    Crew crew = {.lts = lts, .net = net, .indep = indep, .options = options, .n = n};
    crew.open = crew.queued = backlog_len(todo);
    crew.workers = g_new0(Worker, n);
    g_mutex_init(&crew.lock);
    g_cond_init(&crew.changed);
    for (unsigned k = 0; k < n; k++) worker_init(&crew.workers[k], &crew, k, outcome, budget);
    backlog_append(&crew.workers[0].backlog, todo);
    backlog_empty(todo);
    for (unsigned k = 1; k < n; k++) crew.workers[k].thread = g_thread_new("explore", run_worker, &crew.workers[k]);
    run_worker(&crew.workers[0]);
    for (unsigned k = 1; k < n; k++) g_thread_join(crew.workers[k].thread);
    *stats = (DporStats){0};
    for (unsigned k = 0; k < n; k++) collect(&crew.workers[k], outcome, stats, todo);
    outcome_sort(outcome);
    outcome->elsewhere = 0;
    g_free(crew.workers);
    g_mutex_clear(&crew.lock);
    g_cond_clear(&crew.changed);
}
