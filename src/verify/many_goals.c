#include "verify/many_goals.h"

#include "lts/explicit.h"
#include "lts/walk.h"
#include "verify/goal.h"
#include "verify/tally.h"

/* What both searches ask at a marking: the first open goal that holds. */
typedef struct Watcher {
    const ManyGoals *goals;
    const NetLts *plain;
    Tally *tally; /* of a walk; NULL: goals are asked as they are */
    size_t hit;
    VecU32 wanted; /* open goals when last looked */
    uint32_t looks;
    uint32_t units; /* of asking all of them */
} Watcher;

static void refresh(Watcher *w)
{
    vec_clear(&w->wanted);
    w->units = 0;
    for (size_t i = 0; i < w->goals->n; i++) {
        if (!w->goals->open(i, w->goals->data)) continue;
        vec_push(&w->wanted, (uint32_t)i);
        FormulaId goal = w->goals->goals[i];
        w->units += 1 + (w->tally ? tally_units(w->tally, goal) : goal_units(w->goals->formulas, goal));
    }
}

static bool holds_one(Watcher *w, const NetLts *lts, const uint64_t *state)
{
    /* Other threads answer goals too: no need to notice at once. */
    if (++w->looks % 4096 == 0) refresh(w);
    for (size_t i = 0; i < w->wanted.len; i++) {
        uint32_t goal = w->wanted.data[i];
        bool holds = w->tally ? tally_holds(w->tally, w->goals->goals[goal])
                              : formula_holds(w->goals->formulas, w->goals->goals[goal], lts, state);
        if (!holds) continue;
        w->hit = goal;
        return true;
    }
    return false;
}

static bool holds_plain(void *data, const uint64_t *marking)
{
    Watcher *w = data;
    return holds_one(w, w->plain, marking);
}

static bool holds_packed(void *data, const NetLts *lts, const uint64_t *state)
{
    return holds_one(data, lts, state);
}

void many_goals_walk(const ManyGoals *goals, uint64_t seed, double patience, Budget *budget)
{
    g_autoptr(NetLts) plain = netlts_new(goals->net, 64);
    g_autoptr(Tally) tally = tally_new(goals->formulas, goals->goals, goals->n);
    Watcher w = {.goals = goals, .plain = plain, .tally = tally};
    WalkGoal wanted = {.holds = holds_plain, .data = &w};
    if (tally) wanted.groups = &tally->groups, wanted.here = &tally->here;
    VecU32 path = {0};
    refresh(&w);
    while (w.wanted.len && !budget_look(budget)) {
        Budget slice = budget_child(budget, patience, NULL);
        Walk walk;
        vec_clear(&path);
        wanted.units = w.units;
        if (!walk_run(&walk, goals->net, &wanted, seed++, &slice, &path)) break;
        goals->found(w.hit, &path, goals->data);
        refresh(&w);
    }
    vec_free(&path);
    vec_free(&w.wanted);
}

bool many_goals_explicit(const ManyGoals *goals, Budget *budget, uint64_t *markings)
{
    g_autoptr(Explicit) search = explicit_new(goals->net);
    Watcher w = {.goals = goals};
    ExplicitGoal wanted = {.holds = holds_packed, .data = &w};
    VecU32 path = {0};
    Ending end = ENDING_STOPPED;
    refresh(&w);
    while (w.wanted.len) {
        wanted.units = w.units;
        if ((end = explicit_run(search, &wanted, budget)) != ENDING_GOAL) break;
        uint32_t at = search->found;
        /* Other goals may hold at the same marking. */
        do {
            vec_clear(&path);
            explicit_path(search, at, &path);
            goals->found(w.hit, &path, goals->data);
            refresh(&w);
        } while (holds_one(&w, search->stepper->lts, store_state(&search->store, at)));
        /* The search left its parent's other successors out: expand it again. */
        search->expanded = *store_value(&search->store, at);
    }
    *markings = search->store.len;
    vec_free(&path);
    vec_free(&w.wanted);
    return end == ENDING_COMPLETE;
}
