#include "verify/place_facts.h"

#include "verify/run_facts.h"

/* The parts of the time for place invariants, for groups that hold places which no known group holds, and for sums. */
#define INVARIANT_SHARE 0.5
#define COVER_SHARE 0.3

static void say_group(const PlaceFacts *f, SatLit places, const uint32_t *group, size_t n)
{
    safe_sat_exactly_one(f->safe, places, group, n);
}

static void say_trap(const PlaceFacts *f, SatLit places, const uint32_t *trap, size_t n)
{
    for (size_t i = 0; i < n; i++) sat_add(f->safe->sat, places + (SatLit)trap[i]);
    sat_add(f->safe->sat, 0);
}

/* As many as at first: at most, and at least. */
static void say_sum(const PlaceFacts *f, SatLit places, const ConservedSum *sum)
{
    size_t n = sum->terms.len;
    g_autofree CountTerm *terms = g_new(CountTerm, n + 1);
    for (int least = 0; least < 2; least++) {
        for (size_t i = 0; i < n; i++) {
            Sum factor = exact_of(sum->terms.data[i].coefficient);
            terms[i] = (CountTerm){places + (SatLit)sum->terms.data[i].place, least ? exact_minus(factor) : factor};
        }
        Sum value = least ? exact_minus(exact_of(sum->value)) : exact_of(sum->value);
        sat_clause_of(f->safe->sat, count_at_most(f->safe->counter, terms, (uint32_t)n, value));
    }
}

typedef void Say(const PlaceFacts *facts, SatLit places, const uint32_t *list, size_t n);

static void say_from(const PlaceFacts *f, SatLit places, const VecU32 *lists, size_t from, Say *say)
{
    for (size_t to; from < lists->len; from = to + 1) {
        for (to = from; lists->data[to] != NET_NONE; to++) continue;
        say(f, places, lists->data + from, to - from);
    }
}

/* Says the groups from there on. */
static void take_groups(PlaceFacts *f, size_t from)
{
    say_from(f, f->places, &f->groups, from, say_group);
    for (size_t i = from; i < f->groups.len; i++)
        if (f->groups.data[i] != NET_NONE) f->grouped[f->groups.data[i]] = true;
}

/* Made when it is first asked for: most nets are covered without. */
static TokenGroups *finder(PlaceFacts *f, Budget *budget)
{
    if (!f->finder) f->finder = token_groups_new(f->safe->net, budget);
    return f->finder;
}

static void cover(PlaceFacts *f, Budget *budget)
{
    for (uint32_t p = 0; p < f->safe->net->n_places && !budget_spent(budget); p++) {
        size_t from = f->groups.len;
        if (!f->grouped[p] && token_groups_with(finder(f, budget), p, budget, &f->groups) == SAT_YES)
            take_groups(f, from);
    }
}

void place_facts_init(PlaceFacts *facts, SafeSat *safe, SatLit places, Budget *budget)
{
    const Net *net = safe->net;
    Budget counting = budget_part(budget, INVARIANT_SHARE, 0, NULL);
    *facts = (PlaceFacts){.safe = safe,
                          .places = places,
                          .grouped = g_new0(bool, net->n_places + 1),
                          .marked = g_new0(bool, net->n_places + 1)};
    safe_sat_groups(net, &counting, &facts->groups);
    take_groups(facts, 0);
    Budget covering = budget_part(budget, COVER_SHARE, 0, NULL);
    cover(facts, &covering);
}

void place_facts_clear(PlaceFacts *facts)
{
    token_groups_free(facts->finder);
    conserved_free(facts->conserved);
    vec_free(&facts->sums);
    vec_free(&facts->groups);
    vec_free(&facts->traps);
    g_free(facts->grouped);
    g_free(facts->marked);
}

