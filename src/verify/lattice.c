#include "verify/lattice.h"

#include "base/compare.h"
#include "base/exact.h"

#include <stdlib.h>
#include <string.h>

/* The work grows with places * classes^2. */
enum { MOST_WORK = 50 * 1000 * 1000 };

typedef struct Lattice {
    uint32_t rows, n;
    int64_t **effects; /* n of `rows` entries: effects times a whole, invertible matrix U */
    int64_t **inverse; /* n rows of n entries: that matrix's inverse, so that effects * inverse = effects */
    bool fits;
} Lattice;

static int64_t **matrix(uint32_t n, uint32_t length)
{
    int64_t **rows = g_new(int64_t *, n + 1);
    for (uint32_t i = 0; i < n; i++) rows[i] = g_new0(int64_t, length + 1);
    return rows;
}

static void matrix_free(int64_t **rows, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) g_free(rows[i]);
    g_free(rows);
}

static Lattice lattice_new(const Net *net, const Effects *effects)
{
    uint32_t n = effects->n;
    Lattice l = {net->n_places, n, matrix(n, net->n_places), matrix(n, n), true};
    VecTerm effect = {0};
    for (uint32_t c = 0; c < n; c++) {
        l.inverse[c][c] = 1;
        effects_of(net, effects->first[c], &effect);
        for (size_t i = 0; i < effect.len; i++) l.effects[c][effect.data[i].place] = effect.data[i].coefficient;
    }
    vec_free(&effect);
    return l;
}

static void lattice_clear(Lattice *l)
{
    matrix_free(l->effects, l->n);
    matrix_free(l->inverse, l->n);
}

static bool add_multiple(int64_t *to, const int64_t *from, int64_t factor, uint32_t length)
{
    for (uint32_t i = 0; i < length; i++) {
        int64_t product;
        if (from[i] && (!checked_multiply(from[i], factor, &product) || !checked_add(to[i], product, &to[i]) ||
                        to[i] == INT64_MIN))
            return false;
    }
    return true;
}

/* Takes column b, q times, away from column a. */
static void reduce_column(Lattice *l, uint32_t a, uint32_t b, int64_t q)
{
    l->fits = l->fits && q != INT64_MIN && add_multiple(l->effects[a], l->effects[b], -q, l->rows) &&
              add_multiple(l->inverse[b], l->inverse[a], q, l->n);
}

static void swap(int64_t **rows, uint32_t a, uint32_t b)
{
    int64_t *kept = rows[a];
    rows[a] = rows[b];
    rows[b] = kept;
}

/* Euclid's algorithm on the effects from k on: only column k keeps an entry in that row. False: none has one. */
static bool make_pivot(Lattice *l, uint32_t row, uint32_t k)
{
    for (;;) {
        uint32_t least = UINT32_MAX, others = 0;
        for (uint32_t c = k; c < l->n; c++) {
            if (!l->effects[c][row]) continue;
            others++;
            if (least == UINT32_MAX || ABS(l->effects[c][row]) < ABS(l->effects[least][row])) least = c;
        }
        if (!others) return false;
        swap(l->effects, k, least);
        swap(l->inverse, k, least);
        if (others == 1) return true;
        for (uint32_t c = k + 1; c < l->n && l->fits; c++)
            if (l->effects[c][row]) reduce_column(l, c, k, l->effects[c][row] / l->effects[k][row]);
        if (!l->fits) return true;
    }
}

/* What the effects before k, `times` each, leave of the row's change. */
static bool remainder_at(const Lattice *l, uint32_t row, const int64_t *times, uint32_t k, int64_t *rest)
{
    for (uint32_t c = 0; c < k; c++) {
        int64_t product;
        if (!checked_multiply(l->effects[c][row], times[c], &product) || !checked_subtract(*rest, product, rest))
            return false;
    }
    return *rest != INT64_MIN;
}

/* A place and its tokens. */
typedef struct Row {
    uint32_t place;
    int64_t tokens;
} Row;

COMPARE_BY_BOTH(compare_rows, Row, tokens, place)

static int64_t divide_down(int64_t a, int64_t b)
{
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

static bool find_between(Lattice *l, const Net *net, const Row *rows, Budget *budget, int64_t *form, int64_t *below)
{
    g_autofree int64_t *times = g_new0(int64_t, l->n + 1);
    uint32_t k = 0;
    for (uint32_t i = 0; i < l->rows && k < l->n && !budget_charge(budget, l->rows + l->n); i++) {
        uint32_t p = rows[i].place;
        int64_t rest;
        if (!make_pivot(l, p, k)) continue;
        if (!l->fits || !checked_subtract(rows[i].tokens, (int64_t)net->initial[p], &rest) ||
            !remainder_at(l, p, times, k, &rest))
            return false;
        int64_t pivot = l->effects[k][p];
        if (rest % pivot != 0) {
            memcpy(form, l->inverse[k], l->n * sizeof *form);
            *below = divide_down(rest, pivot);
            return true;
        }
        times[k++] = rest / pivot;
    }
    return false;
}

bool lattice_between(const Net *net, const Effects *effects, const int64_t *tokens, Budget *budget, int64_t *form,
                     int64_t *below)
{
    uint64_t square = (uint64_t)effects->n * effects->n;
    if (square > MOST_WORK || square * net->n_places > MOST_WORK) return false;
    Lattice l = lattice_new(net, effects);
    g_autofree Row *rows = g_new0(Row, net->n_places + 1);
    for (uint32_t p = 0; p < net->n_places; p++) rows[p] = (Row){p, tokens[p]};
    if (net->n_places) qsort(rows, net->n_places, sizeof *rows, compare_rows);
    bool found = find_between(&l, net, rows, budget, form, below);
    lattice_clear(&l);
    return found;
}
