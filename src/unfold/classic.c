#include "unfold/classic.h"

#include "base/bitset.h"
#include "unfold/champions.h"
#include "unfold/co.h"
#include "unfold/process.h"

#include <assert.h>

/* A waiting candidate in its size class: RECORD_HEAD words, then its preset. */
enum { RECORD_TRANSITION, RECORD_SLOT, RECORD_NUMBER, RECORD_HEAD };

typedef struct Engine {
    const SafeNet *safe;
    const UnfoldOptions *options;
    Budget *budget;
    Prefix *prefix;
    Process process;
    Champions champions;
    Co *co;
    VEC(VecU32) classes; /* by size */
    bool stopped;

    /* The event being extended. */
    uint32_t event, size, slot;
    uint32_t base; /* colour of [event], 0 when not painted yet */
    VecU64 group_places; /* per group: its places as a 64-bit signature */
    VecU32 group;        /* per condition */
    uint32_t round;      /* place_round and transition_round equal it when set for this event */
    uint32_t *place_round, *own, *transition_round;
    VecU32 *found; /* per place: concurrent conditions that some consumer may want */
    uint32_t *preset, *open, *cursor;
    CoPart *parts;
    uint64_t *marking;
    VecU32 mine, other;
    VEC(OrderStep) steps;
} Engine;

static uint32_t n_pre(const Engine *engine, uint32_t t)
{
    return engine->safe->pre_start[t + 1] - engine->safe->pre_start[t];
}

/* ---- the end ---- */

static void stop(Engine *engine, PrefixEnd end)
{
    engine->prefix->end = end;
    engine->prefix->reason = engine->budget->reason;
    engine->stopped = true;
}

