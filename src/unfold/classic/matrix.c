#include "unfold/classic/matrix.h"

#include <assert.h>

Matrix *matrix_new(void)
{
    return g_new0(Matrix, 1);
}

void matrix_free(Matrix *matrix)
{
    if (!matrix) return;
    vec_free(&matrix->condition);
    vec_free(&matrix->row);
    vec_free(&matrix->columns);
    vec_free(&matrix->last);
    g_free(matrix->common);
    arena_free(&matrix->arena);
    g_free(matrix);
}

/* ---- what is concurrent ---- */

static void make_room(Matrix *matrix)
{
    size_t words = bitset_words(matrix->n);
    if (matrix->common_cap >= words) return;
    matrix->common_cap = 2 * words + 16;
    matrix->common = g_realloc_n(matrix->common, matrix->common_cap, sizeof *matrix->common);
}

void matrix_clear_common(Matrix *matrix)
{
    make_room(matrix);
    for (size_t w = 0; w < bitset_words(matrix->n); w++) matrix->common[w] = 0;
}

/* Which members of the incomplete block know member c. */
static uint64_t last_word(const Matrix *matrix, uint32_t c)
{
    uint64_t result = 0;
    for (size_t i = 0; i < matrix->last.len; i++)
        if (bitset_get(matrix->last.data[i].row, c)) result |= matrix->last.data[i].own;
    return result;
}

/* What is concurrent with member c, word by word: the words before its block are of its row, those after it of columns,
 * and that of its block is both. */

static void copy_words(Matrix *matrix, uint32_t c)
{
    const uint64_t *row = matrix->row.data[c];
    uint64_t *const *columns = matrix->columns.data, *common = matrix->common;
    size_t block = c / 64, complete = matrix->columns.len;
    for (size_t w = 0; w <= block; w++) common[w] = row[w];
    if (block < complete) common[block] |= columns[block][c];
    for (size_t w = block + 1; w < complete; w++) common[w] = columns[w][c];
    if (matrix->n % 64) common[complete] = last_word(matrix, c) | (block == complete ? row[block] : 0);
}

static void keep_words(Matrix *matrix, uint32_t c)
{
    const uint64_t *row = matrix->row.data[c];
    uint64_t *const *columns = matrix->columns.data, *common = matrix->common;
    size_t block = c / 64, complete = matrix->columns.len;
    for (size_t w = 0; w < block; w++) common[w] &= row[w];
    if (block < complete) common[block] &= row[block] | columns[block][c];
    for (size_t w = block + 1; w < complete; w++) common[w] &= columns[w][c];
    if (matrix->n % 64) common[complete] &= last_word(matrix, c) | (block == complete ? row[block] : 0);
}

void matrix_common(Matrix *matrix, const uint32_t *parts, uint32_t n_parts)
{
    assert(n_parts > 0);
    make_room(matrix);
    for (uint32_t i = 0; i < n_parts; i++) {
        assert(parts[i] < matrix->n);
        if (i)
            keep_words(matrix, parts[i]);
        else
            copy_words(matrix, parts[i]);
    }
    for (uint32_t i = 0; i < n_parts; i++) bitset_clear(matrix->common, parts[i]);
}

bool matrix_has_all(const Matrix *matrix, uint32_t from, uint32_t n)
{
    for (uint32_t i = from; i < from + n; i++)
        if (!bitset_get(matrix->common, i)) return false;
    return true;
}

/* ---- columns ---- */

/* Exchanges the bits of `mask`, shifted to the left, of one word with those of another. */
static inline void swap_bits(uint64_t *x, uint64_t *y, unsigned shift, uint64_t mask)
{
    uint64_t both = (*x >> shift ^ *y) & mask;
    *x ^= both << shift;
    *y ^= both;
}

/* Exchanges, in all squares of 2 step rows and as many columns, the upper right and the lower left quarter; then the
 * same for half the step. */
static inline __attribute__((always_inline)) void swap_quarters(uint64_t *rows, unsigned step, uint64_t mask,
                                                                uint64_t half_mask)
{
    const unsigned half = step / 2;
    for (uint64_t *from = rows; from < rows + 64; from += 2 * step) {
        for (uint64_t *row = from; row < from + half; row++) {
            uint64_t a = row[0], b = row[half], c = row[step], d = row[step + half];
            swap_bits(&a, &c, step, mask);
            swap_bits(&b, &d, step, mask);
            swap_bits(&a, &b, half, half_mask);
            swap_bits(&c, &d, half, half_mask);
            row[0] = a;
            row[half] = b;
            row[step] = c;
            row[step + half] = d;
        }
    }
}

/* Rows become columns (Hacker's Delight, 7-3). */
static void transpose(uint64_t *rows)
{
    swap_quarters(rows, 32, UINT64_C(0x00000000ffffffff), UINT64_C(0x0000ffff0000ffff));
    swap_quarters(rows, 8, UINT64_C(0x00ff00ff00ff00ff), UINT64_C(0x0f0f0f0f0f0f0f0f));
    swap_quarters(rows, 2, UINT64_C(0x3333333333333333), UINT64_C(0x5555555555555555));
}

/* The next block is complete. */
static void push_columns(Matrix *matrix)
{
    size_t block = matrix->columns.len;
    const uint64_t *const *rows = matrix->row.data + block * 64;
    uint64_t *columns = arena_alloc(&matrix->arena, (block + 1) * 64 * sizeof *columns);
    vec_push(&matrix->columns, columns);
    for (size_t w = 0; w <= block; w++, columns += 64) {
        uint64_t any = 0;
        for (size_t i = 0; i < 64; i++) any |= columns[i] = rows[i][w];
        if (any) transpose(columns);
    }
}

/* ---- families ---- */

/* The row has the words of `before` and the family's own members. */
static const uint64_t *new_row(Matrix *matrix, const uint64_t *before, uint32_t n)
{
    size_t from = matrix->n, known = bitset_words(from), words = bitset_words(from + n);
    uint64_t *row = arena_alloc(&matrix->arena, words * sizeof *row);
    for (size_t w = 0; w < known; w++) row[w] = before[w];
    for (size_t w = known; w < words; w++) row[w] = 0;
    for (size_t i = 0; i < n; i++) bitset_set(row, from + i);
    return row;
}

static void add_family(Matrix *matrix, uint32_t first, uint32_t n, const uint64_t *before)
{
    const uint64_t *row = new_row(matrix, before, n);
    uint64_t own = 0;
    assert(n > 0 && matrix->columns.len == matrix->n / 64);
    for (uint32_t i = 0; i < n; i++) {
        vec_push_long(&matrix->condition, first + i);
        vec_push_long(&matrix->row, row);
        own |= UINT64_C(1) << matrix->n % 64;
        if (++matrix->n % 64) continue;
        push_columns(matrix);
        vec_clear(&matrix->last);
        own = 0;
    }
    if (own) vec_push(&matrix->last, ((MatrixFamily){row, own}));
}

void matrix_add(Matrix *matrix, uint32_t first, uint32_t n)
{
    add_family(matrix, first, n, matrix->common);
}

void matrix_start(Matrix *matrix, uint32_t n)
{
    assert(!matrix->n);
    if (n) add_family(matrix, 0, n, NULL);
}
