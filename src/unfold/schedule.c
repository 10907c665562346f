#include "unfold/schedule.h"

enum { HEAD = sizeof(Waiting) / sizeof(uint32_t), FIRST_WORDS = 64 };

void schedule_init(Schedule *s, const Finder *finder, void *data, ScheduleRules rules, Budget *budget, uint32_t words,
                   bool shared, uint32_t n_transitions)
{
    *s = (Schedule){.finder = finder, .data = data, .rules = rules, .budget = budget};
    assert(finder->bottom && finder->difference && finder->has_larger && finder->add && finder->extend &&
           finder->finish);
    markings_init(&s->markings, words, shared);
    s->order_work = order_work_new(n_transitions);
    s->marking = g_new0(uint64_t, (size_t)words + 1);
}

static void drop_candidates(Schedule *s)
{
    for (size_t i = 0; i < s->lists.len; i++) vec_free(&s->lists.data[i]);
    vec_free(&s->lists);
    vec_free(&s->spare);
}

void schedule_clear(Schedule *s)
{
    drop_candidates(s);
    markings_clear(&s->markings);
    for (int i = 0; i < 2; i++) vec_free(&s->only[i]);
    vec_free(&s->cutoffs);
    order_work_free(s->order_work);
    g_free(s->marking);
}

void schedule_stop(Schedule *s, Ending end)
{
    if (s->stopped) return;
    s->stopped = true;
    s->end = end;
    assert(end != ENDING_COMPLETE && (!ending_is_limit(end) || budget_ended(s->budget)));
}

/* ---- candidates ---- */

uint32_t schedule_begin(Schedule *s, const uint64_t *marking, uint64_t hash)
{
    assert(!s->markings.slots.len);
    uint32_t slot = markings_put(&s->markings, marking, hash);
    Marking *m = &s->markings.slots.data[slot];
    m->number = ++s->markings.numbers;
    m->event = PREFIX_BOTTOM;
    return slot;
}

void schedule_make_room(Schedule *s, uint32_t size, uint32_t n_words)
{
    while (s->lists.len <= size) vec_push(&s->lists, ((VecU32){0}));
    VecU32 *list = &s->lists.data[size];
    if (!list->data) {
        *list = s->spare;
        s->spare = (VecU32){0};
    }
    if (list->len + HEAD + n_words <= list->cap) return;
    budget_allows(s->budget, list->cap * sizeof *list->data);
    vec_reserve_long(list, MAX(list->len + HEAD + n_words, FIRST_WORDS));
}

static int compare(Schedule *s, const Waiting *candidate, const Waiting *champion, uint32_t size)
{
    int order;
    if (s->rules.order == ORDER_MCMILLAN) return 0;
    assert(candidate != champion && candidate->slot == champion->slot);
    if (s->finder->compare && s->finder->compare(s->data, candidate, champion, size, &order)) return order;
    vec_clear(&s->only[0]);
    vec_clear(&s->only[1]);
    s->finder->difference(s->data, candidate, champion, s->only);
    assert(s->only[0].len > 0 && s->only[0].len == s->only[1].len);
    OrderAsk ask = {s->finder->has_larger, s->data};
    order = order_compare(s->order_work, s->rules.order, s->only[0].data, s->only[1].data, s->only[0].len, ask);
    assert(order != 0 || !order_is_total(s->rules.order)); /* else one event was found twice */
    return order;
}

static void claim(Schedule *s, uint32_t size, Waiting *candidate)
{
    const VecU32 *list = &s->lists.data[size];
    Marking *m = &s->markings.slots.data[candidate->slot];
    bool claims = !m->number || m->size > size;
    if (!claims && m->size == size) {
        assert(m->where < list->len && m->event == PREFIX_NONE);
        int order = compare(s, candidate, (const Waiting *)(list->data + m->where), size);
        if (order == 0) candidate->number = m->number;
        claims = order < 0;
    }
    if (!claims) return;
    assert(m->event == PREFIX_NONE);
    candidate->number = m->number = ++s->markings.numbers;
    m->size = size;
    m->where = (uint32_t)((uint32_t *)candidate - list->data);
    if (s->finder->claims) s->finder->claims(s->data, candidate, size);
}

void schedule_judge(Schedule *s, uint32_t size, Waiting *candidate, const uint64_t *marking, uint64_t hash)
{
    schedule_judge_slot(s, size, candidate, markings_put(&s->markings, marking, hash));
}

void schedule_judge_slot(Schedule *s, uint32_t size, Waiting *candidate, uint32_t slot)
{
    assert(size >= s->size && size < s->lists.len && candidate->slot == UINT32_MAX);
    candidate->slot = slot;
    if (s->rules.cutoffs) claim(s, size, candidate);
    if (budget_spent(s->budget)) schedule_stop(s, budget_ending(s->budget));
}

