#include "verify/planner.h"

#include "base/rng.h"
#include "verify/goal.h"
#include "verify/plan_tree.h"

/* Plans in a row that lead no nearer before random steps are taken; so often before it begins again, and each time it
 * does it is more patient. */
enum { STALE = 30, SHAKES = 4, MOST_PATIENCE = 12, STEPS = 16, MOST_PRICE = 1 << 16, LONGEST_RUN = 1 << 22 };
/* Plans of the first search by best markings, others get twice as many each; one in so many of its markings is none
 * that a plan led to, and so many of these follow each marking. */
enum { FIRST_PLANS = 100, OTHERS = 4, SAMPLES = 32 };

#define UNIT_SECONDS 10e-9 /* of Budget */

Planner *planner_new(const Net *net)
{
    Planner *p = g_new0(Planner, 1);
    p->start = tracker_new(net);
    p->here = tracker_copy(p->start);
    p->relaxed = relaxed_new(p->here);
    p->plain = netlts_new(net, 64);
    return p;
}

void planner_free(Planner *p)
{
    if (!p) return;
    relaxed_free(p->relaxed);
    tracker_free(p->here);
    tracker_free(p->start);
    netlts_free(p->plain);
    g_free(p);
}

double planner_seconds(const Planner *p)
{
    return UNIT_SECONDS * relaxed_units(p->relaxed);
}

typedef struct Search {
    Planner *planner;
    Goal goal;
    uint32_t goal_units;
    RelaxedPlan *plan;
    Rng rng;
    Budget *budget;
    VecU32 run; /* from the initial marking, or from where the tree is */
} Search;

static bool at_goal(Search *s)
{
    const Tracker *k = s->planner->here;
    if (s->goal.only_dead && k->n_enabled) return false;
    budget_charge(s->budget, s->goal_units);
    return goal_holds(&s->goal, s->planner->plain, k->marking);
}

/* False: a count would be too large. */
static bool fire(Search *s, uint32_t t)
{
    Tracker *k = s->planner->here;
    uint64_t looks = k->looks;
    if (!tracker_fire(k, t)) return false;
    vec_push(&s->run, t);
    s->planner->firings++;
    budget_charge(s->budget, 2 + tracker_units(k, looks));
    return true;
}

/* Fires of the plan what can be, cheap steps first, again and again. True: the goal is met. */
static bool follow(Search *s)
{
    RelaxedPlan *plan = s->plan;
    for (bool going = true; going && !budget_ended(s->budget);) {
        going = false;
        for (size_t i = 0; i < plan->steps.len; i++) {
            uint32_t t = plan->steps.data[i];
            if (!plan->times[t] || !tracker_is_enabled(s->planner->here, t) || !fire(s, t)) continue;
            going = true;
            plan->times[t]--;
            if (at_goal(s)) return true;
        }
    }
    return false;
}

static bool shake(Search *s, uint64_t steps)
{
    const Tracker *k = s->planner->here;
    for (uint64_t i = 0; i < steps && k->n_enabled && !budget_ended(s->budget); i++)
        if (fire(s, k->enabled[rng_below(&s->rng, k->n_enabled)]) && at_goal(s)) return true;
    return false;
}

/* What was fired since then was in vain. */
static void raise_prices(Search *s, size_t from)
{
    uint32_t *price = s->planner->relaxed->price;
    for (size_t i = from; i < s->run.len; i++)
        if (price[s->run.data[i]] < MOST_PRICE) price[s->run.data[i]]++;
}

static uint32_t make_plan(Search *s)
{
    Planner *p = s->planner;
    p->plans++;
    budget_charge(s->budget, relaxed_units(p->relaxed) + relaxed_plan_units(s->plan));
    relaxed_look(p->relaxed);
    return relaxed_plan_make(s->plan);
}

/* One plan after the other from where it is, until nothing leads nearer for long. */
static bool descend(Search *s, uint32_t patience)
{
    uint32_t best = RELAXED_NEVER, stale = 0, shakes = 0;
    while (!budget_ended(s->budget) && s->run.len < LONGEST_RUN) {
        uint32_t cost = make_plan(s);
        if (cost == RELAXED_NEVER) {
            s->planner->hopeless = s->run.len == 0;
            return false;
        }
        stale = cost < best ? 0 : stale + 1;
        best = MIN(best, cost);
        if (stale > patience * STALE) {
            if (++shakes > SHAKES * patience) return false;
            if (shake(s, (uint64_t)STEPS << MIN(shakes, MOST_PATIENCE))) return true;
            best = RELAXED_NEVER;
            continue;
        }
        size_t before = s->run.len;
        if (follow(s) || (s->run.len == before && shake(s, 1))) return true;
        if (stale) raise_prices(s, before);
    }
    return false;
}

/* ---- best first ---- */

