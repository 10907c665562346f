#include "run/unfolding.h"

#include <stdbool.h>

enum { FIRST_BUCKETS = 1 << 12 };

void unfolding_sort(uint32_t *numbers, uint32_t n)
{
    uint32_t gap = 1;
    while (gap < n / 3) gap = 3 * gap + 1;
    for (; gap; gap /= 3)
        for (uint32_t i = gap; i < n; i++) {
            uint32_t number = numbers[i], k = i;
            for (; k >= gap && numbers[k - gap] > number; k -= gap) numbers[k] = numbers[k - gap];
            numbers[k] = number;
        }
}

/* ---- events ---- */

static inline uint64_t mix(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

static uint32_t hash_of(const Occurrence *event, const uint32_t *readers)
{
    const Op *op = &event->op;
    uint64_t hash = mix(op->kind | (uint64_t)op->write << 8 | (uint64_t)op->thread << 16 | (uint64_t)op->choice << 32,
                        event->before);
    hash = mix(hash, event->joined);
    for (unsigned i = 0; i < op->n; i++) hash = mix(mix(hash, op->cell[i]), event->writer[i]);
    for (uint32_t i = 0; i < event->n_readers[0] + event->n_readers[1]; i++) hash = mix(hash, readers[i]);
    return (uint32_t)(hash >> 32);
}

static bool same(const Unfolding *unfolding, const Occurrence *a, const Occurrence *b, const uint32_t *readers)
{
    const Op *p = &a->op, *q = &b->op;
    if (p->kind != q->kind || p->write != q->write || p->thread != q->thread || p->choice != q->choice) return false;
    if (a->before != b->before || a->joined != b->joined || p->n != q->n) return false;
    for (unsigned i = 0; i < p->n; i++)
        if (p->cell[i] != q->cell[i] || a->writer[i] != b->writer[i] || a->n_readers[i] != b->n_readers[i])
            return false;
    const uint32_t *known = unfolding->reader.data + a->readers;
    for (uint32_t i = 0; i < a->n_readers[0] + a->n_readers[1]; i++)
        if (known[i] != readers[i]) return false;
    return true;
}

static void rehash(Unfolding *unfolding)
{
    unfolding->n_buckets = unfolding->n_buckets ? 4 * unfolding->n_buckets : FIRST_BUCKETS;
    unfolding->bucket = own_pages(0, unfolding->n_buckets * sizeof *unfolding->bucket);
    for (uint32_t b = 0; b < unfolding->n_buckets; b++) unfolding->bucket[b] = UNFOLDING_NONE;
    for (uint32_t e = 0; e < unfolding->event.length; e++) {
        Occurrence *event = &unfolding->event.data[e];
        uint32_t *head =
            &unfolding->bucket[hash_of(event, unfolding->reader.data + event->readers) & (unfolding->n_buckets - 1)];
        event->next = *head;
        *head = e;
    }
}

uint32_t unfolding_event(Unfolding *unfolding, const Occurrence *given, uint32_t *readers)
{
    uint32_t n = given->n_readers[0] + given->n_readers[1];
    unfolding_sort(readers, given->n_readers[0]);
    unfolding_sort(readers + given->n_readers[0], given->n_readers[1]);
    if (unfolding->event.length >= unfolding->n_buckets) rehash(unfolding);
    uint32_t *head = &unfolding->bucket[hash_of(given, readers) & (unfolding->n_buckets - 1)];
    for (uint32_t e = *head; e != UNFOLDING_NONE; e = unfolding->event.data[e].next)
        if (same(unfolding, &unfolding->event.data[e], given, readers)) return e;
    Occurrence event = *given;
    event.readers = unfolding->reader.length;
    event.next = *head;
    event.conflicts = event.obstacle = UNFOLDING_NONE;
    event.inside = event.collected = event.forbidden = 0;
    event.op.id = *head = unfolding->event.length;
    for (uint32_t i = 0; i < n; i++) own_push(&unfolding->reader, readers[i]);
    own_push(&unfolding->event, event);
    return event.op.id;
}

/* ---- conflicts ---- */

static uint64_t *find_pair(Unfolding *unfolding, uint64_t pair)
{
    uint32_t mask = unfolding->pair.length - 1, at = (uint32_t)(mix(0, pair) >> 32) & mask;
    while (unfolding->pair.data[at] && unfolding->pair.data[at] != pair) at = (at + 1) & mask;
    return &unfolding->pair.data[at];
}

static void enlarge_pairs(Unfolding *unfolding)
{
    uint64_t *old = unfolding->pair.data;
    uint32_t n = unfolding->pair.length, size = n ? 4 * n : FIRST_BUCKETS;
    unfolding->pair.data = own_pages(0, size * sizeof *old);
    unfolding->pair.length = unfolding->pair.capacity = size;
    for (uint32_t i = 0; i < n; i++)
        if (old[i]) *find_pair(unfolding, old[i]) = old[i];
}

static void add_conflict(Unfolding *unfolding, uint32_t a, uint32_t b)
{
    own_push(&unfolding->conflict, (Conflict){b, unfolding->event.data[a].conflicts});
    unfolding->event.data[a].conflicts = unfolding->conflict.length - 1;
}

void unfolding_conflict(Unfolding *unfolding, uint32_t a, uint32_t b)
{
    uint64_t pair = a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
    if (2 * unfolding->n_pairs >= unfolding->pair.length) enlarge_pairs(unfolding);
    uint64_t *place = find_pair(unfolding, pair);
    if (*place) return;
    *place = pair;
    unfolding->n_pairs++;
    add_conflict(unfolding, a, b);
    add_conflict(unfolding, b, a);
}
