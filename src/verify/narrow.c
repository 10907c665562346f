#include "verify/narrow.h"

#include "verify/goal_clauses.h"

#include <assert.h>

/* Of the units that everything takes to be looked at once, as many for each round of trials. */
enum { TRIALS_WORK = 16 };

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

/* What a trial changes: low or high of a place, whether a literal is dead, whether a clause is known to hold, the
 * widest member of a sum. */
typedef enum { CHANGE_LOW, CHANGE_HIGH, CHANGE_DEAD, CHANGE_HOLDS, CHANGE_WIDEST } ChangeKind;

typedef struct Change {
    int64_t before;
    uint32_t index;
    ChangeKind kind;
} Change;

typedef struct Narrow {
    const Net *net;
    Budget *budget;
    int64_t *low, *high; /* of the tokens per place */
    GoalClauses goal;
    VEC(NarrowSum) sums;
    VEC(Member) members;
    VecU32 member_place;
    Lists literals_of, members_of;
    VecU32 changed; /* places, to be looked at */
    bool *waits;    /* per place: it is in `changed` */
    uint64_t work, max_work;
    bool refuted;
    VEC(Change) trail; /* of the trial that goes on, to be taken back */
    bool trying;
} Narrow;

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

static void note(Narrow *n, ChangeKind kind, uint32_t index, int64_t before)
{
    if (n->trying) vec_push(&n->trail, ((Change){before, index, kind}));
}

static void change(Narrow *n, uint32_t p)
{
    if (n->low[p] > n->high[p]) n->refuted = true;
    if (n->waits[p]) return;
    n->waits[p] = true;
    vec_push(&n->changed, p);
}

/* The sums that the place is in follow. */
static void move_high(Narrow *n, uint32_t p, int64_t high)
{
    for (uint32_t i = n->members_of.start[p]; i < n->members_of.start[p + 1]; i++) {
        const Member *m = &n->members.data[n->members_of.at[i]];
        n->sums.data[m->sum].high += m->weight * (high - n->high[p]); /* fits: at most the total and a weight */
    }
    n->high[p] = high;
}

static void move_low(Narrow *n, uint32_t p, int64_t low)
{
    for (uint32_t i = n->members_of.start[p]; i < n->members_of.start[p + 1]; i++) {
        const Member *m = &n->members.data[n->members_of.at[i]];
        n->sums.data[m->sum].low += m->weight * (low - n->low[p]); /* fits: low is within the first bounds */
    }
    n->low[p] = low;
}

static void set_high(Narrow *n, uint32_t p, int64_t high)
{
    if (high >= n->high[p]) return;
    note(n, CHANGE_HIGH, p, n->high[p]);
    move_high(n, p, MAX(high, -1));
    change(n, p);
}

static void set_low(Narrow *n, uint32_t p, int64_t low)
{
    if (low <= n->low[p]) return;
    if (low > n->high[p]) {
        n->refuted = true;
        return;
    }
    note(n, CHANGE_LOW, p, n->low[p]);
    move_low(n, p, low);
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
    Clause *c = &n->goal.clauses.data[clause];
    if (c->holds || c->open > 1) return;
    if (!c->open) {
        n->refuted = true;
        return;
    }
    const Literal *literal = &n->goal.literals.data[c->from];
    while (literal->dead) literal++;
    assert(literal->clause == clause);
    c->holds = true;
    note(n, CHANGE_HOLDS, clause, false);
    require(n, literal);
}

static void look_at_literals(Narrow *n, uint32_t p)
{
    for (uint32_t i = n->literals_of.start[p]; i < n->literals_of.start[p + 1] && !n->refuted; i++) {
        Literal *l = &n->goal.literals.data[n->literals_of.at[i]];
        if (l->dead || (l->at_least ? n->high[p] >= l->bound : n->low[p] <= l->bound)) continue;
        l->dead = true;
        note(n, CHANGE_DEAD, n->literals_of.at[i], false);
        n->goal.clauses.data[l->clause].open--;
        settle_clause(n, l->clause);
    }
}

/* What is left for one member, when all others have as little or as much as they may. */
static void look_at_sum(Narrow *n, uint32_t index)
{
    NarrowSum *s = &n->sums.data[index];
    if (s->low > s->total || s->high < s->total) n->refuted = true;
    if (n->refuted || s->widest <= MIN(s->total - s->low, s->high - s->total)) return;
    note(n, CHANGE_WIDEST, index, s->widest);
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
    n->work += s->of->len;
}

