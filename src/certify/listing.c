#include "certify/listing.h"

#include "base/bitset.h"

#include <stdlib.h>
#include <string.h>

const char *const listing_relation_names[] = {"classic", "read", "loops"};

typedef struct Work {
    const Net *net;
    const Listing *ev;
    Cnf *cnf;
    size_t words, t_words;
    uint64_t *dependent; /* per transition a bit set of transitions */
    uint64_t *below;     /* per event: its causes, all of them */
    uint64_t *conflict;  /* per event, among events that are no cutoffs */
    uint64_t *live_of;   /* per transition: events that are no cutoffs and depend on it */
    uint64_t *marking;   /* per event, after [e]; bits of places */
    size_t p_words;
    uint32_t *size; /* |[e]| */
    int32_t *x;     /* per event its variable; 0: cutoff */
    int32_t *y;     /* per place */
    char **problem;
} Work;

void listing_clear(Listing *ev)
{
    g_free(ev->transition);
    g_free(ev->companion);
    g_free(ev->cause_start);
    g_free(ev->cause);
    *ev = (Listing){0};
}

G_GNUC_PRINTF(2, 3) static bool fail(Work *w, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    *w->problem = g_strdup_vprintf(format, args);
    va_end(args);
    return false;
}

static uint64_t *row(uint64_t *matrix, size_t words, uint32_t i)
{
    return matrix + (size_t)i * words;
}

/* ---- dependence, from the arcs ---- */

static bool changes(const Work *w, uint32_t t, uint32_t p)
{
    uint64_t in = net_arc_weight(w->net, ARC_PRE, t, p), out = net_arc_weight(w->net, ARC_POST, t, p);
    if (w->ev->relation == LISTING_LOOPS) return in != out;
    return in || out || (w->ev->relation == LISTING_CLASSIC && net_arc_weight(w->net, ARC_READ, t, p));
}

static bool tests(const Work *w, uint32_t t, uint32_t p)
{
    return net_arc_weight(w->net, ARC_PRE, t, p) || net_arc_weight(w->net, ARC_READ, t, p);
}

static void find_dependence(Work *w)
{
    const Net *net = w->net;
    w->t_words = bitset_words(net->n_transitions);
    w->dependent = g_new0(uint64_t, (size_t)net->n_transitions * w->t_words + 1);
    for (uint32_t t = 0; t < net->n_transitions; t++) bitset_set(row(w->dependent, w->t_words, t), t);
    for (uint32_t p = 0; p < net->n_places; p++) {
        VecU32 testers = {0}, changers = {0};
        for (int kind = ARC_PRE; kind <= ARC_READ; kind++) {
            NetRow around = net_transitions(net, kind, p);
            for (uint32_t i = 0; i < around.len; i++) {
                if (tests(w, around.node[i], p)) vec_push(&testers, around.node[i]);
                if (changes(w, around.node[i], p)) vec_push(&changers, around.node[i]);
            }
        }
        for (size_t i = 0; i < testers.len; i++)
            for (size_t k = 0; k < changers.len; k++) {
                bitset_set(row(w->dependent, w->t_words, testers.data[i]), changers.data[k]);
                bitset_set(row(w->dependent, w->t_words, changers.data[k]), testers.data[i]);
            }
        vec_free(&testers);
        vec_free(&changers);
    }
}

static bool depend(const Work *w, uint32_t t, uint32_t u)
{
    return bitset_get(w->dependent + (size_t)t * w->t_words, u);
}

/* ---- each event: causes, run, marking ---- */

static bool check_shape(Work *w)
{
    const Listing *ev = w->ev;
    if (ev->n > LISTING_MOST) return fail(w, "more than %d events", LISTING_MOST);
    for (uint32_t e = 0; e < ev->n; e++) {
        if (ev->transition[e] >= w->net->n_transitions) return fail(w, "event %u has no transition", e);
        uint32_t c = ev->companion[e];
        if (c != LISTING_NONE && c != LISTING_BOTTOM && c >= ev->n)
            return fail(w, "the companion of event %u does not exist", e);
        for (uint32_t i = ev->cause_start[e]; i < ev->cause_start[e + 1]; i++) {
            uint32_t cause = ev->cause[i];
            if (cause >= e) return fail(w, "event %u comes before its cause %u", e, cause);
            if (ev->companion[cause] != LISTING_NONE) return fail(w, "event %u lies behind the cutoff %u", e, cause);
            if (!depend(w, ev->transition[cause], ev->transition[e]))
                return fail(w, "event %u has a cause %u that it does not depend on", e, cause);
        }
    }
    return true;
}

