#include "lts/statespace.h"

#include "lts/components.h"

#include <assert.h>

typedef struct Enabled {
    StateSpace *space;
    uint32_t n;
    bool *here; /* in the component at hand */
} Enabled;

static void note_firing(void *data, uint32_t from, uint32_t transition, uint32_t to)
{
    (void)from, (void)to;
    const Enabled *enabled = data;
    enabled->here[transition] = enabled->space->fireable[transition] = true;
}

static void note_component(void *data, const Component *component)
{
    const Enabled *enabled = data;
    StateSpace *space = enabled->space;
    space->n_components++;
    space->n_bottoms += component->bottom;
    for (uint32_t t = 0; t < enabled->n && component->bottom; t++) space->live[t] &= enabled->here[t];
    space->terminating &= !component->cyclic;
    memset(enabled->here, 0, enabled->n);
}

static bool components(const Explicit *search, StateSpace *space, Budget *budget)
{
    g_autofree bool *here = g_new0(bool, (size_t)search->net->n_transitions + 1);
    Enabled enabled = {space, search->net->n_transitions, here};
    ComponentVisitor visitor = {note_component, note_firing, &enabled};
    return components_visit(search, &visitor, budget);
}

static void bounds(const Explicit *search, StateSpace *space)
{
    const Net *net = search->net;
    for (uint32_t p = 0; p < net->n_places; p++) space->least[p] = space->most[p] = net->initial[p];
    for (uint32_t i = 0; i < search->store.len; i++) {
        const uint64_t *state = store_state(&search->store, i);
        for (uint32_t p = 0; p < net->n_places; p++) {
            uint64_t count = netlts_count(search->stepper->lts, state, p);
            space->least[p] = MIN(space->least[p], count);
            space->most[p] = MAX(space->most[p], count);
        }
    }
}

StateSpace *statespace_new(const Explicit *search, Budget *budget)
{
    const Net *net = search->net;
    assert(search->expanded == search->store.len);
    StateSpace *space = g_new0(StateSpace, 1);
    space->least = g_new(uint64_t, (size_t)net->n_places + 1);
    space->most = g_new(uint64_t, (size_t)net->n_places + 1);
    space->fireable = g_new0(bool, (size_t)net->n_transitions + 1);
    space->live = g_new(bool, (size_t)net->n_transitions + 1);
    memset(space->live, true, (size_t)net->n_transitions + 1);
    space->terminating = true;
    bounds(search, space);
    if (components(search, space, budget)) return space;
    statespace_free(space);
    return NULL;
}

void statespace_free(StateSpace *space)
{
    if (!space) return;
    g_free(space->least);
    g_free(space->most);
    g_free(space->fireable);
    g_free(space->live);
    g_free(space);
}
