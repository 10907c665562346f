/* Call stacks, kept as a tree: a node is a stack, its parent the stack below its last call. Threads and accesses
 * remember a node; so what is told of an access in the past has the whole stack of that moment. The tree outlives
 * executions: it has one node per way that the program calls. */
#pragma once
#include "run/own.h"

enum { CALLS_ROOT = 0, MAX_CALLS = 1 << 12 }; /* deeper stacks end there */

typedef struct Call {
    uintptr_t caller;                    /* return address */
    uint32_t parent, depth, child, next; /* child: the one entered last; next: in its hash chain */
} Call;

typedef struct Calls {
    OWN_VECTOR(Call) node;
    uint32_t *bucket, n_buckets;
} Calls;

void calls_start(Calls *calls);
uint32_t calls_find(Calls *calls, uint32_t node, uintptr_t caller);

/* The stack after a call. */
static inline uint32_t calls_enter(Calls *calls, uint32_t node, uintptr_t caller)
{
    uint32_t child = calls->node.data[node].child;
    const Call *known = &calls->node.data[child];
    if (known->caller == caller && known->parent == node && child) return child;
    return calls_find(calls, node, caller);
}
