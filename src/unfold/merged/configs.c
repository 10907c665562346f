#include "unfold/merged/configs.h"

#include "base/bitset.h"

#include <assert.h>

/* An open disjunction: `first` implies one of its members so far, or the rest. */
typedef struct Open {
    SatLit rest;
} Open;

/* Of a condition. */
typedef struct Cond {
    SatLit made, gone, cut;
    Open makers, takers; /* makers: none of what is there at first */
    Open readers;        /* its rest implies one of those to come */
    VecU32 maker, taker, reader;
} Cond;

struct Configs {
    Merged *m;
    Budget *budget;
    Sat *sat;
    SatLit now;  /* closes what is open, in this generation */
    SatLit news; /* asks for a firing that is news */
    SatLit dead; /* asks for a dead marking; 0: not made yet */
    SatLit *fires, *marked;
    Open *marks; /* by place */
    VEC(Cond) conds;
    VEC(SatLit) chosen;      /* by event; 0: not yet */
    VecU32 waiting, members; /* events of the next generation; of this one */
    VEC(SatLit *) at_least;  /* by member: [j]: j + 1 of the members up to it */
    uint32_t columns;
    VEC(SatLit) clause;
    /* of the model that is looked at */
    VecU32 picked;
    uint64_t *done; /* by event */
    size_t done_words;
};

/* ---- disjunctions that grow ---- */

static Open open_new(Configs *c, SatLit first)
{
    Open o = {sat_variable(c->sat)};
    sat_clause_of(c->sat, -first, o.rest);
    sat_clause_of(c->sat, -c->now, -o.rest);
    return o;
}

/* The old rest is not closed in a generation that has more: members come between two generations only. */
static void open_add(Configs *c, Open *o, SatLit member)
{
    assert(o->rest);
    SatLit rest = sat_variable(c->sat);
    sat_clause_of(c->sat, -o->rest, member, rest);
    o->rest = rest;
}

static void open_close(Configs *c, const Open *o)
{
    sat_clause_of(c->sat, -c->now, -o->rest);
}

/* ---- conditions and events ---- */

static void learn_condition(Configs *c, uint32_t id)
{
    Sat *s = c->sat;
    uint32_t p = c->m->place.data[id], depth = c->m->depth.data[id];
    assert(id == c->conds.len && c->m->by_place[p].data[depth - 1] == id);
    Cond x = {.made = sat_variable(s), .gone = sat_variable(s), .cut = sat_variable(s)};
    x.takers = open_new(c, x.gone);
    x.readers = (Open){sat_variable(s)};
    open_close(c, &x.readers);
    if (depth == 1 && c->m->net->initial[p])
        sat_clause_of(s, x.made);
    else
        x.makers = open_new(c, x.made);
    sat_clause_of(s, -x.gone, x.made);
    sat_clause_of(s, -x.cut, x.made);
    sat_clause_of(s, -x.cut, -x.gone);
    sat_clause_of(s, x.cut, -x.made, x.gone);
    if (depth > 1) sat_clause_of(s, -x.made, c->conds.data[c->m->by_place[p].data[depth - 2]].gone);
    /* marked by this one, or by one of those to come */
    sat_clause_of(s, -x.cut, c->marked[p]);
    SatLit rest = sat_variable(s);
    sat_clause_of(s, -c->marks[p].rest, x.cut, rest);
    c->marks[p].rest = rest;
    open_close(c, &c->marks[p]);
    vec_push(&c->conds, x);
}

static void learn_conditions(Configs *c)
{
    while (c->conds.len < c->m->n_conditions) learn_condition(c, (uint32_t)c->conds.len);
}

static void exclude(Configs *c, const VecU32 *others, SatLit x)
{
    for (size_t i = 0; i < others->len; i++) sat_clause_of(c->sat, -x, -c->chosen.data[others->data[i]]);
}

static void learn_event(Configs *c, uint32_t e)
{
    Sat *s = c->sat;
    assert(e < c->chosen.len && !c->chosen.data[e]);
    SatLit x = c->chosen.data[e] = sat_variable(s);
    for (MERGED_EACH(id, c->m, MERGED_TAKES, e)) {
        Cond *d = &c->conds.data[*id];
        sat_clause_of(s, -x, d->gone);
        exclude(c, &d->taker, x);
        open_add(c, &d->takers, x);
        vec_push(&d->taker, e);
    }
    for (MERGED_EACH(id, c->m, MERGED_READS, e)) {
        Cond *d = &c->conds.data[*id];
        sat_clause_of(s, -x, d->made);
        open_add(c, &d->readers, x);
        vec_push(&d->reader, e);
    }
    for (MERGED_EACH(id, c->m, MERGED_MAKES, e)) {
        Cond *d = &c->conds.data[*id];
        sat_clause_of(s, -x, d->made);
        exclude(c, &d->maker, x);
        open_add(c, &d->makers, x);
        vec_push(&d->maker, e);
    }
}

