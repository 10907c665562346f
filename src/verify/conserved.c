#include "verify/conserved.h"

#include "base/compare.h"
#include "base/exact.h"
#include "base/gcd.h"

#include <assert.h>
#include <stdlib.h>

/* What a sum changes, by class of effects, and what it counts. A pivot has a class that no later row changes. */
typedef struct Row {
    VecTerm changes, places;
} Row;

typedef struct Elimination {
    VEC(Row) pivots;
    uint32_t *pivot_of; /* per class: number of its pivot, or NET_NONE */
    uint32_t *touched;  /* per class: places it changes */
    Budget *budget;
    Row spare;
} Elimination;

static uint64_t size_of(int64_t value)
{
    return value < 0 ? -(uint64_t)value : (uint64_t)value;
}

/* to = a * x + b * y; false when a factor does not fit. */
static bool combine(const VecTerm *x, int64_t a, const VecTerm *y, int64_t b, VecTerm *to)
{
    vec_clear(to);
    for (size_t i = 0, j = 0; i < x->len || j < y->len;) {
        uint32_t p = i < x->len ? x->data[i].place : NET_NONE, q = j < y->len ? y->data[j].place : NET_NONE;
        FormulaTerm term = {MIN(p, q), 0};
        __int128 value = 0;
        if (p <= q) value += (__int128)a * x->data[i++].coefficient; /* fits: 63 bits each */
        if (q <= p) value += (__int128)b * y->data[j++].coefficient; /* fits */
        if (value > INT64_MAX || value < -INT64_MAX) return false;
        term.coefficient = (int64_t)value;
        if (term.coefficient) vec_push(to, term);
    }
    return true;
}

static void divide(Row *row)
{
    uint64_t common = 0;
    VecTerm *const parts[] = {&row->changes, &row->places};
    for (int k = 0; k < 2; k++)
        for (size_t i = 0; i < parts[k]->len && common != 1; i++)
            common = gcd(common, size_of(parts[k]->data[i].coefficient));
    for (int k = 0; k < 2 && common > 1; k++)
        for (size_t i = 0; i < parts[k]->len; i++) parts[k]->data[i].coefficient /= (int64_t)common;
}

/* Of the classes that the row changes, the one with the oldest pivot; NET_NONE when it changes none that has. */
static uint32_t oldest(const Elimination *e, const Row *row, int64_t *factor)
{
    uint32_t number = NET_NONE;
    for (size_t i = 0; i < row->changes.len; i++) {
        uint32_t pivot = e->pivot_of[row->changes.data[i].place];
        if (pivot >= number) continue;
        number = pivot;
        *factor = row->changes.data[i].coefficient;
    }
    return number;
}

static int64_t pivot_factor(const Elimination *e, uint32_t number)
{
    assert(number < e->pivots.len);
    const VecTerm *changes = &e->pivots.data[number].changes;
    for (size_t i = 0; i < changes->len; i++)
        if (e->pivot_of[changes->data[i].place] == number) return changes->data[i].coefficient;
    g_assert_not_reached();
}

/* Takes the pivots out of it. False: given up. */
static bool reduce(Elimination *e, Row *row)
{
    int64_t here = 0;
    for (uint32_t number; (number = oldest(e, row, &here)) != NET_NONE;) {
        assert(number < e->pivots.len);
        const Row *pivot = &e->pivots.data[number];
        int64_t there = pivot_factor(e, number);
        int64_t common = (int64_t)gcd(size_of(here), size_of(there));
        if (!combine(&row->changes, there / common, &pivot->changes, -here / common, &e->spare.changes) ||
            !combine(&row->places, there / common, &pivot->places, -here / common, &e->spare.places))
            return false;
        Row old = *row;
        *row = e->spare;
        e->spare = old;
        divide(row);
        size_t looked = row->changes.len + row->places.len + pivot->changes.len;
        if (budget_charge(e->budget, (uint32_t)MIN(looked + 10, 1 << 20))) return false;
    }
    return true;
}

static void make_pivot(Elimination *e, Row *row)
{
    uint32_t rarest = row->changes.data[0].place;
    for (size_t i = 1; i < row->changes.len; i++)
        if (e->touched[row->changes.data[i].place] < e->touched[rarest]) rarest = row->changes.data[i].place;
    e->pivot_of[rarest] = (uint32_t)e->pivots.len;
    vec_push(&e->pivots, *row);
    *row = (Row){0};
}

