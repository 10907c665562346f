#include "verify/subconfig.h"

#include "sat/count.h"

/* Sums of counts stay below. */
#define LARGEST ((__int128)1 << 62)

typedef struct Positions {
    const Query *query;
    const Config *config;
    Sat *sat;
    SatLit truth, first; /* variable of position i: first + i */
    bool *too_large;     /* a sum does not fit: there is no answer */
} Positions;

static __int128 change(const Net *net, uint32_t t, uint32_t p)
{
    return (__int128)net_arc_weight(net, ARC_POST, t, p) - (__int128)net_arc_weight(net, ARC_PRE, t, p);
}

/* sum of coefficient * tokens <= bound: the initial tokens are a constant, each event adds what it changes. */
static SatLit at_most(const Positions *q, const FormulaTerm *given, uint32_t n, __int128 bound)
{
    const Net *net = q->query->net;
    g_autofree CountTerm *terms = g_new(CountTerm, q->config->n + 1);
    uint32_t len = 0;
    /* Coefficients and counts have 64 bits, and a formula's sum few enough terms for 128. */
    for (uint32_t i = 0; i < n; i++) bound -= (__int128)given[i].coefficient * net->initial[given[i].place];
    __int128 largest = bound < 0 ? -bound : bound;
    for (uint32_t i = 0; i < q->config->n && largest < LARGEST; i++) {
        __int128 sum = 0;
        for (uint32_t k = 0; k < n; k++)
            sum += given[k].coefficient * change(net, q->config->label.data[i], given[k].place);
        largest += sum < 0 ? -sum : sum;
        if (sum && largest < LARGEST) terms[len++] = (CountTerm){q->first + (SatLit)i, (int64_t)sum};
    }
    if (largest >= LARGEST) {
        *q->too_large = true;
        return q->truth;
    }
    return count_at_most(q->sat, q->truth, terms, len, (int64_t)bound);
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

static SatLit literal_of(const Positions *q, FormulaId id)
{
    const FormulaStore *s = q->query->formulas;
    const FormulaNode *n = formula_node(s, id);
    const uint32_t *items = s->items.data ? s->items.data + n->from : NULL;
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
    for (uint32_t i = 0; i < n->len; i++) parts[i] = literal_of(q, items[i]) * (all ? -1 : 1);
    return any_of(q, parts, n->len) * (all ? -1 : 1);
}

SatAnswer subconfig_reach(const Query *query, const Config *config, Budget *budget, VecU32 *run)
{
    g_autoptr(Sat) sat = sat_new();
    bool too_large = false;
    Positions q = {query, config, sat, sat_variable(sat), 0, &too_large};
    sat_clause_of(sat, q.truth);
    q.first = sat_variables(sat, (int)config->n);
    for (uint32_t i = 0; i < config->n; i++)
        for (BITSET_EACH(below, config_local(config, i), config->words))
            if (below != i) sat_clause_of(sat, -(q.first + (SatLit)i), q.first + (SatLit)below);
    SatLit goal = literal_of(&q, query->goal);
    vec_clear(run);
    if (too_large) return SAT_UNKNOWN;
    sat_clause_of(sat, goal);
    SatAnswer answer = sat_solve(sat, budget);
    for (uint32_t i = 0; answer == SAT_YES && i < config->n; i++)
        if (sat_value(sat, q.first + (SatLit)i)) vec_push(run, config->label.data[i]);
    return answer;
}
