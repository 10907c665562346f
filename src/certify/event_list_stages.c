#include "certify/event_list_work.h"

/* ---- finding them ---- */

typedef struct Toucher {
    uint32_t event, how;
    size_t slot;
} Toucher;

typedef VEC(Toucher) Touchers;

/* Slots of all events, and per place who touches it. */
static Touchers *index_touchers(Work *w)
{
    Touchers *at = g_new0(Touchers, (size_t)w->net->n_places + 1);
    w->slot_start = g_new0(size_t, (size_t)w->ev->n + 1);
    for (uint32_t e = 0; e < w->ev->n; e++) {
        uint32_t n;
        const EventTouch *touches = event_list_work_touches(w, e, &n);
        for (uint32_t i = 0; i < n; i++)
            vec_push(&at[touches[i].place], ((Toucher){e, touches[i].how, w->slot_start[e] + i}));
        w->slot_start[e + 1] = w->slot_start[e] + n;
    }
    w->finds = g_new0(uint32_t, w->slot_start[w->ev->n] + 1);
    w->makes = g_new0(uint32_t, w->slot_start[w->ev->n] + 1);
    return at;
}

static bool makes_stage(const Work *w, const Toucher *toucher)
{
    return toucher->how & TOUCH_CHANGES && !event_list_work_is_cutoff(w, toucher->event);
}

/* The stage that each finds. changers: scratch, empty between places; made: scratch, per event. */
static void find_at(Work *w, uint32_t p, const Touchers *at, uint64_t *changers, uint32_t *made)
{
    size_t from = SIZE_MAX, to = 0;
    for (size_t i = 0; i < at->len; i++) {
        if (!makes_stage(w, &at->data[i])) continue;
        uint32_t e = at->data[i].event;
        made[e] = w->makes[at->data[i].slot] = (uint32_t)w->stages.len;
        vec_push(&w->stages, (EventStage){0});
        bitset_set(changers, e);
        from = MIN(from, e / 64);
        to = e / 64;
    }
    for (size_t i = 0; i < at->len; i++) {
        uint32_t e = at->data[i].event;
        uint32_t last =
            from == SIZE_MAX ? EVENT_LIST_NONE : shared_bits_last(&w->below, e, changers, from, MIN(to, e / 64));
        w->finds[at->data[i].slot] = last == EVENT_LIST_NONE ? p : made[last];
    }
    for (size_t i = 0; i < at->len; i++) bitset_clear(changers, at->data[i].event);
}

static EventMembers *members_at(Work *w, size_t slot, uint32_t how)
{
    EventStage *stage = &w->stages.data[w->finds[slot]];
    return how & TOUCH_CHANGES ? &stage->changers : &stage->readers;
}

/* Counts the members, or with `fill` puts them where there is room for them. */
static void each_member(Work *w, bool fill)
{
    for (uint32_t e = 0; e < w->ev->n; e++) {
        uint32_t n;
        const EventTouch *touches = event_list_work_touches(w, e, &n);
        for (uint32_t i = 0; i < n && !event_list_work_is_cutoff(w, e); i++) {
            EventMembers *members = members_at(w, w->slot_start[e] + i, touches[i].how);
            if (fill) w->members.data[members->from + members->n] = e;
            if (fill && members->set) bitset_set(members->set, e);
            members->n++;
        }
    }
}

static void make_room(Work *w, EventMembers *members)
{
    members->from = w->members.len;
    for (uint32_t i = 0; i < members->n; i++) vec_push(&w->members, 0);
    if (members->n > w->words) members->set = g_new0(uint64_t, w->words);
    members->n = 0;
}

static void find_members(Work *w)
{
    each_member(w, false);
    for (size_t i = 0; i < w->stages.len; i++) {
        make_room(w, &w->stages.data[i].changers);
        make_room(w, &w->stages.data[i].readers);
    }
    each_member(w, true);
}

bool event_list_stages_find(Work *w)
{
    Touchers *at = index_touchers(w);
    g_autofree uint64_t *changers = g_new0(uint64_t, w->words + 1);
    g_autofree uint32_t *made = g_new0(uint32_t, (size_t)w->ev->n + 1);
    for (uint32_t p = 0; p < w->net->n_places; p++) vec_push(&w->stages, (EventStage){0});
    bool ok = event_list_has_room(w, w->slot_start[w->ev->n] * (sizeof(EventStage) + 2 * sizeof(uint64_t)));
    for (uint32_t p = 0; p < w->net->n_places; p++) {
        if (ok) find_at(w, p, &at[p], changers, made);
        vec_free(&at[p]);
        ok = ok && event_list_goes_on(w);
    }
    g_free(at);
    if (ok) find_members(w);
    return ok;
}

