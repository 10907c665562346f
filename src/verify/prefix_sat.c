#include "verify/prefix_sat.h"

#include "prop/formula_fold.h"
#include "sat/count.h"

#include <assert.h>
#include <stdlib.h>

/* Work of an event besides the clauses it makes. */
enum { EVENT_UNITS = 100 };

struct PrefixSat {
    const Prefix *prefix;
    Sat *sat;
    Counter *counter;
    SatLit truth;                        /* a variable that is true */
    SatLit *event;                       /* 0: takes no part */
    SatLit *place;                       /* marked? */
    uint32_t *consumer_start, *consumer; /* events that take part, by condition */
    uint32_t *reader_start, *reader;
    GHashTable *goals; /* formula id + 1 -> literal, for `store` */
    const FormulaStore *store;
    SatLit *enabled; /* transition -> literal, 0: not made yet */
};

/* ---- which events take part ---- */

static bool *live_events(const Prefix *p)
{
    bool *live = g_new0(bool, p->n_events + 1);
    if (p->histories.n) {
        for (uint32_t h = 0; h < p->histories.n; h++)
            if (p->histories.companion[h] == PREFIX_NONE) live[p->histories.event[h]] = true;
    } else {
        for (uint32_t e = 0; e < p->n_events; e++) live[e] = !prefix_is_cutoff(p, e);
    }
    return live;
}

/* Conditions to the live events that consume (or read) them. */
static void invert(const Prefix *p, const bool *live, PrefixRow (*row)(const Prefix *, uint32_t), uint32_t **start,
                   uint32_t **list)
{
    *start = g_new0(uint32_t, p->n_conditions + 2);
    for (uint32_t e = 0; e < p->n_events; e++) {
        if (!live[e]) continue;
        PrefixRow r = row(p, e);
        for (uint32_t i = 0; i < r.len; i++) (*start)[r.id[i] + 1]++;
    }
    for (uint32_t c = 0; c < p->n_conditions; c++) (*start)[c + 1] += (*start)[c];
    *list = g_new(uint32_t, (*start)[p->n_conditions] + 1);
    g_autofree uint32_t *fill = g_memdup2(*start, (p->n_conditions + 1) * sizeof **start);
    for (uint32_t e = 0; e < p->n_events; e++) {
        if (!live[e]) continue;
        PrefixRow r = row(p, e);
        for (uint32_t i = 0; i < r.len; i++) (*list)[fill[r.id[i]]++] = e;
    }
}

static PrefixRow pre_row(const Prefix *p, uint32_t e)
{
    return prefix_pre(p, e);
}

static PrefixRow read_row(const Prefix *p, uint32_t e)
{
    return prefix_read(p, e);
}

/* ---- configurations ---- */

static void add_causes(PrefixSat *ps, uint32_t e, PrefixRow row)
{
    for (uint32_t i = 0; i < row.len; i++) {
        uint32_t producer = ps->prefix->condition_event[row.id[i]];
        if (producer != PREFIX_BOTTOM) sat_clause_of(ps->sat, -ps->event[e], ps->event[producer]);
    }
}

static void add_conflicts(PrefixSat *ps)
{
    VEC(SatLit) literals = {0};
    for (uint32_t c = 0; c < ps->prefix->n_conditions && !sat_spent(ps->sat); c++) {
        vec_clear(&literals);
        for (uint32_t i = ps->consumer_start[c]; i < ps->consumer_start[c + 1]; i++)
            vec_push(&literals, ps->event[ps->consumer[i]]);
        sat_at_most_one(ps->sat, literals.data, literals.len);
    }
    vec_free(&literals);
}

/* "Comes before" for chosen events: causes before effects, readers before the consumer. Only edges
 * inside one strongly connected part can close a cycle. Nodes are the events and, behind them, for a condition with
 * several readers and consumers the moment between the former and the latter: edges are then as many as these, not as
 * their pairs. */
typedef struct Before {
    uint32_t *start, *to;
    uint32_t *part; /* strongly connected part of a node */
    uint32_t *part_size;
} Before;

typedef VEC(uint32_t) Pairs;

static void add_edge(Pairs *pairs, uint32_t from, uint32_t to)
{
    if (from == to) return;
    vec_push(pairs, from);
    vec_push(pairs, to);
}

