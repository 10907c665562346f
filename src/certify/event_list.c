#include "certify/event_list_work.h"

#include "base/compare.h"

#include <stdlib.h>

const char *const event_list_relation_names[] = {"classic", "read", "loops"};

void event_list_clear(EventList *ev)
{
    g_free(ev->transition);
    g_free(ev->companion);
    g_free(ev->cause_start);
    g_free(ev->cause);
    *ev = (EventList){0};
}

G_GNUC_PRINTF(2, 3) static bool fail(Work *w, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    *w->problem = g_strdup_vprintf(format, args);
    va_end(args);
    return false;
}

/* ---- dependence, from the arcs: one tests what the other changes ---- */

static uint32_t touch_of(const Work *w, uint32_t t, uint32_t p)
{
    uint64_t in = net_arc_weight(w->net, ARC_PRE, t, p), out = net_arc_weight(w->net, ARC_POST, t, p),
             read = net_arc_weight(w->net, ARC_READ, t, p);
    bool changes =
        w->ev->relation == EVENT_LIST_LOOPS ? in != out : in || out || (w->ev->relation == EVENT_LIST_CLASSIC && read);
    return (in || read ? TOUCH_TESTS : 0) | (changes ? TOUCH_CHANGES : 0);
}

static void find_touches(Work *w)
{
    w->touch_start = g_new0(size_t, (size_t)w->net->n_transitions + 1);
    w->now = g_new0(uint32_t, (size_t)w->net->n_places + 1);
    for (uint32_t t = 0; t < w->net->n_transitions; t++) {
        size_t from = w->touches.len;
        for (int kind = ARC_PRE; kind <= ARC_READ; kind++) {
            NetRow r = net_places(w->net, kind, t);
            for (uint32_t i = 0; i < r.len; i++) {
                if (!w->now[r.node[i]]) vec_push(&w->touches, ((EventTouch){r.node[i], touch_of(w, t, r.node[i])}));
                w->now[r.node[i]] = 1;
            }
        }
        for (size_t i = from; i < w->touches.len; i++) w->now[w->touches.data[i].place] = 0;
        w->touch_start[t + 1] = w->touches.len;
    }
}

/* From here on `depends` is about t; NET_NONE: about none. */
static void look_at(Work *w, uint32_t before, uint32_t t)
{
    for (size_t i = before == NET_NONE ? 0 : w->touch_start[before];
         before != NET_NONE && i < w->touch_start[before + 1]; i++)
        w->now[w->touches.data[i].place] = 0;
    for (size_t i = t == NET_NONE ? 0 : w->touch_start[t]; t != NET_NONE && i < w->touch_start[t + 1]; i++)
        w->now[w->touches.data[i].place] = w->touches.data[i].how;
}

static bool depends(const Work *w, uint32_t u)
{
    for (size_t i = w->touch_start[u]; i < w->touch_start[u + 1]; i++) {
        uint32_t now = w->now[w->touches.data[i].place], how = w->touches.data[i].how;
        if ((now & TOUCH_TESTS && how & TOUCH_CHANGES) || (now & TOUCH_CHANGES && how & TOUCH_TESTS)) return true;
    }
    return false;
}

/* ---- each event: causes ---- */

static bool check_causes(Work *w, uint32_t e)
{
    const EventList *ev = w->ev;
    for (uint32_t i = ev->cause_start[e]; i < ev->cause_start[e + 1]; i++) {
        uint32_t cause = ev->cause[i];
        if (cause >= e) return fail(w, "event %u comes before its cause %u", e, cause);
        if (event_list_work_is_cutoff(w, cause)) return fail(w, "event %u lies behind the cutoff %u", e, cause);
        if (ev->transition[cause] != ev->transition[e] && !depends(w, ev->transition[cause]))
            return fail(w, "event %u has a cause %u that it does not depend on", e, cause);
    }
    return true;
}

static bool check_shape(Work *w)
{
    const EventList *ev = w->ev;
    if (ev->n > EVENT_LIST_MOST) return fail(w, "more than %d events", EVENT_LIST_MOST);
    for (uint32_t e = 0; e < ev->n; e++) {
        uint32_t t = ev->transition[e], c = ev->companion[e];
        if (t >= w->net->n_transitions) return fail(w, "event %u has no transition", e);
        if (c != EVENT_LIST_NONE && c != EVENT_LIST_BOTTOM && c >= ev->n)
            return fail(w, "the companion of event %u does not exist", e);
        look_at(w, NET_NONE, t);
        bool ok = check_causes(w, e);
        look_at(w, t, NET_NONE);
        if (!ok) return false;
    }
    return true;
}

