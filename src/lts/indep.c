#include "lts/indep.h"

#include "base/bitset.h"
#include "base/compare.h"
#include "base/error.h"
#include "base/vec.h"
#include "lts/pairs.h"
#include "lts/proved.h"

#include <assert.h>
#include <stdlib.h>

enum { LARGEST_MATRIX = 16384 };

typedef struct Rows {
    VecU32 pairs;
} Rows;

static void add_pair(Rows *rows, uint32_t a, uint32_t b)
{
    vec_push(&rows->pairs, a);
    vec_push(&rows->pairs, b);
}

/* Notes work on n numbers. True once the budget (may be NULL) is spent. */
static bool spent(Budget *budget, size_t n)
{
    enum { PER_UNIT = 8 };
    return budget && budget_charge(budget, (uint32_t)MIN(n / PER_UNIT + 1, UINT32_MAX / 2));
}

/* Every so many pairs, for loops over all of them. */
static bool spent_at(Budget *budget, size_t i)
{
    enum { PAIRS = 4096 };
    return i % PAIRS == 0 && spent(budget, 4 * PAIRS);
}

/* From complete rows. NULL, and they are freed, when the budget is spent. */
static Indep *finish(uint32_t n, uint32_t *start, uint32_t *list, Budget *budget)
{
    Indep *indep = g_new0(Indep, 1);
    *indep = (Indep){.n = n, .start = start, .dependent = list};
    if (n > LARGEST_MATRIX) return indep;
    indep->row_words = (uint32_t)bitset_words(n);
    indep->matrix = g_new0(uint64_t, MAX((size_t)n * indep->row_words, 1));
    for (uint32_t a = 0; a < n; a++) {
        for (uint32_t i = start[a]; i < start[a + 1]; i++)
            bitset_set(indep->matrix + (size_t)a * indep->row_words, list[i]);
        if (!spent(budget, start[a + 1] - start[a])) continue;
        indep_free(indep);
        return NULL;
    }
    return indep;
}

/* Each row in order, each number once. False when the budget is spent. */
static bool sort_rows(uint32_t n, uint32_t *start, const uint32_t *ends, uint32_t *list, Budget *budget)
{
    uint32_t to = 0;
    for (uint32_t a = 0; a < n; a++) {
        uint32_t from = start[a], end = ends[a];
        qsort(list + from, end - from, sizeof *list, compare_u32);
        start[a] = to;
        for (uint32_t i = from; i < end; i++)
            if (i == from || list[i] != list[i - 1]) list[to++] = list[i];
        if (spent(budget, 8 * (size_t)(end - from))) return false;
    }
    start[n] = to;
    return true;
}

static Indep *from_pairs(uint32_t n, const uint32_t *pairs, size_t n_pairs, Budget *budget)
{
    uint32_t *start = g_new0(uint32_t, (size_t)n + 1);
    bool good = true;
    for (uint32_t a = 0; a < n; a++) start[a + 1] = 1;
    for (size_t i = 0; i < n_pairs && good; i++, good = !spent_at(budget, i))
        if (pairs[2 * i] != pairs[2 * i + 1]) start[pairs[2 * i] + 1]++, start[pairs[2 * i + 1] + 1]++;
    for (uint32_t a = 0; a < n; a++) start[a + 1] += start[a];
    uint32_t *list = g_new(uint32_t, MAX(start[n], 1)), *fill = g_memdup2(start, ((size_t)n + 1) * sizeof *fill);
    for (uint32_t a = 0; a < n; a++) list[fill[a]++] = a;
    for (size_t i = 0; i < n_pairs && good; i++, good = !spent_at(budget, i)) {
        uint32_t a = pairs[2 * i], b = pairs[2 * i + 1];
        if (a == b) continue;
        list[fill[a]++] = b;
        list[fill[b]++] = a;
    }
    good = good && sort_rows(n, start, fill, list, budget);
    g_free(fill);
    if (good) return finish(n, start, list, budget);
    g_free(start);
    g_free(list);
    return NULL;
}

Indep *indep_from_pairs(uint32_t n, const uint32_t *pairs, size_t n_pairs)
{
    return from_pairs(n, pairs, n_pairs, NULL);
}

/* Everything depends on everything. */
static Indep *complete(uint32_t n, Budget *budget)
{
    uint32_t *start = g_new0(uint32_t, (size_t)n + 1), *list = g_new(uint32_t, MAX((size_t)n * n, 1));
    for (uint32_t a = 0; a < n; a++) {
        start[a + 1] = start[a] + n;
        for (uint32_t b = 0; b < n; b++) list[start[a] + b] = b;
        if (!spent(budget, n)) continue;
        g_free(start);
        g_free(list);
        return NULL;
    }
    return finish(n, start, list, budget);
}

/* What a relation makes of one transition's contact with one place. A read arc counted as a loop
 * (classic) changes the place for those that consume or read it, not for those it inhibits. */
enum { TESTS = 1, CHANGES = 2, INHIBITED = 4, MOVES = 8, SEEN = 16 };

