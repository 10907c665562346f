#include "lts/exclusive_places.h"

#include "base/vec.h"
#include "net/invariant.h"

enum { INVARIANT_WORK = 3000000 };

typedef struct Draft {
    uint32_t n_groups;
    VecU32 place, group; /* pairs */
} Draft;

static void from_invariants(Draft *draft, const Net *net, Budget *budget)
{
    Invariants *invariants = invariant_compute(net, INVARIANT_WORK, budget);
    for (uint32_t i = 0; invariants && i < invariants->n; i++) {
        const Invariant *y = &invariants->item[i];
        if (y->tokens == UINT64_MAX) continue;
        uint32_t heavy = 0;
        for (uint32_t k = 0; k < y->len; k++) heavy += y->weight[k] > y->tokens / 2;
        if (heavy < 2) continue;
        for (uint32_t k = 0; k < y->len; k++)
            if (y->weight[k] > y->tokens / 2) {
                vec_push(&draft->place, y->place[k]);
                vec_push(&draft->group, draft->n_groups);
            }
        draft->n_groups++;
    }
    invariant_free(invariants);
}

static uint64_t tokens_within(const Net *net, ArcKind kind, uint32_t t, const uint32_t *unit_of, uint32_t unit)
{
    NetRow row = net_places(net, kind, t);
    uint64_t sum = 0;
    for (uint32_t i = 0; i < row.len; i++)
        if (unit_of[row.node[i]] == unit) sum += MIN(net_weight(row, i), UINT32_MAX); /* fits */
    return sum;
}

/* The file's word is not enough: nothing may raise the unit's sum. */
static bool unit_is_proved(const Net *net, const NetUnit *unit, const uint32_t *unit_of, uint32_t id)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < unit->n_places; i++) {
        uint32_t p = unit->places[i];
        sum += MIN(net->initial[p], 2); /* fits */
        NetRow raisers = net_transitions(net, ARC_POST, p);
        for (uint32_t k = 0; k < raisers.len; k++)
            if (tokens_within(net, ARC_POST, raisers.node[k], unit_of, id) >
                tokens_within(net, ARC_PRE, raisers.node[k], unit_of, id))
                return false;
    }
    return sum <= 1;
}

static void from_units(Draft *draft, const Net *net)
{
    if (!net->nupn) return;
    g_autofree uint32_t *unit_of = g_new(uint32_t, (size_t)net->n_places + 1);
    memset(unit_of, 0xff, ((size_t)net->n_places + 1) * sizeof *unit_of);
    for (uint32_t u = 0; u < net->nupn->n_units; u++)
        for (uint32_t i = 0; i < net->nupn->units[u].n_places; i++) unit_of[net->nupn->units[u].places[i]] = u;
    for (uint32_t u = 0; u < net->nupn->n_units; u++) {
        const NetUnit *unit = &net->nupn->units[u];
        if (unit->n_places < 2 || !unit_is_proved(net, unit, unit_of, u)) continue;
        for (uint32_t i = 0; i < unit->n_places; i++) {
            vec_push(&draft->place, unit->places[i]);
            vec_push(&draft->group, draft->n_groups);
        }
        draft->n_groups++;
    }
}

ExclusivePlaces *exclusive_places_new(const Net *net, Budget *budget)
{
    Draft draft = {0};
    from_units(&draft, net);
    from_invariants(&draft, net, budget);
    ExclusivePlaces *exclusive = g_new0(ExclusivePlaces, 1);
    exclusive->n_groups = draft.n_groups;
    exclusive->start = g_new0(uint32_t, (size_t)net->n_places + 2);
    g_autofree uint32_t *count = g_new0(uint32_t, (size_t)net->n_places + 1);
    for (size_t i = 0; i < draft.place.len; i++)
        if (count[draft.place.data[i]]++ < EXCLUSIVE_GROUPS) exclusive->start[draft.place.data[i] + 2]++;
    for (uint32_t p = 0; p < net->n_places; p++) exclusive->start[p + 2] += exclusive->start[p + 1];
    exclusive->group = g_new(uint32_t, (size_t)exclusive->start[net->n_places + 1] + 1);
    memset(count, 0, (size_t)net->n_places * sizeof *count);
    for (size_t i = 0; i < draft.place.len; i++) {
        uint32_t p = draft.place.data[i];
        if (count[p]++ < EXCLUSIVE_GROUPS) exclusive->group[exclusive->start[p + 1]++] = draft.group.data[i];
    }
    vec_free(&draft.place);
    vec_free(&draft.group);
    return exclusive;
}

void exclusive_places_free(ExclusivePlaces *exclusive)
{
    if (!exclusive) return;
    g_free(exclusive->start);
    g_free(exclusive->group);
    g_free(exclusive);
}
