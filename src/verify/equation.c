#include "verify/equation.h"

#include "base/rng.h"
#include "prop/formula_fold.h"
#include "verify/effects.h"
#include "verify/run_facts.h"

#include <assert.h>

/* Work of making the terms of an arc, and of reading a solution per node. */
enum { ARC_UNITS = 150, NODE_UNITS = 60 };

/* A trap: the sum of `asked` is at least 1. A siphon: that, or the sum of `unless` is 0. */
typedef struct Fact {
    VecU32 asked, unless;
    bool siphon;
} Fact;

struct Equation {
    const Net *net;
    Smt *smt;
    Effects effects; /* transitions of one class share a variable */
    SmtTerm *fired;  /* per class */
    SmtTerm *tokens; /* per place */
    EquationSolution solution;
    bool *marked; /* scratch, per place */
    VEC(Fact) facts;
    uint32_t traps, siphons;
    bool use_last, last_used, fits;
    uint32_t units; /* of work done before there was a budget */
};

Equation *equation_new(const Net *net, bool integers)
{
    Equation *eq = g_new0(Equation, 1);
    eq->net = net;
    eq->fits = effects_fit(net);
    if (!eq->fits) return eq;
    eq->smt = smt_new(integers);
    effects_init(&eq->effects, net);
    eq->fired = g_new(SmtTerm, eq->effects.n + 1);
    for (uint32_t c = 0; c < eq->effects.n; c++) eq->fired[c] = smt_variable(eq->smt);
    eq->tokens = g_new(SmtTerm, net->n_places + 1);
    effects_tokens(&eq->effects, net, eq->smt, eq->fired, eq->tokens);
    for (uint32_t p = 0; p < net->n_places; p++) smt_assert(eq->smt, smt_at_least(eq->smt, eq->tokens[p], 0));
    eq->solution.firings = g_new0(uint64_t, net->n_transitions + 1);
    eq->solution.marking = g_new0(uint64_t, net->n_places + 1);
    eq->marked = g_new0(bool, net->n_places + 1);
    uint64_t arcs = (uint64_t)net_arc_count(net, ARC_PRE) + net_arc_count(net, ARC_POST);
    eq->units = (uint32_t)MIN(ARC_UNITS * arcs, UINT32_MAX / 2);
    return eq;
}

void equation_free(Equation *eq)
{
    if (!eq) return;
    smt_free(eq->smt);
    effects_clear(&eq->effects);
    g_free(eq->fired);
    g_free(eq->tokens);
    g_free(eq->solution.firings);
    g_free(eq->solution.marking);
    g_free(eq->marked);
    for (size_t i = 0; i < eq->facts.len; i++) {
        vec_free(&eq->facts.data[i].asked);
        vec_free(&eq->facts.data[i].unless);
    }
    vec_free(&eq->facts);
    g_free(eq);
}

/* ---- goals ---- */

/* What t tests, or (negated) that one of the tests fails. */
static SmtTerm guard_term(Equation *eq, uint32_t t, bool enabled)
{
    VecU32 parts = {0};
    for (ArcKind kind = 0; kind < N_ARC_KINDS; kind++) {
        if (kind == ARC_POST) continue;
        NetRow row = net_places(eq->net, kind, t);
        for (uint32_t i = 0; i < row.len; i++) {
            SmtTerm count = eq->tokens[row.node[i]];
            int64_t weight = (int64_t)net_weight(row, i);
            bool above = (kind != ARC_INHIBIT) == enabled;
            vec_push(&parts, above ? smt_at_least(eq->smt, count, weight) : smt_at_most(eq->smt, count, weight - 1));
        }
    }
    SmtTerm term = enabled ? smt_and(eq->smt, parts.data, parts.len) : smt_or(eq->smt, parts.data, parts.len);
    vec_free(&parts);
    return term;
}

static SmtTerm guards_term(Equation *eq, const uint32_t *transitions, uint32_t n, bool enabled)
{
    VecU32 parts = {0};
    for (uint32_t i = 0; i < n; i++) vec_push(&parts, guard_term(eq, transitions ? transitions[i] : i, enabled));
    SmtTerm term = enabled ? smt_or(eq->smt, parts.data, parts.len) : smt_and(eq->smt, parts.data, parts.len);
    vec_free(&parts);
    return term;
}