static bool enabled(const Net *net, const uint64_t *m, uint32_t t)
{
    for (int kind = ARC_PRE; kind <= ARC_READ; kind++) {
        if (kind == ARC_POST) continue;
        NetRow r = net_places(net, kind, t);
        for (uint32_t i = 0; i < r.len; i++)
            if (net_weight(r, i) > 1 || !bitset_get(m, r.node[i])) return false;
    }
    return true;
}

/* False when a place gets a second token. */
static bool fire(const Net *net, uint64_t *m, uint32_t t)
{
    NetRow pre = net_places(net, ARC_PRE, t), post = net_places(net, ARC_POST, t);
    for (uint32_t i = 0; i < pre.len; i++) bitset_clear(m, pre.node[i]);
    for (uint32_t i = 0; i < post.len; i++) {
        if (net_weight(post, i) > 1 || bitset_get(m, post.node[i])) return false;
        bitset_set(m, post.node[i]);
    }
    return true;
}

static bool run_events(Work *w)
{
    const Listing *ev = w->ev;
    g_autofree uint64_t *m = g_new0(uint64_t, w->p_words + 1), *initial = g_new0(uint64_t, w->p_words + 1);
    for (uint32_t p = 0; p < w->net->n_places; p++) {
        if (w->net->initial[p] > 1) return fail(w, "the initial marking is not safe");
        if (w->net->initial[p]) bitset_set(initial, p);
    }
    for (uint32_t e = 0; e < ev->n; e++) {
        uint64_t *b = row(w->below, w->words, e);
        for (uint32_t i = ev->cause_start[e]; i < ev->cause_start[e + 1]; i++) {
            bitset_or(b, row(w->below, w->words, ev->cause[i]), w->words);
            bitset_set(b, ev->cause[i]);
        }
        w->size[e] = (uint32_t)bitset_count(b, w->words) + 1;
        memcpy(m, initial, w->p_words * sizeof *m);
        for (BITSET_EACH(f, b, w->words))
            if (!enabled(w->net, m, ev->transition[f]) || !fire(w->net, m, ev->transition[f]))
                return fail(w, "the causes of event %u cannot fire in order", e);
        if (!enabled(w->net, m, ev->transition[e])) return fail(w, "event %u is not enabled after its causes", e);
        if (!fire(w->net, m, ev->transition[e])) return fail(w, "event %u puts a second token on a place", e);
        memcpy(row(w->marking, w->p_words, e), m, w->p_words * sizeof *m);
    }
    return true;
}

/* ---- the order erv: size, then transitions sorted, then the levels of the Foata normal form ---- */

typedef struct Run {
    uint32_t *transition, *level;
    uint32_t n;
} Run;

static Run run_of(Work *w, uint32_t e)
{
    Run r = {g_new(uint32_t, w->size[e]), g_new0(uint32_t, w->size[e]), 0};
    for (BITSET_EACH(f, row(w->below, w->words, e), w->words)) r.transition[r.n++] = w->ev->transition[f];
    r.transition[r.n++] = w->ev->transition[e];
    for (uint32_t i = 0; i < r.n; i++) /* from the run and the relation, not from the listed causes */
        for (uint32_t k = 0; k < i; k++)
            if (depend(w, r.transition[i], r.transition[k])) r.level[i] = MAX(r.level[i], r.level[k] + 1);
    return r;
}

static int compare_u32(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* The transitions of one level (or of all, level LISTING_NONE), sorted; returns how many. */
static uint32_t sorted_level(const Run *r, uint32_t level, uint32_t *out)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < r->n; i++)
        if (level == LISTING_NONE || r->level[i] == level) out[n++] = r->transition[i];
    qsort(out, n, sizeof *out, compare_u32);
    return n;
}

static int compare_lists(const uint32_t *a, uint32_t n, const uint32_t *b, uint32_t m)
{
    for (uint32_t i = 0; i < n && i < m; i++)
        if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
    return (n > m) - (n < m);
}

static int compare_runs(const Run *a, const Run *b)
{
    g_autofree uint32_t *x = g_new(uint32_t, a->n + 1), *y = g_new(uint32_t, b->n + 1);
    if (a->n != b->n) return a->n < b->n ? -1 : 1;
    int order = compare_lists(x, sorted_level(a, LISTING_NONE, x), y, sorted_level(b, LISTING_NONE, y));
    for (uint32_t level = 0; !order && level < a->n; level++)
        order = compare_lists(x, sorted_level(a, level, x), y, sorted_level(b, level, y));
    return order;
}

