#include "verify/safe_sat.h"

#include "net/invariant.h"
#include "prop/formula_fold.h"

#include <assert.h>
#include <stdlib.h>

enum { GROUP_WORK = 3000000 };

bool safe_sat_fits(const Net *net)
{
    for (uint32_t p = 0; p < net->n_places; p++)
        if (net->initial[p] > 1) return false;
    for (ArcKind kind = 0; kind < N_ARC_KINDS; kind++) {
        const uint64_t *weight = net->of_transition[kind].weight;
        for (uint32_t i = 0; weight && i < net_arc_count(net, kind); i++)
            if (weight[i] != 1) return false;
    }
    return net->n_places && net->n_transitions;
}

void safe_sat_init(SafeSat *s, const Net *net, const FormulaStore *formulas)
{
    *s = (SafeSat){.net = net, .sat = sat_new(), .formulas = formulas};
    SatLit truth = sat_variable(s->sat);
    sat_clause_of(s->sat, truth);
    s->counter = count_new(s->sat, truth);
}

void safe_sat_clear(SafeSat *s)
{
    count_free(s->counter);
    sat_free(s->sat);
}

SatLit safe_sat_instant(SafeSat *s)
{
    return sat_variables(s->sat, (int)s->net->n_places);
}

void safe_sat_exactly_one(SafeSat *s, SatLit places, const uint32_t *group, size_t n)
{
    g_autofree SatLit *literals = g_new(SatLit, n + 1);
    for (size_t i = 0; i < n; i++) literals[i] = places + (SatLit)group[i];
    sat_clause(s->sat, literals, n);
    sat_at_most_one(s->sat, literals, n);
}

/* ---- goals ---- */

static bool produces_only(const Net *net, uint32_t t, uint32_t p)
{
    return net_arc_weight(net, ARC_PRE, t, p) == 0;
}

/* literal implies: t is enabled / t is not enabled. */
static void imply_guard(SafeSat *s, SatLit places, SatLit literal, uint32_t t, bool enabled)
{
    VEC(SatLit) clause = {0};
    vec_push(&clause, -literal);
    for (ArcKind kind = 0; kind < N_ARC_KINDS; kind++) {
        if (kind == ARC_POST) continue;
        NetRow row = net_places(s->net, kind, t);
        for (uint32_t i = 0; i < row.len; i++) {
            SatLit marked = places + (SatLit)row.node[i], met = kind == ARC_INHIBIT ? -marked : marked;
            if (enabled)
                sat_clause_of(s->sat, -literal, met);
            else
                vec_push(&clause, -met);
        }
    }
    if (!enabled) sat_clause(s->sat, clause.data, clause.len);
    vec_free(&clause);
}

static SatLit sum_literal(SafeSat *s, SatLit places, const FormulaTerm *terms, uint32_t n, int64_t bound)
{
    g_autofree CountTerm *counted = g_new(CountTerm, n + 1);
    for (uint32_t i = 0; i < n; i++)
        counted[i] = (CountTerm){places + (SatLit)terms[i].place, exact_of(terms[i].coefficient)};
    return count_at_most(s->counter, counted, n, exact_of(bound));
}

typedef struct Instant {
    SafeSat *sat;
    SatLit places;
} Instant;

/* Literals imply what they stand for; that is enough, since negation is at the leaves. */

static FoldValue fold_at_most(void *data, const FormulaTerm *terms, uint32_t n, int64_t bound)
{
    const Instant *x = data;
    SatLit literal = sat_variable(x->sat->sat);
    sat_clause_of(x->sat->sat, -literal, sum_literal(x->sat, x->places, terms, n, bound));
    return literal;
}

static FoldValue fold_junction(void *data, bool all, const FoldValue *parts, uint32_t n)
{
    const Instant *x = data;
    SatLit literal = sat_variable(x->sat->sat);
    g_autofree SatLit *any = g_new(SatLit, (size_t)n + 1);
    any[0] = -literal;
    for (uint32_t i = 0; i < n; i++) {
        any[i + 1] = (SatLit)parts[i];
        if (all) sat_clause_of(x->sat->sat, -literal, any[i + 1]);
    }
    if (!all) sat_clause(x->sat->sat, any, (size_t)n + 1);
    return literal;
}

