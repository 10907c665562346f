#include "sat/count.h"

#include "base/bisect.h"
#include "sat/adder.h"

#include <assert.h>
#include <stdlib.h>

/* A diagram with more nodes than this is made as adders instead. */
enum { LARGEST_DIAGRAM = 20000 };

struct Counter {
    Sat *sat;
    SatLit truth;
    GHashTable *sums; /* GBytes of the terms -> AdderBits */
};

static void free_bits(void *bits)
{
    vec_free((AdderBits *)bits);
    g_free(bits);
}

Counter *count_new(Sat *sat, SatLit truth)
{
    Counter *c = g_new0(Counter, 1);
    c->sat = sat;
    c->truth = truth;
    c->sums = g_hash_table_new_full(g_bytes_hash, g_bytes_equal, (GDestroyNotify)g_bytes_unref, free_bits);
    return c;
}

void count_free(Counter *c)
{
    if (!c) return;
    g_hash_table_unref(c->sums);
    g_free(c);
}

void count_forget(Counter *c)
{
    g_hash_table_remove_all(c->sums);
}

/* ---- one form for all sums: variables once, weights positive, the heaviest first and as a positive literal ---- */

static int compare_variables(const void *a, const void *b)
{
    int x = abs(((const CountTerm *)a)->literal), y = abs(((const CountTerm *)b)->literal);
    return (x > y) - (x < y);
}

static int compare_weights(const void *a, const void *b)
{
    int order = exact_compare(((const CountTerm *)b)->coefficient, ((const CountTerm *)a)->coefficient);
    return order ? order : compare_variables(a, b);
}

static void subtract(Sum *from, Sum value)
{
    exact_add_sum(from, exact_minus(value));
}

/* c for a literal that holds is a constant; c * !x is c - c * x. Returns how many terms are left. */
static uint32_t merge_variables(SatLit truth, CountTerm *terms, uint32_t n, Sum *bound)
{
    uint32_t to = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (terms[i].literal > 0) continue;
        subtract(bound, terms[i].coefficient);
        terms[i] = (CountTerm){-terms[i].literal, exact_minus(terms[i].coefficient)};
    }
    if (n) qsort(terms, n, sizeof *terms, compare_variables);
    for (uint32_t i = 0; i < n;) {
        CountTerm merged = {terms[i].literal, exact_of(0)};
        for (; i < n && terms[i].literal == merged.literal; i++)
            exact_add_sum(&merged.coefficient, terms[i].coefficient);
        if (merged.literal == abs(truth)) {
            if (truth > 0) subtract(bound, merged.coefficient);
        } else if (exact_sign(merged.coefficient)) {
            terms[to++] = merged;
        }
    }
    return to;
}

/* The sum of the weights. */
static Sum make_positive(CountTerm *terms, uint32_t n, Sum *bound)
{
    Sum total = exact_of(0);
    for (uint32_t i = 0; i < n; i++) {
        if (exact_sign(terms[i].coefficient) < 0) {
            subtract(bound, terms[i].coefficient);
            terms[i] = (CountTerm){-terms[i].literal, exact_minus(terms[i].coefficient)};
        }
        exact_add_sum(&total, terms[i].coefficient);
    }
    if (n) qsort(terms, n, sizeof *terms, compare_weights);
    return total;
}

/* ---- diagrams ---- */

/* The node (i, sum) asks whether the terms from i on keep the sum within the bound. A sum that can no longer fail or no
 * longer succeed is a constant; the others of a level stand in ascending order. */
typedef struct Diagram {
    const Counter *counter;
    const CountTerm *terms;
    uint32_t n;
    uint64_t bound;
    uint64_t *most; /* of the terms from i on */
    VEC(uint64_t) sums;
    size_t *start; /* of level i in sums */
    SatLit *node;  /* per sum */
} Diagram;

static uint64_t weight_of(const CountTerm *term)
{
    return (uint64_t)term->coefficient.low;
}

/* A constant, or 0 when the node needs a variable. */
static SatLit settled(const Diagram *d, uint32_t i, uint64_t sum)
{
    if (sum > d->bound) return -d->counter->truth;
    return sum + d->most[i] <= d->bound ? d->counter->truth : 0;
}

static void push_open(Diagram *d, uint32_t level, uint64_t sum)
{
    bool known = d->sums.len > d->start[level] && vec_last(&d->sums) == sum;
    if (!known && !settled(d, level, sum)) vec_push(&d->sums, sum);
}

/* Which sums are reached at each level with the answer still open: those of the level before without and with its term,
 * two ascending lists. False: too many. */
static bool find_sums(Diagram *d)
{
    d->start[0] = 0;
    vec_push(&d->sums, 0);
    for (uint32_t i = 0; i < d->n; i++) {
        size_t end = d->start[i + 1] = d->sums.len;
        uint64_t weight = weight_of(&d->terms[i]);
        for (size_t without = d->start[i], with = without; with < end;) {
            bool take = without == end || d->sums.data[with] + weight < d->sums.data[without];
            uint64_t sum = take ? d->sums.data[with++] + weight : d->sums.data[without++];
            push_open(d, i + 1, sum);
        }
        if (d->sums.len > LARGEST_DIAGRAM) return false;
    }
    return true;
}

