#include "lts/stateeq.h"

#include <assert.h>
#include <string.h>

enum { LARGEST_VALUE = 1 << 30, MOST_ENTRIES = 1 << 22 };

/* A dictionary: denominator * basic(i) = constant(i) + sum over j of entry(i,j) * nonbasic(j). Its
 * variables are numbered columns first, then rows; all are >= 0. */
struct StateEq {
    const Net *net;
    uint64_t effort;
    uint32_t n_columns; /* transitions that change something */
    uint32_t *column;   /* of transition, or NET_NONE */
    uint32_t n_rows, cap_rows;
    int64_t *entry;             /* rows of n_columns + 1 entries, the constant last */
    uint32_t *basic, *nonbasic; /* variable of a row, of a column */
    int64_t denominator;
    bool too_large; /* the table would be */
    bool huge;      /* a weight or count is: adding bounds could wrap */
};

StateEq *stateeq_new(const Net *net, uint64_t effort)
{
    StateEq *eq = g_new0(StateEq, 1);
    eq->net = net;
    eq->effort = effort;
    eq->column = g_new(uint32_t, (size_t)net->n_transitions + 1);
    for (uint32_t t = 0; t < net->n_transitions; t++) {
        bool changes = false;
        for (int kind = 0; kind < N_ARC_KINDS; kind++) {
            NetRow row = net_places(net, kind, t);
            for (uint32_t i = 0; i < row.len; i++) {
                eq->huge |= net_weight(row, i) > LARGEST_VALUE;
                changes |=
                    net_arc_weight(net, ARC_PRE, t, row.node[i]) != net_arc_weight(net, ARC_POST, t, row.node[i]);
            }
        }
        eq->column[t] = changes ? eq->n_columns++ : NET_NONE;
    }
    eq->cap_rows = 2 * net->n_places + 1;
    eq->too_large |= ((uint64_t)eq->n_columns + 1) * eq->cap_rows > MOST_ENTRIES;
    for (uint32_t p = 0; p < net->n_places; p++) eq->huge |= net->initial[p] > LARGEST_VALUE;
    if (!eq->too_large && !eq->huge) {
        eq->entry = g_new(int64_t, ((size_t)eq->n_columns + 1) * eq->cap_rows);
        eq->basic = g_new(uint32_t, eq->cap_rows);
        eq->nonbasic = g_new(uint32_t, (size_t)eq->n_columns + 1);
    }
    return eq;
}

void stateeq_free(StateEq *eq)
{
    if (!eq) return;
    g_free(eq->column);
    g_free(eq->entry);
    g_free(eq->basic);
    g_free(eq->nonbasic);
    g_free(eq);
}

static bool spend(StateEq *eq, uint64_t steps)
{
    if (eq->effort <= steps) {
        eq->effort = 0;
        return false;
    }
    eq->effort -= steps;
    return true;
}

static int64_t *row_of(StateEq *eq, uint32_t i)
{
    return eq->entry + (size_t)i * (eq->n_columns + 1);
}

/* Appends sign * (m(p) - bound) >= 0. */
static void add_row(StateEq *eq, uint32_t p, int sign, uint64_t bound)
{
    assert(eq->n_rows < eq->cap_rows && bound <= 2 * (uint64_t)LARGEST_VALUE);
    const Net *net = eq->net;
    int64_t *row = row_of(eq, eq->n_rows);
    memset(row, 0, ((size_t)eq->n_columns + 1) * sizeof *row);
    for (int kind = ARC_PRE; kind <= ARC_POST; kind++) {
        NetRow around = net_transitions(net, kind, p);
        for (uint32_t i = 0; i < around.len; i++) {
            uint32_t t = around.node[i];
            if (eq->column[t] == NET_NONE) continue;
            int64_t weight = (int64_t)net_arc_weight(net, kind, t, p);
            row[eq->column[t]] += sign * (kind == ARC_PRE ? -weight : weight); /* fits: not huge */
        }
    }
    row[eq->n_columns] = sign * ((int64_t)net->initial[p] - (int64_t)bound);
    eq->basic[eq->n_rows] = eq->n_columns + eq->n_rows;
    eq->n_rows++;
}

/* Exchanges the row's variable with the column's. False when a number passes 64 bits. */
static bool pivot(StateEq *eq, uint32_t r, uint32_t j)
{
    int64_t *pivot_row = row_of(eq, r), p = pivot_row[j], d = eq->denominator;
    assert(p > 0 && d > 0);
    uint32_t width = eq->n_columns + 1;
    for (uint32_t i = 0; i < eq->n_rows; i++) {
        int64_t *row = row_of(eq, i), factor = row[j];
        if (i == r || (factor == 0 && p == d)) continue;
        for (uint32_t k = 0; k < width; k++) {
            if (k == j || (row[k] == 0 && (factor == 0 || pivot_row[k] == 0))) continue;
            __int128 value = (__int128)row[k] * p - (__int128)factor * pivot_row[k]; /* fits: 126 bits each */
            assert(value % d == 0);
            value /= d;
            if (value > INT64_MAX || value < -INT64_MAX) return false;
            row[k] = (int64_t)value;
        }
    }
    for (uint32_t k = 0; k < width; k++) pivot_row[k] = -pivot_row[k];
    pivot_row[j] = d;
    eq->denominator = p;
    uint32_t variable = eq->basic[r];
    eq->basic[r] = eq->nonbasic[j];
    eq->nonbasic[j] = variable;
    return true;
}

/* Bland's rule on both sides: the zero objective makes every basis dual feasible and every ratio a
 * tie, and smallest indices keep ties from cycling. */
static uint32_t leaving_row(StateEq *eq)
{
    uint32_t best = NET_NONE;
    for (uint32_t i = 0; i < eq->n_rows; i++)
        if (row_of(eq, i)[eq->n_columns] < 0 && (best == NET_NONE || eq->basic[i] < eq->basic[best])) best = i;
    return best;
}

static uint32_t entering_column(StateEq *eq, uint32_t r)
{
    const int64_t *row = row_of(eq, r);
    uint32_t best = NET_NONE;
    for (uint32_t j = 0; j < eq->n_columns; j++)
        if (row[j] > 0 && (best == NET_NONE || eq->nonbasic[j] < eq->nonbasic[best])) best = j;
    return best;
}

bool stateeq_excludes(StateEq *eq, const uint64_t *low, const uint64_t *high)
{
    const Net *net = eq->net;
    if (eq->huge) return false;
    for (uint32_t p = 0; p < net->n_places; p++)
        if (low[p] > high[p]) return true;
    if (eq->too_large || !spend(eq, 1)) return false;
    eq->n_rows = 0;
    eq->denominator = 1;
    for (uint32_t j = 0; j < eq->n_columns; j++) eq->nonbasic[j] = j;
    for (uint32_t p = 0; p < net->n_places; p++) {
        if (low[p] > 0 || net_transitions(net, ARC_PRE, p).len) add_row(eq, p, 1, low[p]);
        if (high[p] != STATEEQ_NO_BOUND) add_row(eq, p, -1, high[p]);
    }
    uint64_t entries = (uint64_t)eq->n_rows * (eq->n_columns + 1);
    if (!spend(eq, entries)) return false;
    for (;;) {
        uint32_t r = leaving_row(eq);
        if (r == NET_NONE) return false;
        uint32_t j = entering_column(eq, r);
        /* A negative constant and no positive entry: the row itself is the proof. */
        if (j == NET_NONE) return true;
        if (!spend(eq, entries) || !pivot(eq, r, j)) return false;
    }
}
