#include "verify/engine.h"
#include "verify/goal.h"
#include "verify/prove.h"
#include "verify/goal_seeds.h"
#include "verify/symmetry_search.h"

#include "certify/stubborn_sets.h"
#include "lts/explicit.h"

/* Seeds tried per marking when the goal is a conjunction. */
enum { CHOICES = 4 };
/* Work per row and transition that closing looks at. */
enum { EFFORT_UNITS = 4 };

typedef struct Selection {
    Stubborn *stubborn;
    GoalSeeds *seeds;
    FormulaId goal;
    VecU32 best;
    Budget *budget;
    uint64_t effort; /* charged so far */
} Selection;

static void charge(Selection *r)
{
    budget_charge(r->budget, (uint32_t)(r->stubborn->effort - r->effort) * EFFORT_UNITS);
    r->effort = r->stubborn->effort;
}

static uint32_t keep_dead(void *data, const NetLts *lts, const uint64_t *state, uint32_t *enabled, uint32_t n)
{
    Selection *r = data;
    if (n == 1) return 1;
    stubborn_at(r->stubborn, lts, state, enabled, n);
    n = stubborn_deadlock(r->stubborn, enabled, n);
    charge(r);
    return n;
}

/* The markings asked about do not satisfy the goal: the search ends when one does. */
static uint32_t keep_goal(void *data, const NetLts *lts, const uint64_t *state, uint32_t *enabled, uint32_t n)
{
    Selection *r = data;
    Stubborn *s = r->stubborn;
    stubborn_at(s, lts, state, enabled, n);
    uint32_t least = n;
    for (uint32_t choice = 0; choice < CHOICES && least; choice++) {
        stubborn_start(s, least);
        if (!goal_seeds_add(r->seeds, r->goal, s, choice)) break;
        if (!stubborn_close(s)) continue;
        least = s->n_enabled;
        vec_clear(&r->best);
        for (uint32_t k = 0; k < n; k++)
            if (stubborn_has(s, enabled[k])) vec_push(&r->best, enabled[k]);
    }
    charge(r);
    if (least && least < n) memcpy(enabled, r->best.data, least * sizeof *enabled);
    return least;
}

/* For a proof the sets are those that its checker knows; the fewest firings of all its choices. */
typedef struct Checked {
    StubbornSets *needed;
    uint64_t *marking;
    VecU32 best;
} Checked;

static uint32_t keep_checked(void *data, const NetLts *lts, const uint64_t *state, uint32_t *enabled, uint32_t n)
{
    Checked *c = data;
    uint32_t least = n + 1;
    if (!n) return 0;
    netlts_unpack(lts, state, c->marking);
    for (unsigned choice = 0; (choice == 0 || choice < c->needed->choices) && least > 1; choice++) {
        uint32_t kept = 0;
        stubborn_sets_at(c->needed, c->marking, choice);
        for (uint32_t k = 0; k < n; k++) kept += stubborn_sets_has(c->needed, enabled[k]);
        if (kept >= least) continue;
        least = kept;
        vec_clear(&c->best);
        for (uint32_t k = 0; k < n; k++)
            if (stubborn_sets_has(c->needed, enabled[k])) vec_push(&c->best, enabled[k]);
    }
    if (least) memcpy(enabled, c->best.data, least * sizeof *enabled);
    return least;
}

static void conclude(const Explicit *search, Ending end, Result *result)
{
    if (end == ENDING_COMPLETE) {
        result->answer = ANSWER_UNREACHABLE;
        result->reason = g_strdup_printf("%u markings in the reduced state space", search->store.len);
    } else if (ending_is_limit(end)) {
        result->reason = g_strdup_printf("%s after %u markings", ending_text(end), search->store.len);
    } else {
        result_searched(result, search, end);
    }
}

static void run(const Query *query, Explicit *search, bool nearest_first, Budget *budget, Result *result)
{
    Goal goal = goal_new(query);
    Budget preparation = budget_child(budget, 0, NULL);
    g_autoptr(ExclusivePlaces) exclusive = exclusive_places_new(query->net, &preparation);
    g_autoptr(Stubborn) stubborn = stubborn_new(query->net, exclusive);
    g_autoptr(GoalSeeds) seeds = goal_seeds_new(query->formulas);
    Selection reduction = {.stubborn = stubborn, .seeds = seeds, .goal = query->goal, .budget = budget};
    ExplicitGoal wanted = {.holds = goal_holds,
                           .data = &goal,
                           .only_dead = goal.only_dead,
                           .reduce = goal.only_dead ? keep_dead : keep_goal,
                           .reduce_data = &reduction,
                           .distance = nearest_first ? goal_distance : NULL,
                           .units = goal_units(query->formulas, query->goal) * (!goal.only_dead + nearest_first)};
    search->label = result->engine;
    conclude(search, explicit_run(search, &wanted, budget), result);
    vec_free(&reduction.best);
}

static void run_checked(const Query *query, Explicit *search, bool nearest_first, const ProofFile *file, Budget *budget,
                        Result *result)
{
    Goal goal = goal_new(query);
    g_autoptr(StubbornSets) needed = stubborn_sets_new(query->net, query->formulas, query->goal);
    Checked checked = {.needed = needed, .marking = g_new0(uint64_t, query->net->n_places + 1)};
    ExplicitGoal wanted = {.holds = goal_holds,
                           .data = &goal,
                           .only_dead = goal.only_dead,
                           .reduce = keep_checked,
                           .reduce_data = &checked,
                           .distance = nearest_first ? goal_distance : NULL};
    conclude(search, explicit_run(search, &wanted, budget), result);
    vec_free(&checked.best);
    g_free(checked.marking);
    g_autoptr(GError) error = NULL;
    if (result->answer != ANSWER_UNREACHABLE || prove_by_markings(query, search, true, file, budget, &error)) return;
    result->answer = ANSWER_UNKNOWN;
    g_free(result->reason);
    result->reason = g_strdup(error->message);
}

static void run_either(const Query *query, Explicit *search, bool nearest_first, const EngineOptions *options,
                       Budget *budget, Result *result)
{
    if (options->certificate)
        run_checked(query, search, nearest_first, options->certificate, budget, result);
    else
        run(query, search, nearest_first, budget, result);
}

void engine_stubborn(const Query *query, const EngineOptions *options, Budget *budget, Result *result)
{
    g_autoptr(Explicit) search = explicit_new(query->net);
    search->depth_first = true; /* deadlocks lie deep */
    search->label = result->engine;
    run_either(query, search, false, options, budget, result);
}

void engine_best(const Query *query, const EngineOptions *options, Budget *budget, Result *result)
{
    g_autoptr(Explicit) search = explicit_new(query->net);
    search->label = result->engine;
    run_either(query, search, true, options, budget, result);
}

void engine_symmetry(const Query *query, const EngineOptions *options, Budget *budget, Result *result)
{
    enum { LOOKING_PART = 4 }; /* of the time */
    g_autoptr(Explicit) search = explicit_new(query->net);
    Budget looking = budget_part(budget, 1.0 / LOOKING_PART, 0, NULL);
    g_autoptr(Symmetry) symmetry = symmetry_search(query, &looking);
    if (!symmetry) {
        result->reason = g_strdup("no symmetry of the net that keeps the goal was found");
        return;
    }
    engine_say(options, "%u symmetries", symmetry->n);
    search->symmetry = symmetry;
    search->label = result->engine;
    run_either(query, search, false, options, budget, result);
}
