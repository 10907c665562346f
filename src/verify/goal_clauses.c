#include "verify/goal_clauses.h"

#include <assert.h>

static void begin_clause(GoalClauses *c)
{
    vec_push(&c->clauses, ((Clause){.from = (uint32_t)c->literals.len}));
}

/* Of the newest clause. */
static void add_literal(GoalClauses *c, uint32_t place, bool at_least, int64_t bound)
{
    vec_push(&c->literals, ((Literal){bound, place, (uint32_t)c->clauses.len - 1, at_least, false}));
    vec_last(&c->clauses).open++;
}

/* The tests of t, one clause each, or that one of them fails. */
static void add_guard(GoalClauses *c, const Net *net, uint32_t t, bool enabled)
{
    if (!enabled) begin_clause(c);
    for (ArcKind kind = 0; kind < N_ARC_KINDS; kind++) {
        if (kind == ARC_POST) continue;
        NetRow row = net_places(net, kind, t);
        for (uint32_t i = 0; i < row.len; i++) {
            int64_t weight = (int64_t)MIN(net_weight(row, i), INT64_MAX);
            bool at_least = (kind != ARC_INHIBIT) == enabled;
            if (enabled) begin_clause(c);
            add_literal(c, row.node[i], at_least, at_least ? weight : weight - 1);
        }
    }
}

static bool is_literal(const FormulaStore *f, const FormulaNode *node)
{
    if (node->kind != FORMULA_AT_MOST || node->len != 1) return false;
    int64_t coefficient = f->terms.data[node->from].coefficient;
    return coefficient == 1 || coefficient == -1;
}

static void add_node_literal(GoalClauses *c, const FormulaStore *f, const FormulaNode *node)
{
    const FormulaTerm *term = &f->terms.data[node->from];
    bool at_least = term->coefficient < 0;
    add_literal(c, term->place, at_least, at_least ? -node->bound : node->bound); /* bounds have opposites */
}

static void add_disjunction(GoalClauses *c, const FormulaStore *f, const FormulaNode *node)
{
    assert(f->items.data && node->from + node->len <= f->items.len); /* a disjunction has parts */
    const uint32_t *items = f->items.data + node->from;
    for (uint32_t i = 0; i < node->len; i++)
        if (!is_literal(f, formula_node(f, items[i]))) return;
    begin_clause(c);
    for (uint32_t i = 0; i < node->len; i++) add_node_literal(c, f, formula_node(f, items[i]));
}

/* A part of the goal's conjunction. */
static void add_part(GoalClauses *c, const FormulaStore *f, const FormulaNode *node)
{
    const uint32_t *items = f->items.data ? f->items.data + node->from : NULL;
    assert(items || (node->kind != FORMULA_FIREABLE && node->kind != FORMULA_UNFIREABLE) || !node->len);
    switch ((FormulaKind)node->kind) {
    case FORMULA_FALSE: c->never = true; return;
    case FORMULA_OR: add_disjunction(c, f, node); return;
    case FORMULA_AT_MOST:
        if (!is_literal(f, node)) return;
        begin_clause(c);
        add_node_literal(c, f, node);
        return;
    case FORMULA_FIREABLE:
        if (node->len == 1) add_guard(c, f->net, items[0], true);
        return;
    case FORMULA_UNFIREABLE:
        for (uint32_t i = 0; i < node->len; i++) add_guard(c, f->net, items[i], false);
        return;
    case FORMULA_DEADLOCK:
        for (uint32_t t = 0; t < f->net->n_transitions; t++) add_guard(c, f->net, t, false);
        return;
    case FORMULA_AND: /* none is below another */
    case FORMULA_TRUE:
    case FORMULA_ALIVE: return;
    }
}

void goal_clauses_init(GoalClauses *clauses, const FormulaStore *f, FormulaId goal)
{
    *clauses = (GoalClauses){0};
    const FormulaNode *node = formula_node(f, goal);
    if (node->kind != FORMULA_AND) add_part(clauses, f, node);
    for (uint32_t i = 0; node->kind == FORMULA_AND && i < node->len; i++)
        add_part(clauses, f, formula_node(f, f->items.data[node->from + i]));
}

void goal_clauses_clear(GoalClauses *clauses)
{
    vec_free(&clauses->literals);
    vec_free(&clauses->clauses);
}