/* An event that reads what it consumes would come before itself: then pairs are needed. */
static bool meet(const PrefixSat *ps, uint32_t c)
{
    for (uint32_t i = ps->consumer_start[c]; i < ps->consumer_start[c + 1]; i++)
        for (uint32_t k = ps->reader_start[c]; k < ps->reader_start[c + 1]; k++)
            if (ps->consumer[i] == ps->reader[k]) return true;
    return false;
}

static void collect_readers(const PrefixSat *ps, uint32_t c, Pairs *pairs, uint32_t *n_nodes)
{
    uint32_t consumers = ps->consumer_start[c + 1] - ps->consumer_start[c],
             readers = ps->reader_start[c + 1] - ps->reader_start[c];
    if ((uint64_t)consumers * readers <= consumers + readers || meet(ps, c)) {
        for (uint32_t i = ps->consumer_start[c]; i < ps->consumer_start[c + 1]; i++)
            for (uint32_t k = ps->reader_start[c]; k < ps->reader_start[c + 1]; k++)
                add_edge(pairs, ps->reader[k], ps->consumer[i]);
        return;
    }
    uint32_t between = (*n_nodes)++;
    for (uint32_t k = ps->reader_start[c]; k < ps->reader_start[c + 1]; k++) add_edge(pairs, ps->reader[k], between);
    for (uint32_t i = ps->consumer_start[c]; i < ps->consumer_start[c + 1]; i++)
        add_edge(pairs, between, ps->consumer[i]);
}

/* Returns the number of nodes. */
static uint32_t collect_edges(const PrefixSat *ps, Pairs *pairs)
{
    const Prefix *p = ps->prefix;
    uint32_t n_nodes = p->n_events;
    for (uint32_t c = 0; c < p->n_conditions; c++) {
        uint32_t producer = p->condition_event[c];
        collect_readers(ps, c, pairs, &n_nodes);
        if (producer == PREFIX_BOTTOM) continue;
        for (uint32_t i = ps->consumer_start[c]; i < ps->consumer_start[c + 1]; i++)
            add_edge(pairs, producer, ps->consumer[i]);
        for (uint32_t k = ps->reader_start[c]; k < ps->reader_start[c + 1]; k++)
            add_edge(pairs, producer, ps->reader[k]);
    }
    return n_nodes;
}

/* Tarjan's parts with an explicit stack. */
static void find_parts(Before *b, uint32_t n)
{
    g_autofree uint32_t *number = g_new0(uint32_t, n + 1), *low = g_new0(uint32_t, n + 1),
                        *next = g_new0(uint32_t, n + 1);
    g_autofree bool *open = g_new0(bool, n + 1);
    VecU32 path = {0}, pending = {0};
    uint32_t counter = 0, parts = 0;
    b->part = g_new0(uint32_t, n + 1);
    b->part_size = g_new0(uint32_t, n + 1);
    for (uint32_t root = 0; root < n; root++) {
        if (number[root]) continue;
        vec_push(&path, root);
        while (path.len) {
            uint32_t v = vec_last(&path);
            if (!number[v]) {
                number[v] = low[v] = ++counter;
                next[v] = b->start[v];
                open[v] = true;
                vec_push(&pending, v);
            }
            if (next[v] < b->start[v + 1]) {
                uint32_t w = b->to[next[v]++];
                if (!number[w])
                    vec_push(&path, w);
                else if (open[w])
                    low[v] = MIN(low[v], number[w]);
                continue;
            }
            path.len--;
            if (path.len) low[vec_last(&path)] = MIN(low[vec_last(&path)], low[v]);
            if (low[v] != number[v]) continue;
            uint32_t w;
            do {
                /* NOLINTNEXTLINE(clang-analyzer-core.uninitialized.Assign): v is among the pending ones */
                w = vec_pop(&pending);
                open[w] = false;
                b->part[w] = parts;
                b->part_size[parts]++;
            } while (w != v);
            parts++;
        }
    }
    vec_free(&path);
    vec_free(&pending);
}

static unsigned bits_for(uint32_t n)
{
    unsigned bits = 0;
    while (((uint64_t)1 << bits) < n) bits++;
    return bits;
}

/* Both chosen implies rank(a) < rank(b), as binary numbers of `bits` variables, highest bit first:
 * `so_far` holds while the higher bits are equal. */
