#include "certify/stubborn_sets.h"

#include "certify/holds.h"

#include <assert.h>

/* Lists are filled transition by transition: the same one comes in a row. */
static void note(VecU32 *list, uint32_t t)
{
    if (!list->len || vec_last(list) != t) vec_push(list, t);
}

StubbornSets *stubborn_sets_new(const Net *net, const FormulaStore *formulas, FormulaId goal)
{
    StubbornSets *n = g_new0(StubbornSets, 1);
    *n = (StubbornSets){.net = net,
                        .formulas = formulas,
                        .goal = goal,
                        .in = g_new0(bool, net->n_transitions + 1),
                        .coefficient = g_new0(int64_t, net->n_places + 1)};
    n->raises = g_new0(VecU32, net->n_places + 1);
    n->lowers = g_new0(VecU32, net->n_places + 1);
    n->needs = g_new0(VecU32, net->n_places + 1);
    n->limits = g_new0(VecU32, net->n_places + 1);
    for (uint32_t t = 0; t < net->n_transitions; t++)
        for (int kind = 0; kind < N_ARC_KINDS; kind++) {
            NetRow row = net_places(net, kind, t);
            for (uint32_t i = 0; i < row.len; i++) {
                uint32_t p = row.node[i];
                uint64_t taken = net_arc_weight(net, ARC_PRE, t, p), put = net_arc_weight(net, ARC_POST, t, p);
                if (put > taken) note(&n->raises[p], t);
                if (put < taken) note(&n->lowers[p], t);
                if (kind == ARC_PRE || kind == ARC_READ) note(&n->needs[p], t);
                if (kind == ARC_INHIBIT) note(&n->limits[p], t);
            }
        }
    return n;
}

void stubborn_sets_free(StubbornSets *n)
{
    if (!n) return;
    VecU32 *const lists[] = {n->raises, n->lowers, n->needs, n->limits};
    for (size_t k = 0; k < G_N_ELEMENTS(lists); k++) {
        for (uint32_t p = 0; p < n->net->n_places; p++) vec_free(&lists[k][p]);
        g_free(lists[k]);
    }
    vec_free(&n->members);
    g_free(n->coefficient);
    g_free(n->in);
    g_free(n);
}

static void add(StubbornSets *n, uint32_t t)
{
    if (n->in[t]) return;
    n->in[t] = true;
    vec_push(&n->members, t);
}

static void add_all(StubbornSets *n, const VecU32 *list)
{
    for (size_t i = 0; i < list->len; i++) add(n, list->data[i]);
}

/* t is not enabled: what could change that, of the place where least could. */
static void add_enablers(StubbornSets *n, uint32_t t)
{
    const VecU32 *best = NULL;
    for (int kind = 0; kind < N_ARC_KINDS; kind++) {
        NetRow row = net_places(n->net, kind, t);
        for (uint32_t i = 0; i < row.len && kind != ARC_POST; i++) {
            uint32_t p = row.node[i];
            bool lacks = kind != ARC_INHIBIT && n->marking[p] < net_weight(row, i),
                 many = kind == ARC_INHIBIT && n->marking[p] >= net_weight(row, i);
            const VecU32 *list = lacks ? &n->raises[p] : many ? &n->lowers[p] : NULL;
            if (list && (!best || list->len < best->len)) best = list;
        }
    }
    g_assert(best);
    add_all(n, best);
}

/* What could disable t. */
static void add_disablers(StubbornSets *n, uint32_t t)
{
    for (int kind = 0; kind < N_ARC_KINDS; kind++) {
        NetRow row = net_places(n->net, kind, t);
        for (uint32_t i = 0; i < row.len && kind != ARC_POST; i++)
            add_all(n, kind == ARC_INHIBIT ? &n->raises[row.node[i]] : &n->lowers[row.node[i]]);
    }
}

/* What t could disable. */
static void add_disabled(StubbornSets *n, uint32_t t)
{
    for (int kind = 0; kind < 2; kind++) {
        NetRow row = net_places(n->net, kind ? ARC_POST : ARC_PRE, t);
        for (uint32_t i = 0; i < row.len; i++) {
            uint32_t p = row.node[i];
            uint64_t taken = net_arc_weight(n->net, ARC_PRE, t, p), put = net_arc_weight(n->net, ARC_POST, t, p);
            if (put < taken) add_all(n, &n->needs[p]);
            if (put > taken) add_all(n, &n->limits[p]);
        }
    }
}

