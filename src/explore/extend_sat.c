#include "explore/extend_internal.h"
#include "sat/count.h"

#include <assert.h>

/* One question: which causally closed sets H between `must` and C enable t and have only maximal
 * events that depend on t? Variables stand for the positions below some event that depends on t. */
typedef struct HistoryQuestion {
    Extend *x;
    uint32_t t;
    const uint64_t *must;
    Sat *sat;
    SatLit *variable; /* per position; 0: in `must` or never in H */
    VecU32 positions; /* those with a variable, increasing */
    Counter *counter;
} HistoryQuestion;

typedef VEC(CountTerm) VecTerms;

/* Demands that the coefficients of the true literals add up to at most `bound`. */
static void demand_at_most(HistoryQuestion *q, VecTerms *terms, Count bound)
{
    sat_clause_of(q->sat, count_at_most(q->counter, terms->data, (uint32_t)terms->len, exact_of(bound)));
}

static void demand_need(HistoryQuestion *q, const Need *need)
{
    const Extend *x = q->x;
    Count sum = x->net->net->initial[need->place];
    VecTerms up = {0}, down = {0};
    const VecU32 *chain = &x->chain[need->place];
    for (size_t k = 0; k < chain->len; k++) {
        uint32_t position = chain->data[k];
        Count effect = extend_effect(x, position, need->place);
        assert(position < x->config->n && effect);
        if (bitset_get(q->must, position))
            sum += effect;
        else if (q->variable[position]) {
            vec_push(&up, ((CountTerm){q->variable[position], exact_of(effect)}));
            vec_push(&down, ((CountTerm){q->variable[position], exact_of(-effect)}));
        }
    }
    demand_at_most(q, &down, sum - need->least);
    if (need->below < COUNT_MAX) demand_at_most(q, &up, need->below - 1 - sum);
    vec_free(&up);
    vec_free(&down);
}

static void demand_causes(HistoryQuestion *q)
{
    Config *c = q->x->config;
    const uint64_t *touch = config_touch(c, q->t);
    VecU32 *above = g_new0(VecU32, c->n + 1);
    for (size_t k = 0; k < q->positions.len; k++) {
        uint32_t i = q->positions.data[k];
        config_causes(c, i);
        for (size_t j = 0; j < c->maximal.len; j++) {
            uint32_t at = c->maximal.data[j];
            assert(at < i); /* C is in causal order */
            if (!q->variable[at]) continue;
            sat_clause_of(q->sat, -q->variable[i], q->variable[at]);
            vec_push(&above[at], i);
        }
    }
    for (size_t k = 0; k < q->positions.len; k++) {
        uint32_t i = q->positions.data[k];
        if (bitset_get(touch, i)) continue;
        sat_add(q->sat, -q->variable[i]);
        for (size_t j = 0; j < above[i].len; j++) sat_add(q->sat, q->variable[above[i].data[j]]);
        sat_add(q->sat, 0);
    }
    for (uint32_t i = 0; i < c->n; i++) vec_free(&above[i]);
    g_free(above);
}

/* False: the budget is spent. */
static bool question_init(HistoryQuestion *q, Extend *x, uint32_t t, const uint64_t *must)
{
    const Config *c = x->config;
    assert(x->net);
    *q = (HistoryQuestion){.x = x, .t = t, .must = must, .sat = sat_new(), .variable = g_new0(SatLit, c->n + 1)};
    SatLit truth = sat_variable(q->sat);
    sat_clause_of(q->sat, truth);
    q->counter = count_new(q->sat, truth);
    sat_begin(q->sat, x->budget);
    uint64_t *below = g_new0(uint64_t, c->words);
    for (BITSET_EACH(i, config_touch(c, t), (c->n + 63) / 64)) bitset_or(below, config_local(c, (uint32_t)i), c->words);
    for (BITSET_EACH(i, below, c->words))
        if (!bitset_get(must, i)) {
            q->variable[i] = sat_variable(q->sat);
            vec_push(&q->positions, (uint32_t)i);
        }
    g_free(below);
    demand_causes(q);
    for (uint32_t k = x->need_start.data[t]; k < x->need_start.data[t + 1]; k++) demand_need(q, &x->needs.data[k]);
    return sat_end(q->sat);
}

static void question_clear(HistoryQuestion *q)
{
    count_free(q->counter);
    sat_free(q->sat);
    g_free(q->variable);
    vec_free(&q->positions);
}

/* 1 with the history, -1 none, 0 stopped. */
static int ask(HistoryQuestion *q, uint64_t *history)
{
    q->x->stats.sat_calls++;
    SatAnswer answer = sat_solve(q->sat, q->x->budget);
    if (answer != SAT_YES) return answer == SAT_NO ? -1 : 0;
    memcpy(history, q->must, q->x->config->words * sizeof *history);
    for (size_t k = 0; k < q->positions.len; k++)
        if (sat_value(q->sat, q->variable[q->positions.data[k]])) bitset_set(history, q->positions.data[k]);
    return 1;
}

/* Never again the same choice among the events that depend on t; it determines H. */
static void block(HistoryQuestion *q, const uint64_t *history)
{
    const uint64_t *touch = config_touch(q->x->config, q->t);
    for (size_t k = 0; k < q->positions.len; k++) {
        uint32_t i = q->positions.data[k];
        if (bitset_get(touch, i)) sat_add(q->sat, bitset_get(history, i) ? -q->variable[i] : q->variable[i]);
    }
    sat_add(q->sat, 0);
}

bool extend_by_sat(Extend *x, uint32_t t, const uint64_t *must, ExtendFound found, void *data)
{
    uint32_t words = x->config->words;
    uint64_t *in = g_memdup2(must, words * sizeof *must), *history = g_new(uint64_t, words);
    HistoryQuestion q;
    int answer = question_init(&q, x, t, in);
    while (answer && (answer = ask(&q, history)) > 0) {
        x->stats.found++;
        found(data, t, history);
        block(&q, history);
    }
    question_clear(&q);
    g_free(in);
    g_free(history);
    return answer < 0;
}

int extend_one_by_sat(Extend *x, uint32_t t, uint64_t *history)
{
    uint64_t *in = g_new0(uint64_t, x->config->words);
    HistoryQuestion q;
    question_init(&q, x, t, in);
    int answer = ask(&q, history);
    question_clear(&q);
    g_free(in);
    return answer;
}
