#include "base/compare.h"
#include "certify/event_list_work.h"

#include <stdlib.h>

/* ---- markings: the events of a configuration that change a place form a chain; the last decides ---- */

/* The literal for: the stage has been reached, by this literal, and not been left. */
static int32_t last_literal(Work *w, int32_t reached, uint32_t stage)
{
    int32_t open = -w->stages.data[stage].changers.any;
    return reached == w->cnf->truth ? open : cnf_and(w->cnf, (int32_t[]){reached, open}, 2);
}

static bool leaves_token(const Net *net, uint32_t t, uint32_t p)
{
    return net_arc_weight(net, ARC_POST, t, p) ||
           (!net_arc_weight(net, ARC_PRE, t, p) && net_arc_weight(net, ARC_READ, t, p));
}

static void add_markings(Work *w)
{
    g_autofree VecI32 *puts = g_new0(VecI32, (size_t)w->net->n_places + 1);
    for (uint32_t p = 0; p < w->net->n_places; p++)
        if (w->net->initial[p]) vec_push(&puts[p], last_literal(w, w->cnf->truth, p));
    for (uint32_t e = 0; e < w->ev->n && event_list_goes_on(w); e++) {
        uint32_t n;
        const EventTouch *touches = event_list_work_touches(w, e, &n);
        for (uint32_t i = 0; w->x[e] && i < n; i++) {
            uint32_t p = touches[i].place;
            if (touches[i].how & TOUCH_CHANGES && leaves_token(w->net, w->ev->transition[e], p))
                vec_push(&puts[p], last_literal(w, w->x[e], w->makes[w->slot_start[e] + i]));
        }
    }
    for (uint32_t p = 0; p < w->net->n_places; p++) {
        w->y[p] = cnf_or(w->cnf, puts[p].data, puts[p].len);
        vec_free(&puts[p]);
    }
}

/* ---- what would be bad ---- */

/* Each literal once: two places may have the same changers. */
static void add_once(Cnf *cnf, VecI32 *clause)
{
    size_t n = 0;
    qsort(clause->data, clause->len, sizeof *clause->data, compare_u32);
    for (size_t i = 0; i < clause->len; i++)
        if (n == 0 || clause->data[n - 1] != clause->data[i]) clause->data[n++] = clause->data[i];
    cnf_clause(cnf, clause->data, n);
}

/* Under `missing` (t is enabled and nothing extends C by t) event e of t does not extend C: a cause is not in C, or e
 * is, or something is that depends on t and is no cause of e. Then such a one, or a change below it, finds a place of t
 * at the stage at which e does. */
static void add_not_extending(Work *w, uint32_t e, int32_t missing, VecI32 *clause)
{
    const EventList *ev = w->ev;
    uint32_t n;
    const EventTouch *touches = event_list_work_touches(w, e, &n);
    vec_clear(clause);
    vec_push(clause, -missing);
    for (uint32_t i = ev->cause_start[e]; i < ev->cause_start[e + 1]; i++) vec_push(clause, -w->x[ev->cause[i]]);
    if (w->x[e]) vec_push(clause, w->x[e]);
    for (uint32_t i = 0; i < n; i++) {
        const EventStage *stage = &w->stages.data[w->finds[w->slot_start[e] + i]];
        if (stage->changers.n) vec_push(clause, stage->changers.any);
        if (touches[i].how & TOUCH_CHANGES) event_list_stages_readers(w, e, &stage->readers, clause);
    }
    add_once(w->cnf, clause);
}

static void add_bad(Work *w, const FormulaStore *store, FormulaId goal)
{
    const Net *net = w->net;
    VecI32 bad = {0};
    CnfTests tests = cnf_safe_tests(w->y);
    g_autofree int32_t *missing = g_new0(int32_t, net->n_transitions + 1);
    VecI32 clause = {0};
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
        add_not_extending(w, e, missing[w->ev->transition[e]], &clause);
    vec_free(&clause);
    vec_push(&bad, cnf_formula(w->cnf, store, goal, &tests));
    cnf_clause(w->cnf, bad.data, bad.len);
    vec_free(&bad);
}

static void work_clear(Work *w)
{
    vec_free(&w->touches);
    g_free(w->touch_start);
    g_free(w->now);
    shared_bits_clear(&w->below);
    shared_bits_clear(&w->after);
    event_list_stages_clear(w);
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