static int by_id(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Fires the events in order of their ids, then `last` (unless NET_NONE) up to the first second token. */
static void stop_unsafe(Engine *engine, VecU32 *events, uint32_t last, uint32_t twice)
{
    const Net *net = engine->safe->net;
    Prefix *prefix = engine->prefix;
    g_autofree uint64_t *counts = g_memdup2(net->initial, net->n_places * sizeof(uint64_t));
    if (events->len) qsort(events->data, events->len, sizeof *events->data, by_id);
    VecU32 run = {0};
    for (size_t i = 0; i < events->len; i++) vec_push(&run, engine->process.transition.data[events->data[i]]);
    if (last != NET_NONE) vec_push(&run, last);
    if (twice != NET_NONE) vec_push(&run, twice);
    prefix->unsafe_place = NET_NONE;
    for (size_t i = 0; i <= run.len; i++) {
        for (uint32_t p = 0; p < net->n_places && prefix->unsafe_place == NET_NONE; p++)
            if (counts[p] > 1) prefix->unsafe_place = p;
        if (prefix->unsafe_place != NET_NONE) {
            run.len = i;
            break;
        }
        assert(i < run.len && net_enabled(net, counts, run.data[i]));
        net_fire(net, counts, run.data[i]);
    }
    assert(prefix->unsafe_place != NET_NONE);
    prefix->unsafe_len = (uint32_t)run.len;
    prefix->unsafe_run = run.data;
    stop(engine, PREFIX_UNSAFE);
}

static void stop_unsafe_candidate(Engine *engine, uint32_t t, const uint32_t *preset)
{
    VecU32 events = {0};
    process_collect(&engine->process, preset, n_pre(engine, t), process_colour(&engine->process), &events);
    stop_unsafe(engine, &events, t, NET_NONE);
    vec_free(&events);
}

static void stop_unsafe_pair(Engine *engine, uint32_t c, uint32_t d)
{
    VecU32 events = {0};
    uint32_t pair[] = {c, d};
    process_collect(&engine->process, pair, 2, process_colour(&engine->process), &events);
    stop_unsafe(engine, &events, NET_NONE, NET_NONE);
    vec_free(&events);
}

/* ---- comparing candidates of one size and marking ---- */

typedef struct Rivals {
    Engine *engine;
    ProcessRoots roots[2];
} Rivals;

static bool level_has_larger(void *data, int which, uint32_t depth, uint32_t transition)
{
    const Rivals *rivals = data;
    Engine *engine = rivals->engine;
    Process *process = &engine->process;
    const ProcessRoots *roots = &rivals->roots[which];
    vec_clear(&engine->mine);
    process_collect(process, roots->conditions, roots->n, process_colour(process), &engine->mine);
    for (size_t i = 0; i < engine->mine.len; i++) {
        uint32_t e = engine->mine.data[i];
        if (process->depth.data[e] == depth && process->transition.data[e] > transition) return true;
    }
    return false;
}

static OrderStep *fill_steps(const Process *process, const VecU32 *events, uint32_t t, ProcessRoots roots, OrderStep *steps)
{
    for (size_t i = 0; i < events->len; i++)
        steps[i] = (OrderStep){process->depth.data[events->data[i]], process->transition.data[events->data[i]]};
    steps[events->len] = (OrderStep){process_depth(process, roots.conditions, roots.n), t};
    return steps;
}

/* A candidate and the champion of its marking, of the same size. */
static int compare_with_champion(Engine *engine, uint32_t t, const uint32_t *preset, const uint32_t *record)
{
    Order order = engine->options->order;
    if (order == ORDER_MCMILLAN) return 0;
    Process *process = &engine->process;
    uint32_t u = record[RECORD_TRANSITION];
    Rivals rivals = {engine, {{preset, n_pre(engine, t)}, {record + RECORD_HEAD, n_pre(engine, u)}}};
    vec_clear(&engine->mine);
    vec_clear(&engine->other);
    engine->base = 0; /* the walk paints over it */
    process_difference(process, rivals.roots[0], rivals.roots[1], UINT32_MAX, &engine->mine, &engine->other);
    assert(engine->mine.len == engine->other.len);
    size_t n = engine->mine.len + 1;
    vec_reserve(&engine->steps, 2 * n);
    OrderStep *a = fill_steps(process, &engine->mine, t, rivals.roots[0], engine->steps.data);
    OrderStep *b = fill_steps(process, &engine->other, u, rivals.roots[1], engine->steps.data + n);
    return order_compare_parts(order, a, b, n, (OrderAsk){level_has_larger, &rivals});
}

/* ---- candidates ---- */

static VecU32 *class_of(Engine *engine, uint32_t size)
{
    while (engine->classes.len <= size) vec_push(&engine->classes, ((VecU32){0}));
    return &engine->classes.data[size];
}

/* Puts the candidate into its class and decides between it and the champion of its marking. */
static void enqueue(Engine *engine, uint32_t t, const uint32_t *preset, uint32_t size, uint64_t hash)
{
    Champions *champions = &engine->champions;
    VecU32 *class = class_of(engine, size);
    uint32_t slot = engine->options->cutoffs ? champions_find(champions, engine->marking, hash) : CHAMPION_NO_SLOT;
    uint32_t number = 0;
    bool claims = slot == CHAMPION_NO_SLOT;
    if (claims) {
        slot = champions_add(champions, engine->marking, hash, engine->options->cutoffs);
    } else if (champions->slots.data[slot].size > size) {
        claims = true;
    } else if (champions->slots.data[slot].size == size) {
        const ChampionSlot *s = &champions->slots.data[slot];
        int order = compare_with_champion(engine, t, preset, class->data + s->where);
        claims = order < 0;
        if (order == 0) number = s->number;
    }
    if (claims) {
        ChampionSlot *s = &champions->slots.data[slot];
        s->number = number = ++champions->numbers;
        s->size = size;
        s->where = (uint32_t)class->len;
    }
    uint32_t head[RECORD_HEAD] = {t, slot, number};
    vec_append(class, head, RECORD_HEAD);
    vec_append(class, preset, n_pre(engine, t));
}

/* Applies the events that cause the condition and lie outside what has been painted. */
static uint32_t walk_outside(Engine *engine, uint32_t e, uint32_t colour, uint64_t *hash)
{
    Process *process = &engine->process;
    const SafeNet *safe = engine->safe;
    uint32_t *colours = process->colour.data, base = engine->base, n = 0;
    colours[e] = colour;
    vec_push(&process->stack, e);
    while (process->stack.len) {
        uint32_t x = vec_pop(&process->stack), t = process->transition.data[x];
        n++;
        *hash ^= safe->change[t];
        for (uint32_t i = safe->effect_start[t]; i < safe->effect_start[t + 1]; i++)
            engine->marking[safe->effect[i].word] ^= safe->effect[i].bits;
        for (uint32_t i = process->cause_start.data[x]; i < process->cause_start.data[x + 1]; i++) {
            uint32_t cause = process->cause.data[i];
            if (colours[cause] == base || colours[cause] == colour) continue;
            colours[cause] = colour;
            vec_push(&process->stack, cause);
        }
    }
    return n;
}

/* t with this preset, which holds a condition of engine->event, is a possible extension. */
static void add_candidate(Engine *engine, uint32_t t, const uint32_t *preset)
{
    const SafeNet *safe = engine->safe;
    Process *process = &engine->process;
    memcpy(engine->marking, champions_marking(&engine->champions, engine->slot), safe->words * sizeof(uint64_t));
    uint64_t hash = engine->champions.slots.data[engine->slot].hash;
    uint32_t size = engine->size + 1, colour = 0;
    for (uint32_t i = 0; i < n_pre(engine, t); i++) {
        uint32_t e = process->producer.data[preset[i]];
        if (e == engine->event || e == PREFIX_BOTTOM) continue;
        if (!engine->base) process_paint_event(process, engine->event, engine->base = process_colour(process));
        if (!colour) colour = process_colour(process);
        if (process->colour.data[e] == engine->base || process->colour.data[e] == colour) continue;
        size += walk_outside(engine, e, colour, &hash);
    }
    for (uint32_t i = safe->pre_start[t]; i < safe->pre_start[t + 1]; i++) {
        assert(bitset_get(engine->marking, safe->pre[i]));
        bitset_clear(engine->marking, safe->pre[i]);
    }
    bool doubled = safe->doubled[t] != NET_NONE;
    for (uint32_t i = safe->post_start[t]; i < safe->post_start[t + 1]; i++) {
        doubled |= bitset_get(engine->marking, safe->post[i]);
        bitset_set(engine->marking, safe->post[i]);
    }
    if (G_UNLIKELY(doubled)) {
        stop_unsafe_candidate(engine, t, preset);
        return;
    }
    enqueue(engine, t, preset, size, hash ^ safe->change[t]);
    if (budget_spent(engine->budget)) stop(engine, PREFIX_LIMIT);
}

/* ---- possible extensions of one event ---- */

static bool fits(const Engine *engine, uint32_t condition, uint32_t n_chosen)
{
    const uint32_t *group = engine->group.data;
    for (uint32_t i = 0; i < n_chosen; i++) {
        uint32_t other = engine->preset[engine->open[i]];
        if (!co_test(engine->co, condition, group[condition], other, group[other])) return false;
    }
    return true;
}

/* Fills the open positions of the preset with mutually concurrent found conditions, in every way. */
static void fill_open(Engine *engine, uint32_t t, uint32_t n_open)
{
    const uint32_t *places = engine->safe->pre + engine->safe->pre_start[t];
    uint32_t level = 0;
    engine->cursor[0] = 0;
    while (!engine->stopped) {
        const VecU32 *found = &engine->found[places[engine->open[level]]];
        if (engine->cursor[level] == found->len) {
            if (level-- == 0) return;
            continue;
        }
        uint32_t condition = found->data[engine->cursor[level]++];
        if (!fits(engine, condition, level)) continue;
        engine->preset[engine->open[level]] = condition;
        if (level + 1 == n_open)
            add_candidate(engine, t, engine->preset);
        else
            engine->cursor[++level] = 0;
    }
}

static void try_transition(Engine *engine, uint32_t t)
{
    const SafeNet *safe = engine->safe;
    const uint32_t own_round = engine->round + 1;
    uint32_t n_open = 0;
    for (uint32_t i = safe->pre_start[t], at = 0; i < safe->pre_start[t + 1]; i++, at++) {
        uint32_t p = safe->pre[i];
        if (engine->place_round[p] == own_round)
            engine->preset[at] = engine->own[p];
        else if (engine->found[p].len)
            engine->open[n_open++] = at;
        else
            return;
    }
    if (n_open)
        fill_open(engine, t, n_open);
    else
        add_candidate(engine, t, engine->preset);
}

static uint64_t signature_bit(const Engine *engine, uint32_t place)
{
    return UINT64_C(1) << (uint64_t)place * 64 / engine->safe->n_places;
}

/* The new conditions' places are own, the other inputs of their consumers are wanted. */
static uint64_t set_round(Engine *engine, uint32_t first, uint32_t n)
{
    const SafeNet *safe = engine->safe;
    engine->round += 2;
    uint64_t signature = 0;
    for (uint32_t c = first; c < first + n; c++) {
        uint32_t p = engine->process.place.data[c];
        signature |= signature_bit(engine, p);
        for (uint32_t i = safe->partner_start[p]; i < safe->partner_start[p + 1]; i++) {
            uint32_t q = safe->partner[i];
            if (engine->place_round[q] == engine->round) continue;
            engine->place_round[q] = engine->round;
            vec_clear(&engine->found[q]);
            signature |= signature_bit(engine, q);
        }
    }
    for (uint32_t c = first; c < first + n; c++) {
        engine->place_round[engine->process.place.data[c]] = engine->round + 1;
        engine->own[engine->process.place.data[c]] = c;
    }
    return signature;
}

/* Sorts the concurrent conditions on wanted places by place. */
static void find_partners(Engine *engine, uint64_t signature)
{
    const Co *co = engine->co;
    const uint64_t *group_places = engine->group_places.data;
    for (size_t i = 0; i < co->common.len; i++) {
        uint32_t entry = co->common.data[i], g = entry >> co->width;
        if (!(group_places[g] & signature)) continue;
        for (uint32_t mask = entry & co->mask; mask; mask &= mask - 1) {
            uint32_t c = co->groups.data[g].first + (uint32_t)__builtin_ctz(mask);
            uint32_t p = engine->process.place.data[c], round = engine->place_round[p];
            if (round == engine->round) {
                vec_push(&engine->found[p], c);
            } else if (round == engine->round + 1) {
                stop_unsafe_pair(engine, c, engine->own[p]);
                return;
            }
        }
    }
}

static void enter_relation(Engine *engine, uint32_t first, uint32_t n)
{
    Co *co = engine->co;
    uint32_t g = co_add(co, first, n);
    for (uint32_t at = 0; at < n; g++) {
        uint64_t places = 0;
        for (uint32_t i = 0; i < co->width && at < n; i++, at++) {
            places |= signature_bit(engine, engine->process.place.data[first + at]);
            engine->group.data[first + at] = g;
        }
        vec_push(&engine->group_places, places);
    }
}

/* co->common holds what is concurrent with engine->event, whose postset is given. */
static void extend(Engine *engine, uint32_t first, uint32_t n)
{
    const SafeNet *safe = engine->safe;
    uint64_t signature = set_round(engine, first, n);
    find_partners(engine, signature);
    if (engine->stopped) return;
    if (co_is_full(engine->co, n)) {
        budget_exhaust(engine->budget, BUDGET_MEMORY);
        stop(engine, PREFIX_LIMIT);
        return;
    }
    enter_relation(engine, first, n);
    for (uint32_t c = first; c < first + n; c++) {
        uint32_t p = engine->process.place.data[c];
        for (uint32_t i = safe->consumer_start[p]; i < safe->consumer_start[p + 1]; i++) {
            uint32_t t = safe->consumer[i];
            if (engine->transition_round[t] == engine->round) continue;
            engine->transition_round[t] = engine->round;
            try_transition(engine, t);
            if (engine->stopped) return;
        }
    }
}

/* ---- events ---- */

static void find_common(Engine *engine, const uint32_t *preset, uint32_t n)
{
    uint32_t n_parts = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t g = engine->group.data[preset[i]], j = 0;
        uint32_t bit = 1u << (preset[i] - engine->co->groups.data[g].first);
        while (j < n_parts && engine->parts[j].group != g) j++;
        if (j == n_parts) engine->parts[n_parts++] = (CoPart){g, 0};
        engine->parts[j].mask |= bit;
    }
    vec_clear(&engine->co->common);
    if (n_parts) co_common(engine->co, engine->parts, n_parts);
}

