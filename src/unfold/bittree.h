/* Long bit sets that differ little from each other, the markings of a large net, each part kept once. A set is a tree
 * of nodes of 256 bits, and of 8 children above them; equal nodes are the same node, so two sets are equal iff their
 * roots are. A set made from another one costs a path per changed word, in time and in memory, whatever its length.
 *
 * Node 0 is empty at every height. Nodes live as long as the tree. */
#pragma once
#include "base/vec.h"

typedef struct BitTreeNode {
    union {
        uint64_t bits[4];
        uint32_t child[8];
    };
} BitTreeNode;

typedef struct BitTree {
    uint32_t words;  /* per set */
    unsigned height; /* of the root; nodes of height 0 hold bits */
    VEC(BitTreeNode) nodes;
    uint32_t *table; /* node, 0 = free; open addressing */
    uint32_t table_mask;
} BitTree;

/* Bits to turn over. */
typedef struct BitChange {
    uint64_t bits;
    uint32_t word;
} BitChange;

/* Changes that are gathered one by one; empty between uses. */
typedef struct BitDelta {
    uint64_t *bits; /* all words of a set, zero but for `touched` */
    VecU32 touched; /* words, some perhaps several times */
    VEC(BitChange) changes;
} BitDelta;

void bittree_init(BitTree *tree, uint32_t words);
void bittree_clear(BitTree *tree);

void bittree_delta_init(BitDelta *delta, uint32_t words);
void bittree_delta_clear(BitDelta *delta);

static inline void bittree_delta_toggle(BitDelta *delta, uint32_t word, uint64_t bits)
{
    if (!delta->bits[word]) vec_push(&delta->touched, word);
    delta->bits[word] ^= bits;
}

/* The set with the gathered bits turned over; empties the delta. */
uint32_t bittree_apply(BitTree *tree, uint32_t root, BitDelta *delta);
/* A set from its words, and back. */
uint32_t bittree_put(BitTree *tree, const uint64_t *set);
void bittree_get(const BitTree *tree, uint32_t root, uint64_t *set);
/* One word of a set. */
uint64_t bittree_word(const BitTree *tree, uint32_t root, uint32_t word);