/* Markings by what plans said of the ones before them: those that a plan leads to, and others. */
typedef struct Best {
    PlanTree tree;
    Queue planned, other;
    GHashTable *seen; /* fingerprints; nothing is proved, so two markings with the same one do no harm */
    uint32_t turn;
} Best;

static gpointer fingerprint(const Tracker *k)
{
    uint64_t sum = 0;
    for (uint32_t p = 0; p < k->net->n_places; p++)
        if (k->marking[p]) sum ^= hash_mix(hash_mix(k->marking[p]) ^ p);
    return (gpointer)(uintptr_t)sum; /* NOLINT(performance-no-int-to-ptr): a key */
}

static void add(Best *b, Queue *heap, uint32_t cost, const uint32_t *firings, size_t n)
{
    uint32_t node = (uint32_t)b->tree.nodes.len;
    if (n && plan_tree_add(&b->tree, firings, n)) queue_push(heap, cost, node);
}

/* To the next marking that was not seen; false: there is none, or no more time. */
static bool next_marking(Search *s, Best *b)
{
    Tracker *k = s->planner->here;
    for (;;) {
        Queue *heap = b->planned.len && (++b->turn % OTHERS || !b->other.len) ? &b->planned : &b->other;
        uint64_t looks = k->looks;
        if (!heap->len || !plan_tree_go(&b->tree, queue_pop(heap).item)) return false;
        if (budget_charge(s->budget, tracker_units(k, looks) + k->net->n_places / 4 + 1)) return false;
        if (g_hash_table_add(b->seen, fingerprint(k))) return true;
    }
}

/* What can follow the marking: single firings, and the whole plan. True: the plan leads to the goal. */
static bool branch(Search *s, Best *b, uint32_t cost)
{
    Tracker *k = s->planner->here;
    const VecU32 *steps = &s->plan->steps;
    for (size_t i = 0; i < steps->len; i++)
        if (tracker_is_enabled(k, steps->data[i])) add(b, &b->planned, cost, &steps->data[i], 1);
    for (uint32_t i = 0; i < MIN(k->n_enabled, SAMPLES); i++)
        add(b, &b->other, cost, &k->enabled[k->n_enabled <= SAMPLES ? i : rng_below(&s->rng, k->n_enabled)], 1);
    vec_clear(&s->run);
    if (follow(s)) return true;
    add(b, &b->planned, cost / 2, s->run.data, s->run.len);
    while (s->run.len) tracker_unfire(k, vec_pop(&s->run));
    return false;
}

static bool best_first(Search *s, uint32_t most_plans)
{
    Best b = {.seen = g_hash_table_new(NULL, NULL)};
    bool met = false;
    plan_tree_begin(&b.tree, s->planner->here);
    queue_push(&b.planned, 0, 0);
    for (uint32_t i = 0; i < most_plans && !met && next_marking(s, &b); i++) {
        vec_clear(&s->run);
        met = at_goal(s);
        uint32_t cost = met ? 0 : make_plan(s);
        if (!met && cost < RELAXED_NEVER) met = branch(s, &b, cost);
    }
    if (met) {
        VecU32 rest = s->run;
        s->run = (VecU32){0};
        plan_tree_run(&b.tree, &s->run);
        vec_append(&s->run, rest.data, rest.len);
        vec_free(&rest);
    }
    plan_tree_clear(&b.tree);
    vec_free(&b.planned);
    vec_free(&b.other);
    g_hash_table_unref(b.seen);
    return met;
}

/* A little different in every round but the first. */
static void set_prices(Search *s, uint64_t round)
{
    const Net *net = s->planner->here->net;
    for (uint32_t t = 0; t < net->n_transitions; t++)
        s->planner->relaxed->price[t] = 1 + (uint32_t)rng_below(&s->rng, round ? 4 : 1);
}

bool planner_run(Planner *p, const Query *query, uint64_t seed, Budget *budget, VecU32 *run)
{
    g_autoptr(RelaxedPlan) plan = relaxed_plan_new(p->relaxed, query->formulas, query->goal, p->plain);
    Search s = {.planner = p,
                .goal = goal_new(query),
                .goal_units = goal_units(query->formulas, query->goal),
                .plan = plan,
                .rng = {seed},
                .budget = budget};
    bool met = false;
    p->hopeless = false;
    for (uint64_t round = 0; !met && !p->hopeless && !budget_look(budget); round++) {
        tracker_assign(p->here, p->start);
        vec_clear(&s.run);
        set_prices(&s, round);
        if (round % 2)
            met = best_first(&s, FIRST_PLANS << MIN(round / 2, MOST_PATIENCE));
        else
            met = at_goal(&s) || descend(&s, (uint32_t)MIN(round / 2 + 1, MOST_PATIENCE));
    }
    if (met) vec_append(run, s.run.data, s.run.len);
    vec_free(&s.run);
    return met;
}