static void add_less(PrefixSat *ps, SatLit a, SatLit b, SatLit rank_a, SatLit rank_b, unsigned bits)
{
    Sat *s = ps->sat;
    SatLit so_far = sat_variable(s);
    sat_clause_of(s, -a, -b, so_far);
    for (unsigned i = 0; i < bits; i++) {
        SatLit x = rank_a + (SatLit)i, y = rank_b + (SatLit)i;
        sat_clause_of(s, -so_far, -x, y); /* never greater at the first difference */
        SatLit equal = i + 1 < bits ? sat_variable(s) : 0;
        if (equal) {
            sat_clause_of(s, -so_far, -x, -y, equal);
            sat_clause_of(s, -so_far, x, y, equal);
            so_far = equal;
        } else { /* the last bit must decide */
            sat_clause_of(s, -so_far, -x, -y);
            sat_clause_of(s, -so_far, x, y);
        }
    }
}

static SatLit node_literal(const PrefixSat *ps, uint32_t node)
{
    return node < ps->prefix->n_events ? ps->event[node] : ps->truth;
}

static void forbid_cycles(PrefixSat *ps)
{
    const Prefix *p = ps->prefix;
    if (!p->read_start || ps->reader_start[p->n_conditions] == 0) return;
    Pairs pairs = {0};
    uint32_t n = collect_edges(ps, &pairs);
    Before b = {.start = g_new0(uint32_t, n + 2)};
    for (size_t i = 0; i < pairs.len; i += 2) b.start[pairs.data[i] + 1]++;
    for (uint32_t e = 0; e < n; e++) b.start[e + 1] += b.start[e];
    b.to = g_new(uint32_t, pairs.len / 2 + 1);
    g_autofree uint32_t *fill = g_memdup2(b.start, (n + 1) * sizeof *b.start);
    for (size_t i = 0; i < pairs.len; i += 2) b.to[fill[pairs.data[i]]++] = pairs.data[i + 1];
    find_parts(&b, n);
    g_autofree SatLit *rank = g_new0(SatLit, n + 1);
    for (size_t i = 0; i < pairs.len && !sat_spent(ps->sat); i += 2) {
        uint32_t from = pairs.data[i], to = pairs.data[i + 1], size = b.part_size[b.part[from]];
        if (b.part[from] != b.part[to]) continue;
        unsigned bits = bits_for(size);
        if (!rank[from]) rank[from] = sat_variables(ps->sat, (int)bits);
        if (!rank[to]) rank[to] = sat_variables(ps->sat, (int)bits);
        add_less(ps, node_literal(ps, from), node_literal(ps, to), rank[from], rank[to], bits);
    }
    vec_free(&pairs);
    g_free(b.start);
    g_free(b.to);
    g_free(b.part);
    g_free(b.part_size);
}

/* ---- markings ---- */

/* The condition is in the cut: produced and not consumed. */
static SatLit cut_literal(PrefixSat *ps, uint32_t c)
{
    Sat *s = ps->sat;
    uint32_t producer = ps->prefix->condition_event[c];
    SatLit made = producer == PREFIX_BOTTOM ? ps->truth : ps->event[producer];
    if (ps->consumer_start[c] == ps->consumer_start[c + 1]) return made;
    SatLit in = sat_variable(s);
    sat_clause_of(s, -in, made);
    for (uint32_t i = ps->consumer_start[c]; i < ps->consumer_start[c + 1]; i++)
        sat_clause_of(s, -in, -ps->event[ps->consumer[i]]);
    sat_add(s, in);
    sat_add(s, -made);
    for (uint32_t i = ps->consumer_start[c]; i < ps->consumer_start[c + 1]; i++) sat_add(s, ps->event[ps->consumer[i]]);
    sat_add(s, 0);
    return in;
}

static SatLit or_of(PrefixSat *ps, const SatLit *literals, size_t n)
{
    if (n == 0) return -ps->truth;
    if (n == 1) return literals[0];
    SatLit result = sat_variable(ps->sat);
    for (size_t i = 0; i < n; i++) sat_clause_of(ps->sat, result, -literals[i]);
    sat_add(ps->sat, -result);
    for (size_t i = 0; i < n; i++) sat_add(ps->sat, literals[i]);
    sat_add(ps->sat, 0);
    return result;
}

static SatLit and_of(PrefixSat *ps, SatLit *literals, size_t n)
{
    for (size_t i = 0; i < n; i++) literals[i] = -literals[i];
    return -or_of(ps, literals, n);
}

