#include "pes/events.h"

#include "base/hash.h"

#include <assert.h>

enum { FIRST_TABLE = 1024 };

void events_init(Events *s, bool bounded)
{
    *s = (Events){.keep_queue = bounded, .table_mask = FIRST_TABLE - 1};
    s->table = g_new0(EventSlot, FIRST_TABLE);
    vec_reserve(&s->pool, 1); /* no causes are a slice of it too */
}

void events_clear(Events *s)
{
    vec_free(&s->event);
    vec_free(&s->pool);
    vec_free(&s->free_ids);
    vec_free(&s->queue);
    for (size_t i = 0; i < s->n_free_lists; i++) vec_free(&s->free_lists[i]);
    g_free(s->free_lists);
    g_free(s->table);
}

HASH_WRAPS static uint32_t hash_of(uint32_t label, const uint32_t *causes, uint32_t n)
{
    assert(causes || !n);
    uint64_t h = label + UINT64_C(0x9e3779b97f4a7c15) * (n + 1);
    for (uint32_t i = 0; i < n; i++) h = (h ^ causes[i]) * UINT64_C(0xff51afd7ed558ccd), h ^= h >> 29;
    h *= UINT64_C(0x94d049bb133111eb);
    return (uint32_t)(h >> 32);
}

static uint32_t event_hash(const Events *s, uint32_t e)
{
    const Event *event = &s->event.data[e];
    return hash_of(event->label, vec_from(&s->pool, event->causes), event->n_causes);
}

static void grow_table(Events *s)
{
    EventSlot *old = s->table;
    uint32_t n_old = s->table_mask + 1;
    s->table_mask = s->table_mask * 2 + 1;
    s->table = g_new0(EventSlot, (size_t)s->table_mask + 1);
    for (uint32_t i = 0; i < n_old; i++) {
        if (!old[i].id) continue;
        uint32_t slot = old[i].hash & s->table_mask;
        while (s->table[slot].id) slot = (slot + 1) & s->table_mask;
        s->table[slot] = old[i];
    }
    g_free(old);
}

static uint32_t take_pool(Events *s, const uint32_t *causes, uint32_t n)
{
    if (!n) return 0;
    if (n < s->n_free_lists && s->free_lists[n].len) {
        uint32_t at = vec_pop(&s->free_lists[n]);
        memcpy(s->pool.data + at, causes, n * sizeof *causes);
        return at;
    }
    assert(s->pool.len + n < UINT32_MAX);
    uint32_t at = (uint32_t)s->pool.len;
    vec_append(&s->pool, causes, n);
    return at;
}

static void give_pool(Events *s, uint32_t at, uint32_t n)
{
    if (!n) return;
    while (s->n_free_lists <= n) {
        s->free_lists = g_renew(VecU32, s->free_lists, s->n_free_lists + 1);
        s->free_lists[s->n_free_lists++] = (VecU32){0};
    }
    vec_push(&s->free_lists[n], at);
}

uint32_t events_intern(Events *s, uint32_t label, const uint32_t *causes, uint32_t n, bool *fresh)
{
    uint32_t hash = hash_of(label, causes, n), slot = hash & s->table_mask;
    for (; s->table[slot].id; slot = (slot + 1) & s->table_mask) {
        if (s->table[slot].hash != hash) continue;
        const Event *event = &s->event.data[s->table[slot].id - 1];
        if (event->label == label && event->n_causes == n &&
            (!n || memcmp(s->pool.data + event->causes, causes, n * sizeof *causes) == 0)) {
            *fresh = false;
            return s->table[slot].id - 1;
        }
    }
    assert(n <= UINT16_MAX && s->live < UINT32_MAX - 1);
    Event event = {.label = label, .causes = take_pool(s, causes, n), .position = EVENT_NONE, .n_causes = (uint16_t)n};
    uint32_t e;
    if (s->free_ids.len) {
        e = vec_pop(&s->free_ids);
        s->event.data[e] = event;
    } else {
        e = (uint32_t)s->event.len;
        vec_push(&s->event, event);
    }
    for (uint32_t i = 0; i < n; i++) {
        assert(i == 0 || causes[i - 1] < causes[i]);
        assert(!s->event.data[causes[i]].dead && !s->event.data[causes[i]].cutoff);
        s->event.data[causes[i]].refs++;
    }
    s->table[slot] = (EventSlot){hash, e + 1};
    s->live++;
    s->created++;
    if ((uint64_t)s->live * 5 > (uint64_t)s->table_mask * 3) grow_table(s);
    *fresh = true;
    return e;
}

static void enqueue(Events *s, uint32_t e)
{
    if (!s->keep_queue || s->event.data[e].queued) return;
    s->event.data[e].queued = true;
    vec_push(&s->queue, e);
}

void events_unref(Events *s, uint32_t e)
{
    assert(s->event.data[e].refs && !s->event.data[e].dead);
    if (--s->event.data[e].refs == 0) enqueue(s, e);
}

/* Linear probing without tombstones: later entries of the run move up. */
static void remove_from_table(Events *s, uint32_t e)
{
    uint32_t hole = event_hash(s, e) & s->table_mask;
    while (s->table[hole].id != e + 1) hole = (hole + 1) & s->table_mask;
    for (uint32_t slot = hole;;) {
        slot = (slot + 1) & s->table_mask;
        if (!s->table[slot].id) break;
        uint32_t wanted = s->table[slot].hash & s->table_mask;
        if (((slot - wanted) & s->table_mask) >= ((slot - hole) & s->table_mask)) {
            s->table[hole] = s->table[slot];
            hole = slot;
        }
    }
    s->table[hole].id = 0;
}

static void forget_event(Events *s, uint32_t e)
{
    Event *event = &s->event.data[e];
    assert(event->position == EVENT_NONE && !event->refs && !event->dead && s->live > 0);
    remove_from_table(s, e);
    for (uint32_t i = 0; i < event->n_causes; i++) events_unref(s, s->pool.data[event->causes + i]);
    give_pool(s, event->causes, event->n_causes);
    event->dead = true;
    vec_push(&s->free_ids, e);
    s->live--;
    s->forgotten++;
}

void events_trim(Events *s, size_t keep, void (*forget)(void *data, uint32_t e), void *data)
{
    assert(s->keep_queue);
    while (events_waiting(s) > keep) {
        uint32_t e = s->queue.data[s->queue_from++];
        s->event.data[e].queued = false;
        if (s->event.data[e].refs) continue;
        if (forget) forget(data, e);
        forget_event(s, e);
    }
    if (s->queue_from > 1024 && s->queue_from > s->queue.len / 2) {
        memmove(s->queue.data, s->queue.data + s->queue_from, events_waiting(s) * sizeof *s->queue.data);
        s->queue.len -= s->queue_from;
        s->queue_from = 0;
    }
}

size_t events_bytes(const Events *s)
{
    return s->event.cap * sizeof *s->event.data + s->pool.cap * sizeof(uint32_t) +
           ((size_t)s->table_mask + 1) * sizeof *s->table + s->queue.cap * sizeof(uint32_t);
}
