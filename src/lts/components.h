/* The strongly connected components of the reachability graph of a complete search (Tarjan, without recursion), each
 * told once, after all that can be reached from it. Successors are computed again when needed; memory is 9 bytes per
 * marking and the stack. */
#pragma once
#include "lts/explicit.h"

typedef struct Component {
    const uint32_t *member; /* markings */
    size_t n;
    bool bottom; /* it cannot be left */
    bool cyclic; /* a firing stays inside */
} Component;

typedef struct ComponentVisitor {
    void (*component)(void *data, const Component *component);
    /* A firing of a member, before the component is told: the marking that it leads to is a member too, or was in a
     * component told before. May be NULL. */
    void (*firing)(void *data, uint32_t from, uint32_t transition, uint32_t to);
    void *data;
} ComponentVisitor;

/* `search` has ended with ENDING_COMPLETE. False when the budget is spent. */
bool components_visit(const Explicit *search, const ComponentVisitor *visitor, Budget *budget);
