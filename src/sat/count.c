#include "sat/count.h"

#include <stdlib.h>

/* The node (i, sum) asks whether the terms from i on keep the sum within the bound. Terms are sorted by size, largest
 * first, so that nodes merge; a sum that can no longer fail or no longer succeed is a constant. */
typedef struct Counter {
    Sat *sat;
    SatLit truth;
    const CountTerm *terms;
    uint32_t n;
    int64_t bound;
    int64_t *least, *most; /* of the terms from i on */
} Counter;

static int compare_terms(const void *a, const void *b)
{
    int64_t x = ((const CountTerm *)a)->coefficient, y = ((const CountTerm *)b)->coefficient;
    uint64_t u = x < 0 ? -(uint64_t)x : (uint64_t)x, v = y < 0 ? -(uint64_t)y : (uint64_t)y;
    if (u != v) return u < v ? 1 : -1;
    SatLit p = ((const CountTerm *)a)->literal, q = ((const CountTerm *)b)->literal;
    return (p > q) - (p < q);
}

static int compare_sums(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* A constant, or 0 when the node needs a variable. */
static SatLit settled(const Counter *c, uint32_t i, int64_t sum)
{
    if (sum + c->most[i] <= c->bound) return c->truth;
    if (sum + c->least[i] > c->bound) return -c->truth;
    return 0;
}

static void add_sum(GHashTable *level, int64_t sum, SatLit literal)
{
    g_hash_table_insert(level, g_memdup2(&sum, sizeof sum), GINT_TO_POINTER(literal));
}

/* Which sums are reached at each level with the answer still open. */
static GHashTable **open_sums(const Counter *c)
{
    GHashTable **levels = g_new0(GHashTable *, c->n + 1);
    for (uint32_t i = 0; i <= c->n; i++) levels[i] = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    add_sum(levels[0], 0, 0);
    for (uint32_t i = 0; i < c->n; i++) {
        GHashTableIter it;
        gpointer key;
        g_hash_table_iter_init(&it, levels[i]);
        while (g_hash_table_iter_next(&it, &key, NULL))
            for (int take = 0; take < 2; take++) {
                int64_t sum = *(int64_t *)key + (take ? c->terms[i].coefficient : 0);
                if (!settled(c, i + 1, sum) && !g_hash_table_contains(levels[i + 1], &sum))
                    add_sum(levels[i + 1], sum, 0);
            }
    }
    return levels;
}

static SatLit make_node(const Counter *c, uint32_t i, int64_t sum, GHashTable *below)
{
    SatLit branch[2], decides = c->terms[i].literal, node = sat_variable(c->sat);
    for (int take = 0; take < 2; take++) {
        int64_t next = sum + (take ? c->terms[i].coefficient : 0);
        branch[take] = settled(c, i + 1, next);
        if (!branch[take]) branch[take] = GPOINTER_TO_INT(g_hash_table_lookup(below, &next));
    }
    sat_clause_of(c->sat, -node, -decides, branch[1]);
    sat_clause_of(c->sat, -node, decides, branch[0]);
    sat_clause_of(c->sat, node, -decides, -branch[1]);
    sat_clause_of(c->sat, node, decides, -branch[0]);
    return node;
}

static SatLit make_nodes(const Counter *c)
{
    SatLit root = settled(c, 0, 0);
    if (root) return root;
    GHashTable **levels = open_sums(c);
    for (uint32_t i = c->n; i-- > 0;) {
        GList *sums = g_list_sort(g_hash_table_get_keys(levels[i]), compare_sums);
        for (GList *item = sums; item; item = item->next) {
            int64_t sum = *(int64_t *)item->data;
            root = make_node(c, i, sum, levels[i + 1]);
            g_hash_table_replace(levels[i], item->data = g_memdup2(&sum, sizeof sum), GINT_TO_POINTER(root));
        }
        g_list_free(sums);
    }
    for (uint32_t i = 0; i <= c->n; i++) g_hash_table_unref(levels[i]);
    g_free(levels);
    return root;
}

SatLit count_at_most(Sat *sat, SatLit truth, CountTerm *terms, uint32_t n, int64_t bound)
{
    if (n) qsort(terms, n, sizeof *terms, compare_terms);
    g_autofree int64_t *least = g_new0(int64_t, n + 1), *most = g_new0(int64_t, n + 1);
    for (uint32_t i = n; i-- > 0;) {
        least[i] = least[i + 1] + MIN(terms[i].coefficient, 0);
        most[i] = most[i + 1] + MAX(terms[i].coefficient, 0);
    }
    Counter counter = {sat, truth, terms, n, bound, least, most};
    return make_nodes(&counter);
}
