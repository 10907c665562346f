#include "certify/event_list_work.h"

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

/* ---- order, and what depends on what ---- */

static void find_order(Work *w)
{
    const EventList *ev = w->ev;
    for (uint32_t e = 0; e < ev->n; e++) {
        uint64_t *b = event_list_work_row(w->below, w->words, e);
        for (uint32_t i = ev->cause_start[e]; i < ev->cause_start[e + 1]; i++) {
            bitset_or(b, event_list_work_row(w->below, w->words, ev->cause[i]), ev->cause[i] / 64 + 1);
            bitset_set(b, ev->cause[i]);
            w->level[e] = MAX(w->level[e], w->level[ev->cause[i]] + 1);
        }
        w->size[e] = (uint32_t)bitset_count(b, e / 64 + 1) + 1;
    }
    for (uint32_t e = ev->n; e-- > 0;) {
        if (event_list_work_is_cutoff(w, e)) continue;
        for (uint32_t i = ev->cause_start[e]; i < ev->cause_start[e + 1]; i++) {
            uint64_t *above = event_list_work_row(w->above, w->words, ev->cause[i]);
            bitset_or(above, event_list_work_row(w->above, w->words, e), w->words);
            bitset_set(above, e);
        }
    }
}

static void add_list(const Work *w, const VecU32 *list, uint64_t **dense, uint64_t *set)
{
    if (list->len > w->words && !*dense) {
        *dense = g_new0(uint64_t, w->words);
        for (size_t j = 0; j < list->len; j++) bitset_set(*dense, list->data[j]);
    }
    if (*dense) bitset_or(set, *dense, w->words);
    for (size_t j = 0; j < list->len && !*dense; j++) bitset_set(set, list->data[j]);
}

/* Per place the events that are no cutoffs and test it, and those that change it; from these, what depends on each
 * transition that has events. */
static void index_live(Work *w)
{
    const EventList *ev = w->ev;
    VecU32 *lists[2];
    uint64_t **dense[2]; /* the long ones as sets */
    for (int k = 0; k < 2; k++) {
        lists[k] = g_new0(VecU32, (size_t)w->net->n_places + 1);
        dense[k] = g_new0(uint64_t *, (size_t)w->net->n_places + 1);
    }
    for (uint32_t e = 0; e < ev->n; e++)
        for (size_t i = w->touch_start[ev->transition[e]];
             !event_list_work_is_cutoff(w, e) && i < w->touch_start[ev->transition[e] + 1]; i++) {
            EventTouch touch = w->touches.data[i];
            if (touch.how & TOUCH_TESTS) vec_push(&lists[0][touch.place], e);
            if (touch.how & TOUCH_CHANGES) vec_push(&lists[1][touch.place], e);
        }
    g_autofree bool *done = g_new0(bool, (size_t)w->net->n_transitions + 1);
    for (uint32_t e = 0; e < ev->n; e++) {
        uint32_t t = ev->transition[e];
        if (!event_list_work_is_cutoff(w, e)) { /* depends on itself, also when it touches nothing */
            if (!w->live_of[t]) w->live_of[t] = g_new0(uint64_t, w->words);
            bitset_set(w->live_of[t], e);
        }
        for (size_t i = w->touch_start[t]; !done[t] && i < w->touch_start[t + 1]; i++)
            for (int k = 0; k < 2; k++) {
                EventTouch touch = w->touches.data[i];
                const VecU32 *list = &lists[k][touch.place];
                if (!(touch.how & (k ? TOUCH_TESTS : TOUCH_CHANGES)) || !list->len) continue;
                if (!w->live_of[t]) w->live_of[t] = g_new0(uint64_t, w->words);
                add_list(w, list, &dense[k][touch.place], w->live_of[t]);
            }
        done[t] = true;
    }
    for (int k = 0; k < 2; k++) {
        for (uint32_t p = 0; p < w->net->n_places; p++) vec_free(&lists[k][p]);
        for (uint32_t p = 0; p < w->net->n_places; p++) g_free(dense[k][p]);
        g_free(lists[k]);
        g_free(dense[k]);
    }
}

bool event_list_goes_on(Work *w)
{
    if (!w->cnf->stopped && budget_charge(w->cnf->budget, (uint32_t)w->words + 10))
        w->cnf->stopped = budget_text(w->cnf->budget);
    return !w->cnf->stopped || fail(w, "%s", w->cnf->stopped);
}

/* ---- who takes the same token ---- */

typedef struct Belongs {
    uint32_t event, group;
} Belongs;

