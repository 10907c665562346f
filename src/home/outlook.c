#include "home/outlook.h"

#include "base/exact.h"
#include "verify/survey.h"

Outlook *outlook_new(const Net *net)
{
    Outlook *o = g_new0(Outlook, 1);
    o->net = net;
    o->marking = g_new0(uint64_t, (size_t)net->n_places + 1);
    o->blocked = g_new0(bool, (size_t)net->n_transitions + 1);
    o->rises = g_new0(bool, (size_t)net->n_places + 1);
    o->falls = g_new0(bool, (size_t)net->n_places + 1);
    return o;
}

void outlook_free(Outlook *o)
{
    if (!o) return;
    g_free(o->marking);
    g_free(o->blocked);
    g_free(o->rises);
    g_free(o->falls);
    g_free(o);
}

static void read_trends(Outlook *o)
{
    const Net *net = o->net;
    memset(o->rises, 0, net->n_places);
    memset(o->falls, 0, net->n_places);
    for (uint32_t t = 0; t < net->n_transitions; t++) {
        if (o->blocked[t]) continue;
        for (int k = 0; k < 2; k++) {
            NetRow row = net_places(net, k ? ARC_POST : ARC_PRE, t);
            for (uint32_t i = 0; i < row.len; i++) {
                uint64_t other = net_arc_weight(net, k ? ARC_PRE : ARC_POST, t, row.node[i]);
                if (net_weight(row, i) > other) (k ? o->rises : o->falls)[row.node[i]] = true;
            }
        }
    }
}

static bool is_stuck(const Outlook *o, uint32_t t)
{
    static const ArcKind needed[] = {ARC_PRE, ARC_READ};
    for (size_t k = 0; k < G_N_ELEMENTS(needed); k++) {
        NetRow row = net_places(o->net, needed[k], t);
        for (uint32_t i = 0; i < row.len; i++)
            if (o->marking[row.node[i]] < net_weight(row, i) && !o->rises[row.node[i]]) return true;
    }
    NetRow row = net_places(o->net, ARC_INHIBIT, t);
    for (uint32_t i = 0; i < row.len; i++)
        if (o->marking[row.node[i]] >= net_weight(row, i) && !o->falls[row.node[i]]) return true;
    return false;
}

void outlook_at(Outlook *o, const uint64_t *marking)
{
    memcpy(o->marking, marking, o->net->n_places * sizeof *marking);
    survey_blocked(o->net, marking, o->blocked);
    for (bool changed = true; changed;) {
        changed = false;
        read_trends(o);
        for (uint32_t t = 0; t < o->net->n_transitions; t++)
            if (!o->blocked[t] && is_stuck(o, t)) o->blocked[t] = changed = true;
    }
}

/* The least value of the sum is at most its bound. */
static bool allows_sum(const Outlook *o, const FormulaStore *formulas, const FormulaNode *node)
{
    Sum least = exact_of(0);
    for (uint32_t i = 0; i < node->len; i++) {
        FormulaTerm term = formulas->terms.data[node->from + i];
        if (term.coefficient < 0 && o->rises[term.place]) return true;
        if (term.coefficient < 0 || !o->falls[term.place])
            exact_add_product(&least, term.coefficient, o->marking[term.place]);
    }
    return exact_compare(least, exact_of(node->bound)) <= 0;
}

static bool some_unblocked(const Outlook *o, const FormulaStore *formulas, const FormulaNode *node)
{
    for (uint32_t i = 0; i < node->len; i++)
        if (!o->blocked[formulas->items.data[node->from + i]]) return true;
    return false;
}

static bool all_blocked(const Outlook *o)
{
    for (uint32_t t = 0; t < o->net->n_transitions; t++)
        if (!o->blocked[t]) return false;
    return true;
}

static bool allows(const Outlook *o, const FormulaStore *formulas, const FormulaNode *node, const bool *below)
{
    switch ((FormulaKind)node->kind) {
    case FORMULA_FALSE: return false;
    case FORMULA_AT_MOST: return allows_sum(o, formulas, node);
    case FORMULA_FIREABLE: return some_unblocked(o, formulas, node);
    case FORMULA_ALIVE: return !all_blocked(o);
    case FORMULA_TRUE:
    case FORMULA_UNFIREABLE:
    case FORMULA_DEADLOCK: return true;
    case FORMULA_AND:
    case FORMULA_OR: break;
    }
    bool is_or = node->kind == FORMULA_OR;
    for (uint32_t i = 0; i < node->len; i++)
        if (below[formulas->items.data[node->from + i]] == is_or) return is_or;
    return !is_or;
}

bool outlook_allows(const Outlook *o, const FormulaStore *formulas, FormulaId goal)
{
    VecU32 below = {0};
    formula_below(formulas, goal, &below);
    g_autofree bool *value = g_new0(bool, (size_t)goal + 1);
    for (size_t i = 0; i < below.len; i++)
        value[below.data[i]] = allows(o, formulas, formula_node(formulas, below.data[i]), value);
    vec_free(&below);
    return value[goal];
}
