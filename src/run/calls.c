#include "run/calls.h"

enum { FIRST_BUCKETS = 1 << 10 };

static uint32_t slot(const Calls *calls, uint32_t node, uintptr_t caller)
{
    return (uint32_t)(((caller + node) * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & (calls->n_buckets - 1);
}

static void rehash(Calls *calls)
{
    calls->n_buckets = calls->n_buckets ? 4 * calls->n_buckets : FIRST_BUCKETS;
    calls->bucket = own_pages(0, calls->n_buckets * sizeof *calls->bucket); /* 0: none, as nobody calls the root */
    for (uint32_t n = 1; n < calls->node.length; n++) {
        uint32_t *head = &calls->bucket[slot(calls, calls->node.data[n].parent, calls->node.data[n].caller)];
        calls->node.data[n].next = *head;
        *head = n;
    }
}

void calls_start(Calls *calls)
{
    own_push(&calls->node, (Call){0});
    rehash(calls);
}

uint32_t calls_find(Calls *calls, uint32_t node, uintptr_t caller)
{
    if (calls->node.length >= calls->n_buckets) rehash(calls);
    uint32_t *head = &calls->bucket[slot(calls, node, caller)], n = *head;
    while (n && !(calls->node.data[n].parent == node && calls->node.data[n].caller == caller))
        n = calls->node.data[n].next;
    if (!n) {
        Call call = {.caller = caller, .parent = node, .depth = calls->node.data[node].depth + 1, .next = *head};
        n = *head = calls->node.length;
        own_push(&calls->node, call);
    }
    calls->node.data[node].child = n;
    return n;
}
