#include "symbolic/levels.h"

#include "net/invariant.h"
#include "symbolic/order.h"

/* ---- groups ---- */

static bool is_changed_by(const Net *net, uint32_t t, uint32_t p)
{
    return net_arc_weight(net, ARC_PRE, t, p) != net_arc_weight(net, ARC_POST, t, p);
}

static bool never_changes(const Net *net, uint32_t p)
{
    const ArcKind kinds[] = {ARC_PRE, ARC_POST};
    for (size_t k = 0; k < G_N_ELEMENTS(kinds); k++) {
        NetRow row = net_transitions(net, kinds[k], p);
        for (uint32_t i = 0; i < row.len; i++)
            if (is_changed_by(net, row.node[i], p)) return false;
    }
    return true;
}

#define OPEN (NET_NONE - 1) /* in no group yet */

static void group_units(const Net *net, Levels *levels)
{
    for (uint32_t u = 0; u < net->nupn->n_units; u++) {
        const NetUnit *unit = &net->nupn->units[u];
        bool used = false;
        for (uint32_t i = 0; i < unit->n_places; i++) {
            uint32_t *group = &levels->of_place[unit->places[i]];
            if (*group != OPEN) continue;
            *group = levels->n;
            used = true;
        }
        levels->n += used;
    }
}

static uint32_t open_places(const Invariant *invariant, const Levels *levels)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < invariant->len; i++) n += levels->of_place[invariant->place[i]] == OPEN;
    return n;
}

/* One token that some places share, or two places of which one has what the other lacks. */
static bool is_group(const Invariant *invariant)
{
    bool plain = true;
    for (uint32_t i = 0; i < invariant->len; i++) plain = plain && invariant->weight[i] == 1;
    return plain && (invariant->tokens == 1 || invariant->len == 2);
}

/* The invariants that cover most places which are in no group yet, one after the other. */
static bool group_invariants(const Net *net, Levels *levels, Budget *budget)
{
    g_autoptr(Invariants) invariants = invariant_compute(net, 0, budget);
    while (invariants && !budget_charge(budget, 100 + 100 * invariants->n)) {
        uint32_t best = 0, most = 1;
        for (uint32_t i = 0; i < invariants->n; i++) {
            uint32_t n = is_group(&invariants->item[i]) ? open_places(&invariants->item[i], levels) : 0;
            if (n <= most) continue;
            best = i;
            most = n;
        }
        if (most == 1) return true;
        const Invariant *chosen = &invariants->item[best];
        for (uint32_t i = 0; i < chosen->len; i++)
            if (levels->of_place[chosen->place[i]] == OPEN) levels->of_place[chosen->place[i]] = levels->n;
        levels->n++;
    }
    return false;
}

static bool group(const Net *net, LevelsGrouping grouping, Levels *levels, Budget *budget)
{
    for (uint32_t p = 0; p < net->n_places; p++) levels->of_place[p] = never_changes(net, p) ? NET_NONE : OPEN;
    if (grouping == LEVELS_UNITS && net->nupn) group_units(net, levels);
    if (grouping == LEVELS_UNITS && !net->nupn && !group_invariants(net, levels, budget)) return false;
    for (uint32_t p = 0; p < net->n_places; p++)
        if (levels->of_place[p] == OPEN) levels->of_place[p] = levels->n++;
    return true;
}

/* ---- all ---- */

Levels *levels_new(const Net *net, LevelsGrouping grouping, LevelsOrder order, Budget *budget)
{
    g_autoptr(Levels) levels = g_new0(Levels, 1);
    levels->of_place = g_new(uint32_t, (size_t)net->n_places + 1);
    if (!group(net, grouping, levels, budget)) return NULL;
    g_autofree uint32_t *level = symbolic_order_groups(net, levels->of_place, levels->n, order, budget);
    if (!level) return NULL;
    for (uint32_t p = 0; p < net->n_places; p++)
        if (levels->of_place[p] != NET_NONE) levels->of_place[p] = level[levels->of_place[p]];
    return g_steal_pointer(&levels);
}

void levels_free(Levels *levels)
{
    if (!levels) return;
    g_free(levels->of_place);
    g_free(levels);
}
