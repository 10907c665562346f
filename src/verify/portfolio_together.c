#include "verify/portfolio_together.h"

#include "symbolic/approach.h"
#include "symbolic/select.h"
#include "unfold/unfold.h"
#include "verify/equation.h"
#include "verify/many_goals.h"
#include "verify/place_facts.h"
#include "verify/planner.h"
#include "verify/prefix_sat.h"

#include <math.h>
#include <string.h>

/* Of several goals together, before any is looked at alone. */
#define SHARED_SHARE 0.1
#define SHARED_SHARE_MANY 0.6
#define SHARED_SECONDS 60.0
#define SHARED_PATIENCE 1.0
#define SHARED_SLICES 4 /* a goal may take so many times its part */

/* Plans for each goal in the first round; so many rounds in a row may be in vain. */
enum { FIRST_PLANS = 64, QUIET_ROUNDS = 6 };

typedef struct Together {
    Goals *goals;
    const Reduction *reduction; /* or NULL */
    const char *engine;
    bool *met;
} Together;

static bool still_open(size_t i, void *data)
{
    const Together *together = data;
    return !together->goals->targets[i].answered && !together->met[i];
}

static void found_together(size_t i, const VecU32 *path, void *data)
{
    const Together *together = data;
    Result result = {.answer = ANSWER_REACHABLE, .engine = together->engine};
    vec_append(&result.witness, path->data, path->len);
    if (portfolio_goals_lift(together->goals, together->reduction, &result))
        portfolio_goals_deliver(together->goals, i, &result);
    result_clear(&result);
    /* Too long to lift or not sound: it must not be found again and again. */
    together->met[i] = true;
}

/* The more goals, the more of the time: looking at many one by one leaves too little for each. */
static double shared_share(const Goals *g)
{
    double n = (double)g->open;
    return SHARED_SHARE + (SHARED_SHARE_MANY - SHARED_SHARE) * n / (n + 30);
}

/* Of goal i, when those before it have had theirs: some may take more than an equal part. */
static Budget slice_of(Goals *g, size_t i, const Budget *budget)
{
    double left = budget_left(budget),
           seconds = isinf(left) ? SHARED_SECONDS : MIN(SHARED_SLICES / (double)(g->n - i), 1.0) * left;
    return budget_child(budget, MAX(seconds, 0.02), &g->targets[i].stop);
}

static void walk_together(Together *together, const ManyGoals *shared, Budget *budget)
{
    many_goals_walk(shared, together->goals->options->engine.seed, SHARED_PATIENCE, budget);
}

/* In rounds: some plans for every goal, then twice as many for those that are left, until that was in vain for long. */
static void plan_together(Together *together, const ManyGoals *shared, Budget *budget)
{
    Goals *g = together->goals;
    g_autoptr(Planner) planner = planner_new(shared->net);
    g_autofree bool *hopeless = g_new0(bool, g->n);
    VecU32 run = {0};
    size_t open = g->open;
    double part = budget_left(budget) / (double)(open + 1), seconds = MIN(part, FIRST_PLANS * planner_seconds(planner));
    unsigned quiet = 0;
    for (uint64_t seed = g->options->engine.seed; open && quiet < QUIET_ROUNDS && !budget_look(budget); seed++) {
        open = 0;
        quiet++;
        for (size_t i = 0; i < g->n && !budget_look(budget); i++) {
            if (hopeless[i] || !still_open(i, together)) continue;
            Budget slice = budget_child(budget, seconds, &g->targets[i].stop);
            Query query = {shared->net, (FormulaStore *)shared->formulas, shared->goals[i]};
            vec_clear(&run);
            if (planner_run(planner, &query, seed, &slice, &run)) found_together(i, &run, together), quiet = 0;
            hopeless[i] = planner->hopeless;
            open += !hopeless[i];
        }
        seconds *= 2;
    }
    vec_free(&run);
}

