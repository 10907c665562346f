/* What pairs of places that are never marked together prove about a safe net (net/concurrency.h): that it is safe, and
 * that a goal is unreachable. They and the groups of places that hold exactly one token are an inductive set of
 * clauses, so that a certificate of that kind says it; quick where engines that search for such clauses are not. */
#include "net/concurrency.h"
#include "verify/prove.h"
#include "verify/safe_sat.h"

/* More pairs make a certificate that nobody wants to read. */
enum { MOST_CLAUSES = 500 * 1000, FEW_PLACES = 100 };
#define GROUP_SECONDS 2.0

typedef struct Pair {
    uint32_t p, q;
} Pair;

/* Pairs that the proof needs, found from what they are needed for. A place that is never marked is a pair with itself;
 * pairs of one group are not listed, since the groups say it already. */
typedef struct Exclusion {
    const Net *net;
    const Concurrency *relation;
    uint64_t *grouped, *wanted; /* rows of pairs */
    VEC(Pair) pairs;            /* wanted, in the order they were */
} Exclusion;

/* The groups as invariants; borrows them. */
static Invariants *invariants_of(const VecU32 *groups, uint64_t *ones)
{
    Invariants *all = g_new0(Invariants, 1);
    for (size_t i = 0; i < groups->len; i++) all->n += groups->data[i] == NET_NONE;
    all->item = g_new0(Invariant, all->n + 1);
    for (size_t from = 0, to, k = 0; from < groups->len; from = to + 1, k++) {
        for (to = from; groups->data[to] != NET_NONE; to++) continue;
        all->item[k] = (Invariant){groups->data + from, ones, (uint32_t)(to - from), 1};
    }
    return all;
}

static uint64_t *grouped_pairs(const Net *net, const Invariants *groups, size_t words)
{
    uint64_t *rows = g_new0(uint64_t, words * net->n_places + 1);
    for (uint32_t i = 0; i < groups->n; i++)
        for (uint32_t a = 0; a < groups->item[i].len; a++)
            for (uint32_t b = 0; b < groups->item[i].len; b++)
                if (a != b) bitset_set(rows + groups->item[i].place[a] * words, groups->item[i].place[b]);
    return rows;
}

static bool marked(const Exclusion *x, uint32_t p)
{
    return bitset_get(x->relation->marked, p);
}

static bool excluded(const Exclusion *x, uint32_t p, uint32_t q)
{
    return !marked(x, p) || !marked(x, q) || (p != q && !concurrency_has(x->relation, p, q));
}

/* Nothing to add: a group, or a clause that is wanted already, says it. */
static bool is_said(const Exclusion *x, uint32_t p, uint32_t q)
{
    size_t words = x->relation->words;
    return bitset_get(x->grouped + p * words, q) || bitset_get(x->wanted + p * words, q);
}

static void want(Exclusion *x, uint32_t p, uint32_t q)
{
    if (!marked(x, p)) q = p;
    if (!marked(x, q)) p = q;
    if (is_said(x, p, q)) return;
    bitset_set(x->wanted + p * x->relation->words, q);
    bitset_set(x->wanted + q * x->relation->words, p);
    vec_push(&x->pairs, ((Pair){p, q}));
}

/* Wants one pair of which one is q and the other needed by t, a pair that is said already rather than a new one. */
static bool want_with(Exclusion *x, uint32_t t, uint32_t q)
{
    uint32_t chosen = NET_NONE;
    for (int k = 0; k < 2; k++) {
        NetRow needed = net_places(x->net, k ? ARC_READ : ARC_PRE, t);
        for (uint32_t i = 0; i < needed.len; i++) {
            if (!excluded(x, needed.node[i], q)) continue;
            if (is_said(x, needed.node[i], q)) return true;
            chosen = needed.node[i];
        }
    }
    if (chosen != NET_NONE) want(x, chosen, q);
    return chosen != NET_NONE;
}

/* t never fires: two places that it needs exclude each other. */
static void want_dead(Exclusion *x, uint32_t t)
{
    for (int k = 0; k < 2; k++) {
        NetRow needed = net_places(x->net, k ? ARC_READ : ARC_PRE, t);
        for (uint32_t i = 0; i < needed.len; i++)
            if (want_with(x, t, needed.node[i])) return;
    }
}

/* While q is marked, t does not put a token on p, or takes the one of q. */
static void want_apart(Exclusion *x, uint32_t p, uint32_t q)
{
    NetRow producers = net_transitions(x->net, ARC_POST, p);
    for (uint32_t i = 0; i < producers.len; i++) {
        uint32_t t = producers.node[i];
        bool takes = net_arc_weight(x->net, ARC_PRE, t, q), puts = net_arc_weight(x->net, ARC_POST, t, q);
        if (!x->relation->fires[t])
            want_dead(x, t);
        else if (!puts && !takes)
            want_with(x, t, q);
    }
}

