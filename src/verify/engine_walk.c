#include "verify/engine.h"
#include "verify/goal.h"
#include "verify/tally.h"

#include "base/gcd.h"
#include "lts/replay.h"
#include "lts/walk.h"

#include <math.h>

/* Without a time limit of the user's: a walk would never end by itself. */
#define DEFAULT_SECONDS 10

typedef struct PlainGoal {
    Goal goal;
    NetLts *plain;
    Tally *tally; /* NULL: the goal is asked as it is */
} PlainGoal;

static bool holds(void *data, const uint64_t *marking)
{
    PlainGoal *g = data;
    return g->tally ? tally_holds(g->tally, g->goal.id) : goal_holds(&g->goal, g->plain, marking);
}

static uint64_t distance(void *data, const uint64_t *marking)
{
    PlainGoal *g = data;
    return g->tally ? tally_distance(g->tally, g->goal.id) : goal_distance(&g->goal, g->plain, marking);
}

/* ---- copies ---- */

/* A net that starts with n times the tokens of a smaller initial marking can do n times what it does from there. So a
 * run to a marking whose n-fold is dead, n times, is a run to a deadlock, and much easier to find. */
typedef struct Copies {
    uint64_t n;
    const Net *net;
    Net one; /* borrows all but the marking */
    uint64_t *initial, *all;
} Copies;

enum { MOST_COPIES = 1000, MOST_FIRINGS = 1 << 26 };
#define COPIES_SHARE 0.5

static bool copies_init(Copies *c, const Net *net)
{
    *c = (Copies){.net = net, .one = *net};
    for (uint32_t p = 0; p < net->n_places; p++) c->n = gcd(c->n, net->initial[p]);
    if (c->n < 2 || c->n > MOST_COPIES || net_arc_count(net, ARC_INHIBIT)) return false;
    c->one.initial = c->initial = g_new(uint64_t, net->n_places + 1);
    c->all = g_new(uint64_t, net->n_places + 1);
    for (uint32_t p = 0; p < net->n_places; p++) c->initial[p] = net->initial[p] / c->n;
    return true;
}

static bool dead_together(void *data, const uint64_t *marking)
{
    const Copies *c = data;
    for (uint32_t p = 0; p < c->net->n_places; p++)
        if (__builtin_mul_overflow(marking[p], c->n, &c->all[p])) return false;
    return replay_is_dead(c->net, c->all);
}

static bool walk_of_copies(const Net *net, uint64_t seed, Budget *budget, VecU32 *witness)
{
    Copies c;
    Walk walk;
    if (!copies_init(&c, net)) return false;
    Budget share = budget_part(budget, COPIES_SHARE, 0, NULL);
    WalkGoal wanted = {.holds = dead_together, .data = &c, .only_dead = true};
    bool found = walk_run(&walk, &c.one, &wanted, seed, &share, witness);
    size_t firings = witness->len;
    if (found && firings > MOST_FIRINGS / c.n) found = false, witness->len = 0;
    for (uint64_t i = 1; i < c.n && found; i++) vec_append(witness, witness->data, firings);
    g_free(c.initial);
    g_free(c.all);
    return found;
}

void engine_walk(const Query *query, const EngineOptions *options, Budget *budget, Result *result)
{
    g_autoptr(Tally) tally = tally_new(query->formulas, &query->goal, 1);
    PlainGoal goal = {goal_new(query), netlts_new(query->net, 64), tally};
    bool any_dead = formula_node(query->formulas, query->goal)->kind == FORMULA_DEADLOCK;
    WalkGoal wanted = {.holds = any_dead ? NULL : holds, .data = &goal, .only_dead = goal.goal.only_dead};
    if (!wanted.only_dead) {
        wanted.distance = distance;
        wanted.units = tally ? tally_units(tally, query->goal) : goal_units(query->formulas, query->goal);
    }
    if (tally) wanted.groups = &tally->groups, wanted.here = &tally->here;
    /* Spending the budget itself tells the caller that more time might help. */
    Budget patience = budget_child(budget, DEFAULT_SECONDS, NULL),
           *limit = isinf(budget_left(budget)) ? &patience : budget;
    Walk walk = {0};
    if ((any_dead && walk_of_copies(query->net, options->seed, limit, &result->witness)) ||
        walk_run(&walk, query->net, &wanted, options->seed, limit, &result->witness)) {
        result->answer = ANSWER_REACHABLE;
    } else {
        result_stopped(result, limit);
        g_free(result->reason);
        result->reason = g_strdup_printf("%s; not met in %" G_GUINT64_FORMAT " steps of %" G_GUINT64_FORMAT " walks",
                                         budget_text(limit), walk.steps, walk.restarts);
    }
    netlts_free(goal.plain);
}