/* ---- events ---- */

static inline bool within_limits(Schedule *s)
{
    if (budget_max_events(s->budget) && s->n_events >= budget_max_events(s->budget))
        budget_exhaust(s->budget, ENDING_EVENTS);
    if (budget_spent(s->budget)) schedule_stop(s, budget_ending(s->budget));
    return !s->stopped;
}

static bool is_live(const Schedule *s, const Waiting *candidate)
{
    return !s->rules.cutoffs || s->markings.slots.data[candidate->slot].number == candidate->number;
}

static inline void add(Schedule *s, const Waiting *candidate, uint32_t size, bool live)
{
    if (!within_limits(s)) return;
    Marking *m = &s->markings.slots.data[candidate->slot];
    assert(live || (m->size <= size && m->event != PREFIX_NONE));
    uint32_t event = s->finder->add(s->data, candidate, size, live ? PREFIX_NONE : m->event);
    s->n_events++;
    s->n_cutoffs += !live;
    if (live && m->event == PREFIX_NONE) m->event = event;
    if (s->stopped) return;
    const ScheduleRules *rules = &s->rules;
    if (rules->goal &&
        rules->goal(event, candidate->transition, schedule_marking(s, candidate->slot), rules->goal_data)) {
        s->goal_event = event;
        schedule_stop(s, ENDING_GOAL);
    } else if (live) {
        s->finder->extend(s->data, candidate, size, event);
    }
}

static void judge_all(Schedule *s, uint32_t size)
{
    VecU32 *list = &s->lists.data[size];
    for (size_t at = 0; at < list->len && !s->stopped;) {
        Waiting *candidate = (Waiting *)(list->data + at);
        uint64_t hash;
        if (s->finder->marking(s->data, candidate, s->marking, &hash))
            schedule_judge(s, size, candidate, s->marking, hash);
        at += HEAD + candidate->n_words;
        assert(at <= list->len);
    }
}

/* Live or not: they are no extensions of it. */
static void follow_all(Schedule *s, const VecU32 *list)
{
    for (size_t at = 0; at < list->len && !s->stopped;) {
        const Waiting *candidate = (const Waiting *)(list->data + at);
        s->finder->follow(s->data, candidate);
        at += HEAD + candidate->n_words;
        if (budget_ended(s->budget)) schedule_stop(s, budget_ending(s->budget));
    }
}

static void take_turn(Schedule *s, uint32_t size)
{
    s->size = size;
    if (s->finder->marking) judge_all(s, size);
    VecU32 list = s->lists.data[size]; /* new lists may move the others */
    s->lists.data[size] = (VecU32){0};
    vec_clear(&s->cutoffs);
    for (size_t at = 0; at < list.len && !s->stopped;) {
        const Waiting *candidate = (const Waiting *)(list.data + at);
        assert(candidate->slot < s->markings.slots.len && at + HEAD + candidate->n_words <= list.len);
        if (is_live(s, candidate))
            add(s, candidate, size, true);
        else
            vec_push(&s->cutoffs, at);
        at += HEAD + candidate->n_words;
    }
    for (size_t i = 0; i < s->cutoffs.len && !s->stopped; i++)
        add(s, (const Waiting *)(list.data + s->cutoffs.data[i]), size, false);
    if (s->finder->follow) follow_all(s, &list);
    if (list.cap > s->spare.cap) {
        vec_free(&s->spare);
        s->spare = list;
        vec_clear(&s->spare);
    } else {
        vec_free(&list);
    }
}

void schedule_finish(const Schedule *s, Prefix *prefix)
{
    assert(s->n_cutoffs <= s->n_events && (s->rules.cutoffs || !s->n_cutoffs));
    prefix->order = s->rules.order;
    prefix->cutoffs = s->rules.cutoffs;
    prefix->end = s->end;
    prefix->goal_event = s->goal_event;
}

static void describe(void *data, GString *line)
{
    const Schedule *s = data;
    g_string_append_printf(line, "%u events, %u cutoffs, local configurations of size %u", s->n_events, s->n_cutoffs,
                           s->size);
}

void schedule_run(Schedule *s)
{
    assert(!s->size && !s->n_events && !s->stopped);
    budget_describe(s->budget, describe, s);
    s->finder->bottom(s->data);
    for (uint32_t size = 1; size < s->lists.len && !s->stopped; size++) take_turn(s, size);
    if (budget_ended(s->budget)) schedule_stop(s, budget_ending(s->budget)); /* a search that was broken off */
    budget_describe(s->budget, NULL, NULL);
    drop_candidates(s); /* at a limit they are many, and a result is still to be made */
    s->finder->finish(s->data);
}
