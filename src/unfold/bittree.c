#include "unfold/bittree.h"

#include "base/compare.h"
#include "base/hash.h"

#include <assert.h>
#include <stdlib.h>

enum { LEAF_WORDS = 4, FAN = 8, FAN_LOG2 = 3 };

/* How many words a node of this height spans, as a power of two. */
static unsigned span_log2(unsigned height)
{
    return 2 + height * FAN_LOG2;
}

void bittree_init(BitTree *tree, uint32_t words)
{
    *tree = (BitTree){.words = words, .table_mask = 255};
    while ((UINT64_C(1) << span_log2(tree->height)) < words) tree->height++;
    tree->table = g_new0(uint32_t, tree->table_mask + 1);
    vec_push(&tree->nodes, (BitTreeNode){{{0}}});
}

void bittree_clear(BitTree *tree)
{
    vec_free(&tree->nodes);
    g_free(tree->table);
}

static uint32_t *find_place(const BitTree *tree, const BitTreeNode *node)
{
    uint32_t i = (uint32_t)hash_words(node->bits, LEAF_WORDS) & tree->table_mask;
    while (tree->table[i] && memcmp(&tree->nodes.data[tree->table[i]], node, sizeof *node) != 0)
        i = (i + 1) & tree->table_mask;
    return &tree->table[i];
}

static void grow(BitTree *tree)
{
    tree->table_mask = tree->table_mask * 2 + 1;
    g_free(tree->table);
    tree->table = g_new0(uint32_t, (size_t)tree->table_mask + 1);
    for (uint32_t node = 1; node < tree->nodes.len; node++) *find_place(tree, &tree->nodes.data[node]) = node;
}

static uint32_t intern(BitTree *tree, const BitTreeNode *node)
{
    if (!(node->bits[0] | node->bits[1] | node->bits[2] | node->bits[3])) return 0;
    uint32_t *place = find_place(tree, node);
    uint32_t id = *place;
    if (id) return id;
    assert(tree->nodes.len < UINT32_MAX);
    id = *place = (uint32_t)tree->nodes.len;
    vec_push(&tree->nodes, *node);
    if (id >= tree->table_mask / 4 * 3) grow(tree);
    return id;
}

static uint32_t change(BitTree *tree, uint32_t id, unsigned height, const BitChange *changes, size_t n)
{
    BitTreeNode node = tree->nodes.data[id];
    if (height == 0) {
        for (size_t i = 0; i < n; i++) node.bits[changes[i].word % LEAF_WORDS] ^= changes[i].bits;
        return intern(tree, &node);
    }
    unsigned below = span_log2(height - 1);
    for (size_t i = 0, to; i < n; i = to) {
        uint32_t part = changes[i].word >> below;
        for (to = i + 1; to < n && changes[to].word >> below == part; to++) continue;
        uint32_t *child = &node.child[part % FAN];
        *child = change(tree, *child, height - 1, changes + i, to - i);
    }
    return intern(tree, &node);
}

/* The set with these bits turned over; the changes are sorted by word, each word once. */
static uint32_t turn_over(BitTree *tree, uint32_t root, const BitChange *changes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        assert(changes[i].word < tree->words && (!i || changes[i - 1].word < changes[i].word));
    return n ? change(tree, root, tree->height, changes, n) : root;
}

void bittree_delta_init(BitDelta *delta, uint32_t words)
{
    *delta = (BitDelta){.bits = g_new0(uint64_t, (size_t)words + 1)};
}

void bittree_delta_clear(BitDelta *delta)
{
    g_free(delta->bits);
    vec_free(&delta->touched);
    vec_free(&delta->changes);
}

uint32_t bittree_apply(BitTree *tree, uint32_t root, BitDelta *delta)
{
    if (delta->touched.len > 1) qsort(delta->touched.data, delta->touched.len, sizeof(uint32_t), compare_u32);
    vec_clear(&delta->changes);
    for (size_t i = 0; i < delta->touched.len; i++) {
        uint32_t word = delta->touched.data[i];
        if (delta->bits[word]) vec_push(&delta->changes, ((BitChange){delta->bits[word], word}));
        delta->bits[word] = 0;
    }
    vec_clear(&delta->touched);
    return turn_over(tree, root, delta->changes.data, delta->changes.len);
}

uint32_t bittree_put(BitTree *tree, const uint64_t *set)
{
    VEC(BitChange) changes = {0};
    for (uint32_t w = 0; w < tree->words; w++)
        if (set[w]) vec_push(&changes, ((BitChange){set[w], w}));
    uint32_t root = turn_over(tree, 0, changes.data, changes.len);
    vec_free(&changes);
    return root;
}

uint64_t bittree_word(const BitTree *tree, uint32_t root, uint32_t word)
{
    assert(word < tree->words && root < tree->nodes.len);
    for (unsigned height = tree->height; height > 0; height--)
        root = tree->nodes.data[root].child[(word >> span_log2(height - 1)) % FAN];
    return tree->nodes.data[root].bits[word % LEAF_WORDS];
}

void bittree_get(const BitTree *tree, uint32_t root, uint64_t *set)
{
    for (uint32_t w = 0; w < tree->words; w++) set[w] = bittree_word(tree, root, w);
}
