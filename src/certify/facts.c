#include "certify/facts.h"

#include "certify/wide.h"

typedef struct Facts {
    int32_t *places; /* literal "has a token" */
    bool *grouped;
} Facts;

/* ---- traps ---- */

bool facts_leaves_token(const Net *net, uint32_t t, const bool *set)
{
    NetRow post = net_places(net, ARC_POST, t), read = net_places(net, ARC_READ, t);
    for (uint32_t i = 0; i < post.len; i++)
        if (set[post.node[i]] && net_weight(post, i) > 0) return true;
    for (uint32_t i = 0; i < read.len; i++)
        if (set[read.node[i]] && net_weight(read, i) > net_arc_weight(net, ARC_PRE, t, read.node[i])) return true;
    return false;
}

/* seen: per transition the last number it was looked at with; this set has a number of its own. */
static bool keeps_a_token(const Net *net, const int32_t *trap, const bool *set, size_t number, size_t *seen)
{
    bool token = false;
    for (; *trap; trap++) {
        token |= net->initial[*trap - 1] > 0;
        NetRow takers = net_transitions(net, ARC_PRE, (uint32_t)*trap - 1);
        for (uint32_t i = 0; i < takers.len; i++) {
            if (seen[takers.node[i]] == number) continue;
            seen[takers.node[i]] = number;
            if (!facts_leaves_token(net, takers.node[i], set)) return false;
        }
    }
    return token;
}

static bool look_over_traps(const Net *net, const VecI32 *traps, Budget *budget, char **problem)
{
    g_autofree bool *set = g_new0(bool, net->n_places + 1);
    g_autofree size_t *seen = g_new0(size_t, net->n_transitions + 1);
    for (size_t from = 0, to; from < traps->len && !*problem; from = to + 1) {
        for (to = from; traps->data[to]; to++) set[traps->data[to] - 1] = true;
        if (budget_charge(budget, (uint32_t)MIN(100 * (to - from + 1), 1000 * 1000)))
            *problem = g_strdup(budget_text(budget));
        else if (!keeps_a_token(net, traps->data + from, set, from + 1, seen))
            *problem = g_strdup("a set of places can lose its last token, or has none");
        for (size_t i = from; i < to; i++) set[traps->data[i] - 1] = false;
    }
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

/* ---- tests ---- */

static int32_t tokens(Cnf *cnf, uint32_t place, uint64_t weight, void *data)
{
    const Facts *f = data;
    if (weight == 0) return cnf->truth;
    if (weight == 1) return f->places[place];
    return f->grouped[place] ? -cnf->truth : cnf_variable(cnf);
}

static int32_t at_most(Cnf *cnf, const FormulaTerm *terms, uint32_t n, int64_t bound, void *data)
{
    const Facts *f = data;
    for (uint32_t i = 0; i < n; i++)
        if (!f->grouped[terms[i].place]) return cnf_variable(cnf);
    return cnf_safe_at_most(cnf, terms, n, bound, f->places);
}

static void add_traps(Cnf *cnf, const VecI32 *traps, const int32_t *places)
{
    VecI32 clause = {0};
    for (size_t i = 0; i < traps->len; i++) {
        if (traps->data[i]) {
            vec_push(&clause, places[traps->data[i] - 1]);
            continue;
        }
        cnf_clause(cnf, clause.data, clause.len);
        vec_clear(&clause);
    }
    vec_free(&clause);
}

bool facts_clauses(const Net *net, const Inductive *set, const Linear *sums, const FormulaStore *store, FormulaId goal,
                   Cnf *cnf, char **problem)
{
    if (!inductive_groups_hold(net, &set->groups, problem)) return false;
    if (!inductive_names_places(net, &set->clauses, false)) {
        *problem = g_strdup("a trap is not a list of places");
        return false;
    }
    if (!look_over_traps(net, &set->clauses, cnf->budget, problem)) return false;
    g_autofree int32_t *places = g_new(int32_t, net->n_places + 1);
    g_autofree bool *grouped = g_new0(bool, net->n_places + 1);
    for (uint32_t p = 0; p < net->n_places; p++) places[p] = cnf_variable(cnf);
    for (size_t i = 0; i < set->groups.len; i++)
        if (set->groups.data[i]) grouped[set->groups.data[i] - 1] = true;
    inductive_add_groups(cnf, &set->groups, places);
    add_traps(cnf, &set->clauses, places);
    Facts facts = {places, grouped};
    if (!add_sums(cnf, net, sums, &facts, problem)) return false;
    CnfTests tests = {tokens, at_most, &facts};
    int32_t holds = cnf_formula(cnf, store, goal, &tests);
    cnf_clause_of(cnf, holds);
    if (cnf->stopped) *problem = g_strdup(cnf->stopped);
    return !cnf->stopped;
}
