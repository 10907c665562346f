/* The concurrency relation of a growing branching process, kept for the conditions that can still be
 * extended (those of cutoffs never enter).
 *
 * The conditions that one event produces have the same concurrent conditions when they are born, so
 * the relation is stored between groups: a group is up to `width` conditions of one producer, given
 * consecutive condition numbers, and a set of its members is a mask. For groups g < h the relation is
 * one mask over g's members: h is the newer one, and what is concurrent with one condition of h at its
 * birth is concurrent with all of them. That mask stands in h's list of older groups and in g's list
 * of newer ones; both are sorted by group. An entry is one word, group << width | mask, never 0 in the mask.
 *
 * The groups of the initial conditions, numbers below `clique`, are concurrent with each other as a whole; that stands
 * in no list.
 *
 * A long list that is asked again and again gets a row as well, a byte per group with the entry's mask, as long as rows
 * take less memory than the lists.
 *
 * Cost of a new event: the lengths of its preset's lists; memory: 8 bytes per pair of groups. */
#pragma once
#include "base/arena.h"
#include "base/vec.h"

#include <stdbool.h>

#define CO_MAX_WIDTH 8
#define CO_END UINT32_MAX /* behind the last entry of a list: no entry is as large */

typedef struct CoGroup {
    uint32_t *older, *newer;
    uint32_t n_older;
    uint32_t first; /* condition of member 0 */
    uint32_t row;   /* one more than its number in co->rows; 0: never asked for, UINT32_MAX: once */
} CoGroup;

/* A list by group: the masks of its entries, 0 for groups that are not in it. */
typedef struct CoRow {
    uint8_t *mask;
    uint32_t cap;
    uint32_t done; /* so many entries of the list of newer groups are in it */
} CoRow;

/* Some members of a group. */
typedef struct CoPart {
    uint32_t group, mask;
} CoPart;

typedef struct Co {
    unsigned width;
    uint32_t mask;    /* (1 << width) - 1 */
    uint32_t clique;  /* so many groups are of initial conditions */
    uint64_t n_pairs; /* entries in the lists of older groups */
    /* per group */
    uint32_t n_groups;
    size_t cap;
    CoGroup *groups;
    uint8_t *full;          /* the mask of all its members */
    uint32_t **next, **end; /* where its list of newer groups goes on, and where the room for it ends */

    uint32_t *common; /* result of co_common(), where the arena has room for it */
    uint32_t n_common;
    VEC(CoRow) rows;
    size_t row_bytes;
    Arena arena;
    uint32_t *spare[32]; /* freed blocks of newer lists by log2 of their capacity, linked */
} Co;

/* max_post: the largest postset, from which the width of the groups follows. */
Co *co_new(uint32_t max_post);
void co_free(Co *co);

/* Sets co->common to the entries concurrent with every member of every part: those are the conditions
 * concurrent with an event that consumes the parts. parts is not empty; its groups are distinct. */
void co_common(Co *co, const CoPart *parts, uint32_t n_parts);

/* Where n entries can be written that co->common is to have, and their end then. */
uint32_t *co_make_room(Co *co, uint32_t n);
void co_end_common(Co *co, uint32_t *end);

/* A new group for the conditions first, first+1, ... of one event, at most `width`, whose older list is co->common.
 * Returns its number. To be entered with co_enter() into the list of each of these groups. */
uint32_t co_add(Co *co, uint32_t first, uint32_t n);
/* A further group of the same event: co->common has the last one then, as its last entry. */
uint32_t co_add_sibling(Co *co, uint32_t first, uint32_t n);

/* Enters the newest group into the lists of co->common. */
void co_enter_all(Co *co);

/* Moves the list of newer groups of g to where there is room; returns where it goes on. */
uint32_t *co_grow(Co *co, uint32_t g);

/* Enters `newer`, one of a newer group with a mask of g's members, into g's list. */
static inline void co_enter(Co *co, uint32_t g, uint32_t newer)
{
    uint32_t *at = co->next[g];
    if (G_UNLIKELY(at == co->end[g])) at = co_grow(co, g);
    *at = newer;
    co->next[g] = at + 1;
}

/* The groups of the initial conditions 0 .. n-1, before any others. Linear. */
void co_start(Co *co, uint32_t n);

/* The condition as an entry: its group and a mask of one member. */
static inline uint32_t co_entry(const Co *co, uint32_t group, uint32_t condition)
{
    return group << co->width | 1u << (condition - co->groups[group].first);
}

/* Are two conditions, given as entries, concurrent? Logarithmic. */
bool co_test(const Co *co, uint32_t entry_c, uint32_t entry_d);

/* Would one more event overflow the entries' group field? */
static inline bool co_is_full(const Co *co, uint32_t n_more)
{
    return (uint64_t)co->n_groups + n_more >= (UINT64_C(1) << (32 - co->width)) - 1;
}