static void keep_sum(Conserved *c, const Net *net, Row *row)
{
    Sum value = exact_of(0);
    ConservedSum sum = {.terms = row->places};
    for (size_t i = 0; i < sum.terms.len; i++)
        exact_add_product(&value, sum.terms.data[i].coefficient, net->initial[sum.terms.data[i].place]);
    if (!sum.terms.len || !exact_signed(value, &sum.value)) return;
    vec_push(&c->sums, sum);
    row->places = (VecTerm){0};
}

/* One row per place: what changes it, by class. */
static Row *rows_of(const Net *net, const Effects *effects, uint32_t *touched)
{
    Row *rows = g_new0(Row, net->n_places + 1);
    VecTerm effect = {0};
    for (uint32_t class = 0; class < effects->n; class ++) {
        effects_of(net, effects->first[class], &effect);
        touched[class] = (uint32_t)effect.len;
        for (size_t i = 0; i < effect.len; i++)
            vec_push(&rows[effect.data[i].place].changes, ((FormulaTerm){class, effect.data[i].coefficient}));
    }
    for (uint32_t p = 0; p < net->n_places; p++) vec_push(&rows[p].places, ((FormulaTerm){p, 1}));
    vec_free(&effect);
    return rows;
}

static int by_changes(const void *a, const void *b, void *data)
{
    const Row *rows = data;
    uint32_t p = *(const uint32_t *)a, q = *(const uint32_t *)b;
    size_t x = rows[p].changes.len, y = rows[q].changes.len;
    return x != y ? (x > y) - (x < y) : (p > q) - (p < q);
}

static void row_clear(Row *row)
{
    vec_free(&row->changes);
    vec_free(&row->places);
}

Conserved *conserved_new(const Net *net, Budget *budget)
{
    Conserved *c = g_new0(Conserved, 1);
    Effects effects;
    effects_init(&effects, net);
    Elimination e = {
        .pivot_of = g_new(uint32_t, effects.n + 1), .touched = g_new0(uint32_t, effects.n + 1), .budget = budget};
    for (uint32_t i = 0; i < effects.n; i++) e.pivot_of[i] = NET_NONE;
    Row *rows = rows_of(net, &effects, e.touched);
    g_autofree uint32_t *order = g_new(uint32_t, net->n_places + 1);
    for (uint32_t p = 0; p < net->n_places; p++) order[p] = p;
    g_qsort_with_data(order, (gint)net->n_places, sizeof *order, by_changes, rows);
    for (uint32_t i = 0; i < net->n_places && !budget_spent(budget); i++) {
        Row *row = &rows[order[i]];
        if (!reduce(&e, row)) continue;
        if (row->changes.len)
            make_pivot(&e, row);
        else
            keep_sum(c, net, row);
    }
    for (uint32_t p = 0; p < net->n_places; p++) row_clear(&rows[p]);
    for (size_t i = 0; i < e.pivots.len; i++) row_clear(&e.pivots.data[i]);
    row_clear(&e.spare);
    vec_free(&e.pivots);
    g_free(rows);
    g_free(e.pivot_of);
    g_free(e.touched);
    effects_clear(&effects);
    return c;
}

void conserved_free(Conserved *conserved)
{
    if (!conserved) return;
    for (size_t i = 0; i < conserved->sums.len; i++) vec_free(&conserved->sums.data[i].terms);
    vec_free(&conserved->sums);
    g_free(conserved);
}

static bool is_broken(const ConservedSum *sum, const bool *among, const bool *marked)
{
    Sum value = exact_of(-(__int128)sum->value);
    for (size_t i = 0; i < sum->terms.len; i++) {
        if (!among[sum->terms.data[i].place]) return false;
        if (marked[sum->terms.data[i].place]) exact_add(&value, sum->terms.data[i].coefficient);
    }
    return exact_sign(value) != 0;
}

size_t conserved_broken(const Conserved *conserved, const bool *among, const bool *marked)
{
    size_t i = 0;
    while (i < conserved->sums.len && !is_broken(&conserved->sums.data[i], among, marked)) i++;
    return i;
}