/* The places' own sums are reused, so that equal atoms are one row for the solver. */
static SmtTerm sum_term(Equation *eq, const FormulaTerm *terms, size_t n)
{
    if (n == 1 && terms[0].coefficient == 1) return eq->tokens[terms[0].place];
    g_autofree SmtTerm *variables = g_new(SmtTerm, n + 1);
    g_autofree int64_t *coefficients = g_new(int64_t, n + 1);
    for (size_t i = 0; i < n; i++) variables[i] = eq->tokens[terms[i].place], coefficients[i] = terms[i].coefficient;
    return smt_sum(eq->smt, variables, coefficients, n, 0);
}

static FoldValue fold_at_most(void *data, const FormulaTerm *terms, uint32_t n, int64_t bound)
{
    Equation *eq = data;
    if (n == 1 && terms[0].coefficient == -1 && bound > INT64_MIN)
        return smt_at_least(eq->smt, eq->tokens[terms[0].place], -bound);
    return smt_at_most(eq->smt, sum_term(eq, terms, n), bound);
}

static FoldValue fold_guards(void *data, const uint32_t *transitions, uint32_t n, bool any)
{
    return guards_term(data, transitions, n, any);
}

static FoldValue fold_junction(void *data, bool all, const FoldValue *parts, uint32_t n)
{
    Equation *eq = data;
    g_autofree SmtTerm *terms = g_new(SmtTerm, (size_t)n + 1);
    for (uint32_t i = 0; i < n; i++) terms[i] = (SmtTerm)parts[i];
    return (all ? smt_and : smt_or)(eq->smt, terms, n);
}

static SmtTerm goal_term(Equation *eq, const FormulaStore *f, FormulaId id)
{
    static const FormulaFold fold = {fold_at_most, fold_guards, fold_junction};
    return (SmtTerm)formula_fold(f, id, &fold, eq);
}

/* ---- facts ---- */

static bool read_solution(Equation *eq)
{
    int64_t above, below;
    g_autofree uint64_t *fired = g_new(uint64_t, eq->effects.n + 1);
    for (uint32_t c = 0; c < eq->effects.n; c++) {
        if (!smt_value(eq->smt, eq->fired[c], &above, &below)) return false;
        fired[c] = (uint64_t)(above / below + (above % below != 0));
    }
    for (uint32_t t = 0; t < eq->net->n_transitions; t++)
        eq->solution.firings[t] = eq->effects.class_of[t] == NET_NONE ? 0 : fired[eq->effects.class_of[t]];
    for (uint32_t p = 0; p < eq->net->n_places; p++) {
        if (!smt_value(eq->smt, eq->tokens[p], &above, &below)) return false;
        eq->solution.marking[p] = (uint64_t)(above / below);
        /* For traps a fraction of a token is no token: the fact asks for a whole one. */
        eq->marked[p] = above > 0;
    }
    return true;
}

static SmtTerm plain_sum(Equation *eq, const VecU32 *terms)
{
    g_autofree int64_t *ones = g_new(int64_t, terms->len + 1);
    for (size_t i = 0; i < terms->len; i++) ones[i] = 1;
    return smt_sum(eq->smt, terms->data, ones, terms->len, 0);
}

static void assert_fact(Equation *eq, const Fact *fact)
{
    SmtTerm asked = smt_at_least(eq->smt, plain_sum(eq, &fact->asked), 1);
    if (fact->siphon) {
        SmtTerm none = smt_at_most(eq->smt, plain_sum(eq, &fact->unless), 0);
        asked = smt_or(eq->smt, (SmtTerm[]){none, asked}, 2);
    }
    smt_assert(eq->smt, asked);
}

static void add_fact(Equation *eq, Fact fact)
{
    assert_fact(eq, &fact);
    vec_push(&eq->facts, fact);
}

static bool learn_trap(Equation *eq)
{
    VecU32 places = {0};
    bool holds = run_facts_trap(eq->net, eq->marked, &places);
    if (holds) {
        run_facts_smaller_trap(eq->net, &places);
        for (size_t i = 0; i < places.len; i++) places.data[i] = eq->tokens[places.data[i]];
        add_fact(eq, (Fact){.asked = places});
        eq->traps++;
    } else {
        vec_free(&places);
    }
    return holds;
}