/* ---- how many ---- */

/* Position [member][column]: a chosen member adds one to what those before it make. */
static void count_one(Configs *c, size_t i, uint32_t j)
{
    Sat *s = c->sat;
    SatLit x = c->chosen.data[c->members.data[i]], here = c->at_least.data[i][j];
    if (i) sat_clause_of(s, -c->at_least.data[i - 1][j], here);
    if (!j)
        sat_clause_of(s, -x, here);
    else if (i)
        sat_clause_of(s, -x, -c->at_least.data[i - 1][j - 1], here);
}

static void count_up_to(Configs *c, uint32_t most)
{
    uint32_t columns = most > c->columns ? MAX(most, 2 * c->columns) : c->columns;
    assert(c->at_least.len <= c->members.len);
    for (size_t i = 0; i < c->members.len; i++) {
        uint32_t from = i < c->at_least.len ? c->columns : 0;
        if (from == columns) continue;
        if (i == c->at_least.len) vec_push(&c->at_least, NULL);
        c->at_least.data[i] = g_renew(SatLit, c->at_least.data[i], columns);
        for (uint32_t j = from; j < columns; j++) {
            c->at_least.data[i][j] = sat_variable(c->sat);
            count_one(c, i, j);
        }
    }
    c->columns = columns;
}

static void assume_at_most(Configs *c, uint32_t most)
{
    if (most >= c->columns || !c->members.len) {
        assert(most >= c->members.len || most == UINT32_MAX);
        return;
    }
    assert(c->at_least.len == c->members.len);
    sat_assume(c->sat, -vec_last(&c->at_least)[most]);
}

/* ---- generations ---- */

static void enable(Configs *c, uint32_t t, SatLit asked)
{
    for (int kind = MERGED_TAKES; kind <= MERGED_READS; kind++)
        for (uint32_t i = 0; i < merged_count(c->m, kind, t); i++)
            sat_clause_of(c->sat, -asked, c->marked[merged_places(c->m, kind, t)[i]]);
}

Configs *configs_new(Merged *m, Budget *budget)
{
    Configs *c = g_new0(Configs, 1);
    c->m = m;
    c->budget = budget;
    c->sat = sat_new();
    c->now = sat_variable(c->sat);
    c->news = sat_variable(c->sat);
    c->fires = g_new(SatLit, (size_t)m->net->n_transitions + 1);
    c->marked = g_new(SatLit, (size_t)m->net->n_places + 1);
    c->marks = g_new(Open, (size_t)m->net->n_places + 1);
    for (uint32_t p = 0; p < m->net->n_places; p++) {
        c->marked[p] = sat_variable(c->sat);
        c->marks[p] = (Open){sat_variable(c->sat)};
        sat_clause_of(c->sat, -c->marked[p], c->marks[p].rest);
    }
    for (uint32_t t = 0; t < m->net->n_transitions; t++) enable(c, t, c->fires[t] = sat_variable(c->sat));
    sat_add(c->sat, -c->news);
    for (uint32_t t = 0; t < m->net->n_transitions; t++) sat_add(c->sat, c->fires[t]);
    sat_add(c->sat, 0);
    learn_conditions(c);
    return c;
}

void configs_free(Configs *c)
{
    if (!c) return;
    sat_free(c->sat);
    for (size_t i = 0; i < c->conds.len; i++) {
        vec_free(&c->conds.data[i].maker);
        vec_free(&c->conds.data[i].taker);
        vec_free(&c->conds.data[i].reader);
    }
    for (size_t i = 0; i < c->at_least.len; i++) g_free(c->at_least.data[i]);
    vec_free(&c->conds);
    vec_free(&c->chosen);
    vec_free(&c->waiting);
    vec_free(&c->members);
    vec_free(&c->at_least);
    vec_free(&c->clause);
    vec_free(&c->picked);
    g_free(c->done);
    g_free(c->fires);
    g_free(c->marked);
    g_free(c->marks);
    g_free(c);
}

