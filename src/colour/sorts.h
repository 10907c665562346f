/* The sorts of a coloured net: dot, enumerations, ranges of integers, blocks of a partition, and products of them.
 *
 * A colour of a basic sort is its number, from 0, below SORT_MAX_COLOURS. Products are flat: a product inside a product
 * counts by its leaves, the basic sorts in it from left to right, at most SORT_MAX_LEAVES. A colour of a product is the
 * number that its leaves' colours give in mixed radix, the first leaf counting most; it stays below 2^63. Two sorts
 * with the same leaves are the same sort, and so are two ranges with the same ends; two enumerations never are. */
#pragma once
#include "base/vec.h"

#include <stdbool.h>

typedef enum { SORT_DOT, SORT_FINITE, SORT_CYCLIC, SORT_RANGE, SORT_BLOCKS, SORT_PRODUCT } SortKind;

#define SORT_NONE UINT32_MAX
#define SORT_MAX_COLOURS ((uint64_t)UINT32_MAX)
enum { SORT_MAX_LEAVES = 64 };

typedef struct Sort {
    SortKind kind;
    uint64_t size;           /* colours */
    uint32_t leaf, n_leaves; /* slice of Sorts.leaves */
    int64_t start;           /* of a range */
    uint32_t name;           /* enumerations and blocks: slice of Sorts.names, one for each colour */
    uint32_t base, block;    /* blocks: the sort that is cut up; slice of Sorts.blocks, one for each colour of it */
} Sort;

typedef struct Sorts {
    VEC(Sort) sorts;
    VecU32 leaves;           /* basic sorts */
    VEC(const char *) names; /* borrowed */
    VecU32 blocks;
    GHashTable *products, *ranges; /* those there are already, by leaves and by ends */
} Sorts;

/* The sort number 0 is dot. */
void sorts_init(Sorts *sorts);
void sorts_clear(Sorts *sorts);

static inline const Sort *sort_at(const Sorts *sorts, uint32_t sort)
{
    return &sorts->sorts.data[sort];
}
/* The basic sort at one place of a product; of a basic sort itself. */
static inline uint32_t sort_leaf(const Sorts *sorts, uint32_t sort, uint32_t i)
{
    return sorts->leaves.data[sorts->sorts.data[sort].leaf + i];
}
static inline uint32_t sort_leaf_size(const Sorts *sorts, uint32_t sort, uint32_t i)
{
    return (uint32_t)sorts->sorts.data[sort_leaf(sorts, sort, i)].size;
}

/* An enumeration or partition without colours yet; sorts_add_name() adds them one by one, to the last sort made. */
uint32_t sorts_new(Sorts *sorts, SortKind kind);
void sorts_add_name(Sorts *sorts, uint32_t sort, const char *name);
/* SORT_NONE: no colour at all, or too many. */
uint32_t sorts_range(Sorts *sorts, int64_t start, int64_t end);
/* Basic sorts, at least one; SORT_NONE: too many leaves or colours. One leaf gives that sort. */
uint32_t sorts_product(Sorts *sorts, const uint32_t *leaves, size_t n);

/* Between numbers and leaves of a colour. */
void sort_split(const Sorts *sorts, uint32_t sort, uint64_t colour, uint32_t *leaves);
uint64_t sort_join(const Sorts *sorts, uint32_t sort, const uint32_t *leaves);

/* Appends what a colour of a basic sort is called: "." for dot, a number, or a name in which what is neither a letter,
 * a digit nor one of "_.-" is written %XX: then a list of such names is read in one way only. */
void sort_append_name(const Sorts *sorts, uint32_t basic, uint32_t colour, GString *out);
