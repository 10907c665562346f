#include "net/invariant.h"

#include "base/bisect.h"
#include "base/gcd.h"
#include "base/vec.h"

#include <stdlib.h>
#include <string.h>

typedef struct Term {
    uint32_t index;
    int64_t value;
} Term;

/* One row of [ y | y C ]: what is left of y C are the columns not yet eliminated. */
typedef struct Row {
    Term *term; /* n_places of y, then n_columns of y C; both ascending */
    uint32_t n_places, n_columns;
    uint64_t signature; /* bits of the support, for quick subset tests */
    bool dead;
} Row;

typedef struct Farkas {
    const Net *net;
    Budget *budget;
    VEC(Row) rows;
    VecU32 *rows_of;             /* per transition; may list dead rows and rows without the column */
    VecU32 *beginning, *holding; /* per place: rows whose support has it first, or has it; may list dead rows */
    uint8_t *done;
    uint32_t n_alive;
    uint64_t work, max_work;
    size_t terms, max_terms; /* in rows that are alive */
    size_t max_checked;      /* rows; when there are more, new ones are not compared with the others */
    bool all;
} Farkas;

enum {
    MAX_ROWS = 50000, /* more than places */
    CHECKED_ROWS = 6000,
    FREE_TERMS = 1 << 20, /* that rows may hold in any net, */
    TERMS_PER_ARC = 8,    /* and more as it is larger */
    CHECKED_PER_PLACE = 4,
    SHORT = 32, /* rows that a round takes first, for each new one, */
    LONG = 512, /* and last */
};

static bool is_spent(Farkas *f)
{
    if (f->work <= f->max_work && f->terms <= f->max_terms && !budget_spent(f->budget)) return false;
    f->all = false;
    return true;
}

static void list_row(Farkas *f, uint32_t id)
{
    const Row *row = &f->rows.data[id];
    vec_push(&f->beginning[row->term[0].index], id);
    for (uint32_t i = 0; i < row->n_places; i++) vec_push(&f->holding[row->term[i].index], id);
    for (uint32_t i = 0; i < row->n_columns; i++) vec_push(&f->rows_of[row->term[row->n_places + i].index], id);
}

static void add_row(Farkas *f, Row row)
{
    row.signature = 0;
    for (uint32_t i = 0; i < row.n_places; i++) row.signature |= UINT64_C(1) << (row.term[i].index % 64);
    f->work += row.n_places + row.n_columns;
    f->terms += row.n_places + row.n_columns;
    f->n_alive++;
    vec_push(&f->rows, row);
    list_row(f, (uint32_t)f->rows.len - 1);
}

static void kill_row(Farkas *f, Row *row)
{
    row->dead = true;
    f->terms -= row->n_places + row->n_columns;
    g_free(row->term);
    row->term = NULL;
    f->n_alive--;
}

static bool add_place(Farkas *f, uint32_t p)
{
    NetRow out = net_transitions(f->net, ARC_PRE, p), in = net_transitions(f->net, ARC_POST, p);
    Row row = {.term = g_new(Term, (size_t)out.len + in.len + 1), .n_places = 1};
    row.term[0] = (Term){p, 1};
    for (uint32_t i = 0, j = 0; i < out.len || j < in.len;) {
        uint32_t t = j == in.len || (i < out.len && out.node[i] <= in.node[j]) ? out.node[i] : in.node[j];
        unsigned __int128 minus = 0, plus = 0;
        if (i < out.len && out.node[i] == t) minus = net_arc_weight(f->net, ARC_PRE, t, p), i++;
        if (j < in.len && in.node[j] == t) plus = net_arc_weight(f->net, ARC_POST, t, p), j++;
        __int128 value = (__int128)plus - (__int128)minus;
        if (value > INT64_MAX || value < -INT64_MAX) {
            g_free(row.term);
            return false;
        }
        if (value) row.term[1 + row.n_columns++] = (Term){t, (int64_t)value};
    }
    add_row(f, row);
    return true;
}

static uint64_t magnitude(int64_t value)
{
    return (uint64_t)(value < 0 ? -value : value); /* no row has INT64_MIN */
}

