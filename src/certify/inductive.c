#include "certify/inductive.h"

#include "certify/wide.h"

#include <stdlib.h>

typedef enum { STAYS, FILLED, EMPTIED } Change;

typedef struct Induction {
    const Net *net;
    Cnf *cnf;
    int32_t *places; /* literal "marked" */
    CnfTests tests;
    const int32_t *clauses;
    size_t len;
    size_t *touch_start, *touch; /* of the clauses that name a place: twice the offset, plus 1 for "marked" */
    uint32_t *seen;              /* per offset: 1 + the transition that came to this clause last */
    Change *change;              /* per place; all STAYS between transitions */
    VecI32 bad;
} Induction;

static bool fail(char **problem, const char *text)
{
    *problem = g_strdup(text);
    return false;
}

static bool holds_at_first(const Net *net, const int32_t *clause)
{
    for (; *clause; clause++)
        if ((net->initial[abs(*clause) - 1] > 0) == (*clause > 0)) return true;
    return false;
}

void inductive_clear(Inductive *set)
{
    vec_free(&set->clauses);
    vec_free(&set->groups);
}

bool inductive_names_places(const Net *net, const VecI32 *lists, bool negative)
{
    if (lists->len && vec_last(lists) != 0) return false;
    for (size_t i = 0; i < lists->len; i++) {
        int32_t l = lists->data[i];
        if (l == INT32_MIN || (uint32_t)abs(l) > net->n_places || (l < 0 && !negative)) return false;
    }
    return true;
}

/* Adds to each transition's balance what it puts into the group less what it takes. */
static void add_changes(const Net *net, const int32_t *group, Wide *balance)
{
    for (const int32_t *p = group; *p; p++)
        for (int k = 0; k < 2; k++) {
            ArcKind kind = k ? ARC_POST : ARC_PRE;
            NetRow row = net_transitions(net, kind, (uint32_t)*p - 1);
            for (uint32_t i = 0; i < row.len; i++) {
                Int128 weight = net_arc_weight(net, kind, row.node[i], (uint32_t)*p - 1);
                wide_add(&balance[row.node[i]], k ? weight : -weight);
            }
        }
}

/* One token at first, and what a transition takes from the group it puts back. balance: all 0 before and after. */
static bool keeps_one(const Net *net, const int32_t *group, Wide *balance)
{
    Wide tokens = wide_of(0);
    bool keeps = true;
    add_changes(net, group, balance);
    for (const int32_t *p = group; *p; p++) {
        wide_add(&tokens, net->initial[*p - 1]);
        for (int k = 0; k < 2; k++) {
            NetRow row = net_transitions(net, k ? ARC_POST : ARC_PRE, (uint32_t)*p - 1);
            for (uint32_t i = 0; i < row.len; i++) {
                keeps &= wide_sign(balance[row.node[i]]) == 0;
                balance[row.node[i]] = wide_of(0);
            }
        }
    }
    return keeps && tokens.high == 0 && tokens.low == 1;
}

/* A place named twice would count twice. */
static bool repeats(const int32_t *group, bool *seen)
{
    bool twice = false;
    for (const int32_t *p = group; *p; p++) twice |= seen[*p - 1], seen[*p - 1] = true;
    for (const int32_t *p = group; *p; p++) seen[*p - 1] = false;
    return twice;
}

bool inductive_groups_hold(const Net *net, const VecI32 *groups, char **problem)
{
    if (!inductive_names_places(net, groups, false)) return fail(problem, "a group is not a list of places");
    g_autofree Wide *balance = g_new0(Wide, net->n_transitions + 1);
    g_autofree bool *seen = g_new0(bool, net->n_places + 1);
    for (size_t i = 0; i < groups->len; i++) {
        if (repeats(groups->data + i, seen)) return fail(problem, "a group names a place twice");
        if (!keeps_one(net, groups->data + i, balance)) return fail(problem, "a group does not always hold one token");
        while (groups->data[i]) i++;
    }
    return true;
}

void inductive_add_groups(Cnf *cnf, const VecI32 *groups, const int32_t *places)
{
    for (size_t i = 0; i < groups->len; i++) {
        VecI32 one = {0};
        for (; groups->data[i]; i++) vec_push(&one, places[groups->data[i] - 1]);
        cnf_clause(cnf, one.data, one.len);
        cnf_at_most_one(cnf, one.data, one.len);
        vec_free(&one);
    }
}

/* Well-formed, and true of the initial marking. */
static bool look_over(const Net *net, const VecI32 *set, char **problem)
{
    const int32_t *clauses = set->data;
    size_t len = set->len;
    for (uint32_t p = 0; p < net->n_places; p++)
        if (net->initial[p] > 1) return fail(problem, "the initial marking is not safe");
    if (!inductive_names_places(net, set, true)) return fail(problem, "a clause names a place that is not there");
    for (size_t i = 0; i < len; i++) {
        if (!holds_at_first(net, clauses + i)) return fail(problem, "the initial marking breaks a clause");
        while (clauses[i]) i++;
    }
    return true;
}

