#include "verify/upset.h"

#include <assert.h>

Upset *upset_new(const FormulaStore *formulas)
{
    Upset *u = g_new0(Upset, 1);
    u->formulas = formulas;
    u->n = formulas->nodes.len;
    u->lowering = g_new0(VecU32, u->n);
    u->known = g_new0(bool, u->n);
    return u;
}

void upset_free(Upset *u)
{
    if (!u) return;
    for (size_t i = 0; i < u->n; i++) vec_free(&u->lowering[i]);
    g_free(u->lowering);
    g_free(u->known);
    g_free(u);
}

/* How the sum changes when t fires. */
static __int128 change(const FormulaStore *f, const FormulaNode *node, uint32_t t)
{
    __int128 sum = 0;
    for (uint32_t i = 0; i < node->len; i++) {
        const FormulaTerm *term = &f->terms.data[node->from + i];
        __int128 put = net_arc_weight(f->net, ARC_POST, t, term->place);
        sum += term->coefficient * (put - (__int128)net_arc_weight(f->net, ARC_PRE, t, term->place));
    }
    return sum;
}

static const VecU32 *lowering(Upset *u, FormulaId id)
{
    if (!u->known[id]) {
        const FormulaNode *node = formula_node(u->formulas, id);
        for (uint32_t t = 0; t < u->formulas->net->n_transitions; t++)
            if (change(u->formulas, node, t) < 0) vec_push(&u->lowering[id], t);
        u->known[id] = true;
    }
    return &u->lowering[id];
}

static bool one_disabled(Stubborn *s, const uint32_t *transitions, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (stubborn_enabled(s, transitions[i])) {
            stubborn_add_disablers(s, transitions[i]);
            return true;
        }
    return false;
}

static bool holds(const Upset *u, FormulaId id, const Stubborn *s)
{
    return formula_holds(u->formulas, id, s->lts, s->state);
}

/* Formulas are at most FORMULA_MAX_DEPTH deep. */
static void add(Upset *u, FormulaId id, Stubborn *s, uint32_t choice, bool *varied)
{
    const FormulaStore *f = u->formulas;
    const FormulaNode *node = formula_node(f, id);
    const uint32_t *items = f->items.data + node->from;
    uint32_t n_false = 0, seen = 0;
    switch ((FormulaKind)node->kind) {
    case FORMULA_TRUE: assert(false); break;
    case FORMULA_FALSE: break;
    case FORMULA_AND:
        for (uint32_t i = 0; i < node->len; i++) n_false += !holds(u, items[i], s);
        if (choice < n_false) *varied = true;
        for (uint32_t i = 0; i < node->len; i++)
            if (!holds(u, items[i], s) && seen++ == choice % n_false) {
                add(u, items[i], s, choice / n_false, varied);
                break;
            }
        break;
    case FORMULA_OR:
        for (uint32_t i = 0; i < node->len; i++) add(u, items[i], s, choice, varied);
        break;
    case FORMULA_AT_MOST: {
        const VecU32 *list = lowering(u, id);
        for (size_t i = 0; i < list->len; i++) stubborn_add(s, list->data[i]);
        break;
    }
    case FORMULA_FIREABLE:
        for (uint32_t i = 0; i < node->len; i++) stubborn_add_enablers(s, items[i]);
        break;
    case FORMULA_UNFIREABLE: one_disabled(s, items, node->len); break;
    case FORMULA_DEADLOCK:
        for (uint32_t t = 0; t < f->net->n_transitions; t++)
            if (one_disabled(s, &t, 1)) break;
        break;
    case FORMULA_ALIVE: break; /* false at dead markings only: nothing can be done */
    }
}

bool upset_add(Upset *u, FormulaId id, Stubborn *s, uint32_t choice)
{
    assert(id < u->n);
    bool varied = choice == 0;
    add(u, id, s, choice, &varied);
    return varied;
}