/* to = x a + y b without zeros; false on overflow. */
static bool add_terms(const Term *a, uint32_t n_a, int64_t x, const Term *b, uint32_t n_b, int64_t y, Term *to,
                      uint32_t *n)
{
    *n = 0;
    for (uint32_t i = 0, j = 0; i < n_a || j < n_b;) {
        uint32_t index = j == n_b || (i < n_a && a[i].index <= b[j].index) ? a[i].index : b[j].index;
        int64_t left = 0, right = 0, sum;
        if (i < n_a && a[i].index == index && __builtin_mul_overflow(a[i++].value, x, &left)) return false;
        if (j < n_b && b[j].index == index && __builtin_mul_overflow(b[j++].value, y, &right)) return false;
        if (__builtin_add_overflow(left, right, &sum) || sum == INT64_MIN) return false;
        if (sum) to[(*n)++] = (Term){index, sum};
    }
    return true;
}

/* The first of n ascending terms that is not before the index. */
static uint32_t find_term(const Term *terms, uint32_t n, uint32_t index)
{
    uint32_t at;
    BISECT(at, 0, n, terms[at].index < index);
    return at;
}

static int64_t column_value(const Row *row, uint32_t column)
{
    const Term *terms = row->term + row->n_places;
    uint32_t at = find_term(terms, row->n_columns, column);
    return at < row->n_columns && terms[at].index == column ? terms[at].value : 0;
}

/* The combination of a positive and a negative row that clears the column; term is NULL on overflow. */
static Row combine(const Row *a, const Row *b, uint32_t column)
{
    int64_t u = column_value(a, column), v = column_value(b, column);
    uint64_t g = gcd(magnitude(u), magnitude(v));
    /* NOLINTNEXTLINE(clang-analyzer-core.DivideZero): u and v are not 0 in this column */
    int64_t x = (int64_t)(magnitude(v) / g), y = (int64_t)(magnitude(u) / g);
    size_t size = (size_t)a->n_places + b->n_places + a->n_columns + b->n_columns;
    Row row = {.term = g_new(Term, size)};
    if (!add_terms(a->term, a->n_places, x, b->term, b->n_places, y, row.term, &row.n_places) ||
        !add_terms(a->term + a->n_places, a->n_columns, x, b->term + b->n_places, b->n_columns, y,
                   row.term + row.n_places, &row.n_columns)) {
        g_free(row.term);
        return (Row){0};
    }
    uint32_t n = row.n_places + row.n_columns;
    uint64_t common = 0;
    for (uint32_t i = 0; i < n && common != 1; i++) common = gcd(common, magnitude(row.term[i].value));
    for (uint32_t i = 0; common > 1 && i < n; i++) row.term[i].value /= (int64_t)common;
    row.term = g_renew(Term, row.term, n);
    return row;
}

static bool support_in(const Row *a, const Row *b)
{
    if (a->n_places > b->n_places || (a->signature & ~b->signature)) return false;
    uint32_t j = find_term(b->term, b->n_places, a->term[0].index);
    for (uint32_t i = 0; i < a->n_places; i++, j++) {
        while (j < b->n_places && b->term[j].index < a->term[i].index) j++;
        if (j == b->n_places || b->term[j].index != a->term[i].index) return false;
    }
    return true;
}

/* What lies in a row begins with one of its places; what it lies in holds its first place. */
static bool contains_another(Farkas *f, const Row *row)
{
    for (uint32_t i = 0; i < row->n_places; i++) {
        const VecU32 *others = &f->beginning[row->term[i].index];
        f->work += others->len + 1;
        for (size_t k = 0; k < others->len; k++) {
            const Row *other = &f->rows.data[others->data[k]];
            if (other != row && !other->dead && support_in(other, row)) return true;
        }
    }
    return false;
}

static void kill_containing(Farkas *f, const Row *row)
{
    const VecU32 *others = &f->holding[row->term[0].index];
    f->work += others->len;
    for (size_t k = 0; k < others->len; k++) {
        Row *other = &f->rows.data[others->data[k]];
        if (other != row && !other->dead && support_in(row, other)) kill_row(f, other);
    }
}