static SatLit find_node(const Diagram *d, uint32_t level, uint64_t sum)
{
    SatLit constant = settled(d, level, sum);
    if (constant) return constant;
    size_t i, end = level < d->n ? d->start[level + 1] : d->sums.len;
    BISECT(i, d->start[level], end, d->sums.data[i] < sum);
    /* NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): every sum that is not settled was found */
    assert(i < end && d->sums.data[i] == sum);
    /* NOLINTNEXTLINE(clang-analyzer-core.uninitialized.UndefReturn): levels are filled from the last on */
    return d->node[i];
}

static SatLit make_node(const Diagram *d, uint32_t i, uint64_t sum)
{
    Sat *sat = d->counter->sat;
    SatLit decides = d->terms[i].literal, node = sat_variable(sat);
    SatLit with = find_node(d, i + 1, sum + weight_of(&d->terms[i])), without = find_node(d, i + 1, sum);
    sat_clause_of(sat, -node, -decides, with);
    sat_clause_of(sat, -node, decides, without);
    sat_clause_of(sat, node, -decides, -with);
    sat_clause_of(sat, node, decides, -without);
    return node;
}

/* 0: the diagram would be too large. */
static SatLit make_diagram(const Counter *c, const CountTerm *terms, uint32_t n, uint64_t bound)
{
    Diagram d = {c, terms, n, bound, .most = g_new0(uint64_t, n + 1), .start = g_new0(size_t, n + 1)};
    for (uint32_t i = n; i-- > 0;) d.most[i] = d.most[i + 1] + weight_of(&terms[i]);
    SatLit root = 0;
    if (find_sums(&d)) {
        d.node = g_new(SatLit, d.sums.len);
        for (uint32_t i = n; i-- > 0;)
            for (size_t k = d.start[i]; k < d.start[i + 1]; k++) d.node[k] = make_node(&d, i, d.sums.data[k]);
        /* NOLINTNEXTLINE(clang-analyzer-core.uninitialized.Assign): n > 0, so that level 0 was filled */
        root = d.node[0];
    }
    vec_free(&d.sums);
    g_free(d.most);
    g_free(d.start);
    g_free(d.node);
    return root;
}

/* ---- adders ---- */

static GBytes *terms_key(const CountTerm *terms, uint32_t n)
{
    enum { WORDS = 4 };
    uint64_t *words = g_new(uint64_t, WORDS * (size_t)n);
    for (uint32_t i = 0; i < n; i++) {
        Sum weight = terms[i].coefficient;
        uint64_t *word = words + WORDS * (size_t)i;
        word[0] = (uint64_t)terms[i].literal;
        word[1] = (uint64_t)weight.low;
        word[2] = (uint64_t)(weight.low >> 64);
        word[3] = (uint64_t)weight.high;
    }
    return g_bytes_new_take(words, WORDS * (size_t)n * sizeof *words);
}

/* Adders propagate little: what one literal alone decides is said besides. */
static void add_single(Sat *sat, SatLit within, const CountTerm *terms, uint32_t n, Sum bound, Sum total)
{
    for (uint32_t i = 0; i < n; i++) {
        Sum others = total;
        subtract(&others, terms[i].coefficient);
        if (exact_compare(terms[i].coefficient, bound) > 0) sat_clause_of(sat, -within, -terms[i].literal);
        if (exact_compare(others, bound) <= 0) sat_clause_of(sat, within, terms[i].literal);
    }
}

static SatLit make_adders(Counter *c, const CountTerm *terms, uint32_t n, Sum bound, Sum total)
{
    GBytes *key = terms_key(terms, n);
    AdderBits *bits = g_hash_table_lookup(c->sums, key);
    if (bits) {
        g_bytes_unref(key);
    } else {
        bits = g_new0(AdderBits, 1);
        adder_sum(c->sat, terms, n, bits);
        g_hash_table_insert(c->sums, key, bits);
    }
    SatLit within = adder_at_most(c->sat, c->truth, bits, bound);
    add_single(c->sat, within, terms, n, bound, total);
    return within;
}

SatLit count_at_most(Counter *c, CountTerm *terms, uint32_t n, Sum bound)
{
    n = merge_variables(c->truth, terms, n, &bound);
    Sum total = make_positive(terms, n, &bound);
    if (exact_sign(bound) < 0) return -c->truth;
    if (exact_compare(total, bound) <= 0) return c->truth;
    uint64_t small;
    if (exact_unsigned(total, &small)) {
        SatLit root = make_diagram(c, terms, n, (uint64_t)bound.low);
        if (root) return root;
    }
    if (terms[0].literal > 0) return make_adders(c, terms, n, bound, total);
    /* sum <= bound is not (total - sum <= total - bound - 1) */
    for (uint32_t i = 0; i < n; i++) terms[i].literal = -terms[i].literal;
    Sum rest = total;
    subtract(&rest, bound);
    exact_add(&rest, -1);
    return -make_adders(c, terms, n, rest, total);
}