static void explicit_together(Together *together, const ManyGoals *shared, Budget *budget)
{
    Goals *g = together->goals;
    uint64_t markings;
    bool complete = many_goals_explicit(shared, budget, &markings);
    for (size_t i = 0; i < g->n && complete; i++)
        if (still_open(i, together))
            portfolio_goals_answer(g, i, ANSWER_UNREACHABLE, "explicit", "all markings of the reduced net visited");
}

/* One equation for all: its facts serve every goal. */
static void equation_together(Together *together, const ManyGoals *shared, Budget *budget)
{
    Goals *g = together->goals;
    g_autoptr(Equation) eq = equation_new(shared->net, false);
    VecU32 run = {0};
    for (size_t i = 0; i < g->n && !budget_look(budget); i++) {
        if (!still_open(i, together)) continue;
        Budget slice = slice_of(g, i, budget);
        SatAnswer answer = equation_solve(eq, shared->formulas, shared->goals[i], &slice);
        if (answer == SAT_NO)
            portfolio_goals_answer(g, i, ANSWER_UNREACHABLE, "equation", "the state equation has no solution");
        Query query = {shared->net, (FormulaStore *)shared->formulas, shared->goals[i]};
        if (answer == SAT_YES && equation_realise(eq, &query, g->options->engine.seed, &slice, &run))
            found_together(i, &run, together);
    }
    vec_free(&run);
}

/* What places say of every reachable marking, for all: a fact that one goal needs serves the others. */
static void traps_together(Together *together, const ManyGoals *shared, Budget *budget)
{
    Goals *g = together->goals;
    if (!place_facts_tell(shared->net) || !effects_fit(shared->net)) return;
    SafeSat safe;
    PlaceFacts facts;
    safe_sat_init(&safe, shared->net, shared->formulas);
    sat_begin(safe.sat, budget);
    place_facts_init(&facts, &safe, safe_sat_instant(&safe), budget);
    bool complete = sat_end(safe.sat);
    for (size_t i = 0; i < g->n && complete && !budget_look(budget); i++) {
        if (!still_open(i, together) || place_facts_beyond(&facts, shared->formulas, shared->goals[i])) continue;
        Budget slice = slice_of(g, i, budget);
        sat_begin(safe.sat, &slice);
        SatLit goal = safe_sat_goal(&safe, facts.places, shared->goals[i]);
        complete = sat_end(safe.sat);
        if (complete && place_facts_ask(&facts, goal, &slice) == SAT_NO)
            portfolio_goals_answer(g, i, ANSWER_UNREACHABLE, "traps", "traps, groups and sums exclude it");
    }
    place_facts_clear(&facts);
    safe_sat_clear(&safe);
}

/* What all reachable markings as a diagram say of the goals: first which of them there are, because a run to one can
 * take longer than all else. False: the diagram is not known, or no more of it. */
static bool ask_diagram(Together *together, const ManyGoals *shared, LevelsOrder order, Budget *budget)
{
    Goals *g = together->goals;
    const char *reason;
    g_autoptr(Reached) reached = reached_new(shared->net, LEVELS_UNITS, order, budget, &reason);
    g_autofree Node *found = g_new0(Node, g->n);
    VecU32 run = {0};
    bool over = !reached;
    for (size_t i = 0; i < g->n && !over; i++) {
        if (!still_open(i, together)) continue;
        found[i] =
            select_formula(reached->diagram, reached->model, reached->markings, shared->formulas, shared->goals[i]);
        over = reached->diagram->failed || reached->model->fault;
        if (!over && found[i] == NODE_EMPTY)
            portfolio_goals_answer(g, i, ANSWER_UNREACHABLE, "symbolic",
                                   "the diagram of all reachable markings has none");
    }
    for (size_t i = 0; i < g->n && !over; i++) {
        if (found[i] == NODE_EMPTY || !still_open(i, together)) continue;
        vec_clear(&run);
        if (approach(reached, found[i], &run)) found_together(i, &run, together);
        over = reached->diagram->failed || reached->model->fault;
    }
    vec_free(&run);
    return !over;
}