/* ---- order ---- */

/* The cause with the most events below it; without causes the row of none. */
static uint32_t base_of(const Work *w, uint32_t e)
{
    const EventList *ev = w->ev;
    uint32_t base = ev->n;
    for (uint32_t i = ev->cause_start[e]; i < ev->cause_start[e + 1]; i++)
        if (base == ev->n || w->size[ev->cause[i]] > w->size[base]) base = ev->cause[i];
    return base;
}

/* The events below e that are not below its base: also the base itself. */
static void find_rest(const Work *w, uint32_t e, uint32_t base, VecU32 *rest)
{
    vec_clear(rest);
    shared_bits_minus(&w->below, e, base, rest);
}

static bool find_order(Work *w)
{
    const EventList *ev = w->ev;
    VecU32 rest = {0};
    for (uint32_t e = 0; e < ev->n && event_list_goes_on(w); e++) {
        uint32_t base = base_of(w, e);
        shared_bits_copy(&w->below, e, base);
        for (uint32_t i = ev->cause_start[e]; i < ev->cause_start[e + 1]; i++) {
            shared_bits_or(&w->below, e, ev->cause[i]);
            w->level[e] = MAX(w->level[e], w->level[ev->cause[i]] + 1);
        }
        for (uint32_t i = ev->cause_start[e]; i < ev->cause_start[e + 1]; i++)
            shared_bits_put(&w->below, e, ev->cause[i], true);
        find_rest(w, e, base, &rest);
        w->size[e] = base == ev->n ? 1 : w->size[base] + (uint32_t)rest.len;
    }
    vec_free(&rest);
    return !*w->problem;
}

bool event_list_goes_on(Work *w)
{
    if (!w->cnf->stopped && budget_charge(w->cnf->budget, (uint32_t)w->below.words + 10))
        w->cnf->stopped = budget_text(w->cnf->budget);
    return !w->cnf->stopped || fail(w, "%s", w->cnf->stopped);
}

bool event_list_has_room(Work *w, uint64_t bytes)
{
    return budget_allows(w->cnf->budget, bytes) || fail(w, "%s", budget_text(w->cnf->budget));
}

/* ---- runs and markings ---- */

static bool enabled(const Work *w, uint32_t row, uint32_t t)
{
    for (int kind = ARC_PRE; kind <= ARC_READ; kind++) {
        if (kind == ARC_POST) continue;
        NetRow r = net_places(w->net, kind, t);
        for (uint32_t i = 0; i < r.len; i++)
            if (net_weight(r, i) > 1 || !shared_bits_get(&w->after, row, r.node[i])) return false;
    }
    return true;
}

/* False when a place gets a second token. */
static bool fire(Work *w, uint32_t row, uint32_t t)
{
    NetRow pre = net_places(w->net, ARC_PRE, t), post = net_places(w->net, ARC_POST, t);
    for (uint32_t i = 0; i < pre.len; i++) shared_bits_put(&w->after, row, pre.node[i], false);
    for (uint32_t i = 0; i < post.len; i++) {
        if (net_weight(post, i) > 1 || shared_bits_get(&w->after, row, post.node[i])) return false;
        shared_bits_put(&w->after, row, post.node[i], true);
    }
    return true;
}

/* Fires the causes of e from the initial marking; those of its largest cause are not fired again, nor looked at. */
static bool fire_causes(Work *w, uint32_t e, VecU32 *rest)
{
    uint32_t base = base_of(w, e);
    find_rest(w, e, base, rest);
    shared_bits_copy(&w->after, e, base);
    for (size_t i = 0; i < rest->len; i++)
        if (rest->data[i] != base && event_list_stages_exclude(w, e, rest->data[i]))
            return fail(w, "event %u has causes that exclude each other", e);
    for (size_t i = 0; i < rest->len; i++) {
        uint32_t t = w->ev->transition[rest->data[i]];
        if (rest->data[i] != base && (!enabled(w, e, t) || !fire(w, e, t)))
            return fail(w, "the causes of event %u cannot fire in order", e);
    }
    return true;
}

static bool run_event(Work *w, uint32_t e, VecU32 *rest)
{
    uint32_t t = w->ev->transition[e];
    return fire_causes(w, e, rest) && (enabled(w, e, t) || fail(w, "event %u is not enabled after its causes", e)) &&
           (fire(w, e, t) || fail(w, "event %u puts a second token on a place", e)) && event_list_goes_on(w);
}