void configs_begin(Configs *c, uint32_t most)
{
    sat_clause_of(c->sat, -c->now); /* the last generation is over: its open ends may go on */
    c->now = sat_variable(c->sat);
    learn_conditions(c);
    while (c->chosen.len < c->m->n_events) vec_push(&c->chosen, 0);
    for (size_t i = 0; i < c->waiting.len; i++) {
        learn_event(c, c->waiting.data[i]);
        vec_push(&c->members, c->waiting.data[i]);
    }
    vec_clear(&c->waiting);
    for (size_t i = 0; i < c->conds.len; i++) {
        const Cond *d = &c->conds.data[i];
        if (d->makers.rest) open_close(c, &d->makers);
        open_close(c, &d->takers);
        open_close(c, &d->readers);
    }
    for (uint32_t p = 0; p < c->m->net->n_places; p++) open_close(c, &c->marks[p]);
    count_up_to(c, most + 1);
}

void configs_add(Configs *c, uint32_t e)
{
    assert(e < c->m->n_events && c->m->live.data[e] && (e >= c->chosen.len || !c->chosen.data[e]));
    learn_conditions(c);
    vec_push(&c->waiting, e);
    vec_clear(&c->clause);
    vec_push(&c->clause, -c->fires[c->m->transition.data[e]]);
    for (int kind = MERGED_TAKES; kind <= MERGED_READS; kind++)
        for (MERGED_EACH(id, c->m, kind, e)) vec_push(&c->clause, -c->conds.data[*id].cut);
    for (MERGED_EACH(id, c->m, MERGED_MAKES, e)) {
        uint32_t depth = c->m->depth.data[*id], p = c->m->place.data[*id];
        if (depth > 1) vec_push(&c->clause, -c->conds.data[c->m->by_place[p].data[depth - 2]].made);
        vec_push(&c->clause, c->conds.data[*id].made);
    }
    sat_clause(c->sat, c->clause.data, c->clause.len);
}

/* ---- nogoods ---- */

/* Into the clause: some event of these is missing, or somebody else reads what they take. */
static void not_begun(Configs *c, const VecU32 *events)
{
    for (size_t i = 0; i < events->len; i++) vec_push(&c->clause, -c->chosen.data[events->data[i]]);
}

static void read_by_others(Configs *c, const VecU32 *events, const Cond *d)
{
    if (c->m->relation == RELATION_CLASSIC) return;
    for (size_t i = 0; i < d->reader.len; i++) {
        bool own = false;
        for (size_t k = 0; k < events->len && !own; k++) own = events->data[k] == d->reader.data[i];
        if (!own) vec_push(&c->clause, c->chosen.data[d->reader.data[i]]);
    }
    vec_push(&c->clause, d->readers.rest); /* those to come */
}

static void begin_forbidding(Configs *c, const VecU32 *events)
{
    vec_clear(&c->clause);
    not_begun(c, events);
    for (size_t i = 0; i < events->len; i++)
        for (MERGED_EACH(id, c->m, MERGED_TAKES, events->data[i])) read_by_others(c, events, &c->conds.data[*id]);
}

void configs_forbid(Configs *c, const VecU32 *events)
{
    begin_forbidding(c, events);
    sat_clause(c->sat, c->clause.data, c->clause.len);
}

void configs_forbid_news(Configs *c, const VecU32 *events, uint32_t t, const uint32_t *row)
{
    uint32_t taken = merged_count(c->m, MERGED_TAKES, t), read = merged_count(c->m, MERGED_READS, t);
    learn_conditions(c);
    begin_forbidding(c, events);
    for (uint32_t i = 0; i < taken; i++) read_by_others(c, events, &c->conds.data[row[i]]);
    for (uint32_t i = 0; i < taken + read; i++) vec_push(&c->clause, -c->conds.data[row[i]].cut);
    vec_push(&c->clause, -c->fires[t]);
    sat_clause(c->sat, c->clause.data, c->clause.len);
}

/* ---- an order for a model ---- */

static bool is_done(const Configs *c, uint32_t e)
{
    return bitset_get(c->done, e);
}

/* The chosen one of a list; NET_NONE: the condition was there at first. */
static uint32_t chosen_of(const Configs *c, const VecU32 *list)
{
    for (size_t i = 0; i < list->len; i++)
        if (sat_value(c->sat, c->chosen.data[list->data[i]])) return list->data[i];
    return NET_NONE;
}