/* Classes of which every transition needs the set: none can be the first to bring a token in. */
static bool learn_siphon(Equation *eq)
{
    const Net *net = eq->net;
    const Effects *effects = &eq->effects;
    g_autofree bool *unfed = g_new(bool, net->n_places + 1), *fires = g_new(bool, net->n_transitions + 1);
    for (uint32_t t = 0; t < net->n_transitions; t++) fires[t] = eq->solution.firings[t] > 0;
    run_facts_unfed(net, fires, unfed);
    g_autofree bool *free_member = g_new0(bool, effects->n + 1), *feeds = g_new0(bool, effects->n + 1);
    for (uint32_t t = 0; t < net->n_transitions; t++) {
        if (effects->class_of[t] == NET_NONE || run_facts_needs(net, t, unfed)) continue;
        free_member[effects->class_of[t]] = true;
        feeds[effects->class_of[t]] |= run_facts_feeds(net, t, unfed);
    }
    VecU32 bound = {0}, feeding = {0};
    bool broken = false;
    for (uint32_t c = 0; c < effects->n; c++) {
        if (feeds[c]) vec_push(&feeding, eq->fired[c]);
        if (free_member[c]) continue;
        vec_push(&bound, eq->fired[c]);
        broken |= fires[effects->first[c]];
    }
    if (broken) {
        add_fact(eq, (Fact){.asked = feeding, .unless = bound, .siphon = true});
        eq->siphons++;
        return true;
    }
    vec_free(&bound);
    vec_free(&feeding);
    return false;
}

static bool may_be_last(const Equation *eq, uint32_t t, VecLeft *left)
{
    if (!eq->solution.firings[t]) return false;
    run_facts_left(eq->net, t, left);
    for (size_t i = 0; i < left->len; i++) {
        const Left *l = &left->data[i];
        uint64_t tokens = eq->solution.marking[l->place];
        if (l->inhibited ? tokens > l->high : tokens < l->low) return false;
    }
    return true;
}

static SmtTerm last_term(Equation *eq, uint32_t t, VecLeft *left)
{
    VecU32 parts = {0};
    run_facts_left(eq->net, t, left);
    vec_push(&parts, smt_at_least(eq->smt, eq->fired[eq->effects.class_of[t]], 1));
    for (size_t i = 0; i < left->len; i++) {
        const Left *l = &left->data[i];
        SmtTerm tokens = eq->tokens[l->place];
        vec_push(&parts, l->inhibited ? smt_at_most(eq->smt, tokens, (int64_t)l->high)
                                      : smt_at_least(eq->smt, tokens, (int64_t)l->low));
    }
    SmtTerm term = smt_and(eq->smt, parts.data, parts.len);
    vec_free(&parts);
    return term;
}

/* The last firing that changes the marking: one of a transition with an effect, if any fires. Said within the goal's
 * scope only: it is as large as the net. */
static bool learn_last(Equation *eq)
{
    VecLeft left = {0};
    VecU32 parts = {0}, fired = {0};
    bool broken = true;
    for (uint32_t t = 0; t < eq->net->n_transitions && broken; t++) broken = !may_be_last(eq, t, &left);
    for (uint32_t t = 0; t < eq->net->n_transitions && broken; t++)
        if (eq->effects.class_of[t] != NET_NONE) vec_push(&parts, last_term(eq, t, &left));
    if (broken) {
        for (uint32_t c = 0; c < eq->effects.n; c++) vec_push(&fired, eq->fired[c]);
        vec_push(&parts, smt_at_most(eq->smt, plain_sum(eq, &fired), 0));
        smt_assert(eq->smt, smt_or(eq->smt, parts.data, parts.len));
    }
    vec_free(&left);
    vec_free(&parts);
    vec_free(&fired);
    return broken;
}

