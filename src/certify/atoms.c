#include "certify/atoms.h"

#include "base/hash.h"

#include <assert.h>

typedef struct Row {
    LinearTerm *terms;
    size_t n;
    int64_t bound;
    uint32_t number;
} Row;

struct Atoms {
    GHashTable *table; /* Row -> itself */
    VEC(const Row *) rows;
};

static guint row_hash(const void *key)
{
    const Row *row = key;
    uint64_t h = hash_mix((uint64_t)row->bound);
    for (size_t i = 0; i < row->n; i++)
        h = hash_mix(h ^ row->terms[i].number ^ hash_mix((uint64_t)row->terms[i].factor));
    return (guint)h;
}

static gboolean row_equal(const void *a, const void *b)
{
    const Row *x = a, *y = b;
    if (x->n != y->n || x->bound != y->bound) return false;
    for (size_t i = 0; i < x->n; i++)
        if (x->terms[i].number != y->terms[i].number || x->terms[i].factor != y->terms[i].factor) return false;
    return true;
}

static void row_free(void *data)
{
    Row *row = data;
    g_free(row->terms);
    g_free(row);
}

Atoms *atoms_new(void)
{
    Atoms *a = g_new0(Atoms, 1);
    a->table = g_hash_table_new_full(row_hash, row_equal, row_free, NULL);
    return a;
}

void atoms_free(Atoms *a)
{
    if (!a) return;
    g_hash_table_destroy(a->table);
    vec_free(&a->rows);
    g_free(a);
}

uint32_t atoms_count(const Atoms *a)
{
    return (uint32_t)a->rows.len;
}

uint32_t atoms_number(Atoms *a, const LinearTerm *terms, size_t n, int64_t bound)
{
    Row key = {(LinearTerm *)terms, n, bound, 0};
    const Row *known = g_hash_table_lookup(a->table, &key);
    if (known) return known->number;
    Row *row = g_new(Row, 1);
    *row = (Row){n ? g_memdup2(terms, n * sizeof *terms) : NULL, n, bound, (uint32_t)a->rows.len};
    g_hash_table_add(a->table, row);
    vec_push(&a->rows, row);
    return row->number;
}

const LinearTerm *atoms_terms(const Atoms *a, uint32_t number, size_t *n)
{
    *n = a->rows.data[number]->n;
    return a->rows.data[number]->terms;
}

int64_t atoms_bound(const Atoms *a, uint32_t number)
{
    return a->rows.data[number]->bound;
}

int32_t atoms_at_most(Atoms *a, const FormulaTerm *terms, uint32_t n, int64_t bound)
{
    bool turned = n && terms[0].coefficient < 0;
    g_autofree LinearTerm *row = g_new(LinearTerm, n + 1);
    for (uint32_t i = 0; i < n; i++)
        row[i] = (LinearTerm){terms[i].place, turned ? -terms[i].coefficient : terms[i].coefficient};
    int32_t literal = (int32_t)atoms_number(a, row, n, turned ? ~bound : bound) + 1;
    return turned ? -literal : literal;
}

int32_t atoms_tokens(Atoms *a, uint32_t place, uint64_t weight)
{
    assert(weight > 0 && weight <= INT64_MAX);
    return -(int32_t)atoms_number(a, &(LinearTerm){place, 1}, 1, (int64_t)weight - 1) - 1;
}
