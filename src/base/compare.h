/* Comparisons for qsort() and bsearch(). */
#pragma once
#include <stdint.h>

/* Of numbers such as ids, the smaller first. */
static inline int compare_u32(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static inline int compare_u64(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Of measured numbers: none is a NaN. */
static inline int compare_real(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Inside a comparison: the smaller one first, the rest decides between equals. */
#define COMPARE(x, y)                                                                                                  \
    if ((x) != (y)) return (x) < (y) ? -1 : 1

/* Defines a comparison of structs by one member, or by two. */
#define COMPARE_BY(name, Type, member)                                                                                 \
    static int name(const void *a, const void *b)                                                                      \
    {                                                                                                                  \
        const Type *x = a, *y = b;                                                                                     \
        return (x->member > y->member) - (x->member < y->member);                                                      \
    }
#define COMPARE_BY_BOTH(name, Type, first, second)                                                                     \
    static int name(const void *a, const void *b)                                                                      \
    {                                                                                                                  \
        const Type *x = a, *y = b;                                                                                     \
        COMPARE(x->first, y->first);                                                                                   \
        return (x->second > y->second) - (x->second < y->second);                                                      \
    }