/* Adds one waiting candidate as an event; non-cutoffs are extended. */
static void add_event(Engine *engine, const uint32_t *record, uint32_t size, uint32_t companion)
{
    Process *process = &engine->process;
    uint32_t t = record[RECORD_TRANSITION], slot = record[RECORD_SLOT];
    if (engine->budget->max_events && process_n_events(process) >= engine->budget->max_events) {
        budget_exhaust(engine->budget, BUDGET_EVENTS);
        stop(engine, PREFIX_LIMIT);
        return;
    }
    uint32_t e = process_add(process, t, record + RECORD_HEAD, size, companion);
    if (engine->options->goal &&
        engine->options->goal(e, t, champions_marking(&engine->champions, slot), engine->options->goal_data)) {
        engine->prefix->goal_event = e;
        stop(engine, PREFIX_GOAL);
        return;
    }
    uint32_t first = process->post_start.data[e], n = process->post_start.data[e + 1] - first;
    vec_reserve(&engine->group, process->place.len);
    if (companion != PREFIX_NONE || !n) return;
    engine->event = e;
    engine->size = size;
    engine->slot = slot;
    engine->base = 0;
    find_common(engine, record + RECORD_HEAD, n_pre(engine, t));
    extend(engine, first, n);
}

/* Non-cutoffs first, so that every companion is there before its cutoffs. */
static void add_class(Engine *engine, uint32_t size)
{
    ChampionSlot *slots = engine->champions.slots.data;
    VecU32 class = engine->classes.data[size];
    engine->classes.data[size] = (VecU32){0};
    for (size_t at = 0; at < class.len && !engine->stopped;) {
        const uint32_t *record = class.data + at;
        slots = engine->champions.slots.data;
        ChampionSlot *s = &slots[record[RECORD_SLOT]];
        if (s->number == record[RECORD_NUMBER]) {
            if (s->where == at) s->where = process_n_events(&engine->process);
            add_event(engine, record, size, PREFIX_NONE);
        }
        at += RECORD_HEAD + n_pre(engine, record[RECORD_TRANSITION]);
    }
    for (size_t at = 0; at < class.len && !engine->stopped;) {
        const uint32_t *record = class.data + at;
        const ChampionSlot *s = &engine->champions.slots.data[record[RECORD_SLOT]];
        if (s->number != record[RECORD_NUMBER]) add_event(engine, record, size, s->where);
        at += RECORD_HEAD + n_pre(engine, record[RECORD_TRANSITION]);
    }
    vec_free(&class);
}

