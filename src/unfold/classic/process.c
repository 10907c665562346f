#include "unfold/classic/process.h"

#include "base/bitset.h"

#include <assert.h>

enum { FIRST_EVENTS = 256 };

static void add_condition(Process *process, uint32_t place, uint32_t producer)
{
    assert(place < process->safe->n_places && (producer == PREFIX_BOTTOM || producer < process->transition.len));
    vec_push(&process->place, place);
    vec_push(&process->producer, producer);
}

void process_clear(Process *process)
{
    VecU32 *all[] = {&process->transition, &process->companion,  &process->size,        &process->depth,
                     &process->pre_start,  &process->post_start, &process->cause_start, &process->colour[0],
                     &process->colour[1],  &process->pre,        &process->cause,       &process->place,
                     &process->producer,   &process->stack};
    for (size_t i = 0; i < G_N_ELEMENTS(all); i++) vec_free(all[i]);
    vec_free(&process->row);
    arena_free(&process->row_arena);
}

static void add_causes(Process *process, const uint32_t *pre, uint32_t n_pre, uint32_t needed)
{
    size_t from = process->cause.len;
    for (uint32_t i = 0; i < n_pre; i++) {
        if (i < 32 && !(needed >> i & 1)) continue;
        uint32_t producer = process->producer.data[pre[i]];
        if (producer == PREFIX_BOTTOM) continue;
        size_t j = from;
        while (j < process->cause.len && process->cause.data[j] != producer) j++;
        if (j == process->cause.len) vec_push(&process->cause, producer);
    }
}

/* The arrays of a kind grow together, to the double: so little is copied. */
static void grow_events(Process *process)
{
    VecU32 *events[] = {&process->transition,  &process->companion, &process->size,
                        &process->depth,       &process->pre_start, &process->post_start,
                        &process->cause_start, &process->colour[0], &process->colour[1]};
    size_t cap = MAX(FIRST_EVENTS, 2 * process->transition.cap);
    for (size_t i = 0; i < G_N_ELEMENTS(events); i++) {
        events[i]->cap = cap;
        events[i]->data = g_realloc_n(events[i]->data, cap, sizeof(uint32_t));
    }
}

static void grow_conditions(Process *process, size_t n)
{
    process->place.cap = process->producer.cap = MAX(2 * process->place.cap, n);
    process->place.data = g_realloc_n(process->place.data, process->place.cap, sizeof(uint32_t));
    process->producer.data = g_realloc_n(process->producer.data, process->place.cap, sizeof(uint32_t));
}

/* Room for one more event and n more conditions. */
static inline void make_room(Process *process, uint32_t n)
{
    if (G_UNLIKELY(process->transition.len + 1 >= process->transition.cap)) grow_events(process);
    if (G_UNLIKELY(process->place.len + n > process->place.cap)) grow_conditions(process, process->place.len + n);
}

/* Where there is room. */
static inline void put(VecU32 *vec, size_t at, uint32_t value)
{
    assert(vec->len == at && at < vec->cap);
    vec->data[at] = value;
    vec->len = at + 1;
}

void process_init(Process *process, const SafeNet *safe)
{
    *process = (Process){.safe = safe};
    for (uint32_t p = 0; p < safe->n_places; p++)
        if (safe->net->initial[p]) add_condition(process, p, PREFIX_BOTTOM);
    process->producer.cap = process->place.cap = MIN(process->producer.cap, process->place.cap);
    make_room(process, 0);
    put(&process->pre_start, 0, 0);
    put(&process->cause_start, 0, 0);
    vec_reserve(&process->cause, 1); /* so that there is an address to count from */
    put(&process->post_start, 0, (uint32_t)process->place.len);
}

static void add_postset(Process *process, uint32_t transition, uint32_t e)
{
    const SafeNet *safe = process->safe;
    size_t c = process->place.len;
    for (uint32_t i = safe->post_start[transition]; i < safe->post_start[transition + 1]; i++, c++) {
        process->place.data[c] = safe->post[i];
        process->producer.data[c] = e;
    }
    process->place.len = process->producer.len = c;
}

uint32_t process_add(Process *process, uint32_t transition, const uint32_t *pre, uint32_t needed, uint32_t size,
                     uint32_t companion)
{
    const SafeNet *safe = process->safe;
    uint32_t e = process_n_events(process), n_pre = safe->pre_start[transition + 1] - safe->pre_start[transition];
    assert(transition < safe->n_transitions && (companion >= PREFIX_BOTTOM || companion < e));
    for (uint32_t i = 0; i < n_pre; i++) {
        assert(process->place.data[pre[i]] == safe->pre[safe->pre_start[transition] + i]);
        assert(process->producer.data[pre[i]] == PREFIX_BOTTOM ||
               (process->companion.data[process->producer.data[pre[i]]] == PREFIX_NONE &&
                process->size.data[process->producer.data[pre[i]]] < size));
    }
    make_room(process, safe->post_start[transition + 1] - safe->post_start[transition]);
    put(&process->depth, e, process_depth(process, pre, n_pre));
    put(&process->transition, e, transition);
    put(&process->companion, e, companion);
    put(&process->size, e, size);
    put(&process->colour[0], e, 0);
    put(&process->colour[1], e, 0);
    for (uint32_t i = 0; i < n_pre; i++) vec_push(&process->pre, pre[i]);
    put(&process->pre_start, e + 1, (uint32_t)process->pre.len);
    if (companion == PREFIX_NONE) add_causes(process, pre, n_pre, needed);
    put(&process->cause_start, e + 1, (uint32_t)process->cause.len);
    process->n_cutoffs += companion != PREFIX_NONE;
    add_postset(process, transition, e);
    put(&process->post_start, e + 1, (uint32_t)process->place.len);
    return e;
}