/* Of several that would do, the one that the choice says. */
static uint32_t choose(StubbornSets *n, const VecU32 *from)
{
    assert(from->len);
    n->choices = MAX(n->choices, (unsigned)from->len);
    return from->data[n->choice % from->len];
}

/* Does firing t make the sum with these coefficients smaller? */
static bool lowers_sum(const StubbornSets *n, uint32_t t)
{
    Wide change = wide_of(0);
    for (int kind = 0; kind < 2; kind++) {
        NetRow row = net_places(n->net, kind ? ARC_POST : ARC_PRE, t);
        for (uint32_t i = 0; i < row.len; i++) {
            Int128 weight = net_weight(row, i);
            wide_add_product(&change, n->coefficient[row.node[i]], kind ? weight : -weight);
        }
    }
    return wide_sign(change) < 0;
}

static void add_lowering(StubbornSets *n, const FormulaTerm *terms, uint32_t len)
{
    for (uint32_t i = 0; i < len; i++) n->coefficient[terms[i].place] = terms[i].coefficient;
    for (uint32_t i = 0; i < len; i++) {
        const VecU32 *list = terms[i].coefficient > 0 ? &n->lowers[terms[i].place] : &n->raises[terms[i].place];
        for (size_t k = 0; k < list->len; k++)
            if (!n->in[list->data[k]] && lowers_sum(n, list->data[k])) add(n, list->data[k]);
    }
    for (uint32_t i = 0; i < len; i++) n->coefficient[terms[i].place] = 0;
}

/* One of the transitions is enabled and may not be: all that can disable a chosen one. `given` NULL: of all there are.
 */
static void add_stopping(StubbornSets *n, const uint32_t *given, uint32_t len)
{
    VecU32 enabled = {0};
    for (uint32_t i = 0; i < len; i++)
        if (net_enabled(n->net, n->marking, given ? given[i] : i)) vec_push(&enabled, given ? given[i] : i);
    if (enabled.len) add_disablers(n, choose(n, &enabled));
    vec_free(&enabled);
}

static void add_seeds(StubbornSets *n, FormulaId id)
{
    const FormulaNode *node = formula_node(n->formulas, id);
    const uint32_t *items = vec_from(&n->formulas->items, node->from);
    VecU32 parts = {0};
    assert(items || node->kind == FORMULA_AT_MOST || !node->len);
    switch ((FormulaKind)node->kind) {
    case FORMULA_TRUE: g_assert_not_reached();
    case FORMULA_FALSE:
    case FORMULA_ALIVE: break; /* never true; or the marking is dead, and stays what it is */
    case FORMULA_OR:
        for (uint32_t i = 0; i < node->len; i++) add_seeds(n, items[i]);
        break;
    case FORMULA_AND:
        for (uint32_t i = 0; i < node->len; i++)
            if (!holds_at(n->formulas, items[i], n->marking)) vec_push(&parts, items[i]);
        add_seeds(n, choose(n, &parts));
        break;
    case FORMULA_AT_MOST: add_lowering(n, n->formulas->terms.data + node->from, node->len); break;
    case FORMULA_FIREABLE:
        for (uint32_t i = 0; i < node->len; i++) add_enablers(n, items[i]);
        break;
    case FORMULA_UNFIREABLE: add_stopping(n, items, node->len); break;
    case FORMULA_DEADLOCK: add_stopping(n, NULL, n->net->n_transitions); break;
    }
    vec_free(&parts);
}

void stubborn_sets_at(StubbornSets *n, const uint64_t *marking, unsigned choice)
{
    for (size_t i = 0; i < n->members.len; i++) n->in[n->members.data[i]] = false;
    vec_clear(&n->members);
    n->marking = marking;
    n->choice = choice;
    n->choices = 1;
    add_seeds(n, n->goal);
    for (size_t i = 0; i < n->members.len; i++) {
        uint32_t t = n->members.data[i];
        if (net_enabled(n->net, marking, t))
            add_disabled(n, t);
        else
            add_enablers(n, t);
    }
}
