/* Runs of leaps: a transition is fired as often in a row as it can be, at the cost of one firing. Where weights or
 * counts are large, markings that are 2^60 firings away are a few leaps away. It goes over all transitions again and
 * again, in the order of the file, in the opposite one and in random ones: first by single firings, which may suffice,
 * then by the largest leaps and, in every second run, by smaller ones: the largest pass by what lies between. */
#include "verify/engine.h"
#include "verify/goal.h"

#include "base/exact.h"
#include "base/rng.h"
#include "lts/replay.h"

enum { RUNS = 24, ROUNDS = 64, LARGE = 1000, LISTED = 1 << 16, MOST_LISTED = 1 << 20, LEAP_UNITS = 5 };

typedef struct Leaper {
    const Query *query;
    NetLts *plain; /* a marking of plain counts is a state of this one */
    Goal goal;
    Budget *budget;
    Rng rng;
    uint32_t units, *order;
    uint64_t *marking;
    VecU32 run;
    VecU64 times;
} Leaper;

static void leaper_init(Leaper *l, const Query *query, uint64_t seed, Budget *budget)
{
    const Net *net = query->net;
    *l = (Leaper){.query = query,
                  .plain = netlts_new(net, 64),
                  .goal = goal_new(query),
                  .budget = budget,
                  .rng = {seed},
                  .units = goal_units(query->formulas, query->goal),
                  .order = g_new(uint32_t, (size_t)net->n_transitions + 1),
                  .marking = replay_start(net)};
    for (uint32_t t = 0; t < net->n_transitions; t++) l->order[t] = t;
}

static void leaper_clear(Leaper *l)
{
    netlts_free(l->plain);
    g_free(l->order);
    g_free(l->marking);
    vec_free(&l->run);
    vec_free(&l->times);
}

static bool met(Leaper *l)
{
    budget_charge(l->budget, l->units);
    return goal_holds(&l->goal, l->plain, l->marking);
}

/* At most so often; false when it cannot be fired. */
static bool leap(Leaper *l, uint32_t t, uint64_t most)
{
    uint64_t times = replay_times(l->query->net, l->marking, t, most);
    if (!times) return false;
    replay_leaps(l->query->net, &t, &times, 1, l->marking);
    vec_push(&l->run, t);
    vec_push(&l->times, times);
    return true;
}

static void reverse(Leaper *l)
{
    uint32_t n = l->query->net->n_transitions;
    for (uint32_t i = 0; i < n; i++) l->order[i] = n - 1 - i;
}

static void shuffle(Leaper *l)
{
    for (uint32_t left = l->query->net->n_transitions; left > 1; left--) {
        uint32_t k = (uint32_t)rng_below(&l->rng, left), t = l->order[k];
        l->order[k] = l->order[left - 1];
        l->order[left - 1] = t;
    }
}

/* True when the goal is met. Only where nothing can be fired any more is there a dead marking. */
static bool run_of_leaps(Leaper *l, unsigned number)
{
    const Net *net = l->query->net;
    bool anywhere = !l->goal.only_dead, any = true;
    memcpy(l->marking, net->initial, net->n_places * sizeof *l->marking);
    vec_clear(&l->run);
    vec_clear(&l->times);
    if (anywhere && met(l)) return true;
    for (unsigned round = 0; round < ROUNDS && any; round++) {
        any = false;
        for (uint32_t i = 0; i < net->n_transitions; i++) {
            uint64_t most = number == 0 ? 1 : number % 2 ? UINT64_MAX : UINT64_C(1) << rng_below(&l->rng, 64);
            if (budget_charge(l->budget, LEAP_UNITS)) return false;
            if (!leap(l, l->order[i], most)) continue;
            any = true;
            if (anywhere && met(l)) return true;
        }
    }
    return !any && !anywhere && met(l);
}

/* Firings in all; UINT64_MAX when there are more. */
static uint64_t firings(const Leaper *l)
{
    uint64_t all = 0;
    for (size_t i = 0; i < l->times.len; i++) all = exact_capped_add(all, l->times.data[i]);
    return all;
}

static void tell(Leaper *l, const EngineOptions *options, Result *result)
{
    bool listed = firings(l) <= (options->repeats ? LISTED : MOST_LISTED); /* who replays and shortens it needs room */
    if (!listed && !options->repeats) {
        result->reason = g_strdup("the run that it found is too long for a list");
        return;
    }
    result->answer = ANSWER_REACHABLE;
    if (!listed) result->times = l->times, l->times = (VecU64){0};
    for (size_t i = 0; i < l->run.len; i++)
        for (uint64_t k = listed ? l->times.data[i] : 1; k > 0; k--) vec_push(&result->witness, l->run.data[i]);
}

/* Elsewhere leaps are single firings, and walks are better at those. */
static bool has_large_numbers(const Net *net)
{
    for (uint32_t p = 0; p < net->n_places; p++)
        if (net->initial[p] >= LARGE) return true;
    return net_max_weight(net) > 1;
}

void engine_leap(const Query *query, const EngineOptions *options, Budget *budget, Result *result)
{
    if (!has_large_numbers(query->net)) {
        result->reason = g_strdup("no weights, and no place with many tokens");
        return;
    }
    Leaper l;
    bool found = false;
    leaper_init(&l, query, options->seed, budget);
    for (unsigned number = 0; number < RUNS && !found && !budget_look(budget); number++) {
        if (number == 2) reverse(&l);
        if (number > 3) shuffle(&l);
        found = run_of_leaps(&l, number);
    }
    if (found)
        tell(&l, options, result);
    else if (budget_look(budget))
        result_stopped(result, budget);
    else
        result->reason = g_strdup_printf("not met in %d runs of leaps", RUNS);
    leaper_clear(&l);
}