/* Goes on from what has changed. */
static void narrow(Narrow *n)
{
    uint64_t before = n->work;
    while (n->changed.len && !n->refuted && n->work <= n->max_work) {
        uint32_t p = vec_pop(&n->changed);
        n->waits[p] = false;
        n->work += 1 + n->literals_of.start[p + 1] - n->literals_of.start[p];
        look_at_literals(n, p);
        for (uint32_t i = n->members_of.start[p]; i < n->members_of.start[p + 1] && !n->refuted; i++)
            look_at_sum(n, n->members.data[n->members_of.at[i]].sum);
    }
    if (budget_charge(n->budget, n->work - before)) n->max_work = 0;
}

static void narrow_all(Narrow *n)
{
    n->max_work = UINT64_MAX;
    for (uint32_t p = 0; p < n->net->n_places && !n->refuted; p++) look_at_literals(n, p);
    for (uint32_t c = 0; c < n->goal.clauses.len && !n->refuted; c++) settle_clause(n, c);
    for (uint32_t s = 0; s < n->sums.len && !n->refuted; s++) look_at_sum(n, s);
    narrow(n);
}

/* ---- trials ---- */

static void take_back(Narrow *n)
{
    while (n->trail.len) {
        Change c = vec_pop(&n->trail);
        switch (c.kind) {
        case CHANGE_LOW: move_low(n, c.index, c.before); break;
        case CHANGE_HIGH: move_high(n, c.index, c.before); break;
        case CHANGE_HOLDS: n->goal.clauses.data[c.index].holds = false; break;
        case CHANGE_WIDEST: n->sums.data[c.index].widest = c.before; break;
        case CHANGE_DEAD:
            n->goal.literals.data[c.index].dead = false;
            n->goal.clauses.data[n->goal.literals.data[c.index].clause].open++;
            break;
        }
    }
    while (n->changed.len) n->waits[vec_pop(&n->changed)] = false;
    n->refuted = n->trying = false;
}

/* Does this bound leave no marking? */
static bool fails(Narrow *n, Literal bound)
{
    assert(!n->trail.len && !n->changed.len && !n->refuted);
    n->trying = true;
    require(n, &bound);
    narrow(n);
    bool failed = n->refuted;
    take_back(n);
    return failed;
}

/* Each place with as little as it may have, and with more: where one of them fails the other holds. What is known of
 * one place makes the trials of its neighbours short, so the order of places matters: forth and back. */
static void try_places(Narrow *n, bool back)
{
    uint32_t n_places = n->net->n_places;
    n->max_work = n->work + TRIALS_WORK * (n->goal.literals.len + n->members.len + n_places);
    narrow(n);
    for (uint32_t i = 0; i < n_places && !n->refuted && n->work <= n->max_work; i++) {
        uint32_t p = back ? n_places - 1 - i : i;
        int64_t low = n->low[p];
        if (low == n->high[p]) continue;
        Literal least = {.place = p, .bound = low}, more = {.place = p, .bound = low + 1, .at_least = true};
        if (fails(n, more))
            require(n, &least);
        else if (fails(n, least))
            require(n, &more);
        narrow(n);
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
    for (size_t i = 0; i < n->goal.literals.len; i++) vec_push(&place, n->goal.literals.data[i].place);
    make_lists(&n->literals_of, n_places, &place);
    vec_free(&place);
}

bool narrow_refutes(const Invariants *sums, const FormulaStore *formulas, FormulaId goal, Budget *budget)
{
    Narrow n = {.net = formulas->net, .budget = budget};
    goal_clauses_init(&n.goal, formulas, goal);
    n.refuted = n.goal.never;
    begin(&n, sums);
    narrow_all(&n);
    for (int back = 0; back < 2 && !n.refuted && !budget_ended(budget); back++) try_places(&n, back);
    lists_clear(&n.literals_of);
    lists_clear(&n.members_of);
    goal_clauses_clear(&n.goal);
    vec_free(&n.sums);
    vec_free(&n.members);
    vec_free(&n.member_place);
    vec_free(&n.changed);
    vec_free(&n.trail);
    g_free(n.low);
    g_free(n.high);
    g_free(n.waits);
    return n.refuted;
}