/* The initial conditions play the part of an event's postset; transitions without preset start here. */
static void start(Engine *engine)
{
    const SafeNet *safe = engine->safe;
    VecU32 none = {0};
    for (uint32_t p = 0; p < safe->n_places; p++) {
        if (safe->net->initial[p] > 1) {
            stop_unsafe(engine, &none, NET_NONE, NET_NONE);
            return;
        }
        if (!safe->net->initial[p]) continue;
        bitset_set(engine->marking, p);
    }
    uint64_t hash = 0;
    for (uint32_t p = 0; p < safe->n_places; p++)
        if (safe->net->initial[p]) hash ^= safe->key[p];
    engine->event = PREFIX_BOTTOM;
    engine->slot = champions_add(&engine->champions, engine->marking, hash, engine->options->cutoffs);
    ChampionSlot *s = &engine->champions.slots.data[engine->slot];
    s->number = ++engine->champions.numbers;
    s->where = PREFIX_BOTTOM;
    uint32_t n = (uint32_t)engine->process.place.len;
    vec_reserve(&engine->group, n);
    if (n) extend(engine, 0, n);
    for (uint32_t t = 0; t < safe->n_transitions && !engine->stopped; t++) {
        if (n_pre(engine, t)) continue;
        if (safe->post_start[t] == safe->post_start[t + 1])
            add_candidate(engine, t, NULL);
        else
            stop_unsafe(engine, &none, t, t);
    }
}

