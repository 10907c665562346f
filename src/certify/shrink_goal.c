/* The goal on the net that the steps left. */
#include "certify/goal_map.h"
#include "certify/shrink.h"
#include "certify/wide.h"

typedef struct Translation {
    const Shrink *s;
    FormulaStore *to;
    bool fits;
} Translation;

/* sum <= bound, where removed places stand for what is known of them. */
static FormulaId compare(Translation *tr, const FormulaTerm *terms, size_t n, Int128 given)
{
    const Shrink *s = tr->s;
    g_autofree FormulaTerm *left = g_new0(FormulaTerm, n + 1);
    size_t len = 0;
    Wide bound = wide_of(given);
    for (size_t i = 0; i < n; i++) {
        uint32_t p = terms[i].place;
        for (; p != NET_NONE && s->places[p].gone; p = s->places[p].like) {
            g_assert(s->places[p].known);
            wide_add_product(&bound, terms[i].coefficient, -(Int128)s->places[p].plus);
        }
        if (p == NET_NONE) continue;
        uint32_t place = net_find_place(tr->to->net, net_place_id(s->net, p));
        left[len++] = (FormulaTerm){place, terms[i].coefficient};
    }
    FormulaId id = FORMULA_ID_FALSE;
    int64_t small;
    if (!wide_fits(bound, &small) || !formula_at_most(tr->to, left, len, small, &id, NULL)) tr->fits = false;
    return id;
}

/* Every need and limit of t in the net as it was given. */
static FormulaId enabled(Translation *tr, uint32_t t)
{
    const Net *net = tr->s->net;
    VecU32 all = {0};
    for (int kind = 0; kind < N_ARC_KINDS; kind++) {
        NetRow row = net_places(net, kind, t);
        for (uint32_t i = 0; i < row.len && kind != ARC_POST; i++) {
            int64_t w = (int64_t)net_weight(row, i);
            if (kind == ARC_INHIBIT)
                vec_push(&all, compare(tr, &(FormulaTerm){row.node[i], 1}, 1, w - 1));
            else
                vec_push(&all, compare(tr, &(FormulaTerm){row.node[i], -1}, 1, -w));
        }
    }
    FormulaId id = formula_and(tr->to, all.data, all.len);
    vec_free(&all);
    return id;
}

static FormulaId dead(const Translation *tr)
{
    const Net *net = tr->to->net;
    for (uint32_t t = 0; t < net->n_transitions; t++) {
        uint32_t asks =
            net_places(net, ARC_PRE, t).len + net_places(net, ARC_READ, t).len + net_places(net, ARC_INHIBIT, t).len;
        if (asks == 0) return FORMULA_ID_FALSE;
    }
    return net->n_transitions ? formula_deadlock(tr->to) : FORMULA_ID_TRUE;
}

static bool translate(void *data, FormulaNode node, FormulaId *id)
{
    Translation *tr = data;
    const FormulaStore *from = tr->s->formulas;
    VecU32 parts = {0};
    g_assert(node.kind != FORMULA_ALIVE); /* shrink_new() refuses it */
    if (node.kind == FORMULA_DEADLOCK) {
        *id = dead(tr);
    } else if (node.kind == FORMULA_AT_MOST) {
        *id = compare(tr, from->terms.data + node.from, node.len, node.bound);
    } else {
        for (uint32_t i = 0; i < node.len; i++) vec_push(&parts, enabled(tr, from->items.data[node.from + i]));
        *id = formula_or(tr->to, parts.data, parts.len);
        if (node.kind == FORMULA_UNFIREABLE) *id = formula_not(tr->to, *id);
    }
    vec_free(&parts);
    return tr->fits;
}

bool shrink_goal(const Shrink *s, FormulaStore *to, FormulaId *goal)
{
    Translation tr = {s, to, true};
    return goal_map(s->formulas, s->goal, to, translate, &tr, goal);
}
