#include "unfold/classic/process.h"

#include "base/bitset.h"

#include <assert.h>

enum { FIRST_EVENTS = 256 };

void process_clear(Process *process)
{
    void *arrays[] = {process->transition,  process->companion,  process->size,     process->depth,
                      process->pre_start,   process->post_start, process->place,    process->producer,
                      process->cause_start, process->colour[0],  process->colour[1]};
    for (size_t i = 0; i < G_N_ELEMENTS(arrays); i++) g_free(arrays[i]);
    vec_free(&process->pre);
    vec_free(&process->cause);
    vec_free(&process->stack);
    vec_free(&process->row);
    arena_free(&process->row_arena);
}

static void add_causes(Process *process, const uint32_t *pre, uint32_t n_pre, uint32_t needed)
{
    vec_reserve_long(&process->cause, process->cause.len + n_pre);
    uint32_t *from = vec_from(&process->cause, process->cause.len), *end = from;
    for (uint32_t i = 0; i < n_pre; i++) {
        if (i < 32 && !(needed >> i & 1)) continue;
        uint32_t producer = process->producer[pre[i]], *known = from;
        if (producer == PREFIX_BOTTOM) continue;
        while (known < end && *known != producer) known++;
        /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): there is room for n_pre */
        if (known == end) *end++ = producer;
    }
    process->cause.len = (size_t)(end - process->cause.data);
}

/* The arrays of a kind grow together. */
static void grow(uint32_t **const *arrays, size_t n_arrays, size_t *cap, size_t need)
{
    *cap = vec_long_cap(*cap, need, sizeof(uint32_t));
    for (size_t i = 0; i < n_arrays; i++) *arrays[i] = g_realloc_n(*arrays[i], *cap, sizeof(uint32_t));
}

static void grow_events(Process *process)
{
    uint32_t **arrays[] = {&process->transition,  &process->companion, &process->size,
                           &process->depth,       &process->pre_start, &process->post_start,
                           &process->cause_start, &process->colour[0], &process->colour[1]};
    grow(arrays, G_N_ELEMENTS(arrays), &process->event_cap, MAX(FIRST_EVENTS, (size_t)process->n_events + 2));
}

static void grow_conditions(Process *process, size_t need)
{
    uint32_t **arrays[] = {&process->place, &process->producer};
    grow(arrays, G_N_ELEMENTS(arrays), &process->condition_cap, need);
}

/* Room for one more event and n more conditions. */
static inline void make_room(Process *process, uint32_t n)
{
    if (G_UNLIKELY((size_t)process->n_events + 2 > process->event_cap)) grow_events(process);
    size_t need = (size_t)process->n_conditions + n;
    if (G_UNLIKELY(need > process->condition_cap)) grow_conditions(process, need);
}

static inline void add_condition(Process *process, uint32_t place, uint32_t producer)
{
    assert(place < process->safe->n_places && process->n_conditions < process->condition_cap);
    process->place[process->n_conditions] = place;
    process->producer[process->n_conditions++] = producer;
}

void process_init(Process *process, const SafeNet *safe)
{
    *process = (Process){.safe = safe};
    make_room(process, safe->n_places + 1);
    for (uint32_t p = 0; p < safe->n_places; p++)
        if (safe->net->initial[p]) add_condition(process, p, PREFIX_BOTTOM);
    process->pre_start[0] = process->cause_start[0] = 0;
    process->post_start[0] = process->n_conditions;
    vec_reserve(&process->cause, 1); /* so that there is an address to count from */
}

static inline void add_postset(Process *process, uint32_t t, uint32_t e)
{
    const SafeNet *safe = process->safe;
    uint32_t *place = process->place, *producer = process->producer, c = process->n_conditions;
    for (uint32_t i = safe->post_start[t], end = safe->post_start[t + 1]; i < end; i++, c++) {
        place[c] = safe->post[i];
        producer[c] = e;
    }
    process->n_conditions = process->post_start[e + 1] = c;
}

