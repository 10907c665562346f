/* The nodes of a diagram that a root reaches, numbered: those of level 0 first, then level by level, the root last. */
#pragma once
#include "base/hash.h"
#include "symbolic/diagram.h"

typedef struct Listing {
    VecU32 nodes;
    uint32_t *from;        /* where a level begins; n_levels + 1 of them */
    uint32_t *table, mask; /* open addressing: node -> its number */
} Listing;

/* False: the budget ended. The root is neither EMPTY nor ONE. Cleared by the caller in any case. */
bool listing_init(Listing *listing, Diagram *diagram, Node root);
void listing_clear(Listing *listing);

static inline uint32_t listing_number(const Listing *listing, Node node)
{
    uint32_t at = (uint32_t)hash_mix(node) & listing->mask;
    while (listing->nodes.data[listing->table[at]] != node) at = (at + 1) & listing->mask;
    return listing->table[at];
}