typedef struct Takers {
    VecU32 events;       /* of a place: those that test and change it, cutoffs too */
    uint64_t *changers;  /* scratch: events that are no cutoffs and change it */
    uint32_t *last;      /* scratch: the last change before each event, n for the initial marking */
    uint32_t *count;     /* scratch, per last change: how many of them are no cutoffs; zero between places */
    VEC(Belongs) belong; /* of all places */
} Takers;

/* A count of two or more becomes n + 1 + the number of its group. */
static void group_takers(Work *w, Takers *k)
{
    uint32_t n = w->ev->n;
    for (size_t i = 0; i < k->events.len; i++) {
        uint32_t e = k->events.data[i], last = event_list_work_last_below(w, e, k->changers);
        k->last[e] = last == EVENT_LIST_NONE ? n : last;
        k->count[k->last[e]] += !event_list_work_is_cutoff(w, e);
    }
    for (size_t i = 0; i < k->events.len; i++) {
        uint32_t e = k->events.data[i], *count = &k->count[k->last[e]];
        if (*count < 2) continue;
        if (*count <= n) {
            vec_push(&w->groups, ((Group){.from = (uint32_t)w->members.len}));
            for (uint32_t j = 0; j < *count; j++) vec_push(&w->members, 0);
            *count = n + (uint32_t)w->groups.len;
        }
        Group *group = &w->groups.data[*count - n - 1];
        if (!event_list_work_is_cutoff(w, e)) w->members.data[group->from + group->n++] = e;
        vec_push(&k->belong, ((Belongs){e, *count - n - 1}));
    }
    for (size_t i = 0; i < k->events.len; i++) k->count[k->last[k->events.data[i]]] = 0;
}

/* The groups of each event, from who belongs where. */
static void own_groups(Work *w, const Takers *k)
{
    w->own_start = g_new0(size_t, (size_t)w->ev->n + 2);
    for (size_t i = 0; i < k->belong.len; i++) w->own_start[k->belong.data[i].event + 2]++;
    for (uint32_t e = 0; e < w->ev->n; e++) w->own_start[e + 2] += w->own_start[e + 1];
    for (size_t i = 0; i < k->belong.len; i++) vec_push(&w->own, 0);
    for (size_t i = 0; i < k->belong.len; i++)
        w->own.data[w->own_start[k->belong.data[i].event + 1]++] = k->belong.data[i].group;
}

static void find_groups(Work *w)
{
    const EventList *ev = w->ev;
    g_autofree VecU32 *at = g_new0(VecU32, (size_t)w->net->n_places + 1); /* events that change the place */
    for (uint32_t e = 0; e < ev->n; e++)
        for (size_t i = w->touch_start[ev->transition[e]]; i < w->touch_start[ev->transition[e] + 1]; i++)
            if (w->touches.data[i].how & TOUCH_CHANGES) vec_push(&at[w->touches.data[i].place], e);
    g_autofree uint64_t *changers = g_new0(uint64_t, w->words + 1);
    g_autofree uint32_t *last = g_new0(uint32_t, (size_t)ev->n + 1), *count = g_new0(uint32_t, (size_t)ev->n + 1);
    Takers k = {.changers = changers, .last = last, .count = count};
    for (uint32_t p = 0; p < w->net->n_places; p++) {
        vec_clear(&k.events);
        for (size_t i = 0; i < at[p].len; i++) {
            uint32_t e = at[p].data[i];
            if (!event_list_work_is_cutoff(w, e)) bitset_set(changers, e);
            if (touch_of(w, ev->transition[e], p) & TOUCH_TESTS) vec_push(&k.events, e);
        }
        group_takers(w, &k);
        for (size_t i = 0; i < at[p].len; i++) bitset_clear(changers, at[p].data[i]);
        vec_free(&at[p]);
    }
    own_groups(w, &k);
    vec_free(&k.events);
    vec_free(&k.belong);
}

/* At most one member of a group is in. */
static bool add_groups(Work *w)
{
    if (!budget_allows(w->cnf->budget, w->groups.len * w->words * sizeof(uint64_t)))
        return fail(w, "%s", budget_text(w->cnf->budget));
    VecI32 in = {0};
    for (size_t i = 0; i < w->groups.len && event_list_goes_on(w); i++) {
        Group *group = &w->groups.data[i];
        group->set = g_new0(uint64_t, w->words);
        vec_clear(&in);
        for (uint32_t j = 0; j < group->n; j++) {
            uint32_t e = w->members.data[group->from + j];
            vec_push(&in, w->x[e]);
            bitset_set(group->set, e);
            bitset_or(group->set, event_list_work_row(w->above, w->words, e), w->words);
        }
        cnf_at_most_one(w->cnf, in.data, in.len);
        group->taken = cnf_or(w->cnf, in.data, in.len);
    }
    vec_free(&in);
    return !*w->problem;
}

