#include "certify/facts.h"

#include "certify/atoms.h"
#include "certify/wide.h"

#include <stdlib.h>

typedef struct Facts {
    int32_t *places; /* literal "has a token" */
    bool *grouped;
    Atoms *atoms; /* that places in no group have more, */
    VecI32 more;  /* and the variable of each */
} Facts;

/* ---- tests ---- */

static int32_t tokens(Cnf *cnf, uint32_t place, uint64_t weight, void *data)
{
    Facts *f = data;
    if (weight == 0) return cnf->truth;
    if (weight == 1) return f->places[place];
    if (f->grouped[place]) return -cnf->truth;
    if (weight > INT64_MAX) return cnf_variable(cnf);
    size_t number = (size_t)abs(atoms_tokens(f->atoms, place, weight)) - 1;
    if (number == f->more.len) {
        vec_push(&f->more, cnf_variable(cnf));
        cnf_clause_of(cnf, -f->more.data[number], f->places[place]);
    }
    return f->more.data[number];
}

static int32_t at_most(Cnf *cnf, const FormulaTerm *terms, uint32_t n, int64_t bound, void *data)
{
    const Facts *f = data;
    for (uint32_t i = 0; i < n; i++)
        if (!f->grouped[terms[i].place]) return cnf_variable(cnf);
    return cnf_safe_at_most(cnf, terms, n, bound, f->places);
}

/* ---- traps ---- */

bool facts_leaves_token(const Net *net, uint32_t t, const uint64_t *least)
{
    for (int k = 0; k < 2; k++) {
        NetRow row = net_places(net, k ? ARC_READ : ARC_POST, t);
        for (uint32_t i = 0; i < row.len; i++) {
            uint32_t p = row.node[i];
            if (!least[p]) continue;
            Int128 taken = net_arc_weight(net, ARC_PRE, t, p), read = net_arc_weight(net, ARC_READ, t, p);
            if (MAX(taken, read) - taken + net_arc_weight(net, ARC_POST, t, p) >= least[p]) return true;
        }
    }
    return false;
}

/* seen: per transition the last number it was looked at with; this set has a number of its own. */
static bool keeps_a_token(const Net *net, const int32_t *trap, const uint64_t *least, size_t number, size_t *seen)
{
    bool token = false;
    for (; *trap; trap++) {
        token |= net->initial[*trap - 1] >= least[*trap - 1];
        NetRow takers = net_transitions(net, ARC_PRE, (uint32_t)*trap - 1);
        for (uint32_t i = 0; i < takers.len; i++) {
            uint32_t t = takers.node[i], p = (uint32_t)*trap - 1;
            if (seen[t] == number || net_arc_weight(net, ARC_POST, t, p) >= net_arc_weight(net, ARC_PRE, t, p))
                continue;
            seen[t] = number;
            if (!facts_leaves_token(net, t, least)) return false;
        }
    }
    return token;
}

/* Checks them and says them. */
static bool add_traps(Cnf *cnf, const Net *net, const VecI32 *traps, Facts *facts, char **problem)
{
    g_autofree uint64_t *least = g_new0(uint64_t, net->n_places + 1);
    g_autofree size_t *seen = g_new0(size_t, net->n_transitions + 1);
    VecI32 clause = {0};
    for (size_t from = 0, to; from < traps->len && !*problem; from = to + 1) {
        for (to = from; traps->data[to]; to++) least[traps->data[to] - 1]++;
        if (budget_charge(cnf->budget, (uint32_t)MIN(100 * (to - from + 1), 1000 * 1000)))
            *problem = g_strdup(budget_text(cnf->budget));
        else if (!keeps_a_token(net, traps->data + from, least, from + 1, seen))
            *problem = g_strdup("a set of places can lose its last token, or has none");
        vec_clear(&clause);
        for (size_t i = from; i < to; i++) {
            uint32_t p = (uint32_t)traps->data[i] - 1;
            if (least[p]) vec_push(&clause, tokens(cnf, p, least[p], facts));
            least[p] = 0;
        }
        cnf_clause(cnf, clause.data, clause.len);
    }
    vec_free(&clause);
    return !*problem;
}

/* ---- sums ---- */

static bool is_listed(const Net *net, const LinearTerm *terms, size_t n, const bool *grouped)
{
    for (size_t i = 0; i < n; i++)
        if (terms[i].number >= net->n_places || (i && terms[i].number <= terms[i - 1].number) ||
            !grouped[terms[i].number] || terms[i].factor == INT64_MIN)
            return false;
    return true;
}

