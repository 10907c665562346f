#include "api/handles.h"

#include "net/invariant.h"

struct mz_invariants {
    Handle handle;
    Invariants *found;
};

mz_invariants *mz_net_invariants(const mz_net *net, mz_limits *limits)
{
    assert(IS_HANDLE(net, NET));
    Call call;
    Budget *budget = api_limits_begin(limits, &call);
    mz_invariants *invariants = g_new0(mz_invariants, 1);
    invariants->handle = HANDLE_INVARIANTS;
    invariants->found = invariant_compute(api_net_inside(net), 0, budget);
    return invariants;
}

void mz_invariants_free(mz_invariants *invariants)
{
    if (!invariants) return;
    END_HANDLE(invariants, INVARIANTS);
    invariant_free(invariants->found);
    g_free(invariants);
}

uint32_t mz_invariants_count(const mz_invariants *invariants)
{
    assert(IS_HANDLE(invariants, INVARIANTS));
    return invariants->found->n;
}

bool mz_invariants_complete(const mz_invariants *invariants)
{
    assert(IS_HANDLE(invariants, INVARIANTS));
    return invariants->found->all;
}

static const Invariant *at(const mz_invariants *invariants, uint32_t i)
{
    assert(IS_HANDLE(invariants, INVARIANTS) && i < invariants->found->n);
    return &invariants->found->item[i];
}

const uint32_t *mz_invariants_places(const mz_invariants *invariants, uint32_t i, uint32_t *count)
{
    if (count) *count = at(invariants, i)->len;
    return at(invariants, i)->place;
}

const uint64_t *mz_invariants_weights(const mz_invariants *invariants, uint32_t i)
{
    return at(invariants, i)->weight;
}

uint64_t mz_invariants_value(const mz_invariants *invariants, uint32_t i)
{
    return at(invariants, i)->tokens;
}
