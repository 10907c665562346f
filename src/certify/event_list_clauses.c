#include "certify/event_list_work.h"

/* ---- markings: the events of a configuration that change a place form a chain; the last decides ---- */

/* The literal for "this is the last change": the event is in, none of its followers is. */
static int32_t last_literal(Work *w, int32_t in, const VecI32 *followers)
{
    VecI32 parts = {0};
    vec_push(&parts, in);
    for (size_t i = 0; i < followers->len; i++) vec_push(&parts, -followers->data[i]);
    int32_t literal = cnf_and(w->cnf, parts.data, parts.len);
    vec_free(&parts);
    return literal;
}

typedef struct Chain {
    uint64_t *set;      /* of events: those that change the place; empty between places */
    uint32_t *position; /* per event: where it is in the list of these */
} Chain;

/* followers[k]: the events whose last change of p before them is changers[k]; the last entry is for the initial
 * marking. */
static void find_followers(Work *w, const VecU32 *changers, Chain *chain, VecI32 *followers)
{
    for (size_t k = 0; k < changers->len; k++) {
        bitset_set(chain->set, changers->data[k]);
        chain->position[changers->data[k]] = (uint32_t)k;
    }
    for (size_t k = 0; k < changers->len; k++) {
        uint32_t before = event_list_work_last_below(w, changers->data[k], chain->set);
        vec_push(&followers[before == EVENT_LIST_NONE ? changers->len : chain->position[before]],
                 w->x[changers->data[k]]);
    }
    for (size_t k = 0; k < changers->len; k++) bitset_clear(chain->set, changers->data[k]);
}

static void add_place(Work *w, uint32_t p, const VecU32 *changers, Chain *chain)
{
    size_t n = changers->len;
    g_autofree VecI32 *followers = g_new0(VecI32, n + 1);
    find_followers(w, changers, chain, followers);
    VecI32 puts = {0};
    if (w->net->initial[p]) vec_push(&puts, last_literal(w, w->cnf->truth, &followers[n]));
    for (size_t k = 0; k < n; k++) {
        uint32_t e = changers->data[k], t = w->ev->transition[e];
        bool leaves = net_arc_weight(w->net, ARC_POST, t, p) ||
                      (!net_arc_weight(w->net, ARC_PRE, t, p) && net_arc_weight(w->net, ARC_READ, t, p));
        if (leaves) vec_push(&puts, last_literal(w, w->x[e], &followers[k]));
    }
    w->y[p] = cnf_or(w->cnf, puts.data, puts.len);
    vec_free(&puts);
    for (size_t k = 0; k <= n; k++) vec_free(&followers[k]);
}

static void add_markings(Work *w)
{
    g_autofree VecU32 *changers = g_new0(VecU32, (size_t)w->net->n_places + 1);
    for (uint32_t e = 0; e < w->ev->n; e++)
        for (size_t i = w->touch_start[w->ev->transition[e]]; w->x[e] && i < w->touch_start[w->ev->transition[e] + 1];
             i++)
            if (w->touches.data[i].how & TOUCH_CHANGES) vec_push(&changers[w->touches.data[i].place], e);
    g_autofree uint64_t *set = g_new0(uint64_t, w->words + 1);
    g_autofree uint32_t *position = g_new0(uint32_t, (size_t)w->ev->n + 1);
    for (uint32_t p = 0; p < w->net->n_places; p++) {
        add_place(w, p, &changers[p], &(Chain){set, position});
        vec_free(&changers[p]);
    }
}

/* ---- what would be bad ---- */

/* Under `missing` (t is enabled and nothing extends C by t) event e of t does not extend C: a cause is not in C, or e
 * is, or something is that depends on t and is no cause of e. Of the latter only the lowest that no cause excludes
 * count, and those that take a token which e takes count together. */
