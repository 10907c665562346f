#include "verify/engine.h"
#include "verify/goal.h"
#include "verify/subconfig.h"

#include "explore/netexplore.h"

/* Stateless exploration with cutoffs. A goal that only dead markings satisfy is looked for at the leaves; any other in
 * the sub-configurations of every leaf ([POET15] Thm 12). */
typedef struct Search {
    const Query *query;
    Budget *budget;
    Result *result;
    StopFlag stop;
    bool gave_up;
} Search;

static void at_leaf(void *data, LeafKind kind, const Config *config)
{
    Search *s = data;
    if (s->stop || kind == LEAF_BLOCKED) return;
    VecU32 run = {0};
    SatAnswer answer = subconfig_reach(s->query, config, s->budget, &run);
    if (answer == SAT_YES) {
        s->result->answer = ANSWER_REACHABLE;
        vec_clear(&s->result->witness);
        vec_append(&s->result->witness, run.data, run.len);
    }
    s->gave_up |= answer == SAT_UNKNOWN;
    if (answer != SAT_NO) s->stop = 1;
    vec_free(&run);
}

/* The first dead marking that satisfies the goal. */
static bool find_dead(Search *s, const NetExplore *run)
{
    size_t n;
    const ExploreDead *dead = run->explorer ? explore_dead(run->explorer, &n) : NULL;
    for (size_t i = 0; dead && i < n; i++) {
        if (!formula_holds(s->query->formulas, s->query->goal, run->lts, dead[i].state)) continue;
        vec_append(&s->result->witness, dead[i].run, dead[i].length);
        s->result->answer = ANSWER_REACHABLE;
        return true;
    }
    return false;
}

void engine_explore(const Query *query, const EngineOptions *options, Budget *budget, Result *result)
{
    Relation relation = relation_default(RELATION_DEFAULT_CHECK);
    Order order = ORDER_ERV;
    if ((options->relation && !relation_parse(options->relation, &relation)) ||
        (options->order && !order_parse(options->order, &order))) {
        result->reason = g_strdup("there is no such relation or order");
        return;
    }
    Search s = {.query = query, .budget = budget, .result = result};
    Goal goal = goal_new(query);
    ExploreOptions how = {.alternatives = ALTERNATIVES_OPTIMAL,
                          .cutoffs = true,
                          .order = order,
                          .cache = CACHE_USUAL,
                          .seed = options->seed,
                          .leaf = goal.only_dead ? NULL : at_leaf,
                          .data = &s};
    Budget own = budget_child(budget, 0, &s.stop);
    g_autoptr(GError) error = NULL;
    g_autoptr(Indep) indep = indep_within(query->net, relation, &own, &error);
    if (!indep) {
        result->reason = g_strdup(error->message);
        return;
    }
    NetExplore run = {0};
    netexplore_run(&run, query->net, indep, &how, false, &own);
    bool found = result->answer == ANSWER_REACHABLE || (goal.only_dead && find_dead(&s, &run));
    if (!found && netexplore_complete(&run) && !s.gave_up) {
        result->answer = ANSWER_UNREACHABLE;
        result->reason = g_strdup_printf("stateless exploration under %s, complete", relation_name(relation));
        /* What was explored is a tree of runs and not kept whole: nothing could check it. */
        if (options->certificate) engine_prove_again(query, options, budget, result);
    } else if (!found) {
        const char *reason = netexplore_reason(&run);
        if (s.gave_up) reason = budget_text(budget);
        result->reason = g_strdup(reason ? reason : "not complete");
    }
    netexplore_clear(&run);
}
