#include "verify/narrow.h"

#include <assert.h>

/* m(place) <= bound, or >= bound. */
typedef struct Literal {
    int64_t bound;
    uint32_t place, clause;
    bool at_least, dead;
} Literal;

typedef struct Clause {
    uint32_t from, open; /* its literals, and how many can still hold */
    bool holds;
} Clause;

/* sum of weight * tokens = total; low and high are those of its members' bounds. No member is wider than `widest`. */
typedef struct NarrowSum {
    const Invariant *of;
    int64_t total, low, high, widest;
} NarrowSum;

typedef struct Member {
    uint32_t sum;
    int64_t weight;
} Member;

/* Entries per place: at[start[p]] and on, up to start[p + 1]. */
typedef struct Lists {
    uint32_t *start, *at;
} Lists;

typedef struct Narrow {
    const Net *net;
    Budget *budget;
    int64_t *low, *high; /* of the tokens per place */
    VEC(Literal) literals;
    VEC(Clause) clauses;
    VEC(NarrowSum) sums;
    VEC(Member) members;
    VecU32 member_place;
    Lists literals_of, members_of;
    VecU32 changed; /* places, to be looked at */
    bool *waits;    /* per place: it is in `changed` */
    bool refuted;
} Narrow;

/* ---- the goal ---- */

static void begin_clause(Narrow *n)
{
    vec_push(&n->clauses, ((Clause){.from = (uint32_t)n->literals.len}));
}

/* Of the newest clause. */
static void add_literal(Narrow *n, uint32_t place, bool at_least, int64_t bound)
{
    vec_push(&n->literals, ((Literal){bound, place, (uint32_t)n->clauses.len - 1, at_least, false}));
    vec_last(&n->clauses).open++;
}

/* The tests of t, one clause each, or that one of them fails. */
static void add_guard(Narrow *n, uint32_t t, bool enabled)
{
    if (!enabled) begin_clause(n);
    for (ArcKind kind = 0; kind < N_ARC_KINDS; kind++) {
        if (kind == ARC_POST) continue;
        NetRow row = net_places(n->net, kind, t);
        for (uint32_t i = 0; i < row.len; i++) {
            int64_t weight = (int64_t)MIN(net_weight(row, i), INT64_MAX);
            bool at_least = (kind != ARC_INHIBIT) == enabled;
            if (enabled) begin_clause(n);
            add_literal(n, row.node[i], at_least, at_least ? weight : weight - 1);
        }
    }
}

static bool is_literal(const FormulaStore *f, const FormulaNode *node)
{
    if (node->kind != FORMULA_AT_MOST || node->len != 1) return false;
    int64_t coefficient = f->terms.data[node->from].coefficient;
    return coefficient == 1 || coefficient == -1;
}

static void add_node_literal(Narrow *n, const FormulaStore *f, const FormulaNode *node)
{
    const FormulaTerm *term = &f->terms.data[node->from];
    bool at_least = term->coefficient < 0;
    add_literal(n, term->place, at_least, at_least ? -node->bound : node->bound); /* bounds have opposites */
}

static void add_disjunction(Narrow *n, const FormulaStore *f, const FormulaNode *node)
{
    assert(f->items.data && node->from + node->len <= f->items.len); /* a disjunction has parts */
    const uint32_t *items = f->items.data + node->from;
    for (uint32_t i = 0; i < node->len; i++)
        if (!is_literal(f, formula_node(f, items[i]))) return;
    begin_clause(n);
    for (uint32_t i = 0; i < node->len; i++) add_node_literal(n, f, formula_node(f, items[i]));
}

/* A part of the goal's conjunction. */
static void add_part(Narrow *n, const FormulaStore *f, const FormulaNode *node)
{
    const uint32_t *items = f->items.data ? f->items.data + node->from : NULL;
    assert(items || (node->kind != FORMULA_FIREABLE && node->kind != FORMULA_UNFIREABLE) || !node->len);
    switch ((FormulaKind)node->kind) {
    case FORMULA_FALSE: n->refuted = true; return;
    case FORMULA_OR: add_disjunction(n, f, node); return;
    case FORMULA_AT_MOST:
        if (!is_literal(f, node)) return;
        begin_clause(n);
        add_node_literal(n, f, node);
        return;
    case FORMULA_FIREABLE:
        if (node->len == 1) add_guard(n, items[0], true);
        return;
    case FORMULA_UNFIREABLE:
        for (uint32_t i = 0; i < node->len; i++) add_guard(n, items[i], false);
        return;
    case FORMULA_DEADLOCK:
        for (uint32_t t = 0; t < n->net->n_transitions; t++) add_guard(n, t, false);
        return;
    case FORMULA_AND: /* none is below another */
    case FORMULA_TRUE:
    case FORMULA_ALIVE: return;
    }
}

