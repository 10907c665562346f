/* Sums over marked places. Negative terms are turned first: -c * y is c * (1 - y) - c, so that all weights are positive
 * and the bound grows. A sum with few different totals gets a literal for each of them, term by term, which unit
 * propagation sees through; any other is added up in binary, with one full adder per bit of a weight. */
#include "certify/cnf.h"
#include "certify/wide.h"

#include <stdlib.h>

/* So many totals, over all terms, are few. */
enum { FEW_TOTALS = 20000, N_BITS = 100 };

typedef struct Item {
    uint64_t weight;
    int32_t literal;
} Item;

/* ---- by totals ---- */

typedef struct Total {
    Uint128 sum;
    int32_t literal;
} Total;

typedef VEC(Total) Totals;

/* The totals after one more item, sorted, those beyond the limit left out (they stay beyond it). With a Cnf they get
 * their literals: of equal sums one of the two ways holds. */
static void add_item(Cnf *c, Totals *from, Item item, Uint128 limit, Totals *to)
{
    size_t without = 0, with = 0;
    vec_clear(to);
    while (without < from->len || with < from->len) {
        Uint128 plain = without < from->len ? from->data[without].sum : limit + 1,
                more = with < from->len ? from->data[with].sum + item.weight : limit + 1;
        Total next = {MIN(plain, more), 0};
        if (next.sum > limit) break;
        int32_t ways[2];
        size_t n = 0;
        if (plain == next.sum) {
            if (c) ways[n++] = cnf_and(c, (int32_t[]){from->data[without].literal, -item.literal}, 2);
            without++;
        }
        if (more == next.sum) {
            if (c) ways[n++] = cnf_and(c, (int32_t[]){from->data[with].literal, item.literal}, 2);
            with++;
        }
        if (c) next.literal = cnf_or(c, ways, n);
        vec_push(to, next);
    }
}

/* With a Cnf: the literals of all totals up to the limit, into `good`. Returns whether there are few. */
static bool add_items(Cnf *c, const Item *items, uint32_t n, Uint128 limit, VecI32 *good)
{
    Totals now = {0}, next = {0};
    size_t made = 0;
    vec_push(&now, ((Total){0, c ? c->truth : 0}));
    for (uint32_t i = 0; i < n && made <= FEW_TOTALS; i++) {
        add_item(c, &now, items[i], limit, &next);
        Totals swap = now;
        now = next;
        next = swap;
        made += now.len;
    }
    for (size_t i = 0; c && i < now.len; i++) vec_push(good, now.data[i].literal);
    vec_free(&now);
    vec_free(&next);
    return made <= FEW_TOTALS;
}

static int32_t by_totals(Cnf *c, const Item *items, uint32_t n, Uint128 limit)
{
    VecI32 good = {0};
    add_items(c, items, n, limit, &good);
    int32_t result = cnf_or(c, good.data, good.len);
    vec_free(&good);
    return result;
}

/* ---- in binary ---- */

/* An odd number of the three holds. */
static int32_t parity(Cnf *c, const int32_t *in)
{
    int32_t result = cnf_variable(c);
    for (unsigned row = 0; row < 8; row++) {
        int32_t clause[4];
        for (unsigned k = 0; k < 3; k++) clause[k] = row >> k & 1 ? -in[k] : in[k];
        clause[3] = (row ^ row >> 1 ^ row >> 2) & 1 ? result : -result;
        cnf_clause(c, clause, 4);
    }
    return result;
}

/* At least two of the three hold. */
static int32_t majority(Cnf *c, const int32_t *in)
{
    int32_t result = cnf_variable(c);
    for (unsigned k = 0; k < 3; k++) {
        int32_t a = in[k], b = in[(k + 1) % 3];
        cnf_clause_of(c, -a, -b, result);
        cnf_clause_of(c, a, b, -result);
    }
    return result;
}

/* The bit of this position, given all literals that count there; what is carried counts in the next one. */
static int32_t add_column(Cnf *c, VecI32 *column, VecI32 *next)
{
    size_t at = 0;
    while (column->len - at > 1 && !c->stopped) {
        int32_t in[3] = {column->data[at], column->data[at + 1],
                         at + 2 < column->len ? column->data[at + 2] : -c->truth};
        at = MIN(at + 3, column->len);
        vec_push(column, parity(c, in));
        vec_push(next, majority(c, in));
    }
    return at < column->len ? column->data[at] : -c->truth;
}

static int32_t in_binary(Cnf *c, const Item *items, uint32_t n, Uint128 limit)
{
    VecI32 columns[N_BITS + 1] = {0};
    for (uint32_t i = 0; i < n; i++)
        for (unsigned bit = 0; bit < 64; bit++)
            if (items[i].weight >> bit & 1) vec_push(&columns[bit], items[i].literal);
    int32_t smaller = c->truth; /* the lower bits of the sum are at most those of the limit */
    for (unsigned bit = 0; bit < N_BITS; bit++) {
        int32_t set = add_column(c, &columns[bit], &columns[bit + 1]);
        int32_t both[] = {-set, smaller};
        smaller = limit >> bit & 1 ? cnf_or(c, both, 2) : cnf_and(c, both, 2);
    }
    for (unsigned bit = 0; bit <= N_BITS; bit++) vec_free(&columns[bit]);
    return smaller;
}

int32_t cnf_safe_at_most(Cnf *c, const FormulaTerm *terms, uint32_t n, int64_t bound, const int32_t *places)
{
    g_autofree Item *items = g_new(Item, (size_t)n + 1);
    Wide limit = wide_of(bound), total = wide_of(0);
    for (uint32_t i = 0; i < n; i++) {
        bool turned = terms[i].coefficient < 0;
        int32_t marked = places[terms[i].place];
        items[i] = (Item){turned ? -(uint64_t)terms[i].coefficient : (uint64_t)terms[i].coefficient,
                          turned ? -marked : marked};
        wide_add(&total, items[i].weight);
        if (turned) wide_add(&limit, items[i].weight);
    }
    if (wide_sign(limit) < 0) return -c->truth;
    if (wide_at_most(total, limit)) return c->truth;
    /* 0 <= limit < total, and n < 2^32 weights of at most 2^63 make less than 2^95. */
    bool few = add_items(NULL, items, n, limit.low, NULL);
    return few ? by_totals(c, items, n, limit.low) : in_binary(c, items, n, limit.low);
}