static bool check_cutoff(Work *w, uint32_t e)
{
    uint32_t c = w->ev->companion[e];
    const uint64_t *m = row(w->marking, w->p_words, e);
    if (c == LISTING_BOTTOM) {
        for (uint32_t p = 0; p < w->net->n_places; p++)
            if (bitset_get(m, p) != (w->net->initial[p] > 0))
                return fail(w, "cutoff %u does not lead back to the initial marking", e);
        return true;
    }
    if (!bitset_equal(m, row(w->marking, w->p_words, c), w->p_words))
        return fail(w, "cutoff %u and its companion %u have different markings", e, c);
    if (w->size[c] < w->size[e]) return true;
    Run a = run_of(w, c), b = run_of(w, e);
    bool smaller = compare_runs(&a, &b) < 0;
    g_free(a.transition);
    g_free(a.level);
    g_free(b.transition);
    g_free(b.level);
    return smaller || fail(w, "the companion %u of cutoff %u is not smaller", c, e);
}

/* ---- clauses: configurations ---- */

static void index_live(Work *w)
{
    w->live_of = g_new0(uint64_t, (size_t)w->net->n_transitions * w->words + 1);
    for (uint32_t e = 0; e < w->ev->n; e++) {
        if (!w->x[e]) continue;
        for (BITSET_EACH(t, row(w->dependent, w->t_words, w->ev->transition[e]), w->t_words))
            bitset_set(row(w->live_of, w->words, (uint32_t)t), e);
    }
}

/* Listing before e in the list: in conflict with a cause of e, or above an event that depends on e without being
 * its cause. Only pairs that no cause explains need a clause. */
static void add_conflicts(Work *w, uint32_t e, uint64_t *inherited, uint64_t *all)
{
    const Listing *ev = w->ev;
    memset(inherited, 0, w->words * sizeof *inherited);
    for (uint32_t i = ev->cause_start[e]; i < ev->cause_start[e + 1]; i++)
        bitset_or(inherited, row(w->conflict, w->words, ev->cause[i]), w->words);
    memcpy(all, inherited, w->words * sizeof *all);
    const uint64_t *live = row(w->live_of, w->words, ev->transition[e]), *b = row(w->below, w->words, e);
    for (uint32_t g = 0; g < e; g++) {
        if (!w->x[g]) continue;
        bool from_cause = false;
        for (uint32_t i = ev->cause_start[g]; i < ev->cause_start[g + 1] && !from_cause; i++)
            from_cause = bitset_get(all, ev->cause[i]);
        bool direct = bitset_get(live, g) && !bitset_get(b, g);
        if (from_cause || direct) bitset_set(all, g);
        if (direct && !from_cause && !bitset_get(inherited, g)) cnf_clause_of(w->cnf, -w->x[e], -w->x[g]);
    }
    memcpy(row(w->conflict, w->words, e), all, w->words * sizeof *all);
    for (BITSET_EACH(g, all, w->words)) bitset_set(row(w->conflict, w->words, (uint32_t)g), e);
}

static void add_configurations(Work *w)
{
    const Listing *ev = w->ev;
    for (uint32_t e = 0; e < ev->n; e++)
        if (ev->companion[e] == LISTING_NONE) w->x[e] = cnf_variable(w->cnf);
    index_live(w);
    g_autofree uint64_t *inherited = g_new(uint64_t, w->words + 1), *all = g_new(uint64_t, w->words + 1);
    for (uint32_t e = 0; e < ev->n; e++) {
        if (!w->x[e]) continue;
        for (uint32_t i = ev->cause_start[e]; i < ev->cause_start[e + 1]; i++)
            cnf_clause_of(w->cnf, -w->x[e], w->x[ev->cause[i]]);
        add_conflicts(w, e, inherited, all);
    }
}

/* ---- clauses: markings. The events of a configuration that change a place form a chain; the last decides. ---- */

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

