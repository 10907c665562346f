#include "symbolic/listing.h"

static void number_nodes(Listing *l)
{
    uint32_t size = 8;
    while (size < 2 * l->nodes.len) size *= 2;
    l->mask = size - 1;
    l->table = g_new(uint32_t, size);
    memset(l->table, 0xff, size * sizeof *l->table);
    for (uint32_t i = 0; i < l->nodes.len; i++) {
        uint32_t at = (uint32_t)hash_mix(l->nodes.data[i]) & l->mask;
        while (l->table[at] != UINT32_MAX) at = (at + 1) & l->mask;
        l->table[at] = i;
    }
}

bool listing_init(Listing *l, Diagram *diagram, Node root)
{
    *l = (Listing){.from = g_new(uint32_t, (size_t)diagram->n_levels + 2)};
    bool done = diagram_list(diagram, root, &l->nodes, l->from);
    number_nodes(l);
    return done;
}

void listing_clear(Listing *l)
{
    vec_free(&l->nodes);
    g_free(l->from);
    g_free(l->table);
}
