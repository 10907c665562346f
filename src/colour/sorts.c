#include "colour/sorts.h"

#include "base/exact.h"

#include <assert.h>

typedef struct Ends {
    int64_t start, end;
} Ends;

static guint hash_bytes(gconstpointer bytes)
{
    return g_bytes_hash(bytes);
}

void sorts_init(Sorts *sorts)
{
    *sorts = (Sorts){0};
    sorts->products = g_hash_table_new_full(hash_bytes, g_bytes_equal, (GDestroyNotify)g_bytes_unref, NULL);
    sorts->ranges = g_hash_table_new_full(hash_bytes, g_bytes_equal, (GDestroyNotify)g_bytes_unref, NULL);
    uint32_t dot = sorts_new(sorts, SORT_DOT);
    sorts->sorts.data[dot].size = 1;
}

void sorts_clear(Sorts *sorts)
{
    vec_free(&sorts->sorts);
    vec_free(&sorts->leaves);
    vec_free(&sorts->names);
    vec_free(&sorts->blocks);
    g_clear_pointer(&sorts->products, g_hash_table_unref);
    g_clear_pointer(&sorts->ranges, g_hash_table_unref);
}

uint32_t sorts_new(Sorts *sorts, SortKind kind)
{
    uint32_t index = (uint32_t)sorts->sorts.len;
    Sort sort = {.kind = kind, .leaf = (uint32_t)sorts->leaves.len, .n_leaves = 1, .base = SORT_NONE};
    sort.name = (uint32_t)sorts->names.len;
    sort.block = (uint32_t)sorts->blocks.len;
    vec_push(&sorts->sorts, sort);
    vec_push(&sorts->leaves, index);
    return index;
}

void sorts_add_name(Sorts *sorts, uint32_t sort, const char *name)
{
    Sort *s = &sorts->sorts.data[sort];
    assert(s->name + s->size == sorts->names.len);
    vec_push(&sorts->names, name);
    s->size++;
}

static uint32_t known(GHashTable *table, GBytes *key)
{
    gpointer value;
    return g_hash_table_lookup_extended(table, key, NULL, &value) ? GPOINTER_TO_UINT(value) : SORT_NONE;
}

uint32_t sorts_range(Sorts *sorts, int64_t start, int64_t end)
{
    Ends ends = {start, end};
    int64_t distance;
    if (start > end || !checked_subtract(end, start, &distance) || (uint64_t)distance >= SORT_MAX_COLOURS)
        return SORT_NONE;
    g_autoptr(GBytes) key = g_bytes_new(&ends, sizeof ends);
    uint32_t index = known(sorts->ranges, key);
    if (index != SORT_NONE) return index;
    index = sorts_new(sorts, SORT_RANGE);
    sorts->sorts.data[index].size = (uint64_t)distance + 1;
    sorts->sorts.data[index].start = start;
    g_hash_table_insert(sorts->ranges, g_steal_pointer(&key), GUINT_TO_POINTER(index));
    return index;
}

uint32_t sorts_product(Sorts *sorts, const uint32_t *leaves, size_t n)
{
    assert(n > 0);
    if (n == 1) return leaves[0];
    if (n > SORT_MAX_LEAVES) return SORT_NONE;
    uint64_t size = 1;
    for (size_t i = 0; i < n; i++)
        if (!checked_multiply(size, sort_at(sorts, leaves[i])->size, &size) || size > INT64_MAX) return SORT_NONE;
    g_autoptr(GBytes) key = g_bytes_new(leaves, n * sizeof *leaves);
    uint32_t index = known(sorts->products, key);
    if (index != SORT_NONE) return index;
    index = sorts_new(sorts, SORT_PRODUCT);
    Sort *sort = &sorts->sorts.data[index];
    sort->size = size;
    sort->n_leaves = (uint32_t)n;
    sorts->leaves.len = sort->leaf;
    vec_append(&sorts->leaves, leaves, n);
    g_hash_table_insert(sorts->products, g_steal_pointer(&key), GUINT_TO_POINTER(index));
    return index;
}

void sort_split(const Sorts *sorts, uint32_t sort, uint64_t colour, uint32_t *leaves)
{
    for (uint32_t i = sort_at(sorts, sort)->n_leaves; i-- > 0;) {
        uint32_t size = sort_leaf_size(sorts, sort, i);
        leaves[i] = (uint32_t)(colour % size);
        colour /= size;
    }
}

uint64_t sort_join(const Sorts *sorts, uint32_t sort, const uint32_t *leaves)
{
    uint64_t colour = 0;
    for (uint32_t i = 0; i < sort_at(sorts, sort)->n_leaves; i++)
        colour = colour * sort_leaf_size(sorts, sort, i) + leaves[i]; /* below the product of the sizes */
    return colour;
}

void sort_append_name(const Sorts *sorts, uint32_t basic, uint32_t colour, GString *out)
{
    const Sort *sort = sort_at(sorts, basic);
    if (sort->kind == SORT_DOT) {
        g_string_append_c(out, '.');
    } else if (sort->kind == SORT_RANGE) {
        g_string_append_printf(out, "%" G_GINT64_FORMAT, sort->start + (int64_t)colour);
    } else {
        for (const char *at = sorts->names.data[sort->name + colour]; *at; at++)
            if (g_ascii_isalnum(*at) || strchr("_.-", *at) || *at & 0x80)
                g_string_append_c(out, *at);
            else
                g_string_append_printf(out, "%%%02X", (unsigned char)*at);
    }
}