static void add_places(PrefixSat *ps, const bool *live)
{
    const Prefix *p = ps->prefix;
    g_autofree uint32_t *start = g_new0(uint32_t, p->net->n_places + 2);
    g_autofree SatLit *cut = g_new(SatLit, p->n_conditions + 1), *by_place = g_new(SatLit, p->n_conditions + 1);
    for (uint32_t c = 0; c < p->n_conditions; c++) {
        bool exists = p->condition_event[c] == PREFIX_BOTTOM || live[p->condition_event[c]];
        cut[c] = exists ? cut_literal(ps, c) : 0;
        if (exists) start[p->condition_place[c] + 1]++;
    }
    for (uint32_t q = 0; q < p->net->n_places; q++) start[q + 1] += start[q];
    g_autofree uint32_t *fill = g_memdup2(start, (p->net->n_places + 1) * sizeof *start);
    for (uint32_t c = 0; c < p->n_conditions; c++)
        if (cut[c]) by_place[fill[p->condition_place[c]]++] = cut[c];
    for (uint32_t q = 0; q < p->net->n_places; q++)
        ps->place[q] = or_of(ps, by_place + start[q], start[q + 1] - start[q]);
}

static void encode_configurations(PrefixSat *ps)
{
    const Prefix *prefix = ps->prefix;
    g_autofree bool *live = live_events(prefix);
    for (uint32_t e = 0; e < prefix->n_events; e++)
        if (live[e]) ps->event[e] = sat_variable(ps->sat);
    for (uint32_t e = 0; e < prefix->n_events; e++) {
        if (!live[e]) continue;
        add_causes(ps, e, prefix_pre(prefix, e));
        add_causes(ps, e, prefix_read(prefix, e));
    }
    invert(prefix, live, pre_row, &ps->consumer_start, &ps->consumer);
    invert(prefix, live, read_row, &ps->reader_start, &ps->reader);
    add_conflicts(ps);
    add_places(ps, live);
    forbid_cycles(ps);
}

PrefixSat *prefix_sat_new(const Prefix *prefix, Budget *budget)
{
    assert(prefix->has_conditions);
    PrefixSat *ps = g_new0(PrefixSat, 1);
    ps->prefix = prefix;
    ps->sat = sat_new();
    ps->truth = sat_variable(ps->sat);
    sat_clause_of(ps->sat, ps->truth);
    ps->counter = count_new(ps->sat, ps->truth);
    ps->event = g_new0(SatLit, prefix->n_events + 1);
    ps->place = g_new0(SatLit, prefix->net->n_places + 1);
    ps->enabled = g_new0(SatLit, prefix->net->n_transitions + 1);
    budget_charge(budget, (uint32_t)MIN((uint64_t)EVENT_UNITS * prefix->n_events, UINT32_MAX / 2));
    sat_begin(ps->sat, budget);
    encode_configurations(ps);
    if (sat_end(ps->sat)) return ps;
    prefix_sat_free(ps);
    return NULL;
}

void prefix_sat_free(PrefixSat *ps)
{
    if (!ps) return;
    count_free(ps->counter);
    sat_free(ps->sat);
    g_free(ps->event);
    g_free(ps->place);
    g_free(ps->enabled);
    g_free(ps->consumer_start);
    g_free(ps->consumer);
    g_free(ps->reader_start);
    g_free(ps->reader);
    if (ps->goals) g_hash_table_unref(ps->goals);
    g_free(ps);
}

/* ---- formulas ---- */

static SatLit enabled_literal(PrefixSat *ps, uint32_t t)
{
    if (ps->enabled[t]) return ps->enabled[t];
    const Net *net = ps->prefix->net;
    VEC(SatLit) needs = {0};
    for (int kind = 0; kind < N_ARC_KINDS; kind++) {
        NetRow row = net_places(net, kind, t);
        for (uint32_t i = 0; i < row.len && kind != ARC_POST; i++) {
            uint64_t weight = net_weight(row, i);
            if (kind == ARC_INHIBIT)
                vec_push(&needs, weight > 1 ? ps->truth : -ps->place[row.node[i]]);
            else
                vec_push(&needs, weight > 1 ? -ps->truth : ps->place[row.node[i]]);
        }
    }
    ps->enabled[t] = and_of(ps, needs.data, needs.len);
    vec_free(&needs);
    return ps->enabled[t];
}

static SatLit any_enabled(PrefixSat *ps, const uint32_t *transitions, uint32_t n)
{
    g_autofree SatLit *literals = g_new(SatLit, n + 1);
    for (uint32_t i = 0; i < n; i++) literals[i] = enabled_literal(ps, transitions ? transitions[i] : i);
    return or_of(ps, literals, n);
}