/* A chosen event that has to come before e and has not; NET_NONE when e can fire. */
static uint32_t blocker(const Configs *c, uint32_t e)
{
    for (int kind = MERGED_TAKES; kind <= MERGED_READS; kind++)
        for (MERGED_EACH(id, c->m, kind, e)) {
            uint32_t maker = chosen_of(c, &c->conds.data[*id].maker);
            if (maker != NET_NONE && !is_done(c, maker)) return maker;
        }
    for (MERGED_EACH(id, c->m, MERGED_TAKES, e)) {
        const VecU32 *reader = &c->conds.data[*id].reader;
        for (size_t i = 0; i < reader->len; i++)
            if (reader->data[i] != e && !is_done(c, reader->data[i]) &&
                sat_value(c->sat, c->chosen.data[reader->data[i]]))
                return reader->data[i];
    }
    for (MERGED_EACH(id, c->m, MERGED_MAKES, e)) {
        uint32_t depth = c->m->depth.data[*id], p = c->m->place.data[*id];
        assert(c->m->by_place[p].data[depth - 1] == *id);
        if (depth == 1) continue;
        uint32_t before = chosen_of(c, &c->conds.data[c->m->by_place[p].data[depth - 2]].taker);
        assert(before != NET_NONE);
        if (before != e && !is_done(c, before)) return before;
    }
    return NET_NONE;
}

/* From e along blockers, until one comes again. */
static void forbid_cycle(Configs *c, uint32_t e)
{
    g_autofree uint64_t *seen = g_new0(uint64_t, c->done_words + 1);
    for (; !bitset_get(seen, e); e = blocker(c, e)) bitset_set(seen, e);
    vec_clear(&c->clause);
    uint32_t first = e;
    do {
        assert(!is_done(c, e) && sat_value(c->sat, c->chosen.data[e]));
        vec_push(&c->clause, -c->chosen.data[e]);
        e = blocker(c, e);
    } while (e != first);
    sat_clause(c->sat, c->clause.data, c->clause.len);
}

/* Fills the run of the model; false when there is none, which is then excluded. */
static bool put_in_order(Configs *c, VecU32 *run)
{
    vec_clear(run);
    vec_clear(&c->picked);
    c->done_words = bitset_words(c->m->n_events);
    g_free(c->done);
    c->done = g_new0(uint64_t, c->done_words + 1);
    for (size_t i = 0; i < c->members.len; i++)
        if (sat_value(c->sat, c->chosen.data[c->members.data[i]])) vec_push(&c->picked, c->members.data[i]);
    while (c->picked.len) {
        size_t left = 0;
        for (size_t i = 0; i < c->picked.len; i++) {
            uint32_t e = c->picked.data[i];
            if (blocker(c, e) != NET_NONE) {
                c->picked.data[left++] = e;
                continue;
            }
            assert(!is_done(c, e));
            bitset_set(c->done, e);
            vec_push(run, e);
        }
        if (left == c->picked.len) {
            forbid_cycle(c, c->picked.data[0]);
            return false;
        }
        c->picked.len = left;
    }
    return true;
}

static SatAnswer solve(Configs *c)
{
    sat_assume(c->sat, c->now);
    return sat_solve(c->sat, c->budget);
}

/* ---- questions ---- */

SatAnswer configs_news(Configs *c, uint32_t most, VecU32 *run, uint32_t *transition)
{
    for (;;) {
        sat_assume(c->sat, c->news);
        assume_at_most(c, most);
        SatAnswer answer = solve(c);
        if (answer != SAT_YES) return answer;
        *transition = 0;
        while (!sat_value(c->sat, c->fires[*transition])) ++*transition;
        assert(*transition < c->m->net->n_transitions);
        if (!put_in_order(c, run)) continue;
        assert(run->len <= most);
        return SAT_YES;
    }
}

SatAnswer configs_reach(Configs *c, uint32_t most, const uint64_t *marking, VecU32 *run)
{
    for (;;) {
        for (uint32_t p = 0; p < c->m->net->n_places; p++)
            sat_assume(c->sat, bitset_get(marking, p) ? c->marked[p] : -c->marked[p]);
        sat_assume(c->sat, -c->news);
        assume_at_most(c, most);
        SatAnswer answer = solve(c);
        if (answer != SAT_YES) return answer;
        if (!put_in_order(c, run)) continue;
        assert(run->len <= most);
        return SAT_YES;
    }
}

SatAnswer configs_dead(Configs *c, VecU32 *run)
{
    if (!c->dead) {
        c->dead = sat_variable(c->sat);
        for (uint32_t t = 0; t < c->m->net->n_transitions; t++) {
            sat_add(c->sat, -c->dead);
            for (int kind = MERGED_TAKES; kind <= MERGED_READS; kind++)
                for (uint32_t i = 0; i < merged_count(c->m, kind, t); i++)
                    sat_add(c->sat, -c->marked[merged_places(c->m, kind, t)[i]]);
            sat_add(c->sat, 0);
        }
    }
    for (;;) {
        sat_assume(c->sat, c->dead);
        SatAnswer answer = solve(c);
        if (answer != SAT_YES || put_in_order(c, run)) return answer;
    }
}