uint32_t process_add(Process *process, const ProcessEvent *event)
{
    const SafeNet *safe = process->safe;
    uint32_t e = process->n_events, t = event->transition, n_pre = event->n_pre, companion = event->companion;
    const uint32_t *pre = event->pre;
    assert(t < safe->n_transitions && (companion >= PREFIX_BOTTOM || companion < e));
    assert(event->depth == process_depth(process, pre, n_pre));
    for (uint32_t i = 0; i < n_pre; i++) {
        assert(process->place[pre[i]] == safe->pre[safe->pre_start[t] + i]);
        assert(process->producer[pre[i]] == PREFIX_BOTTOM ||
               (process->companion[process->producer[pre[i]]] == PREFIX_NONE &&
                process->size[process->producer[pre[i]]] < event->size));
    }
    make_room(process, safe->post_start[t + 1] - safe->post_start[t]);
    process->n_events = e + 1;
    process->transition[e] = t;
    process->companion[e] = companion;
    process->size[e] = event->size;
    process->depth[e] = event->depth;
    process->colour[0][e] = process->colour[1][e] = 0;
    size_t end = process->pre.len + n_pre;
    vec_reserve_long(&process->pre, end);
    uint32_t *own = vec_from(&process->pre, process->pre.len);
    for (uint32_t i = 0; i < n_pre; i++) own[i] = pre[i];
    process->pre.len = end;
    process->pre_start[e + 1] = (uint32_t)end;
    if (companion == PREFIX_NONE)
        add_causes(process, pre, n_pre, event->needed);
    else
        process->n_cutoffs++;
    process->cause_start[e + 1] = (uint32_t)process->cause.len;
    add_postset(process, t, e);
    return e;
}

uint32_t process_depth(const Process *process, const uint32_t *pre, uint32_t n_pre)
{
    uint32_t depth = 0;
    for (uint32_t i = 0; i < n_pre; i++) {
        uint32_t producer = process->producer[pre[i]];
        if (producer != PREFIX_BOTTOM) depth = MAX(depth, process->depth[producer]);
    }
    return depth + 1;
}

uint32_t process_colour(Process *process)
{
    if (++process->last_colour == UINT32_MAX) {
        for (int i = 0; i < 2; i++) memset(process->colour[i], 0, process->n_events * sizeof(uint32_t));
        process->last_colour = 1;
    }
    return process->last_colour;
}

/* `out` serves as the queue. */
void process_collect(Process *process, int painting, const uint32_t *conditions, uint32_t n, uint32_t known,
                     uint32_t colour, VecU32 *out)
{
    uint32_t *colours = process->colour[painting];
    const uint32_t *cause_start = process->cause_start, *causes = process->cause.data;
    vec_reserve_long(out, out->len + process->n_events);
    uint32_t *next = vec_from(out, out->len), *tail = next;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t e = process->producer[conditions[i]];
        if (e == PREFIX_BOTTOM || colours[e] == colour || colours[e] == known) continue;
        colours[e] = colour;
        /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): room for all events was reserved */
        *tail++ = e;
    }
    for (; next < tail; next++) {
        for (const uint32_t *cause = causes + cause_start[*next], *end = causes + cause_start[*next + 1]; cause < end;
             cause++) {
            if (colours[*cause] == colour || colours[*cause] == known) continue;
            colours[*cause] = colour;
            *tail++ = *cause;
        }
    }
    out->len = (size_t)(tail - out->data);
}

/* A max-heap of events in process->stack. */
static void heap_push(VecU32 *heap, uint32_t e)
{
    vec_push(heap, e);
    size_t i = heap->len - 1;
    for (; i > 0 && heap->data[(i - 1) / 2] < e; i = (i - 1) / 2) heap->data[i] = heap->data[(i - 1) / 2];
    heap->data[i] = e;
}

static uint32_t heap_pop(VecU32 *heap)
{
    assert(heap->len > 0);
    uint32_t top = heap->data[0], e = vec_pop(heap), *data = heap->data;
    size_t n = heap->len, i = 0;
    if (!n) return top;
    for (size_t child = 1; child < n; child = 2 * i + 1) {
        child += child + 1 < n && data[child + 1] > data[child];
        if (data[child] <= e) break;
        data[i] = data[child];
        i = child;
    }
    data[i] = e;
    return top;
}

enum { IN_A = 1, IN_B = 2, IN_BOTH = 3 };

/* Adds where an event was reached from; *single counts the events of the heap not known to be common. */
static inline void reach(Process *process, uint32_t e, uint32_t colour, uint32_t from, uint32_t *single)
{
    uint32_t known = process->colour[0][e] - colour;
    if (known > IN_BOTH) {
        process->colour[0][e] = colour + from;
        *single += from != IN_BOTH;
        heap_push(&process->stack, e);
    } else if ((known | from) != known) {
        process->colour[0][e] = colour + IN_BOTH;
        --*single;
    }
}

static void reach_roots(Process *process, ProcessRoots roots, uint32_t colour, uint32_t from, uint32_t *single)
{
    for (uint32_t i = 0; i < roots.n; i++) {
        uint32_t e = process->producer[roots.conditions[i]];
        if (e != PREFIX_BOTTOM) reach(process, e, colour, from, single);
    }
}