static FoldValue fold_at_most(void *data, const FormulaTerm *terms, uint32_t n, int64_t bound)
{
    PrefixSat *ps = data;
    g_autofree CountTerm *counted = g_new(CountTerm, (size_t)n + 1);
    for (uint32_t i = 0; i < n; i++)
        counted[i] = (CountTerm){ps->place[terms[i].place], exact_of(terms[i].coefficient)};
    return count_at_most(ps->counter, counted, n, exact_of(bound));
}

static FoldValue fold_guards(void *data, const uint32_t *transitions, uint32_t n, bool any)
{
    SatLit literal = any_enabled(data, transitions, n);
    return any ? literal : -literal;
}

static FoldValue fold_junction(void *data, bool all, const FoldValue *parts, uint32_t n)
{
    g_autofree SatLit *literals = g_new(SatLit, (size_t)n + 1);
    for (uint32_t i = 0; i < n; i++) literals[i] = (SatLit)parts[i];
    return all ? and_of(data, literals, n) : or_of(data, literals, n);
}

static SatLit goal_literal(PrefixSat *ps, const FormulaStore *s, FormulaId id)
{
    static const FormulaFold fold = {fold_at_most, fold_guards, fold_junction};
    gpointer known = g_hash_table_lookup(ps->goals, GUINT_TO_POINTER(id + 1));
    if (known) return GPOINTER_TO_INT(known);
    SatLit literal = (SatLit)formula_fold(s, id, &fold, ps);
    g_hash_table_insert(ps->goals, GUINT_TO_POINTER(id + 1), GINT_TO_POINTER(literal));
    return literal;
}

/* ---- from a model to a run ---- */

/* Chosen events in an order that respects causes and readers-first. */
static void linearise(PrefixSat *ps, VecU32 *run)
{
    const Prefix *p = ps->prefix;
    Pairs pairs = {0};
    uint32_t n = collect_edges(ps, &pairs);
    g_autofree bool *in = g_new0(bool, n + 1);
    g_autofree uint32_t *waits = g_new0(uint32_t, n + 1);
    for (uint32_t e = 0; e < n; e++) in[e] = e >= p->n_events || (ps->event[e] && sat_value(ps->sat, ps->event[e]));
    g_autofree uint32_t *start = g_new0(uint32_t, n + 2), *to = g_new(uint32_t, pairs.len / 2 + 1);
    for (size_t i = 0; i < pairs.len; i += 2)
        if (in[pairs.data[i]] && in[pairs.data[i + 1]]) start[pairs.data[i] + 1]++, waits[pairs.data[i + 1]]++;
    for (uint32_t e = 0; e < n; e++) start[e + 1] += start[e];
    g_autofree uint32_t *fill = g_memdup2(start, (n + 1) * sizeof *start);
    for (size_t i = 0; i < pairs.len; i += 2)
        if (in[pairs.data[i]] && in[pairs.data[i + 1]]) to[fill[pairs.data[i]]++] = pairs.data[i + 1];
    VecU32 ready = {0};
    for (uint32_t e = n; e-- > 0;)
        if (in[e] && !waits[e]) vec_push(&ready, e);
    vec_clear(run);
    while (ready.len) {
        uint32_t e = vec_pop(&ready);
        if (e < p->n_events) vec_push(run, p->event_transition[e]);
        for (uint32_t i = start[e]; i < start[e + 1]; i++)
            if (--waits[to[i]] == 0) vec_push(&ready, to[i]);
    }
    vec_free(&ready);
    vec_free(&pairs);
}

/* Literals of goals are new variables, so clauses that only begin to define them do no harm once they are forgotten.
 */
static void forget_goals(PrefixSat *ps)
{
    if (ps->goals) g_hash_table_unref(ps->goals);
    ps->goals = g_hash_table_new(NULL, NULL);
    memset(ps->enabled, 0, ps->prefix->net->n_transitions * sizeof *ps->enabled);
    count_forget(ps->counter);
}

SatAnswer prefix_sat_reach(PrefixSat *ps, const FormulaStore *formulas, FormulaId goal, Budget *budget, VecU32 *run)
{
    if (ps->store != formulas) forget_goals(ps);
    ps->store = formulas;
    sat_begin(ps->sat, budget);
    SatLit wanted = goal_literal(ps, formulas, goal);
    if (!sat_end(ps->sat)) {
        forget_goals(ps);
        return SAT_UNKNOWN;
    }
    sat_assume(ps->sat, wanted);
    SatAnswer answer = sat_solve(ps->sat, budget);
    if (answer == SAT_YES) linearise(ps, run);
    return answer;
}