static void add_place(Work *w, uint32_t p, const VecU32 *changers)
{
    /* followers[k]: the events whose last change of p before them is changers[k]; the last entry is for the initial
     * marking */
    size_t n = changers->len;
    g_autofree VecI32 *followers = g_new0(VecI32, n + 1);
    for (size_t k = 0; k < n; k++) {
        uint32_t e = changers->data[k];
        size_t before = k;
        while (before-- > 0)
            if (bitset_get(row(w->below, w->words, e), changers->data[before])) break;
        vec_push(&followers[before == SIZE_MAX ? n : before], w->x[e]);
    }
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
    g_autofree VecU32 *changers = g_new0(VecU32, w->net->n_places + 1);
    for (uint32_t e = 0; e < w->ev->n; e++) {
        if (!w->x[e]) continue;
        for (int kind = ARC_PRE; kind <= ARC_READ; kind++) {
            NetRow r = net_places(w->net, kind, w->ev->transition[e]);
            for (uint32_t i = 0; i < r.len; i++) {
                VecU32 *list = &changers[r.node[i]];
                if (changes(w, w->ev->transition[e], r.node[i]) && (!list->len || vec_last(list) != e))
                    vec_push(list, e);
            }
        }
    }
    for (uint32_t p = 0; p < w->net->n_places; p++) {
        add_place(w, p, &changers[p]);
        vec_free(&changers[p]);
    }
}

/* ---- clauses: what would be bad ---- */

/* Under `missing` (t is enabled and nothing extends C by t) event e of t does not extend C: a cause is not in C, or e
 * is, or something is that depends on t and is no cause of e. Of the latter only the lowest that no cause excludes
 * count. */
static void add_not_extending(Work *w, uint32_t e, int32_t missing, uint64_t *others)
{
    const Listing *ev = w->ev;
    const uint64_t *b = row(w->below, w->words, e);
    memcpy(others, row(w->live_of, w->words, ev->transition[e]), w->words * sizeof *others);
    for (size_t i = 0; i < w->words; i++) others[i] &= ~b[i];
    for (uint32_t i = ev->cause_start[e]; i < ev->cause_start[e + 1]; i++) {
        const uint64_t *conflict = row(w->conflict, w->words, ev->cause[i]);
        for (size_t k = 0; k < w->words; k++) others[k] &= ~conflict[k];
    }
    VecI32 clause = {0};
    vec_push(&clause, -missing);
    for (uint32_t i = ev->cause_start[e]; i < ev->cause_start[e + 1]; i++) vec_push(&clause, -w->x[ev->cause[i]]);
    if (w->x[e]) vec_push(&clause, w->x[e]);
    for (BITSET_EACH(f, others, w->words)) {
        if (f == e || bitset_get(row(w->below, w->words, (uint32_t)f), e) ||
            bitset_meets(row(w->below, w->words, (uint32_t)f), others, w->words))
            continue;
        vec_push(&clause, w->x[f]);
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
    g_autofree uint64_t *others = g_new(uint64_t, w->words + 1);
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
    for (uint32_t e = 0; e < w->ev->n; e++) add_not_extending(w, e, missing[w->ev->transition[e]], others);
    vec_push(&bad, cnf_formula(w->cnf, store, goal, &tests));
    cnf_clause(w->cnf, bad.data, bad.len);
    vec_free(&bad);
}

bool listing_clauses(const Net *net, const Listing *ev, const FormulaStore *store, FormulaId goal, Cnf *cnf,
                     char **problem)
{
    Work w = {.net = net, .ev = ev, .cnf = cnf, .problem = problem};
    *problem = NULL;
    if (net_arc_count(net, ARC_INHIBIT)) return fail(&w, "inhibitor arcs are outside this kind of proof");
    w.words = bitset_words(ev->n);
    w.p_words = bitset_words(net->n_places);
    find_dependence(&w);
    bool ok = check_shape(&w);
    w.below = g_new0(uint64_t, ok ? ev->n * w.words + 1 : 1);
    w.conflict = g_new0(uint64_t, ok ? ev->n * w.words + 1 : 1);
    w.marking = g_new0(uint64_t, ok ? ev->n * w.p_words + 1 : 1);
    w.size = g_new0(uint32_t, ev->n + 1);
    w.x = g_new0(int32_t, ev->n + 1);
    w.y = g_new0(int32_t, net->n_places + 1);
    ok = ok && run_events(&w);
    for (uint32_t e = 0; ok && e < ev->n; e++) ok = ev->companion[e] == LISTING_NONE || check_cutoff(&w, e);
    if (ok) {
        add_configurations(&w);
        add_markings(&w);
        add_bad(&w, store, goal);
    }
    g_free(w.dependent);
    g_free(w.below);
    g_free(w.conflict);
    g_free(w.marking);
    g_free(w.live_of);
    g_free(w.size);
    g_free(w.x);
    g_free(w.y);
    return ok;
}