/* Kills the rows from `first` on whose support contains another row's, and older rows that contain theirs. */
static void keep_minimal(Farkas *f, size_t first)
{
    for (size_t i = first; i < f->rows.len && !is_spent(f); i++) {
        Row *row = &f->rows.data[i];
        if (row->dead) continue;
        if (contains_another(f, row))
            kill_row(f, row);
        else
            kill_containing(f, row);
    }
}

typedef struct Split {
    VecU32 plus, minus;
    uint64_t terms; /* of all these rows */
} Split;

static void split_column(Farkas *f, uint32_t column, Split *split)
{
    vec_clear(&split->plus);
    vec_clear(&split->minus);
    split->terms = 0;
    VecU32 *list = &f->rows_of[column];
    size_t kept = 0;
    for (size_t i = 0; i < list->len; i++) {
        const Row *row = &f->rows.data[list->data[i]];
        if (row->dead) continue;
        list->data[kept++] = list->data[i];
        split->terms += row->n_places + row->n_columns;
        if (column_value(row, column) > 0)
            vec_push(&split->plus, list->data[i]);
        else
            vec_push(&split->minus, list->data[i]);
    }
    f->work += list->len;
    list->len = kept;
}

/* Dead rows cost time in every pass over all rows. */
static void squeeze(Farkas *f)
{
    if (f->rows.len < 2 * (size_t)f->n_alive + 1000) return;
    size_t kept = 0;
    for (size_t i = 0; i < f->rows.len; i++)
        if (!f->rows.data[i].dead) f->rows.data[kept++] = f->rows.data[i];
    f->rows.len = kept;
    for (uint32_t t = 0; t < f->net->n_transitions; t++) vec_clear(&f->rows_of[t]);
    for (uint32_t p = 0; p < f->net->n_places; p++) {
        vec_clear(&f->beginning[p]);
        vec_clear(&f->holding[p]);
    }
    for (uint32_t id = 0; id < f->rows.len; id++) {
        list_row(f, id);
        f->work += f->rows.data[id].n_columns;
    }
}

static void eliminate(Farkas *f, uint32_t column, const Split *split)
{
    size_t first = f->rows.len;
    for (size_t i = 0; i < split->plus.len; i++)
        for (size_t j = 0; j < split->minus.len; j++) {
            if (f->n_alive >= MAX_ROWS + f->net->n_places || is_spent(f)) {
                f->all = false;
                i = split->plus.len;
                break;
            }
            Row row = combine(&f->rows.data[split->plus.data[i]], &f->rows.data[split->minus.data[j]], column);
            if (row.term)
                add_row(f, row);
            else
                f->all = false;
        }
    for (size_t i = 0; i < split->plus.len; i++) kill_row(f, &f->rows.data[split->plus.data[i]]);
    for (size_t i = 0; i < split->minus.len; i++) kill_row(f, &f->rows.data[split->minus.data[i]]);
    f->done[column] = 1;
    if ((split->plus.len > 1 || split->minus.len > 1) && f->rows.len <= f->max_checked) keep_minimal(f, first);
    squeeze(f);
}

/* Was one left out only for its length? */
static bool eliminate_round(Farkas *f, uint64_t most_rows, uint64_t most_terms, Split *split, uint32_t *left)
{
    bool longer = false;
    for (uint32_t t = 0; t < f->net->n_transitions && !is_spent(f); t++) {
        if (f->done[t]) continue;
        split_column(f, t, split);
        if ((uint64_t)split->plus.len * split->minus.len > most_rows) continue;
        if (split->terms > most_terms) {
            longer = true;
            continue;
        }
        eliminate(f, t, split);
        --*left;
    }
    return longer;
}

/* Cheap columns first: a round takes all whose number of new rows, and their length, is within the bound, then the
 * bound grows. So the rows along a cycle meet like those of a tournament, and not each with one that grows. */
