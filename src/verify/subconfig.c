#include "verify/subconfig.h"

#include "sat/count.h"

/* Work of looking at what an event changes. */
enum { CHANGE_UNITS = 5 };

typedef struct Positions {
    const Query *query;
    const Config *config;
    Budget *budget;
    Sat *sat;
    Counter *counter;
    SatLit truth, first; /* variable of position i: first + i */
} Positions;

/* Adds factor * what t changes at p. */
static void add_change(Sum *sum, int64_t factor, const Net *net, uint32_t t, uint32_t p)
{
    exact_add_product(sum, factor, net_arc_weight(net, ARC_POST, t, p));
    exact_add(sum, -((__int128)factor * (__int128)net_arc_weight(net, ARC_PRE, t, p)));
}

/* sum of coefficient * tokens <= bound: the initial tokens are a constant, each event adds what it changes. */
static SatLit at_most(const Positions *q, const FormulaTerm *given, uint32_t n, __int128 bound)
{
    const Net *net = q->query->net;
    g_autofree CountTerm *terms = g_new(CountTerm, q->config->n + 1);
    uint32_t len = 0;
    Sum start = exact_of(0), limit = exact_of(bound);
    for (uint32_t i = 0; i < n; i++) exact_add_product(&start, given[i].coefficient, net->initial[given[i].place]);
    for (uint32_t i = 0; i < q->config->n; i++) {
        Sum change = exact_of(0);
        if (q->budget && budget_charge(q->budget, CHANGE_UNITS * n)) return q->truth;
        for (uint32_t k = 0; k < n; k++)
            add_change(&change, given[k].coefficient, net, q->config->label.data[i], given[k].place);
        if (exact_sign(change)) terms[len++] = (CountTerm){q->first + (SatLit)i, change};
    }
    exact_add_sum(&limit, exact_minus(start));
    return count_at_most(q->counter, terms, len, limit);
}

static SatLit any_of(const Positions *q, const SatLit *literals, size_t n)
{
    SatLit result = sat_variable(q->sat);
    for (size_t i = 0; i < n; i++) sat_clause_of(q->sat, result, -literals[i]);
    sat_add(q->sat, -result);
    for (size_t i = 0; i < n; i++) sat_add(q->sat, literals[i]);
    sat_add(q->sat, 0);
    return result;
}

static SatLit enabled(const Positions *q, uint32_t t)
{
    const Net *net = q->query->net;
    VEC(SatLit) obstacles = {0};
    for (int kind = 0; kind < N_ARC_KINDS; kind++) {
        NetRow row = net_places(net, kind, t);
        for (uint32_t i = 0; i < row.len && kind != ARC_POST; i++) {
            SatLit fewer = at_most(q, &(FormulaTerm){row.node[i], 1}, 1, (__int128)net_weight(row, i) - 1);
            vec_push(&obstacles, kind == ARC_INHIBIT ? -fewer : fewer);
        }
    }
    SatLit result = -any_of(q, obstacles.data, obstacles.len);
    vec_free(&obstacles);
    return result;
}

static SatLit any_enabled(const Positions *q, const uint32_t *transitions, uint32_t n)
{
    g_autofree SatLit *parts = g_new(SatLit, n + 1);
    for (uint32_t i = 0; i < n; i++) parts[i] = enabled(q, transitions ? transitions[i] : i);
    return any_of(q, parts, n);
}

/* `of`: the literals of what is below. */
static SatLit literal_of(const Positions *q, const FormulaNode *n, const SatLit *of)
{
    const FormulaStore *s = q->query->formulas;
    const uint32_t *items = vec_from(&s->items, n->from);
    switch ((FormulaKind)n->kind) {
    case FORMULA_FALSE: return -q->truth;
    case FORMULA_TRUE: return q->truth;
    case FORMULA_AT_MOST: return at_most(q, s->terms.data + n->from, n->len, n->bound);
    case FORMULA_FIREABLE: return any_enabled(q, items, n->len);
    case FORMULA_UNFIREABLE: return -any_enabled(q, items, n->len);
    case FORMULA_ALIVE: return any_enabled(q, NULL, q->query->net->n_transitions);
    case FORMULA_DEADLOCK: return -any_enabled(q, NULL, q->query->net->n_transitions);
    case FORMULA_AND:
    case FORMULA_OR: break;
    }
    bool all = n->kind == FORMULA_AND;
    g_autofree SatLit *parts = g_new(SatLit, n->len + 1);
    /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): where len > 0 there are items */
    for (uint32_t i = 0; i < n->len; i++) parts[i] = of[items[i]] * (all ? -1 : 1);
    return any_of(q, parts, n->len) * (all ? -1 : 1);
}

static SatLit goal_literal(const Positions *q)
{
    const FormulaStore *s = q->query->formulas;
    FormulaId goal = q->query->goal;
    VecU32 below = {0};
    g_autofree SatLit *of = g_new(SatLit, (size_t)goal + 1);
    formula_below(s, goal, &below);
    for (size_t i = 0; i < below.len; i++) of[below.data[i]] = literal_of(q, formula_node(s, below.data[i]), of);
    vec_free(&below);
    return of[goal];
}

SatAnswer subconfig_reach(const Query *query, const Config *config, Budget *budget, VecU32 *run)
{
    g_autoptr(Sat) sat = sat_new();
    Positions q = {.query = query, .config = config, .budget = budget, .sat = sat, .truth = sat_variable(sat)};
    g_autoptr(Counter) counter = q.counter = count_new(sat, q.truth);
    sat_clause_of(sat, q.truth);
    q.first = sat_variables(sat, (int)config->n);
    sat_begin(sat, budget);
    for (uint32_t i = 0; i < config->n; i++)
        for (BITSET_EACH(below, config_local(config, i), config->words))
            if (below != i) sat_clause_of(sat, -(q.first + (SatLit)i), q.first + (SatLit)below);
    SatLit goal = goal_literal(&q);
    vec_clear(run);
    sat_clause_of(sat, goal);
    if (!sat_end(sat)) return SAT_UNKNOWN;
    SatAnswer answer = sat_solve(sat, budget);
    for (uint32_t i = 0; answer == SAT_YES && i < config->n; i++)
        if (sat_value(sat, q.first + (SatLit)i)) vec_push(run, config->label.data[i]);
    return answer;
}