static void add_not_extending(Work *w, uint32_t e, int32_t missing, uint64_t *others)
{
    const EventList *ev = w->ev;
    const uint64_t *b = event_list_work_row(w->below, w->words, e), *above = event_list_work_row(w->above, w->words, e),
                   *live = w->live_of[ev->transition[e]];
    VecI32 clause = {0};
    vec_push(&clause, -missing);
    for (size_t k = 0; k < w->words; k++) others[k] = live ? live[k] & ~b[k] & ~above[k] : 0;
    bitset_clear(others, e);
    for (uint32_t i = ev->cause_start[e]; i < ev->cause_start[e + 1]; i++) {
        const uint64_t *conflict = event_list_work_row(w->conflict, w->words, ev->cause[i]);
        for (size_t k = 0; k < w->words; k++) others[k] &= ~conflict[k];
        vec_push(&clause, -w->x[ev->cause[i]]);
    }
    if (w->x[e]) vec_push(&clause, w->x[e]);
    for (size_t i = w->own_start[e]; i < w->own_start[e + 1]; i++) {
        const Group *group = &w->groups.data[w->own.data[i]];
        vec_push(&clause, group->taken);
        for (size_t k = 0; k < w->words; k++) others[k] &= ~group->set[k];
    }
    for (size_t k = 0; k < w->words; k++)
        while (others[k]) {
            uint32_t f = (uint32_t)(k * 64) + (uint32_t)__builtin_ctzll(others[k]);
            const uint64_t *higher = event_list_work_row(w->above, w->words, f);
            vec_push(&clause, w->x[f]);
            bitset_clear(others, f);
            for (size_t i = k; i < w->words; i++) others[i] &= ~higher[i];
        }
    cnf_clause(w->cnf, clause.data, clause.len);
    vec_free(&clause);
}

static void add_bad(Work *w, const FormulaStore *store, FormulaId goal)
{
    const Net *net = w->net;
    VecI32 bad = {0};
    CnfTests tests = cnf_safe_tests(w->y);
    g_autofree int32_t *missing = g_new0(int32_t, net->n_transitions + 1);
    g_autofree uint64_t *others = g_new0(uint64_t, w->words + 1);
    for (uint32_t t = 0; t < net->n_transitions; t++) {
        int32_t ready = cnf_enabled(w->cnf, net, t, &tests);
        missing[t] = cnf_variable(w->cnf);
        cnf_clause_of(w->cnf, -missing[t], ready);
        vec_push(&bad, missing[t]);
        NetRow post = net_places(net, ARC_POST, t);
        for (uint32_t i = 0; i < post.len; i++) {
            if (net_weight(post, i) > 1) vec_push(&bad, ready);
            if (!net_arc_weight(net, ARC_PRE, t, post.node[i]))
                vec_push(&bad, cnf_and(w->cnf, (int32_t[]){ready, w->y[post.node[i]]}, 2));
        }
    }
    for (uint32_t e = 0; e < w->ev->n && event_list_goes_on(w); e++)
        add_not_extending(w, e, missing[w->ev->transition[e]], others);
    vec_push(&bad, cnf_formula(w->cnf, store, goal, &tests));
    cnf_clause(w->cnf, bad.data, bad.len);
    vec_free(&bad);
}

static void work_clear(Work *w)
{
    vec_free(&w->touches);
    g_free(w->touch_start);
    g_free(w->now);
    g_free(w->below);
    g_free(w->above);
    g_free(w->conflict);
    for (size_t i = 0; i < w->groups.len; i++) g_free(w->groups.data[i].set);
    vec_free(&w->groups);
    vec_free(&w->members);
    vec_free(&w->own);
    g_free(w->own_start);
    for (uint32_t t = 0; t < w->net->n_transitions; t++) g_free(w->live_of[t]);
    g_free(w->live_of);
    g_free(w->marking);
    g_free(w->size);
    g_free(w->level);
    g_free(w->x);
    g_free(w->y);
}

bool event_list_clauses(const Net *net, const EventList *ev, const FormulaStore *store, FormulaId goal, Cnf *cnf,
                        char **problem)
{
    *problem = NULL;
    if (net_arc_count(net, ARC_INHIBIT)) {
        *problem = g_strdup("inhibitor arcs are outside this kind of proof");
        return false;
    }
    Work w = {.net = net, .ev = ev, .cnf = cnf, .problem = problem};
    w.words = bitset_words(ev->n);
    w.p_words = bitset_words(net->n_places);
    w.live_of = g_new0(uint64_t *, (size_t)net->n_transitions + 1);
    w.size = g_new0(uint32_t, (size_t)ev->n + 1);
    w.level = g_new0(uint32_t, (size_t)ev->n + 1);
    w.x = g_new0(int32_t, (size_t)ev->n + 1);
    w.y = g_new0(int32_t, (size_t)net->n_places + 1);
    bool ok = event_list_check(&w);
    if (ok) {
        add_markings(&w);
        add_bad(&w, store, goal);
        if (cnf->stopped && !*problem) *problem = g_strdup(cnf->stopped);
    }
    work_clear(&w);
    return ok && !*problem;
}