/* No place gets a second token, and what never fires never does. With few places all pairs, for other goals' sake. */
static void want_first(Exclusion *x)
{
    for (uint32_t p = 0; p < x->net->n_places && x->net->n_places <= FEW_PLACES; p++)
        for (uint32_t q = 0; q <= p; q++)
            if (excluded(x, p, q)) want(x, p, q);
    for (uint32_t t = 0; t < x->net->n_transitions; t++) {
        NetRow post = net_places(x->net, ARC_POST, t);
        if (!x->relation->fires[t]) want_dead(x, t);
        for (uint32_t i = 0; i < post.len && x->relation->fires[t]; i++)
            if (!net_arc_weight(x->net, ARC_PRE, t, post.node[i])) want_with(x, t, post.node[i]);
    }
}

/* NULL, or why there are none. */
static const char *find_pairs(Exclusion *x, Budget *budget)
{
    for (uint32_t p = 0; p < x->net->n_places; p++)
        if (concurrency_has(x->relation, p, p)) return "pairs of places do not exclude that a place gets two tokens";
    want_first(x);
    for (size_t i = 0; i < x->pairs.len; i++) {
        uint32_t p = x->pairs.data[i].p, q = x->pairs.data[i].q;
        want_apart(x, p, q);
        if (p != q) want_apart(x, q, p);
        if (x->pairs.len > MOST_CLAUSES) return "there are too many pairs of places for a certificate";
        if (budget_charge(budget, 50)) return budget_text(budget);
    }
    return NULL;
}

static Inductive clauses_of(const Exclusion *x, const VecU32 *groups)
{
    Inductive set = {0};
    for (size_t i = 0; i < x->pairs.len; i++) {
        Pair pair = x->pairs.data[i];
        vec_push(&set.clauses, -(int32_t)pair.p - 1);
        if (pair.p != pair.q) vec_push(&set.clauses, -(int32_t)pair.q - 1);
        vec_push(&set.clauses, 0);
    }
    for (size_t i = 0; i < groups->len; i++)
        vec_push(&set.groups, groups->data[i] == NET_NONE ? 0 : (int32_t)groups->data[i] + 1);
    return set;
}

static bool prove_with(const Query *query, const Concurrency *relation, const Invariants *invariants,
                       const VecU32 *groups, const ProofFile *file, Budget *budget, char **reason)
{
    Exclusion x = {.net = query->net,
                   .relation = relation,
                   .grouped = grouped_pairs(query->net, invariants, relation->words),
                   .wanted = g_new0(uint64_t, relation->words * query->net->n_places + 1)};
    const char *problem = find_pairs(&x, budget);
    Inductive set = clauses_of(&x, groups);
    g_autoptr(GError) error = NULL;
    bool proved = !problem && prove_by_clauses(query, &set, file, budget, &error);
    *reason =
        proved ? g_strdup_printf("excluded by %u groups of places with one token and %zu pairs never marked together",
                                 invariants->n, x.pairs.len)
               : g_strdup(problem ? problem : error->message);
    inductive_clear(&set);
    vec_free(&x.pairs);
    g_free(x.grouped);
    g_free(x.wanted);
    return proved;
}

static bool prove(const Query *query, const ProofFile *file, Budget *budget, char **reason)
{
    const Net *net = query->net;
    VecU32 groups = {0};
    Budget counting = budget_child(budget, GROUP_SECONDS, NULL);
    safe_sat_groups(net, &counting, &groups);
    g_autofree uint64_t *ones = g_new(uint64_t, net->n_places + 1);
    for (uint32_t p = 0; p < net->n_places; p++) ones[p] = 1;
    Invariants *invariants = invariants_of(&groups, ones);
    g_autoptr(Concurrency) relation = concurrency_new(net, invariants, budget);
    bool proved = relation && prove_with(query, relation, invariants, &groups, file, budget, reason);
    if (!relation) *reason = g_strdup("the concurrency relation was not computed");
    g_free(invariants->item);
    g_free(invariants);
    vec_free(&groups);
    return proved;
}

void engine_concurrency(const Query *query, const EngineOptions *options, Budget *budget, Result *result)
{
    if (!options->certificate || !safe_sat_fits(query->net)) {
        result->reason = g_strdup("for certificates of nets with weights and initial counts of 1 only");
        return;
    }
    if (prove(query, options->certificate, budget, &result->reason)) result->answer = ANSWER_UNREACHABLE;
}