static void eliminate_all(Farkas *f)
{
    Split split = {0};
    uint32_t left = f->net->n_transitions;
    for (uint64_t rows = 1; left && !is_spent(f); rows *= 2) {
        bool longer = true;
        for (uint64_t length = SHORT; longer && length <= LONG; length *= 4)
            longer = eliminate_round(f, rows, length * rows, &split, &left);
    }
    vec_free(&split.plus);
    vec_free(&split.minus);
}

static Invariant make_invariant(const Net *net, const Row *row)
{
    Invariant y = {g_new(uint32_t, row->n_places), g_new(uint64_t, row->n_places), row->n_places, 0};
    for (uint32_t i = 0; i < row->n_places; i++) {
        y.place[i] = row->term[i].index;
        y.weight[i] = (uint64_t)row->term[i].value;
        uint64_t part;
        if (__builtin_mul_overflow(y.weight[i], net->initial[y.place[i]], &part) ||
            __builtin_add_overflow(y.tokens, part, &y.tokens))
            y.tokens = UINT64_MAX;
        if (y.tokens == UINT64_MAX) break;
    }
    for (uint32_t i = 0; y.tokens == UINT64_MAX && i < row->n_places; i++) {
        y.place[i] = row->term[i].index;
        y.weight[i] = (uint64_t)row->term[i].value;
    }
    return y;
}

static int by_support(const void *a, const void *b)
{
    const Invariant *x = a, *y = b;
    for (uint32_t i = 0; i < x->len && i < y->len; i++)
        if (x->place[i] != y->place[i]) return x->place[i] < y->place[i] ? -1 : 1;
    return x->len < y->len ? -1 : x->len > y->len;
}

Invariants *invariant_compute(const Net *net, uint64_t work, Budget *budget)
{
    Farkas f = {.net = net, .budget = budget, .max_work = work ? work : 30000000, .all = true};
    size_t arcs = (size_t)net_arc_count(net, ARC_PRE) + net_arc_count(net, ARC_POST);
    f.max_terms = FREE_TERMS + TERMS_PER_ARC * (arcs + net->n_places);
    f.max_checked = MAX(CHECKED_ROWS, CHECKED_PER_PLACE * (size_t)net->n_places);
    f.rows_of = g_new0(VecU32, (size_t)net->n_transitions + 1);
    f.beginning = g_new0(VecU32, (size_t)net->n_places + 1);
    f.holding = g_new0(VecU32, (size_t)net->n_places + 1);
    f.done = g_new0(uint8_t, (size_t)net->n_transitions + 1);
    for (uint32_t p = 0; p < net->n_places && !is_spent(&f); p++)
        if (!add_place(&f, p)) f.all = false;
    eliminate_all(&f);
    f.max_work += f.max_work / 4; /* to have the result minimal, too */
    keep_minimal(&f, 0);
    Invariants *result = g_new0(Invariants, 1);
    result->all = f.all;
    VEC(Invariant) items = {0};
    for (size_t i = 0; i < f.rows.len; i++) {
        Row *row = &f.rows.data[i];
        if (row->dead) continue;
        if (row->n_columns == 0) {
            Invariant y = make_invariant(net, row);
            vec_push(&items, y);
        }
        kill_row(&f, row);
    }
    if (items.len) qsort(items.data, items.len, sizeof *items.data, by_support);
    result->item = items.data;
    result->n = (uint32_t)items.len;
    for (uint32_t t = 0; t < net->n_transitions; t++) vec_free(&f.rows_of[t]);
    for (uint32_t p = 0; p < net->n_places; p++) {
        vec_free(&f.beginning[p]);
        vec_free(&f.holding[p]);
    }
    g_free(f.rows_of);
    g_free(f.beginning);
    g_free(f.holding);
    g_free(f.done);
    vec_free(&f.rows);
    return result;
}

void invariant_free(Invariants *invariants)
{
    if (!invariants) return;
    for (uint32_t i = 0; i < invariants->n; i++) {
        g_free(invariants->item[i].place);
        g_free(invariants->item[i].weight);
    }
    g_free(invariants->item);
    g_free(invariants);
}