/* A history with two events that exclude each other is none. */
static bool run_events(Work *w)
{
    VecU32 rest = {0};
    for (uint32_t p = 0; p < w->net->n_places; p++) {
        if (w->net->initial[p] > 1) return fail(w, "the initial marking is not safe");
        if (w->net->initial[p]) shared_bits_put(&w->after, w->ev->n, p, true);
    }
    bool ok = true;
    for (uint32_t e = 0; e < w->ev->n && ok; e++) ok = run_event(w, e, &rest);
    vec_free(&rest);
    return ok;
}

/* ---- the order erv: size, then transitions sorted, then the levels of the Foata normal form, each sorted. What two
 * histories of equal size share decides neither: the smallest transition that one has more often makes it the smaller
 * one. Only where a level of one is the beginning of that of the other does the shared part count. ---- */

typedef struct Step {
    uint32_t level, transition;
} Step;

COMPARE_BY(compare_transitions, Step, transition)

COMPARE_BY_BOTH(compare_steps, Step, level, transition)

/* The events of [e] that are not in [other]. */
static Step *own_steps(const Work *w, uint32_t e, uint32_t other, size_t *n)
{
    VecU32 own = {0};
    VEC(Step) steps = {0};
    shared_bits_minus(&w->below, e, other, &own);
    if (!event_list_work_is_below(w, e, other)) vec_push(&own, e);
    for (size_t i = 0; i < own.len; i++)
        if (own.data[i] != other) vec_push(&steps, ((Step){w->level[own.data[i]], w->ev->transition[own.data[i]]}));
    vec_free(&own);
    *n = steps.len;
    return steps.data;
}

/* Have both a transition larger than this one in this level? */
static bool share_larger(const Work *w, uint32_t a, uint32_t b, Step than)
{
    for (size_t k = 0; k <= MIN(a, b) / 64; k++)
        for (uint64_t both = shared_bits_word(&w->below, a, k) & shared_bits_word(&w->below, b, k); both;
             both &= both - 1) {
            uint32_t f = (uint32_t)(k * 64) + (uint32_t)__builtin_ctzll(both);
            if (w->level[f] == than.level && w->ev->transition[f] > than.transition) return true;
        }
    return false;
}

/* Is [a] smaller than [b], which has as many events? Neither lies below the other. */
static bool is_smaller(const Work *w, uint32_t a, uint32_t b)
{
    size_t n, m, i = 0;
    g_autofree Step *x = own_steps(w, a, b, &n), *y = own_steps(w, b, a, &m);
    if (n != m || n == 0) return false;
    qsort(x, n, sizeof *x, compare_transitions);
    qsort(y, n, sizeof *y, compare_transitions);
    while (i < n && x[i].transition == y[i].transition) i++;
    if (i < n) return x[i].transition < y[i].transition;
    qsort(x, n, sizeof *x, compare_steps);
    qsort(y, n, sizeof *y, compare_steps);
    for (i = 0; i < n && compare_steps(&x[i], &y[i]) == 0;) i++;
    if (i == n) return false;
    if (x[i].level == y[i].level) return x[i].transition < y[i].transition;
    return x[i].level < y[i].level ? share_larger(w, a, b, x[i]) : !share_larger(w, a, b, y[i]);
}

static bool check_cutoff(Work *w, uint32_t e)
{
    uint32_t c = w->ev->companion[e];
    if (c == EVENT_LIST_BOTTOM)
        return shared_bits_equal(&w->after, e, w->ev->n) ||
               fail(w, "cutoff %u does not lead back to the initial marking", e);
    if (!shared_bits_equal(&w->after, e, c))
        return fail(w, "cutoff %u and its companion %u have different markings", e, c);
    return w->size[c] < w->size[e] || (w->size[c] == w->size[e] && is_smaller(w, c, e)) ||
           fail(w, "the companion %u of cutoff %u is not smaller", c, e);
}

bool event_list_check(Work *w)
{
    find_touches(w);
    if (!check_shape(w)) return false;
    size_t n = w->ev->n, places = w->net->n_places;
    if (!event_list_has_room(w, shared_bits_bytes(n + 1, n) + shared_bits_bytes(n + 1, places))) return false;
    shared_bits_init(&w->below, n + 1, n);
    shared_bits_init(&w->after, n + 1, places);
    if (!find_order(w) || !event_list_stages_find(w) || !run_events(w) || !event_list_stages_clauses(w)) return false;
    for (uint32_t e = 0; e < n; e++)
        if ((event_list_work_is_cutoff(w, e) && !check_cutoff(w, e)) || !event_list_goes_on(w)) return false;
    return true;
}