static void index_clauses(Induction *n)
{
    n->touch_start = g_new0(size_t, n->net->n_places + 2);
    n->touch = g_new0(size_t, n->len + 1);
    for (size_t i = 0; i < n->len; i++)
        if (n->clauses[i]) n->touch_start[abs(n->clauses[i])]++;
    for (uint32_t p = 0; p < n->net->n_places; p++) n->touch_start[p + 1] += n->touch_start[p];
    g_autofree size_t *next = g_memdup2(n->touch_start, (n->net->n_places + 1) * sizeof *next);
    size_t start = 0;
    for (size_t i = 0; i < n->len; i++) {
        if (n->clauses[i])
            n->touch[next[abs(n->clauses[i]) - 1]++] = 2 * start + (n->clauses[i] > 0);
        else
            start = i + 1;
    }
}

static void note_changes(Induction *n, uint32_t t, bool on)
{
    NetRow pre = net_places(n->net, ARC_PRE, t), post = net_places(n->net, ARC_POST, t);
    for (uint32_t i = 0; i < pre.len; i++) n->change[pre.node[i]] = on ? EMPTIED : STAYS;
    for (uint32_t i = 0; i < post.len; i++) n->change[post.node[i]] = on ? FILLED : STAYS;
}

/* "t fires and breaks the clause": none of its literals is made true, the others are false already. */
static void add_breaking(Induction *n, int32_t enabled, const int32_t *clause)
{
    VecI32 all = {0};
    vec_push(&all, enabled);
    for (; *clause; clause++) {
        uint32_t p = (uint32_t)abs(*clause) - 1;
        if (n->change[p] == STAYS) vec_push(&all, *clause > 0 ? -n->places[p] : n->places[p]);
    }
    vec_push(&n->bad, cnf_and(n->cnf, all.data, all.len));
    vec_free(&all);
}

static void add_second_token(Induction *n, uint32_t t, int32_t enabled)
{
    NetRow post = net_places(n->net, ARC_POST, t);
    for (uint32_t i = 0; i < post.len; i++) {
        uint32_t p = post.node[i];
        uint64_t taken = net_arc_weight(n->net, ARC_PRE, t, p);
        if (net_weight(post, i) > 1)
            vec_push(&n->bad, enabled);
        else if (!taken)
            vec_push(&n->bad, cnf_and(n->cnf, (int32_t[]){enabled, n->places[p]}, 2));
    }
}

/* What t makes true, it does not break: those clauses count as seen. */
static void pass_over_satisfied(Induction *n, uint32_t t, NetRow row)
{
    for (uint32_t i = 0; i < row.len; i++)
        for (size_t j = n->touch_start[row.node[i]]; j < n->touch_start[row.node[i] + 1]; j++)
            if ((n->touch[j] & 1) == (n->change[row.node[i]] == FILLED)) n->seen[n->touch[j] / 2] = t + 1;
}

/* Clauses that name a place t changes, each once. */
static void add_transition(Induction *n, uint32_t t)
{
    const NetRow rows[] = {net_places(n->net, ARC_PRE, t), net_places(n->net, ARC_POST, t)};
    int32_t enabled = cnf_enabled(n->cnf, n->net, t, &n->tests);
    add_second_token(n, t, enabled);
    note_changes(n, t, true);
    for (int k = 0; k < 2; k++) pass_over_satisfied(n, t, rows[k]);
    for (int k = 0; k < 2; k++)
        for (uint32_t i = 0; i < rows[k].len; i++)
            for (size_t j = n->touch_start[rows[k].node[i]]; j < n->touch_start[rows[k].node[i] + 1]; j++) {
                size_t clause = n->touch[j] / 2;
                if (n->seen[clause] == t + 1) continue;
                n->seen[clause] = t + 1;
                add_breaking(n, enabled, n->clauses + clause);
            }
    note_changes(n, t, false);
}

bool inductive_clauses(const Net *net, const Inductive *set, const FormulaStore *store, FormulaId goal, Cnf *cnf,
                       char **problem)
{
    if (!look_over(net, &set->clauses, problem) || !inductive_groups_hold(net, &set->groups, problem)) return false;
    const int32_t *clauses = set->clauses.data;
    size_t len = set->clauses.len;
    Induction n = {.net = net, .cnf = cnf, .clauses = clauses, .len = len, .places = g_new(int32_t, net->n_places + 1)};
    n.tests = cnf_safe_tests(n.places);
    for (uint32_t p = 0; p < net->n_places; p++) n.places[p] = cnf_variable(cnf);
    for (size_t i = 0; i < len; i++) {
        VecI32 clause = {0};
        for (; clauses[i]; i++)
            vec_push(&clause, clauses[i] > 0 ? n.places[clauses[i] - 1] : -n.places[-clauses[i] - 1]);
        cnf_clause(cnf, clause.data, clause.len);
        vec_free(&clause);
    }
    inductive_add_groups(cnf, &set->groups, n.places);
    index_clauses(&n);
    vec_push(&n.bad, cnf_formula(cnf, store, goal, &n.tests));
    n.seen = g_new0(uint32_t, len + 1);
    n.change = g_new0(Change, net->n_places + 1);
    for (uint32_t t = 0; t < net->n_transitions && !cnf->stopped; t++) add_transition(&n, t);
    cnf_clause(cnf, n.bad.data, n.bad.len);
    g_free(n.places);
    g_free(n.touch);
    g_free(n.touch_start);
    g_free(n.seen);
    g_free(n.change);
    vec_free(&n.bad);
    return !cnf->stopped || fail(problem, cnf->stopped);
}