static FoldValue fold_guards(void *data, const uint32_t *transitions, uint32_t n, bool any)
{
    const Instant *x = data;
    g_autofree FoldValue *parts = g_new(FoldValue, (size_t)n + 1);
    SatLit literal = sat_variable(x->sat->sat);
    for (uint32_t i = 0; i < n; i++) {
        parts[i] = any && i ? sat_variable(x->sat->sat) : literal;
        imply_guard(x->sat, x->places, (SatLit)parts[i], transitions ? transitions[i] : i, any);
    }
    return any ? fold_junction(data, false, parts, n) : literal;
}

SatLit safe_sat_goal(SafeSat *s, SatLit places, FormulaId goal)
{
    static const FormulaFold fold = {fold_at_most, fold_guards, fold_junction};
    return (SatLit)formula_fold(s->formulas, goal, &fold, &(Instant){s, places});
}

SatLit safe_sat_unsafe(SafeSat *s, SatLit places)
{
    SatLit literal = sat_variable(s->sat);
    VEC(SatLit) any = {0};
    vec_push(&any, -literal);
    for (uint32_t t = 0; t < s->net->n_transitions; t++) {
        NetRow post = net_places(s->net, ARC_POST, t);
        VEC(SatLit) full = {0};
        SatLit one = 0;
        for (uint32_t i = 0; i < post.len; i++)
            if (produces_only(s->net, t, post.node[i])) vec_push(&full, places + (SatLit)post.node[i]);
        if (full.len) {
            one = sat_variable(s->sat);
            vec_push(&any, one);
            vec_push(&full, -one);
            sat_clause(s->sat, full.data, full.len);
            imply_guard(s, places, one, t, true);
        }
        vec_free(&full);
    }
    sat_clause(s->sat, any.data, any.len);
    vec_free(&any);
    return literal;
}

/* ---- steps ---- */

static void transition_clauses(SafeSat *s, SatLit before, SatLit after, SatLit fires, uint32_t t)
{
    const Net *net = s->net;
    imply_guard(s, before, fires, t, true);
    NetRow pre = net_places(net, ARC_PRE, t), post = net_places(net, ARC_POST, t);
    for (uint32_t i = 0; i < pre.len; i++)
        if (net_arc_weight(net, ARC_POST, t, pre.node[i]) == 0)
            sat_clause_of(s->sat, -fires, -(after + (SatLit)pre.node[i]));
    for (uint32_t i = 0; i < post.len; i++) {
        sat_clause_of(s->sat, -fires, after + (SatLit)post.node[i]);
        if (produces_only(net, t, post.node[i])) sat_clause_of(s->sat, -fires, -(before + (SatLit)post.node[i]));
    }
}

static void frame_clauses(SafeSat *s, SatLit before, SatLit after, SatLit fires, uint32_t p)
{
    const Net *net = s->net;
    SatLit b = before + (SatLit)p, a = after + (SatLit)p;
    for (int k = 0; k < 2; k++) {
        NetRow row = net_transitions(net, k ? ARC_POST : ARC_PRE, p);
        VEC(SatLit) clause = {0};
        vec_push(&clause, k ? -a : a);
        vec_push(&clause, k ? b : -b);
        for (uint32_t i = 0; i < row.len; i++)
            if (net_arc_weight(net, k ? ARC_PRE : ARC_POST, row.node[i], p) == 0)
                vec_push(&clause, fires + (SatLit)row.node[i]);
        sat_clause(s->sat, clause.data, clause.len);
        vec_free(&clause);
    }
}

SatLit safe_sat_step(SafeSat *s, SatLit before, SatLit after)
{
    const Net *net = s->net;
    SatLit fires = sat_variables(s->sat, (int)net->n_transitions);
    for (uint32_t t = 0; t < net->n_transitions; t++) transition_clauses(s, before, after, fires + (SatLit)t, t);
    for (uint32_t p = 0; p < net->n_places; p++) frame_clauses(s, before, after, fires, p);
    g_autofree SatLit *all = g_new(SatLit, net->n_transitions);
    for (uint32_t t = 0; t < net->n_transitions; t++) all[t] = fires + (SatLit)t;
    sat_at_most_one(s->sat, all, net->n_transitions);
    return fires;
}

void safe_sat_groups(const Net *net, Budget *budget, VecU32 *groups)
{
    g_autoptr(Invariants) invariants = invariant_compute(net, GROUP_WORK, budget);
    for (uint32_t i = 0; i < invariants->n; i++) {
        const Invariant *invariant = &invariants->item[i];
        bool plain = invariant->tokens == 1;
        for (uint32_t k = 0; k < invariant->len && plain; k++) plain = invariant->weight[k] == 1;
        if (!plain) continue;
        vec_append(groups, invariant->place, invariant->len);
        vec_push(groups, NET_NONE);
    }
}