/* ---- conflict ---- */

/* `all`: what is in conflict with a cause of e. Adds those that take a token which e takes, others that depend on e
 * without being its causes or above it, and all above these. Only pairs that nothing else explains need a clause, and
 * get it with the later one: what explains a pair (a cause of the one, something below the other) makes a pair of
 * smaller numbers, down to one that has its clause or is in a group. */
static void add_conflicts(Work *w, uint32_t e, uint64_t *all)
{
    const uint64_t *live = w->live_of[w->ev->transition[e]], *b = event_list_work_row(w->below, w->words, e),
                   *above = event_list_work_row(w->above, w->words, e);
    for (size_t i = w->own_start[e]; i < w->own_start[e + 1]; i++)
        bitset_or(all, w->groups.data[w->own.data[i]].set, w->words);
    bitset_set(all, e);
    for (size_t k = 0; k < w->words; k++) {
        all[k] &= ~above[k];
        uint64_t direct = live ? live[k] & ~b[k] & ~above[k] : 0;
        for (direct &= ~all[k]; direct; direct &= ~all[k]) {
            uint32_t g = (uint32_t)(k * 64) + (uint32_t)__builtin_ctzll(direct);
            if (g < e) cnf_clause_of(w->cnf, -w->x[e], -w->x[g]);
            bitset_set(all, g);
            bitset_or(all, event_list_work_row(w->above, w->words, g), w->words);
        }
    }
    bitset_clear(all, e);
    memcpy(event_list_work_row(w->conflict, w->words, e), all, w->words * sizeof *all);
}

/* A history with two events that exclude each other is none. */
static bool find_conflicts(Work *w)
{
    const EventList *ev = w->ev;
    for (uint32_t e = 0; e < ev->n; e++)
        if (!event_list_work_is_cutoff(w, e)) w->x[e] = cnf_variable(w->cnf);
    if (!add_groups(w)) return false;
    g_autofree uint64_t *all = g_new(uint64_t, w->words + 1);
    for (uint32_t e = 0; e < ev->n; e++) {
        memset(all, 0, w->words * sizeof *all);
        for (uint32_t i = ev->cause_start[e]; i < ev->cause_start[e + 1]; i++) {
            bitset_or(all, event_list_work_row(w->conflict, w->words, ev->cause[i]), w->words);
            if (w->x[e]) cnf_clause_of(w->cnf, -w->x[e], w->x[ev->cause[i]]);
        }
        if (bitset_meets(all, event_list_work_row(w->below, w->words, e), w->words))
            return fail(w, "event %u has causes that exclude each other", e);
        if (w->x[e]) add_conflicts(w, e, all);
        if (!event_list_goes_on(w)) return false;
    }
    return true;
}

/* ---- runs and markings ---- */

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

/* Fires the causes of e from the initial marking; those of its largest cause are not fired again. */
static bool fire_causes(const Work *w, uint32_t e, uint64_t *m, uint64_t *rest)
{
    const EventList *ev = w->ev;
    uint32_t base = EVENT_LIST_NONE;
    for (uint32_t i = ev->cause_start[e]; i < ev->cause_start[e + 1]; i++)
        if (base == EVENT_LIST_NONE || w->size[ev->cause[i]] > w->size[base]) base = ev->cause[i];
    if (base == EVENT_LIST_NONE) {
        memset(m, 0, w->p_words * sizeof *m);
        for (uint32_t p = 0; p < w->net->n_places; p++)
            if (w->net->initial[p]) bitset_set(m, p);
        return true;
    }
    memcpy(m, event_list_work_row(w->marking, w->p_words, base), w->p_words * sizeof *m);
    const uint64_t *all = event_list_work_row(w->below, w->words, e),
                   *fired = event_list_work_row(w->below, w->words, base);
    for (size_t k = 0; k <= e / 64; k++) rest[k] = all[k] & ~fired[k];
    bitset_clear(rest, base);
    for (BITSET_EACH(f, rest, e / 64 + 1))
        if (!enabled(w->net, m, ev->transition[f]) || !fire(w->net, m, ev->transition[f])) return false;
    return true;
}