/* ---- who excludes whom ----
 *
 * Two events exclude each other when one tests what the other changes and neither lies below the other. Then there are
 * two such, each of them or below it, that find one place at the same stage: follow the changes of the place below
 * each of the two, from the first on, to where they part. */

/* Is one of them below e, another one than f, and neither below f nor above it? */
static bool excluded_by(const Work *w, uint32_t e, uint32_t f, const EventMembers *members)
{
    if (!members->set) {
        for (uint32_t i = 0; i < members->n; i++) {
            uint32_t g = w->members.data[members->from + i];
            if (g != f && event_list_work_is_below(w, g, e) && !event_list_work_is_below(w, g, f) &&
                !event_list_work_is_below(w, f, g))
                return true;
        }
        return false;
    }
    for (size_t k = 0; k <= e / 64; k++) {
        uint64_t some = members->set[k] & shared_bits_word(&w->below, e, k) & ~shared_bits_word(&w->below, f, k);
        for (; some; some &= some - 1) {
            uint32_t g = (uint32_t)(k * 64) + (uint32_t)__builtin_ctzll(some);
            if (g != f && !event_list_work_is_below(w, f, g)) return true;
        }
    }
    return false;
}

bool event_list_stages_exclude(const Work *w, uint32_t e, uint32_t f)
{
    uint32_t n;
    const EventTouch *touches = event_list_work_touches(w, f, &n);
    for (uint32_t i = 0; i < n; i++) {
        const EventStage *stage = &w->stages.data[w->finds[w->slot_start[f] + i]];
        if (excluded_by(w, e, f, &stage->changers)) return true;
        if (touches[i].how & TOUCH_CHANGES && excluded_by(w, e, f, &stage->readers)) return true;
    }
    return false;
}

static void add_members(Work *w, EventMembers *members, bool exclude)
{
    VecI32 in = {0};
    for (uint32_t i = 0; i < members->n; i++) vec_push(&in, w->x[w->members.data[members->from + i]]);
    if (exclude && in.len > 1) cnf_at_most_one(w->cnf, in.data, in.len);
    members->any = cnf_or(w->cnf, in.data, in.len);
    vec_free(&in);
}

void event_list_stages_readers(const Work *w, uint32_t e, const EventMembers *readers, VecI32 *literals)
{
    size_t from = literals->len;
    for (uint32_t i = 0; i < readers->n; i++) {
        uint32_t g = w->members.data[readers->from + i];
        if (!event_list_work_is_below(w, g, e)) vec_push(literals, w->x[g]);
    }
    if (readers->n < 2 || literals->len < from + readers->n) return;
    literals->len = from;
    vec_push(literals, readers->any);
}

/* Of what finds a place at one stage, those that only test it and are not below an event that changes it. */
static void exclude_readers(Work *w, uint32_t e, VecI32 *literals)
{
    uint32_t n;
    const EventTouch *touches = event_list_work_touches(w, e, &n);
    vec_clear(literals);
    for (uint32_t i = 0; i < n; i++)
        if (touches[i].how & TOUCH_CHANGES)
            event_list_stages_readers(w, e, &w->stages.data[w->finds[w->slot_start[e] + i]].readers, literals);
    for (size_t i = 0; i < literals->len; i++) cnf_clause_of(w->cnf, -w->x[e], -literals->data[i]);
}

bool event_list_stages_clauses(Work *w)
{
    const EventList *ev = w->ev;
    VecI32 literals = {0};
    for (uint32_t e = 0; e < ev->n; e++)
        if (!event_list_work_is_cutoff(w, e)) w->x[e] = cnf_variable(w->cnf);
    for (size_t i = 0; i < w->stages.len && event_list_goes_on(w); i++) {
        add_members(w, &w->stages.data[i].changers, true);
        add_members(w, &w->stages.data[i].readers, false);
    }
    for (uint32_t e = 0; e < ev->n && event_list_goes_on(w); e++) {
        if (!w->x[e]) continue;
        for (uint32_t i = ev->cause_start[e]; i < ev->cause_start[e + 1]; i++)
            cnf_clause_of(w->cnf, -w->x[e], w->x[ev->cause[i]]);
        exclude_readers(w, e, &literals);
    }
    vec_free(&literals);
    return !*w->problem;
}

void event_list_stages_clear(Work *w)
{
    for (size_t i = 0; i < w->stages.len; i++) {
        g_free(w->stages.data[i].changers.set);
        g_free(w->stages.data[i].readers.set);
    }
    vec_free(&w->stages);
    vec_free(&w->members);
    g_free(w->slot_start);
    g_free(w->finds);
    g_free(w->makes);
}