void process_difference(Process *process, ProcessRoots a, ProcessRoots b, VecU32 *only_a, VecU32 *only_b)
{
    assert(process->stack.len == 0);
    if (process->last_colour > UINT32_MAX - 8) process->last_colour = UINT32_MAX - 1;
    uint32_t colour = process_colour(process), single = 0;
    process->last_colour += IN_BOTH;
    reach_roots(process, a, colour, IN_A, &single);
    reach_roots(process, b, colour, IN_B, &single);
    while (single) {
        uint32_t e = heap_pop(&process->stack), from = process->colour[0][e] - colour;
        if (from == IN_A) vec_push(only_a, e);
        if (from == IN_B) vec_push(only_b, e);
        single -= from != IN_BOTH;
        for (uint32_t i = process->cause_start[e]; i < process->cause_start[e + 1]; i++)
            reach(process, process->cause.data[i], colour, from, &single);
    }
    vec_clear(&process->stack);
}

static void fill_row(Process *process, uint32_t e, uint64_t *row)
{
    const uint32_t *causes = vec_from(&process->cause, process->cause_start[e]);
    uint32_t n = process->cause_start[e + 1] - process->cause_start[e];
    bool known = true;
    for (uint32_t i = 0; i < n; i++) known &= process->row.data[causes[i]] != NULL;
    if (known) {
        for (uint32_t i = 0; i < n; i++) {
            assert(causes[i] < e);
            bitset_or(row, process->row.data[causes[i]], causes[i] / 64 + 1);
        }
        bitset_set(row, e);
        return;
    }
    VecU32 events = {0};
    process_collect(process, 1, &process->post_start[e], 1, UINT32_MAX, process_colour(process), &events);
    assert(events.len == process->size[e]);
    for (size_t i = 0; i < events.len; i++) bitset_set(row, events.data[i]);
    vec_free(&events);
}

const uint64_t *process_row(Process *process, uint32_t e, size_t max_bytes)
{
    assert(e < process->n_events);
    while (process->row.len < process->n_events) vec_push(&process->row, NULL);
    if (process->row.data[e]) return process->row.data[e];
    size_t bytes = ((size_t)e / 64 + 1) * sizeof(uint64_t);
    if (process->row_arena.bytes + bytes > max_bytes) return NULL;
    uint64_t *row = arena_alloc(&process->row_arena, bytes);
    memset(row, 0, bytes);
    fill_row(process, e, row);
    return process->row.data[e] = row;
}

void process_collect_beside(Process *process, const uint64_t *row, uint32_t e, const uint32_t *conditions, uint32_t n,
                            uint32_t colour, VecU32 *out)
{
    uint32_t *colours = process->colour[0];
#define VISIT(event)                                                                                                   \
    do {                                                                                                               \
        uint32_t x_ = (event);                                                                                         \
        if (colours[x_] != colour && (x_ > e || !bitset_get(row, x_))) {                                               \
            colours[x_] = colour;                                                                                      \
            vec_push(out, x_);                                                                                         \
        }                                                                                                              \
    } while (0)
    size_t next = out->len;
    for (uint32_t i = 0; i < n; i++)
        if (process->producer[conditions[i]] != PREFIX_BOTTOM) VISIT(process->producer[conditions[i]]);
    for (; next < out->len; next++) {
        uint32_t at = out->data[next];
        for (uint32_t i = process->cause_start[at]; i < process->cause_start[at + 1]; i++)
            VISIT(process->cause.data[i]);
    }
#undef VISIT
}

/* Gives the array away, no longer than it need be. */
static uint32_t *steal(uint32_t **array, size_t len)
{
    uint32_t *data = g_realloc_n(*array, MAX(len, 1), sizeof *data);
    *array = NULL;
    return data;
}

void process_finish(Process *process, Prefix *prefix)
{
    size_t n = process->n_events, n_conditions = process->n_conditions;
    assert(process->pre_start[n] == process->pre.len && process->post_start[n] == n_conditions);
    prefix->n_events = process->n_events;
    prefix->n_cutoffs = process->n_cutoffs;
    prefix->n_conditions = process->n_conditions;
    prefix->has_conditions = true;
    prefix->event_transition = steal(&process->transition, n);
    prefix->event_companion = steal(&process->companion, n);
    prefix->event_size = steal(&process->size, n);
    prefix->event_depth = steal(&process->depth, n);
    prefix->pre_start = steal(&process->pre_start, n + 1);
    prefix->pre = steal(&process->pre.data, process->pre.len);
    prefix->post_start = steal(&process->post_start, n + 1);
    prefix->condition_place = steal(&process->place, n_conditions);
    prefix->condition_event = steal(&process->producer, n_conditions);
}
