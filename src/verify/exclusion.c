#include "verify/exclusion.h"

#include "net/concurrency.h"
#include "verify/prove.h"
#include "verify/safe_sat.h"

/* More pairs make a certificate that nobody wants to read. */
enum { MOST_CLAUSES = 500 * 1000 };
#define GROUP_SECONDS 2.0

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

/* Pairs of one group are left out: the groups say it already. */
static uint64_t *grouped_pairs(const Net *net, const Invariants *groups, size_t words)
{
    uint64_t *rows = g_new0(uint64_t, words * net->n_places + 1);
    for (uint32_t i = 0; i < groups->n; i++)
        for (uint32_t a = 0; a < groups->item[i].len; a++)
            for (uint32_t b = 0; b < groups->item[i].len; b++)
                bitset_set(rows + groups->item[i].place[a] * words, groups->item[i].place[b]);
    return rows;
}

static const char *fill(const Concurrency *c, const Invariants *groups, Inductive *set)
{
    g_autofree uint64_t *grouped = grouped_pairs(c->net, groups, c->words);
    size_t clauses = 0;
    for (uint32_t p = 0; p < c->net->n_places; p++) {
        if (concurrency_has(c, p, p)) return "pairs of places do not exclude that a place gets two tokens";
        if (!bitset_get(c->marked, p)) {
            vec_push(&set->clauses, -(int32_t)p - 1);
            vec_push(&set->clauses, 0);
            continue;
        }
        for (uint32_t q = 0; q < p; q++) {
            if (!bitset_get(c->marked, q) || concurrency_has(c, p, q) || bitset_get(grouped + p * c->words, q))
                continue;
            if (++clauses > MOST_CLAUSES) return "there are too many pairs of places for a certificate";
            vec_push(&set->clauses, -(int32_t)q - 1);
            vec_push(&set->clauses, -(int32_t)p - 1);
            vec_push(&set->clauses, 0);
        }
    }
    return NULL;
}

/* NULL, or why there is no proof. */
static char *write_proof(const Query *query, const ProofFile *file, Budget *budget)
{
    const Net *net = query->net;
    VecU32 groups = {0};
    Budget counting = budget_child(budget, GROUP_SECONDS, budget->stop);
    safe_sat_groups(net, &counting, &groups);
    g_autofree uint64_t *ones = g_new(uint64_t, net->n_places + 1);
    for (uint32_t p = 0; p < net->n_places; p++) ones[p] = 1;
    Invariants *invariants = invariants_of(&groups, ones);
    g_autoptr(Concurrency) c = concurrency_new(net, invariants, budget);
    Inductive set = {0};
    const char *problem = c ? fill(c, invariants, &set) : "the concurrency relation was not computed";
    for (size_t i = 0; i < groups.len; i++)
        vec_push(&set.groups, groups.data[i] == NET_NONE ? 0 : (int32_t)groups.data[i] + 1);
    g_autoptr(GError) error = NULL;
    bool proved = !problem && prove_by_clauses(query, &set, file, budget, &error);
    inductive_clear(&set);
    g_free(invariants->item);
    g_free(invariants);
    vec_free(&groups);
    return proved ? NULL : g_strdup(problem ? problem : error->message);
}

void exclusion_prove(const Query *query, const EngineOptions *options, Budget *budget, Result *result)
{
    result->engine = "concurrency";
    if (!options->certificate || !safe_sat_fits(query->net)) {
        result->reason = g_strdup("for certificates of nets with weights and initial counts of 1 only");
        return;
    }
    result->reason = write_proof(query, options->certificate, budget);
    if (result->reason) return;
    result->answer = ANSWER_UNREACHABLE;
    result->reason = g_strdup("pairs of places that are never marked together exclude it");
}