static void describe(void *data, GString *line)
{
    const Engine *engine = data;
    g_string_append_printf(line, "%u events, %u cutoffs, local configurations of size %u",
                           process_n_events(&engine->process), engine->process.n_cutoffs, engine->size);
}

static void engine_init(Engine *engine, const SafeNet *safe)
{
    engine->safe = safe;
    process_init(&engine->process, safe);
    champions_init(&engine->champions, safe->words);
    engine->co = co_new(safe->max_post);
    engine->place_round = g_new0(uint32_t, safe->n_places + 1);
    engine->own = g_new0(uint32_t, safe->n_places + 1);
    engine->found = g_new0(VecU32, safe->n_places + 1);
    engine->transition_round = g_new0(uint32_t, safe->n_transitions + 1);
    engine->marking = g_new0(uint64_t, safe->words);
    engine->preset = g_new(uint32_t, safe->max_pre + 1);
    engine->open = g_new(uint32_t, safe->max_pre + 1);
    engine->cursor = g_new(uint32_t, safe->max_pre + 1);
    engine->parts = g_new(CoPart, safe->max_pre + 1);
}

static void engine_clear(Engine *engine)
{
    for (uint32_t p = 0; p < engine->safe->n_places; p++) vec_free(&engine->found[p]);
    for (size_t i = 0; i < engine->classes.len; i++) vec_free(&engine->classes.data[i]);
    vec_free(&engine->classes);
    process_clear(&engine->process);
    champions_clear(&engine->champions);
    co_free(engine->co);
    void *arrays[] = {engine->place_round, engine->own,  engine->found,  engine->transition_round,
                      engine->marking,     engine->preset, engine->open, engine->cursor,           engine->parts};
    for (size_t i = 0; i < G_N_ELEMENTS(arrays); i++) g_free(arrays[i]);
    vec_free(&engine->group_places);
    vec_free(&engine->group);
    vec_free(&engine->mine);
    vec_free(&engine->other);
    vec_free(&engine->steps);
}

Prefix *classic_unfold(const Net *net, const UnfoldOptions *options, Budget *budget, GError **error)
{
    g_autoptr(SafeNet) safe = safenet_new(net, error);
    if (!safe) return NULL;
    Engine engine = {.options = options, .budget = budget, .prefix = prefix_new(net)};
    Prefix *prefix = engine.prefix;
    prefix->relation = RELATION_CLASSIC;
    prefix->order = options->order;
    prefix->cutoffs = options->cutoffs;
    engine_init(&engine, safe);
    budget->describe = describe;
    budget->engine = &engine;
    start(&engine);
    for (uint32_t size = 1; size < engine.classes.len && !engine.stopped; size++) add_class(&engine, size);
    budget->describe = NULL;
    process_finish(&engine.process, prefix);
    engine_clear(&engine);
    return prefix;
}
