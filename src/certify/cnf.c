#include "certify/cnf.h"

#include <string.h>

/* Far below what 32-bit numbers of literals and clauses can name. */
#define MOST_VARIABLES ((int32_t)1 << 29)
#define MOST_LITERALS ((size_t)1 << 28)

void cnf_init(Cnf *c, Budget *budget)
{
    *c = (Cnf){.budget = budget};
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
    if (c->n_variables == MOST_VARIABLES) c->stopped = "too many clauses";
    return c->stopped ? c->truth : ++c->n_variables;
}

void cnf_clause(Cnf *c, const int32_t *literals, size_t n)
{
    if (c->literals.len > MOST_LITERALS - MIN(n, MOST_LITERALS)) c->stopped = "too many clauses";
    if (budget_charge(c->budget, (uint32_t)MIN(n, 1000000) + 1)) c->stopped = budget_text(c->budget);
    if (c->stopped) return;
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
    g_autofree int32_t *clause = g_new(int32_t, n + 1);
    clause[0] = -result;
    memcpy(clause + 1, literals, n * sizeof *clause);
    cnf_clause(c, clause, n + 1);
    return result;
}

int32_t cnf_and(Cnf *c, const int32_t *literals, size_t n)
{
    g_autofree int32_t *negated = g_new(int32_t, n + 1);
    for (size_t i = 0; i < n; i++) negated[i] = -literals[i];
    return -cnf_or(c, negated, n);
}

/* `before` is a literal that holds if one of the first i does. */
void cnf_at_most_one(Cnf *c, const int32_t *literals, size_t n)
{
    int32_t before = -c->truth;
    for (size_t i = 0; i < n; i++) {
        cnf_clause_of(c, -before, -literals[i]);
        if (i + 1 == n) break;
        int32_t next = cnf_variable(c);
        cnf_clause_of(c, -before, next);
        cnf_clause_of(c, -literals[i], next);
        before = next;
    }
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

/* ---- safe markings ---- */

static int32_t safe_at_most(Cnf *c, const FormulaTerm *terms, uint32_t n, int64_t bound, void *data)
{
    return cnf_safe_at_most(c, terms, n, bound, data);
}

/* One token at most: a weight of 2 is never there, and never inhibits; no token is always there. */
static int32_t safe_tokens(Cnf *c, uint32_t place, uint64_t weight, void *data)
{
    const int32_t *places = data;
    return weight > 1 ? -c->truth : weight == 1 ? places[place] : c->truth;
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

/* done: per formula its literal, 0: not yet. */
static int32_t literal_of(Cnf *c, const FormulaStore *s, FormulaId id, const CnfTests *tests, int32_t *done)
{
    if (done[id]) return done[id];
    const FormulaNode *n = formula_node(s, id);
    const uint32_t *items = vec_from(&s->items, n->from);
    switch ((FormulaKind)n->kind) {
    case FORMULA_FALSE: return -c->truth;
    case FORMULA_TRUE: return c->truth;
    case FORMULA_AT_MOST: return done[id] = tests->at_most(c, s->terms.data + n->from, n->len, n->bound, tests->data);
    case FORMULA_FIREABLE: return done[id] = any_enabled(c, s->net, items, n->len, tests);
    case FORMULA_UNFIREABLE: return done[id] = -any_enabled(c, s->net, items, n->len, tests);
    case FORMULA_ALIVE: return done[id] = any_enabled(c, s->net, NULL, s->net->n_transitions, tests);
    case FORMULA_DEADLOCK: return done[id] = -any_enabled(c, s->net, NULL, s->net->n_transitions, tests);
    case FORMULA_AND:
    case FORMULA_OR: break;
    }
    g_autofree int32_t *parts = g_new(int32_t, n->len + 1);
    for (uint32_t i = 0; i < n->len; i++) parts[i] = literal_of(c, s, items[i], tests, done);
    return done[id] = n->kind == FORMULA_AND ? cnf_and(c, parts, n->len) : cnf_or(c, parts, n->len);
}

int32_t cnf_formula(Cnf *c, const FormulaStore *s, FormulaId id, const CnfTests *tests)
{
    g_autofree int32_t *done = g_new0(int32_t, (size_t)id + 1);
    return literal_of(c, s, id, tests, done);
}
