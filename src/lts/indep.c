#include "lts/indep.h"

#include "base/bitset.h"
#include "base/error.h"
#include "base/vec.h"
#include "lts/pairs.h"
#include "lts/proved.h"

#include <assert.h>
#include <stdlib.h>

enum { LARGEST_MATRIX = 16384 };

static const char *const names[] = {
#define RELATION(constant, name, help) name,
#include "lts/relations.def"
#undef RELATION
};

bool relation_parse(const char *text, Relation *relation)
{
    for (int i = 0; i < RELATION_FILE; i++)
        if (strcmp(names[i], text) == 0) {
            *relation = i;
            return true;
        }
    *relation = RELATION_FILE;
    return g_str_has_prefix(text, "file:") && text[5];
}

const char *relation_name(Relation relation)
{
    return names[relation];
}

const char *relation_refusal(const char *text)
{
    if (strcmp(text, "conditional") != 0) return NULL;
    return "conditional independence depends on the marking and keeps final markings only: no unfolding, "
           "configuration, "
           "wakeup tree or reachable marking is defined by it, so only explore --algorithm cdpor takes it";
}

static int compare_u32(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

typedef struct Rows {
    VecU32 pairs;
} Rows;

static void add_pair(Rows *rows, uint32_t a, uint32_t b)
{
    vec_push(&rows->pairs, a);
    vec_push(&rows->pairs, b);
}

Indep *indep_from_pairs(uint32_t n, const uint32_t *pairs, size_t n_pairs)
{
    Indep *indep = g_new0(Indep, 1);
    indep->n = n;
    uint32_t *start = g_new0(uint32_t, (size_t)n + 1);
    for (uint32_t a = 0; a < n; a++) start[a + 1] = 1;
    for (size_t i = 0; i < n_pairs; i++)
        if (pairs[2 * i] != pairs[2 * i + 1]) start[pairs[2 * i] + 1]++, start[pairs[2 * i + 1] + 1]++;
    for (uint32_t a = 0; a < n; a++) start[a + 1] += start[a];
    uint32_t *list = g_new(uint32_t, MAX(start[n], 1)), *fill = g_memdup2(start, ((size_t)n + 1) * sizeof *fill);
    for (uint32_t a = 0; a < n; a++) list[fill[a]++] = a;
    for (size_t i = 0; i < n_pairs; i++) {
        uint32_t a = pairs[2 * i], b = pairs[2 * i + 1];
        if (a == b) continue;
        list[fill[a]++] = b;
        list[fill[b]++] = a;
    }
    uint32_t to = 0;
    for (uint32_t a = 0; a < n; a++) {
        uint32_t from = start[a], end = fill[a];
        qsort(list + from, end - from, sizeof *list, compare_u32);
        start[a] = to;
        for (uint32_t i = from; i < end; i++)
            if (i == from || list[i] != list[i - 1]) list[to++] = list[i];
    }
    start[n] = to;
    g_free(fill);
    indep->start = start;
    indep->dependent = list;
    if (n <= LARGEST_MATRIX) {
        indep->row_words = (uint32_t)bitset_words(n);
        indep->matrix = g_new0(uint64_t, MAX((size_t)n * indep->row_words, 1));
        for (uint32_t a = 0; a < n; a++)
            for (uint32_t i = start[a]; i < start[a + 1]; i++)
                bitset_set(indep->matrix + (size_t)a * indep->row_words, list[i]);
    }
    return indep;
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
static void add_place(const Net *net, Relation relation, uint32_t p, Rows *rows, VecU32 *around, uint8_t *seen)
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
    }
    for (size_t i = 0; i < around->len; i++) seen[around->data[i]] = 0;
}

Indep *indep_named(const Net *net, const char *text, GError **error)
{
    Relation relation;
    if (relation_refusal(text)) {
        g_set_error_literal(error, MAZURKA_ERROR, ERROR_USAGE, relation_refusal(text));
        return NULL;
    }
    if (!relation_parse(text, &relation)) {
        g_set_error(error, MAZURKA_ERROR, ERROR_USAGE,
                    "there is no relation '%s' (none, classic, read, loops, proved or file:PATH)", text);
        return NULL;
    }
    return relation == RELATION_FILE ? pairs_read_file(net, text + strlen("file:"), error) : indep_new(net, relation);
}

Indep *indep_new(const Net *net, Relation relation)
{
    assert(relation < RELATION_FILE);
    if (relation == RELATION_PROVED) return proved_new(net, PROVED_EFFORT);
    Rows rows = {0};
    if (relation == RELATION_NONE) {
        for (uint32_t a = 0; a < net->n_transitions; a++)
            for (uint32_t b = a + 1; b < net->n_transitions; b++) add_pair(&rows, a, b);
    } else {
        VecU32 around = {0};
        uint8_t *seen = g_new0(uint8_t, (size_t)net->n_transitions + 1);
        for (uint32_t p = 0; p < net->n_places; p++) add_place(net, relation, p, &rows, &around, seen);
        g_free(seen);
        vec_free(&around);
    }
    Indep *indep = indep_from_pairs(net->n_transitions, rows.pairs.data, rows.pairs.len / 2);
    indep->structural = true;
    vec_free(&rows.pairs);
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