static bool run_events(Work *w)
{
    g_autofree uint64_t *m = g_new0(uint64_t, w->p_words + 1), *rest = g_new0(uint64_t, w->words + 1);
    for (uint32_t p = 0; p < w->net->n_places; p++)
        if (w->net->initial[p] > 1) return fail(w, "the initial marking is not safe");
    for (uint32_t e = 0; e < w->ev->n; e++) {
        if (!fire_causes(w, e, m, rest)) return fail(w, "the causes of event %u cannot fire in order", e);
        if (!enabled(w->net, m, w->ev->transition[e])) return fail(w, "event %u is not enabled after its causes", e);
        if (!fire(w->net, m, w->ev->transition[e])) return fail(w, "event %u puts a second token on a place", e);
        memcpy(event_list_work_row(w->marking, w->p_words, e), m, w->p_words * sizeof *m);
        if (!event_list_goes_on(w)) return false;
    }
    return true;
}

/* ---- the order erv: size, then transitions sorted, then the levels of the Foata normal form, each sorted. What two
 * histories of equal size share decides neither: the smallest transition that one has more often makes it the smaller
 * one. Only where a level of one is the beginning of that of the other does the shared part count. ---- */

typedef struct Step {
    uint32_t level, transition;
} Step;

static int compare_transitions(const void *a, const void *b)
{
    uint32_t x = ((const Step *)a)->transition, y = ((const Step *)b)->transition;
    return (x > y) - (x < y);
}

static int compare_steps(const void *a, const void *b)
{
    uint32_t x = ((const Step *)a)->level, y = ((const Step *)b)->level;
    return x != y ? (x > y) - (x < y) : compare_transitions(a, b);
}

/* The events of [e] that are not in [other]. */
static Step *own_steps(const Work *w, uint32_t e, uint32_t other, size_t *n)
{
    const uint64_t *mine = event_list_work_row(w->below, w->words, e),
                   *theirs = event_list_work_row(w->below, w->words, other);
    VEC(Step) steps = {0};
    for (size_t k = 0; k <= e / 64; k++) {
        uint64_t only = (mine[k] | (k == e / 64 ? (uint64_t)1 << e % 64 : 0)) & ~theirs[k] &
                        ~(k == other / 64 ? (uint64_t)1 << other % 64 : 0);
        for (; only; only &= only - 1) {
            uint32_t f = (uint32_t)(k * 64) + (uint32_t)__builtin_ctzll(only);
            vec_push(&steps, ((Step){w->level[f], w->ev->transition[f]}));
        }
    }
    *n = steps.len;
    return steps.data;
}

/* Have both a transition larger than this one in this level? */
static bool share_larger(const Work *w, uint32_t a, uint32_t b, Step than)
{
    const uint64_t *x = event_list_work_row(w->below, w->words, a), *y = event_list_work_row(w->below, w->words, b);
    for (size_t k = 0; k <= MIN(a, b) / 64; k++)
        for (uint64_t both = x[k] & y[k]; both; both &= both - 1) {
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
    const uint64_t *m = event_list_work_row(w->marking, w->p_words, e);
    if (c == EVENT_LIST_BOTTOM) {
        for (uint32_t p = 0; p < w->net->n_places; p++)
            if (bitset_get(m, p) != (w->net->initial[p] > 0))
                return fail(w, "cutoff %u does not lead back to the initial marking", e);
        return true;
    }
    if (!bitset_equal(m, event_list_work_row(w->marking, w->p_words, c), w->p_words))
        return fail(w, "cutoff %u and its companion %u have different markings", e, c);
    return w->size[c] < w->size[e] || (w->size[c] == w->size[e] && is_smaller(w, c, e)) ||
           fail(w, "the companion %u of cutoff %u is not smaller", c, e);
}

bool event_list_check(Work *w)
{
    find_touches(w);
    if (!check_shape(w)) return false;
    size_t n = w->ev->n;
    if (!budget_allows(w->cnf->budget, (4 * w->words + w->p_words) * n * sizeof(uint64_t)))
        return fail(w, "%s", budget_text(w->cnf->budget));
    w->below = g_new0(uint64_t, n * w->words + 1);
    w->above = g_new0(uint64_t, n * w->words + 1);
    w->conflict = g_new0(uint64_t, n * w->words + 1);
    w->marking = g_new0(uint64_t, n * w->p_words + 1);
    find_order(w);
    index_live(w);
    find_groups(w);
    if (!find_conflicts(w) || !run_events(w)) return false;
    for (uint32_t e = 0; e < n; e++)
        if ((event_list_work_is_cutoff(w, e) && !check_cutoff(w, e)) || !event_list_goes_on(w)) return false;
    return true;
}