static unsigned contact(const Net *net, Relation relation, uint32_t t, uint32_t p)
{
    uint64_t pre = net_arc_weight(net, ARC_PRE, t, p), post = net_arc_weight(net, ARC_POST, t, p);
    bool read = net_arc_weight(net, ARC_READ, t, p) > 0;
    bool moves = relation == RELATION_LOOPS ? pre != post : pre || post;
    return (pre || read ? TESTS : 0) | (moves || (read && relation == RELATION_CLASSIC) ? CHANGES : 0) |
           (net_arc_weight(net, ARC_INHIBIT, t, p) ? INHIBITED : 0) | (moves ? MOVES : 0);
}

static bool disturbs(unsigned a, unsigned b)
{
    return (a & CHANGES && b & TESTS) || (a & MOVES && b & INHIBITED);
}

/* Dependent at p iff one changes what the other tests. Under `classic` and `read` a consumer tests
 * and changes, so two consumers meet; two producers do not. */
static void add_place(const Net *net, Relation relation, uint32_t p, Rows *rows, VecU32 *around, uint8_t *seen,
                      Budget *budget)
{
    vec_clear(around);
    for (int kind = 0; kind < N_ARC_KINDS; kind++) {
        NetRow row = net_transitions(net, kind, p);
        for (uint32_t i = 0; i < row.len; i++)
            if (!seen[row.node[i]]) {
                seen[row.node[i]] = (uint8_t)(SEEN | contact(net, relation, row.node[i], p));
                vec_push(around, row.node[i]);
            }
    }
    for (size_t i = 0; i < around->len; i++) {
        uint32_t a = around->data[i];
        for (size_t j = i + 1; j < around->len; j++) {
            uint32_t b = around->data[j];
            if (disturbs(seen[a], seen[b]) || disturbs(seen[b], seen[a])) add_pair(rows, a, b);
        }
        if (spent(budget, around->len - i)) break;
    }
    for (size_t i = 0; i < around->len; i++) seen[around->data[i]] = 0;
}

Indep *indep_named(const Net *net, const char *text, Budget *budget, GError **error)
{
    Relation relation;
    if (relation_refusal(text)) {
        g_set_error_literal(error, MAZURKA_ERROR, ERROR_USAGE, relation_refusal(text));
        return NULL;
    }
    if (!relation_parse(text, &relation)) {
        g_autofree char *names = relation_names(0);
        g_set_error(error, MAZURKA_ERROR, ERROR_USAGE, "there is no relation '%s' (%s)", text, names);
        return NULL;
    }
    return relation == RELATION_FILE ? pairs_read_file(net, text + strlen("file:"), budget, error)
                                     : indep_within(net, relation, budget, error);
}

/* NULL: the budget is spent. */
static Indep *from_places(const Net *net, Relation relation, Budget *budget)
{
    Rows rows = {0};
    VecU32 around = {0};
    g_autofree uint8_t *seen = g_new0(uint8_t, (size_t)net->n_transitions + 1);
    bool good = true;
    for (uint32_t p = 0; p < net->n_places && good; p++) {
        add_place(net, relation, p, &rows, &around, seen, budget);
        good = !spent(budget, 1);
    }
    Indep *indep = good ? from_pairs(net->n_transitions, rows.pairs.data, rows.pairs.len / 2, budget) : NULL;
    vec_free(&around);
    vec_free(&rows.pairs);
    return indep;
}

Indep *indep_within(const Net *net, Relation relation, Budget *budget, GError **error)
{
    assert(relation < RELATION_FILE);
    uint64_t n = net->n_transitions, bytes = n * n * sizeof(uint32_t);
    Indep *indep = NULL;
    if (relation == RELATION_NONE && n * n > UINT32_MAX) {
        g_set_error(error, MAZURKA_ERROR, ERROR_LIMIT, "%s: %u transitions that all depend on each other are too many",
                    net->name, net->n_transitions);
        return NULL;
    }
    if (relation == RELATION_PROVED) return proved_new(net, PROVED_EFFORT);
    if (relation != RELATION_NONE)
        indep = from_places(net, relation, budget);
    else if (!budget || budget_allows(budget, bytes))
        indep = complete(net->n_transitions, budget);
    if (indep)
        indep->structural = relation_has(relation, RELATION_STRUCTURAL);
    else
        g_set_error(error, MAZURKA_ERROR, ERROR_SPENT, "%s: the relation was not made to its end: %s", net->name,
                    budget_text(budget));
    return indep;
}

Indep *indep_new(const Net *net, Relation relation)
{
    Indep *indep = indep_within(net, relation, NULL, NULL);
    assert(indep);
    return indep;
}

void indep_free(Indep *indep)
{
    if (!indep) return;
    g_free(indep->start);
    g_free(indep->dependent);
    g_free(indep->matrix);
    g_free(indep->doubt_start);
    g_free(indep->doubtful);
    g_free(indep);
}

bool indep_dependent_slow(const Indep *indep, uint32_t a, uint32_t b)
{
    assert(a < indep->n && b < indep->n);
    return bsearch(&b, indep->dependent + indep->start[a], indep->start[a + 1] - indep->start[a], sizeof b,
                   compare_u32) != NULL;
}

uint64_t indep_count(const Indep *indep)
{
    return ((uint64_t)indep->n * indep->n - indep->start[indep->n]) / 2;
}