static void add_goal(Narrow *n, const FormulaStore *f, FormulaId id)
{
    const FormulaNode *node = formula_node(f, id);
    if (node->kind != FORMULA_AND) add_part(n, f, node);
    for (uint32_t i = 0; node->kind == FORMULA_AND && i < node->len; i++)
        add_part(n, f, formula_node(f, f->items.data[node->from + i]));
}

/* ---- bounds ---- */

static void add_sum(Narrow *n, const Invariant *y)
{
    /* So that no sum of bounds is too large, not even with one that is -1. */
    if (y->tokens > (uint64_t)INT64_MAX / 4 / MAX(y->len, 1)) return;
    for (uint32_t i = 0; i < y->len; i++)
        if (y->weight[i] > INT64_MAX / 4) return;
    NarrowSum sum = {.of = y, .total = (int64_t)y->tokens};
    for (uint32_t i = 0; i < y->len; i++) {
        int64_t most = sum.total / (int64_t)y->weight[i];
        n->high[y->place[i]] = MIN(n->high[y->place[i]], most);
        vec_push(&n->members, ((Member){(uint32_t)n->sums.len, (int64_t)y->weight[i]}));
        vec_push(&n->member_place, y->place[i]);
    }
    vec_push(&n->sums, sum);
}

static void change(Narrow *n, uint32_t p)
{
    if (n->low[p] > n->high[p]) n->refuted = true;
    if (n->waits[p]) return;
    n->waits[p] = true;
    vec_push(&n->changed, p);
}

static void set_high(Narrow *n, uint32_t p, int64_t high)
{
    if (high >= n->high[p]) return;
    for (uint32_t i = n->members_of.start[p]; i < n->members_of.start[p + 1]; i++) {
        const Member *m = &n->members.data[n->members_of.at[i]];
        n->sums.data[m->sum].high -=
            m->weight * (n->high[p] - MAX(high, -1)); /* fits: at most the total and a weight */
    }
    n->high[p] = MAX(high, -1);
    change(n, p);
}

static void set_low(Narrow *n, uint32_t p, int64_t low)
{
    if (low <= n->low[p]) return;
    if (low > n->high[p]) {
        n->refuted = true;
        return;
    }
    for (uint32_t i = n->members_of.start[p]; i < n->members_of.start[p + 1]; i++) {
        const Member *m = &n->members.data[n->members_of.at[i]];
        n->sums.data[m->sum].low += m->weight * (low - n->low[p]); /* fits: low is within the old bounds */
    }
    n->low[p] = low;
    change(n, p);
}

static void require(Narrow *n, const Literal *literal)
{
    if (literal->at_least)
        set_low(n, literal->place, literal->bound);
    else
        set_high(n, literal->place, literal->bound);
}

/* Only one way is left to meet it, or none. */
static void settle_clause(Narrow *n, uint32_t clause)
{
    Clause *c = &n->clauses.data[clause];
    if (c->holds || c->open > 1) return;
    if (!c->open) {
        n->refuted = true;
        return;
    }
    const Literal *literal = &n->literals.data[c->from];
    while (literal->dead) literal++;
    assert(literal->clause == clause);
    c->holds = true;
    require(n, literal);
}

static void look_at_literals(Narrow *n, uint32_t p)
{
    for (uint32_t i = n->literals_of.start[p]; i < n->literals_of.start[p + 1] && !n->refuted; i++) {
        Literal *l = &n->literals.data[n->literals_of.at[i]];
        if (l->dead || (l->at_least ? n->high[p] >= l->bound : n->low[p] <= l->bound)) continue;
        l->dead = true;
        n->clauses.data[l->clause].open--;
        settle_clause(n, l->clause);
    }
}