static bool learn_trap(PlaceFacts *f)
{
    const Net *net = f->safe->net;
    VecU32 trap = {0};
    bool found = run_facts_trap(net, f->marked, &trap);
    if (found) {
        run_facts_smaller_trap(net, &trap);
        say_trap(f, f->places, trap.data, trap.len);
        vec_append(&f->traps, trap.data, trap.len);
        vec_push(&f->traps, NET_NONE);
    }
    vec_free(&trap);
    return found;
}

static bool learn_sum(PlaceFacts *f, Budget *budget)
{
    Budget eliminating = budget_part(budget, COVER_SHARE, 0, NULL);
    if (!f->conserved) f->conserved = conserved_new(f->safe->net, &eliminating);
    size_t broken = conserved_broken(f->conserved, f->grouped, f->marked);
    if (broken == f->conserved->sums.len) return false;
    sat_begin(f->safe->sat, budget);
    say_sum(f, f->places, &f->conserved->sums.data[broken]);
    vec_push(&f->sums, (uint32_t)broken);
    if (!sat_end(f->safe->sat)) count_forget(f->safe->counter); /* the budget is spent: nothing is asked any more */
    return true;
}

/* After SAT_YES: says a fact that the model breaks. False when it breaks none that can be found. */
static bool learn(PlaceFacts *facts, Budget *budget)
{
    const Net *net = facts->safe->net;
    size_t from = facts->groups.len;
    for (uint32_t p = 0; p < net->n_places; p++)
        facts->marked[p] = sat_value(facts->safe->sat, facts->places + (SatLit)p);
    if (learn_trap(facts)) return true;
    SatAnswer group = token_groups_broken(finder(facts, budget), facts->marked, budget, &facts->groups);
    if (group != SAT_YES) return group == SAT_NO && learn_sum(facts, budget);
    take_groups(facts, from);
    return true;
}

SatAnswer place_facts_ask(PlaceFacts *facts, SatLit literal, Budget *budget)
{
    for (;;) {
        sat_assume(facts->safe->sat, literal);
        SatAnswer answer = sat_solve(facts->safe->sat, budget);
        if (answer != SAT_YES || !learn(facts, budget)) return answer;
        if (budget_look(budget)) return SAT_UNKNOWN;
    }
}

static void write_lists(const VecU32 *lists, VecI32 *to)
{
    for (size_t i = 0; i < lists->len; i++) vec_push(to, lists->data[i] == NET_NONE ? 0 : (int32_t)lists->data[i] + 1);
}

static void write_sum(const ConservedSum *sum, Linear *to)
{
    for (size_t i = 0; i < sum->terms.len; i++)
        vec_push(&to->atoms.terms, ((LinearTerm){sum->terms.data[i].place, sum->terms.data[i].coefficient}));
    linear_end(&to->atoms);
    vec_push(&to->bounds, sum->value);
}

void place_facts_write(const PlaceFacts *facts, Inductive *set, Linear *sums)
{
    for (size_t i = 0; i < facts->sums.len; i++) write_sum(&facts->conserved->sums.data[facts->sums.data[i]], sums);
    write_lists(&facts->groups, &set->groups);
    write_lists(&facts->traps, &set->clauses);
}

bool place_facts_beyond(const PlaceFacts *facts, const FormulaStore *store, FormulaId goal)
{
    VecU32 below = {0};
    bool beyond = false;
    formula_below(store, goal, &below);
    for (size_t i = 0; i < below.len && !beyond; i++) {
        const FormulaNode *node = formula_node(store, below.data[i]);
        for (uint32_t k = 0; k < node->len && node->kind == FORMULA_AT_MOST; k++)
            beyond |= !facts->grouped[store->terms.data[node->from + k].place];
    }
    vec_free(&below);
    return beyond;
}

bool place_facts_tell(const Net *net)
{
    for (ArcKind kind = 0; kind < N_ARC_KINDS; kind++) {
        const uint64_t *weight = net->of_transition[kind].weight;
        for (uint32_t i = 0; kind != ARC_POST && weight && i < net_arc_count(net, kind); i++)
            if (weight[i] != 1) return false;
    }
    return net->n_places && net->n_transitions;
}
