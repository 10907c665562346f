#include "certify/cnf.h"

#include <assert.h>
#include <stdlib.h>

void cnf_init(Cnf *c)
{
    *c = (Cnf){0};
    c->truth = cnf_variable(c);
    cnf_clause_of(c, c->truth);
}

void cnf_clear(Cnf *c)
{
    vec_free(&c->literals);
    *c = (Cnf){0};
}

int32_t cnf_variable(Cnf *c)
{
    assert(c->n_variables < INT32_MAX);
    return ++c->n_variables;
}

void cnf_clause(Cnf *c, const int32_t *literals, size_t n)
{
    vec_append(&c->literals, literals, n);
    vec_push(&c->literals, 0);
    c->n_clauses++;
}

int32_t cnf_or(Cnf *c, const int32_t *literals, size_t n)
{
    if (n == 0) return -c->truth;
    if (n == 1) return literals[0];
    int32_t result = cnf_variable(c);
    for (size_t i = 0; i < n; i++) cnf_clause_of(c, result, -literals[i]);
    vec_push(&c->literals, -result);
    cnf_clause(c, literals, n);
    return result;
}

int32_t cnf_and(Cnf *c, const int32_t *literals, size_t n)
{
    g_autofree int32_t *negated = g_new(int32_t, n + 1);
    for (size_t i = 0; i < n; i++) negated[i] = -literals[i];
    return -cnf_or(c, negated, n);
}

int32_t cnf_enabled(Cnf *c, const Net *net, uint32_t t, const CnfTests *tests)
{
    VecI32 needs = {0};
    const ArcKind kinds[] = {ARC_PRE, ARC_READ, ARC_INHIBIT};
    for (size_t k = 0; k < G_N_ELEMENTS(kinds); k++) {
        NetRow row = net_places(net, kinds[k], t);
        for (uint32_t i = 0; i < row.len; i++) {
            int32_t there = tests->tokens(c, row.node[i], net_weight(row, i), tests->data);
            vec_push(&needs, kinds[k] == ARC_INHIBIT ? -there : there);
        }
    }
    int32_t result = cnf_and(c, needs.data, needs.len);
    vec_free(&needs);
    return result;
}

/* ---- sums: totals of the terms so far, one literal per total that occurs ---- */

typedef struct Total {
    int64_t sum;
    int32_t literal;
} Total;

typedef VEC(Total) Totals;

static int compare_totals(const void *a, const void *b)
{
    int64_t x = ((const Total *)a)->sum, y = ((const Total *)b)->sum;
    return (x > y) - (x < y);
}

/* From "the total of the first i terms is s" to the same for i + 1. Equal sums join by or. */
static void add_term(Cnf *c, Totals *totals, int64_t coefficient, int32_t marked)
{
    Totals next = {0};
    for (size_t i = 0; i < totals->len; i++) {
        Total t = totals->data[i];
        vec_push(&next, ((Total){t.sum, cnf_and(c, (int32_t[]){t.literal, -marked}, 2)}));
        vec_push(&next, ((Total){t.sum + coefficient, cnf_and(c, (int32_t[]){t.literal, marked}, 2)}));
    }
    qsort(next.data, next.len, sizeof *next.data, compare_totals);
    vec_clear(totals);
    for (size_t i = 0; i < next.len;) {
        VecI32 same = {0};
        int64_t sum = next.data[i].sum;
        for (; i < next.len && next.data[i].sum == sum; i++) vec_push(&same, next.data[i].literal);
        vec_push(totals, ((Total){sum, cnf_or(c, same.data, same.len)}));
        vec_free(&same);
    }
    vec_free(&next);
}

static int32_t safe_at_most(Cnf *c, const FormulaTerm *terms, uint32_t n, int64_t bound, void *data)
{
    const int32_t *places = data;
    Totals totals = {0};
    vec_push(&totals, ((Total){0, c->truth}));
    for (uint32_t i = 0; i < n; i++) add_term(c, &totals, terms[i].coefficient, places[terms[i].place]);
    VecI32 good = {0};
    for (size_t i = 0; i < totals.len; i++)
        if (totals.data[i].sum <= bound) vec_push(&good, totals.data[i].literal);
    int32_t result = cnf_or(c, good.data, good.len);
    vec_free(&good);
    vec_free(&totals);
    return result;
}

/* One token at most: a weight of 2 is never there, and never inhibits. */
static int32_t safe_tokens(Cnf *c, uint32_t place, uint64_t weight, void *data)
{
    const int32_t *places = data;
    return weight > 1 ? -c->truth : places[place];
}

CnfTests cnf_safe_tests(int32_t *places)
{
    return (CnfTests){safe_tokens, safe_at_most, places};
}

/* ---- formulas ---- */

static int32_t any_enabled(Cnf *c, const Net *net, const uint32_t *transitions, uint32_t n, const CnfTests *tests)
{
    g_autofree int32_t *parts = g_new(int32_t, n + 1);
    for (uint32_t i = 0; i < n; i++) parts[i] = cnf_enabled(c, net, transitions ? transitions[i] : i, tests);
    return cnf_or(c, parts, n);
}

int32_t cnf_formula(Cnf *c, const FormulaStore *s, FormulaId id, const CnfTests *tests)
{
    const FormulaNode *n = formula_node(s, id);
    const uint32_t *items = s->items.data ? s->items.data + n->from : NULL;
    switch ((FormulaKind)n->kind) {
    case FORMULA_FALSE: return -c->truth;
    case FORMULA_TRUE: return c->truth;
    case FORMULA_AT_MOST: return tests->at_most(c, s->terms.data + n->from, n->len, n->bound, tests->data);
    case FORMULA_FIREABLE: return any_enabled(c, s->net, items, n->len, tests);
    case FORMULA_UNFIREABLE: return -any_enabled(c, s->net, items, n->len, tests);
    case FORMULA_ALIVE: return any_enabled(c, s->net, NULL, s->net->n_transitions, tests);
    case FORMULA_DEADLOCK: return -any_enabled(c, s->net, NULL, s->net->n_transitions, tests);
    case FORMULA_AND:
    case FORMULA_OR: break;
    }
    g_autofree int32_t *parts = g_new(int32_t, n->len + 1);
    for (uint32_t i = 0; i < n->len; i++) parts[i] = cnf_formula(c, s, items[i], tests);
    return n->kind == FORMULA_AND ? cnf_and(c, parts, n->len) : cnf_or(c, parts, n->len);
}