/* Facts found inside the goal's scope leave with it, so they are said again outside. */
static SatAnswer solve_refining(Equation *eq, void (*assert_goal)(Equation *eq, const void *data), const void *data,
                                Budget *budget)
{
    size_t known = eq->facts.len;
    bool last_known = false;
    SatAnswer answer;
    if (!eq->fits) return SAT_UNKNOWN;
    smt_push(eq->smt);
    assert_goal(eq, data);
    budget_charge(budget, eq->units);
    eq->units = 0;
    for (;;) {
        answer = smt_solve(eq->smt, budget);
        budget_charge(budget, NODE_UNITS * (eq->net->n_places + eq->net->n_transitions));
        if (answer == SAT_YES && !read_solution(eq)) answer = SAT_UNKNOWN;
        if (answer != SAT_YES) break;
        if (learn_trap(eq) || learn_siphon(eq)) continue;
        if (!eq->use_last || last_known || !learn_last(eq)) break;
        last_known = eq->last_used = true;
    }
    smt_pop(eq->smt);
    for (; known < eq->facts.len; known++) assert_fact(eq, &eq->facts.data[known]);
    return answer;
}

typedef struct GoalData {
    const FormulaStore *formulas;
    FormulaId goal;
    const FormulaTerm *terms;
    size_t n;
    int64_t bound;
} GoalData;

static void assert_formula(Equation *eq, const void *data)
{
    const GoalData *d = data;
    smt_assert(eq->smt, goal_term(eq, d->formulas, d->goal));
}

static void assert_exceeds(Equation *eq, const void *data)
{
    const GoalData *d = data;
    smt_assert(eq->smt, smt_at_least(eq->smt, sum_term(eq, d->terms, d->n), d->bound + 1));
}

SatAnswer equation_solve(Equation *eq, const FormulaStore *formulas, FormulaId goal, Budget *budget)
{
    assert(formulas->net == eq->net);
    GoalData data = {.formulas = formulas, .goal = goal};
    return solve_refining(eq, assert_formula, &data, budget);
}

SatAnswer equation_exceeds(Equation *eq, const FormulaTerm *terms, size_t n, int64_t bound, Budget *budget)
{
    GoalData data = {.terms = terms, .n = n, .bound = bound};
    if (bound == INT64_MAX) return SAT_UNKNOWN;
    return solve_refining(eq, assert_exceeds, &data, budget);
}

void equation_use_last(Equation *eq)
{
    eq->use_last = true;
}

bool equation_used_last(const Equation *eq)
{
    return eq->last_used;
}

const EquationSolution *equation_solution(const Equation *eq)
{
    return &eq->solution;
}

uint32_t equation_traps(const Equation *eq)
{
    return eq->traps;
}

uint32_t equation_siphons(const Equation *eq)
{
    return eq->siphons;
}

/* ---- realising a solution ---- */

enum { REALISE_TRIES = 30, REALISE_STEPS = 20000 };

static bool realise_once(const Equation *eq, const Query *query, const NetLts *plain, Rng *rng, uint64_t *left,
                         uint64_t *marking, Budget *budget, VecU32 *run)
{
    const Net *net = eq->net;
    memcpy(marking, net->initial, net->n_places * sizeof *marking);
    for (uint32_t c = 0; c < eq->effects.n; c++) left[c] = eq->solution.firings[eq->effects.first[c]];
    vec_clear(run);
    while (run->len < REALISE_STEPS) {
        if (formula_holds(query->formulas, query->goal, plain, marking)) return true;
        uint32_t n = 0, chosen = NET_NONE;
        for (uint32_t t = 0; t < net->n_transitions; t++) {
            if (eq->effects.class_of[t] == NET_NONE || !left[eq->effects.class_of[t]] || !net_enabled(net, marking, t))
                continue;
            if (rng_below(rng, ++n) == 0) chosen = t;
        }
        if (chosen == NET_NONE || budget_charge(budget, MAX(net->n_transitions, 100))) return false;
        left[eq->effects.class_of[chosen]]--;
        if (!net_fire(net, marking, chosen)) return false;
        vec_push(run, chosen);
    }
    return false;
}

bool equation_realise(const Equation *eq, const Query *query, uint64_t seed, Budget *budget, VecU32 *run)
{
    g_autoptr(NetLts) plain = netlts_new(eq->net, 64);
    g_autofree uint64_t *left = g_new(uint64_t, eq->effects.n + 1), *marking = g_new0(uint64_t, eq->net->n_places + 1);
    Rng rng = {seed};
    for (int i = 0; i < REALISE_TRIES && !budget_spent(budget); i++)
        if (realise_once(eq, query, plain, &rng, left, marking, budget, run)) return true;
    vec_clear(run);
    return false;
}