uint32_t process_depth(const Process *process, const uint32_t *pre, uint32_t n_pre)
{
    uint32_t depth = 0;
    for (uint32_t i = 0; i < n_pre; i++) {
        uint32_t producer = process->producer.data[pre[i]];
        if (producer != PREFIX_BOTTOM) depth = MAX(depth, process->depth.data[producer]);
    }
    return depth + 1;
}

uint32_t process_colour(Process *process)
{
    if (++process->last_colour == UINT32_MAX) {
        for (int i = 0; i < 2; i++) memset(process->colour[i].data, 0, process->colour[i].len * sizeof(uint32_t));
        process->last_colour = 1;
    }
    return process->last_colour;
}

/* `out` serves as the queue. */
void process_collect(Process *process, int painting, const uint32_t *conditions, uint32_t n, uint32_t known,
                     uint32_t colour, VecU32 *out)
{
    uint32_t *colours = process->colour[painting].data;
    const uint32_t *cause_start = process->cause_start.data, *causes = process->cause.data;
    vec_reserve(out, out->len + process_n_events(process));
    uint32_t *next = vec_from(out, out->len), *tail = next;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t e = process->producer.data[conditions[i]];
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
    uint32_t known = process->colour[0].data[e] - colour;
    if (known > IN_BOTH) {
        process->colour[0].data[e] = colour + from;
        *single += from != IN_BOTH;
        heap_push(&process->stack, e);
    } else if ((known | from) != known) {
        process->colour[0].data[e] = colour + IN_BOTH;
        --*single;
    }
}

static void reach_roots(Process *process, ProcessRoots roots, uint32_t colour, uint32_t from, uint32_t *single)
{
    for (uint32_t i = 0; i < roots.n; i++) {
        uint32_t e = process->producer.data[roots.conditions[i]];
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
        uint32_t e = heap_pop(&process->stack), from = process->colour[0].data[e] - colour;
        if (from == IN_A) vec_push(only_a, e);
        if (from == IN_B) vec_push(only_b, e);
        single -= from != IN_BOTH;
        for (uint32_t i = process->cause_start.data[e]; i < process->cause_start.data[e + 1]; i++)
            reach(process, process->cause.data[i], colour, from, &single);
    }
    vec_clear(&process->stack);
}

static void fill_row(Process *process, uint32_t e, uint64_t *row)
{
    const uint32_t *causes = vec_from(&process->cause, process->cause_start.data[e]);
    uint32_t n = process->cause_start.data[e + 1] - process->cause_start.data[e];
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
    process_collect(process, 1, &process->post_start.data[e], 1, UINT32_MAX, process_colour(process), &events);
    assert(events.len == process->size.data[e]);
    for (size_t i = 0; i < events.len; i++) bitset_set(row, events.data[i]);
    vec_free(&events);
}

const uint64_t *process_row(Process *process, uint32_t e, size_t max_bytes)
{
    assert(e < process_n_events(process));
    while (process->row.len < process_n_events(process)) vec_push(&process->row, NULL);
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
    uint32_t *colours = process->colour[0].data;
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
        if (process->producer.data[conditions[i]] != PREFIX_BOTTOM) VISIT(process->producer.data[conditions[i]]);
    for (; next < out->len; next++) {
        uint32_t at = out->data[next];
        for (uint32_t i = process->cause_start.data[at]; i < process->cause_start.data[at + 1]; i++)
            VISIT(process->cause.data[i]);
    }
#undef VISIT
}

static uint32_t *steal(VecU32 *vec)
{
    uint32_t *data = g_realloc_n(vec->data, MAX(vec->len, 1), sizeof *data);
    *vec = (VecU32){0};
    return data;
}

void process_finish(Process *process, Prefix *prefix)
{
    assert(process->pre_start.len == process->transition.len + 1 && vec_last(&process->pre_start) == process->pre.len);
    assert(process->post_start.len == process->transition.len + 1);
    assert(vec_last(&process->post_start) == process->place.len && process->producer.len == process->place.len);
    prefix->n_events = process_n_events(process);
    prefix->n_cutoffs = process->n_cutoffs;
    prefix->n_conditions = (uint32_t)process->place.len;
    prefix->has_conditions = true;
    prefix->event_transition = steal(&process->transition);
    prefix->event_companion = steal(&process->companion);
    prefix->event_size = steal(&process->size);
    prefix->event_depth = steal(&process->depth);
    prefix->pre_start = steal(&process->pre_start);
    prefix->pre = steal(&process->pre);
    prefix->post_start = steal(&process->post_start);
    prefix->condition_place = steal(&process->place);
    prefix->condition_event = steal(&process->producer);
}
