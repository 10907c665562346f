#include "verify/goal_seeds.h"

#include "base/exact.h"

#include <assert.h>

GoalSeeds *goal_seeds_new(const FormulaStore *formulas)
{
    GoalSeeds *u = g_new0(GoalSeeds, 1);
    u->formulas = formulas;
    u->n = formulas->nodes.len;
    u->lowering = g_new0(VecU32, u->n);
    u->known = g_new0(bool, u->n);
    return u;
}

void goal_seeds_free(GoalSeeds *u)
{
    if (!u) return;
    for (size_t i = 0; i < u->n; i++) vec_free(&u->lowering[i]);
    g_free(u->lowering);
    g_free(u->known);
    g_free(u);
}

/* Does the sum become smaller when t fires? */
static bool lowers(const FormulaStore *f, const FormulaNode *node, uint32_t t)
{
    Sum change = exact_of(0);
    for (uint32_t i = 0; i < node->len; i++) {
        const FormulaTerm *term = &f->terms.data[node->from + i];
        exact_add_product(&change, term->coefficient, net_arc_weight(f->net, ARC_POST, t, term->place));
        exact_add_product(&change, -term->coefficient, net_arc_weight(f->net, ARC_PRE, t, term->place));
    }
    return exact_sign(change) < 0;
}

static const VecU32 *lowering(GoalSeeds *u, FormulaId id)
{
    if (!u->known[id]) {
        const FormulaNode *node = formula_node(u->formulas, id);
        for (uint32_t t = 0; t < u->formulas->net->n_transitions; t++)
            if (lowers(u->formulas, node, t)) vec_push(&u->lowering[id], t);
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

static bool holds(const GoalSeeds *u, FormulaId id, const Stubborn *s)
{
    return formula_holds(u->formulas, id, s->lts, s->state);
}

static void add_leaf(GoalSeeds *u, FormulaId id, Stubborn *s)
{
    const FormulaStore *f = u->formulas;
    const FormulaNode *node = formula_node(f, id);
    const uint32_t *items = vec_from(&f->items, node->from);
    switch ((FormulaKind)node->kind) {
    case FORMULA_TRUE:
    case FORMULA_AND:
    case FORMULA_OR: assert(false); break;
    case FORMULA_FALSE: break;
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

static void add_tree(GoalSeeds *u, FormulaId id, Stubborn *s, uint32_t choice, bool *varied)
{
    const FormulaNode *node = formula_node(u->formulas, id);
    const uint32_t *items = vec_from(&u->formulas->items, node->from);
    uint32_t n_false = 0, seen = 0;
    switch (node->kind) {
    case FORMULA_AND:
        for (uint32_t i = 0; i < node->len; i++) n_false += !holds(u, items[i], s);
        if (choice < n_false) *varied = true;
        for (uint32_t i = 0; i < node->len; i++)
            /* NOLINTNEXTLINE(clang-analyzer-core.DivideZero): this part is false, so that n_false > 0 */
            if (!holds(u, items[i], s) && seen++ == choice % n_false) {
                add_tree(u, items[i], s, choice / n_false, varied);
                break;
            }
        break;
    case FORMULA_OR:
        for (uint32_t i = 0; i < node->len; i++) add_tree(u, items[i], s, choice, varied);
        break;
    default: add_leaf(u, id, s); break;
    }
}

/* Each part once, always the first false one of a conjunction. */
static void add_graph(GoalSeeds *u, FormulaId root, Stubborn *s)
{
    const FormulaStore *f = u->formulas;
    VecU32 below = {0};
    g_autofree bool *values = g_new(bool, (size_t)root + 1), *wanted = g_new0(bool, (size_t)root + 1);
    formula_below(f, root, &below);
    formula_values(f, &below, s->lts, s->state, values);
    wanted[root] = true;
    for (size_t k = below.len; k-- > 0;) {
        FormulaId id = below.data[k];
        const FormulaNode *node = formula_node(f, id);
        const uint32_t *items = vec_from(&f->items, node->from);
        if (!wanted[id]) continue;
        if (node->kind == FORMULA_OR) {
            for (uint32_t i = 0; i < node->len; i++) wanted[items[i]] = true;
        } else if (node->kind == FORMULA_AND) {
            uint32_t i = 0;
            while (values[items[i]]) i++;
            wanted[items[i]] = true;
        } else {
            add_leaf(u, id, s);
        }
    }
    vec_free(&below);
}

bool goal_seeds_add(GoalSeeds *u, FormulaId id, Stubborn *s, uint32_t choice)
{
    assert(id < u->n);
    bool varied = choice == 0;
    if (!formula_is_shared(u->formulas, id))
        add_tree(u, id, s, choice, &varied);
    else
        add_graph(u, id, s);
    return varied;
}