/* One diagram for all; if the first order of levels does not suit the net, another one may. */
static void symbolic_together(Together *together, const ManyGoals *shared, Budget *budget)
{
    Budget first = budget_part(budget, 0.6, 0, NULL);
    if (!ask_diagram(together, shared, LEVELS_FORCE, &first) && !budget_look(budget))
        ask_diagram(together, shared, LEVELS_FILE, budget);
}

/* One prefix for all, asked by SAT goal by goal; an unfinished one can only say yes. */
static void unfold_together(Together *together, const ManyGoals *shared, Budget *budget)
{
    Goals *g = together->goals;
    if (netlts_initial_width(shared->net) > 1) return;
    UnfoldOptions options = {.engine = UNFOLD_CONTEXT, .relation = RELATION_LOOPS, .order = ORDER_ERV, .cutoffs = true};
    Budget building = budget_part(budget, 0.5, SHARED_SECONDS, NULL);
    g_autoptr(Prefix) prefix = unfold(shared->net, &options, &building, NULL);
    if (!prefix || (prefix->end != ENDING_COMPLETE && !ending_is_limit(prefix->end))) return;
    g_autoptr(PrefixSat) sat = prefix_sat_new(prefix, budget);
    if (!sat) return;
    VecU32 run = {0};
    for (size_t i = 0; i < g->n && !budget_look(budget); i++) {
        if (!still_open(i, together)) continue;
        Budget slice = slice_of(g, i, budget);
        vec_clear(&run);
        SatAnswer answer = prefix_sat_reach(sat, shared->formulas, shared->goals[i], &slice, &run);
        if (answer == SAT_YES) found_together(i, &run, together);
        if (answer == SAT_NO && prefix->end == ENDING_COMPLETE)
            portfolio_goals_answer(g, i, ANSWER_UNREACHABLE, "unfold",
                                   "no configuration of a complete prefix satisfies it");
    }
    vec_free(&run);
}

typedef enum { PLAIN, SAFE, GIVEN } TogetherNet; /* schedule.def */

static const struct {
    const char *name;
    TogetherNet net;
    double fraction;
    void (*run)(Together *together, const ManyGoals *shared, Budget *budget);
} searches[] = {
#define SMALL(engine, seconds)
#define TOGETHER(engine, net, fraction) {#engine, net, fraction, engine##_together},
#define STEP(engine, safe, seconds, proof_part, proof_seconds)
#include "verify/schedule.def"
#undef SMALL
#undef TOGETHER
#undef STEP
};

/* Each on a reduction for all goals still open, which takes its time from the share even when the search does not. */
static void run(Goals *g, unsigned which, Budget *share, Budget *budget)
{
    g_autofree FormulaId *goals = g_new(FormulaId, g->n);
    g_autofree bool *met = g_new0(bool, g->n);
    for (size_t i = 0; i < g->n; i++) goals[i] = g->targets[i].answered ? FORMULA_ID_FALSE : g->targets[i].goal;
    TogetherNet net = searches[which].net;
    const Reduction *r = net == GIVEN ? NULL : portfolio_goals_joint(g, net == SAFE, share);
    Together together = {g, r, searches[which].name, met};
    ManyGoals shared = {g->net, g->formulas, goals, g->n, still_open, found_together, &together};
    if (r) shared.net = r->net, shared.formulas = r->formulas, shared.goals = r->goals;
    size_t open = g->open;
    double start = budget_now();
    searches[which].run(&together, &shared, budget);
    engine_say(&g->options->engine, "%s together: %zu goals before, %zu after %.2f s", searches[which].name, open,
               g->open, budget_now() - start);
}

static Budget share_of(const Goals *g, unsigned which)
{
    return budget_part(g->budget, shared_share(g) * searches[which].fraction, SHARED_SECONDS, NULL);
}

void portfolio_together_run(Goals *g, unsigned which)
{
    Budget share = share_of(g, which);
    run(g, which, &share, &share);
}

void portfolio_together_small(Goals *g, const char *engine, Budget *budget)
{
    unsigned which = 0;
    while (strcmp(searches[which].name, engine) != 0) which++;
    Budget share = share_of(g, which);
    run(g, which, &share, budget);
}