/* What is left for one member, when all others have as little or as much as they may. */
static void look_at_sum(Narrow *n, uint32_t index)
{
    NarrowSum *s = &n->sums.data[index];
    if (s->low > s->total || s->high < s->total) n->refuted = true;
    if (n->refuted || s->widest <= MIN(s->total - s->low, s->high - s->total)) return;
    s->widest = 0;
    for (uint32_t i = 0; i < s->of->len && !n->refuted; i++) {
        uint32_t p = s->of->place[i];
        int64_t weight = (int64_t)s->of->weight[i];
        set_high(n, p, n->low[p] + (s->total - s->low) / weight);
        if (s->high < s->total) n->refuted = true;
        if (!n->refuted) set_low(n, p, n->high[p] - (s->high - s->total) / weight);
        if (n->refuted) break;
        s->widest = MAX(s->widest, weight * (n->high[p] - n->low[p])); /* fits: at most the total */
    }
    budget_charge(n->budget, s->of->len);
}

static void narrow(Narrow *n)
{
    for (uint32_t c = 0; c < n->clauses.len && !n->refuted; c++) settle_clause(n, c);
    for (uint32_t s = 0; s < n->sums.len && !n->refuted; s++) look_at_sum(n, s);
    while (n->changed.len && !n->refuted && !budget_spent(n->budget)) {
        uint32_t p = vec_pop(&n->changed);
        n->waits[p] = false;
        look_at_literals(n, p);
        for (uint32_t i = n->members_of.start[p]; i < n->members_of.start[p + 1] && !n->refuted; i++)
            look_at_sum(n, n->members.data[n->members_of.at[i]].sum);
    }
}

/* ---- the whole ---- */

/* Which of the entries belong to each place. */
static void make_lists(Lists *lists, uint32_t n_places, const VecU32 *place)
{
    lists->start = g_new0(uint32_t, (size_t)n_places + 2);
    lists->at = g_new(uint32_t, place->len + 1);
    for (size_t i = 0; i < place->len; i++) lists->start[place->data[i] + 2]++;
    for (uint32_t p = 1; p <= n_places; p++) lists->start[p + 1] += lists->start[p];
    for (size_t i = 0; i < place->len; i++) lists->at[lists->start[place->data[i] + 1]++] = (uint32_t)i;
}

static void lists_clear(Lists *lists)
{
    g_free(lists->start);
    g_free(lists->at);
}

static void begin(Narrow *n, const Invariants *sums)
{
    VecU32 place = {0};
    uint32_t n_places = n->net->n_places;
    n->low = g_new0(int64_t, (size_t)n_places + 1);
    n->high = g_new(int64_t, (size_t)n_places + 1);
    n->waits = g_new0(bool, (size_t)n_places + 1);
    for (uint32_t p = 0; p < n_places; p++) n->high[p] = INT64_MAX;
    for (uint32_t i = 0; i < sums->n; i++) add_sum(n, &sums->item[i]);
    for (size_t i = 0; i < n->members.len; i++) {
        NarrowSum *sum = &n->sums.data[n->members.data[i].sum];
        int64_t most = n->members.data[i].weight * n->high[n->member_place.data[i]]; /* fits: at most the total */
        sum->high += most;
        sum->widest = MAX(sum->widest, most);
    }
    make_lists(&n->members_of, n_places, &n->member_place);
    for (size_t i = 0; i < n->literals.len; i++) vec_push(&place, n->literals.data[i].place);
    make_lists(&n->literals_of, n_places, &place);
    vec_free(&place);
}

bool narrow_refutes(const Invariants *sums, const FormulaStore *formulas, FormulaId goal, Budget *budget)
{
    Narrow n = {.net = formulas->net, .budget = budget};
    add_goal(&n, formulas, goal);
    begin(&n, sums);
    narrow(&n);
    lists_clear(&n.literals_of);
    lists_clear(&n.members_of);
    vec_free(&n.literals);
    vec_free(&n.clauses);
    vec_free(&n.sums);
    vec_free(&n.members);
    vec_free(&n.member_place);
    vec_free(&n.changed);
    g_free(n.low);
    g_free(n.high);
    g_free(n.waits);
    return n.refuted;
}