/* Adds what each transition changes the sum by; or, when it is there, looks whether that is 0 and clears it. */
static bool balance_place(const Net *net, const LinearTerm *term, bool look, Wide *balance)
{
    bool zero = true;
    for (int k = 0; k < 2; k++) {
        ArcKind kind = k ? ARC_POST : ARC_PRE;
        NetRow row = net_transitions(net, kind, term->number);
        for (uint32_t i = 0; i < row.len; i++) {
            Wide *change = &balance[row.node[i]];
            Int128 weight = net_arc_weight(net, kind, row.node[i], term->number);
            zero &= !look || wide_sign(*change) == 0;
            if (look)
                *change = wide_of(0);
            else
                wide_add(change, (k ? weight : -weight) * term->factor);
        }
    }
    return zero;
}

/* balance: all 0 before and after. */
static bool stays(const Net *net, const LinearTerm *terms, size_t n, int64_t value, Wide *balance)
{
    Wide total = wide_of(-(Int128)value);
    bool same = true;
    for (size_t i = 0; i < n; i++) {
        wide_add(&total, (Int128)terms[i].factor * net->initial[terms[i].number]);
        balance_place(net, &terms[i], false, balance);
    }
    for (size_t i = 0; i < n; i++) same &= balance_place(net, &terms[i], true, balance);
    return same && wide_sign(total) == 0;
}

static void add_sum(Cnf *cnf, const LinearTerm *terms, size_t n, int64_t value, const int32_t *places)
{
    g_autofree FormulaTerm *signed_terms = g_new(FormulaTerm, n + 1);
    for (int sign = 1; sign >= -1; sign -= 2) {
        for (size_t i = 0; i < n; i++) signed_terms[i] = (FormulaTerm){terms[i].number, sign * terms[i].factor};
        int32_t holds = cnf_safe_at_most(cnf, signed_terms, (uint32_t)n, sign * value, places);
        cnf_clause_of(cnf, holds);
    }
}

/* Checks them and says them. */
static bool add_sums(Cnf *cnf, const Net *net, const Linear *sums, const Facts *facts, char **problem)
{
    g_autofree Wide *balance = g_new0(Wide, net->n_transitions + 1);
    for (size_t i = 0; i < linear_count(&sums->atoms) && !*problem; i++) {
        size_t n;
        const LinearTerm *terms = linear_list(&sums->atoms, i, &n);
        int64_t value = sums->bounds.data[i];
        if (budget_charge(cnf->budget, (uint32_t)MIN(100 * (n + 1), 1000 * 1000)))
            *problem = g_strdup(budget_text(cnf->budget));
        else if (!is_listed(net, terms, n, facts->grouped) || value == INT64_MIN)
            *problem = g_strdup("a sum is not a sorted list of places that are in groups");
        else if (!stays(net, terms, n, value, balance))
            *problem = g_strdup("a sum does not always have its value");
        else
            add_sum(cnf, terms, n, value, facts->places);
    }
    return !*problem;
}

bool facts_clauses(const Net *net, const Inductive *set, const Linear *sums, const FormulaStore *store, FormulaId goal,
                   Cnf *cnf, char **problem)
{
    if (!inductive_groups_hold(net, &set->groups, problem)) return false;
    if (!inductive_names_places(net, &set->clauses, false)) {
        *problem = g_strdup("a trap is not a list of places");
        return false;
    }
    g_autofree int32_t *places = g_new(int32_t, net->n_places + 1);
    g_autofree bool *grouped = g_new0(bool, net->n_places + 1);
    for (uint32_t p = 0; p < net->n_places; p++) places[p] = cnf_variable(cnf);
    for (size_t i = 0; i < set->groups.len; i++)
        if (set->groups.data[i]) grouped[set->groups.data[i] - 1] = true;
    inductive_add_groups(cnf, &set->groups, places);
    Facts facts = {places, grouped, atoms_new(), {0}};
    bool ok = add_traps(cnf, net, &set->clauses, &facts, problem) && add_sums(cnf, net, sums, &facts, problem);
    if (ok) {
        CnfTests tests = {tokens, at_most, &facts};
        int32_t holds = cnf_formula(cnf, store, goal, &tests);
        cnf_clause_of(cnf, holds);
    }
    if (ok && cnf->stopped) *problem = g_strdup(cnf->stopped);
    atoms_free(facts.atoms);
    vec_free(&facts.more);
    return !*problem;
}
