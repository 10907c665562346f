#include "run/shadow.h"

#include "run/heap.h"
#include "run/run.h"
#include "run/tell.h"

enum { GRAIN = 8, FIRST_SIZE = 1 << 12, NONE = UINT32_MAX, MAX_TOLD = 64 };

typedef struct Record {
    uint32_t next, epoch; /* epoch: events of its thread before the access */
    uint16_t thread;
    uint8_t mask; /* bytes of the grain */
    bool write, atomic;
    uint32_t call; /* its stack */
    uintptr_t pc;
} Record;

typedef struct Grain {
    uintptr_t key;
    uint32_t execution, first;
} Grain;

typedef struct Shadow {
    Grain *grain;
    uint32_t size, used, execution;
    OWN_VECTOR(Record) record;
    uint32_t spare; /* records that were forgotten */
    uintptr_t told[MAX_TOLD][2];
    uint32_t n_told;
} Shadow;

static Shadow *shadow(void)
{
    static Shadow *kept; /* set before the memory is recorded */
    if (!kept) {
        kept = own_pages(0, sizeof *kept);
        kept->size = FIRST_SIZE;
        kept->grain = own_pages(0, FIRST_SIZE * sizeof *kept->grain);
        kept->execution = 1;
        kept->spare = NONE;
    }
    return kept;
}

void shadow_restart(void)
{
    Shadow *s = shadow();
    s->execution++;
    s->used = s->record.length = 0;
    s->spare = NONE;
}

static Grain *find(Shadow *s, uintptr_t key)
{
    uint32_t at = (uint32_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & (s->size - 1);
    while (s->grain[at].execution == s->execution && s->grain[at].key != key) at = (at + 1) & (s->size - 1);
    return &s->grain[at];
}

static void enlarge(Shadow *s)
{
    Grain *old = s->grain;
    uint32_t n = s->size;
    s->size *= 2;
    s->grain = own_pages(0, s->size * sizeof *s->grain);
    for (uint32_t i = 0; i < n; i++)
        if (old[i].execution == s->execution) *find(s, old[i].key) = old[i];
}

static Grain *grain_of(Shadow *s, uintptr_t key)
{
    Grain *grain = find(s, key);
    if (grain->execution == s->execution) return grain;
    if (++s->used > s->size / 2) {
        enlarge(s);
        grain = find(s, key);
    }
    *grain = (Grain){key, s->execution, NONE};
    return grain;
}

static bool told_before(Shadow *s, uintptr_t a, uintptr_t b)
{
    for (uint32_t i = 0; i < s->n_told; i++)
        if ((s->told[i][0] == a && s->told[i][1] == b) || (s->told[i][0] == b && s->told[i][1] == a)) return true;
    if (s->n_told == MAX_TOLD) return true;
    s->told[s->n_told][0] = a;
    s->told[s->n_told++][1] = b;
    return false;
}

static bool ordered(const Record *record, const Thread *thread)
{
    if (record->thread == thread->number) return true;
    return thread->last != EVENT_NONE && trace_sync(&run.trace, thread->last)[record->thread] > record->epoch;
}

/* The access makes the record needless: whatever races with the record races with it. */
static bool replaces(const Record *new, const Record *old, bool after)
{
    return after && (old->mask & ~new->mask) == 0 && (new->write || !old->write) && (old->atomic || !new->atomic);
}

void shadow_access(uintptr_t address, unsigned size, bool write, bool atomic, uintptr_t pc)
{
    Shadow *s = shadow();
    Thread *thread = run.current;
    if (heap_has(address) && heap_state(address) != HEAP_LIVE) tell_memory_error("access", address, pc);
    uint8_t mask = (uint8_t)(((1u << size) - 1) << (address % GRAIN));
    Record new = {NONE, thread->events, thread->number, mask, write, atomic, thread->call, pc};
    Grain *grain = grain_of(s, address / GRAIN);
    uint32_t *link = &grain->first;
    while (*link != NONE) {
        uint32_t at = *link;
        Record *old = &s->record.data[at];
        bool after = ordered(old, thread);
        if (!after && (old->mask & mask) && (write || old->write) && !(atomic && old->atomic) &&
            !told_before(s, old->pc, pc))
            tell_race(address, size, write, pc, old->thread, old->write, old->pc, old->call);
        if (replaces(&new, old, after)) {
            *link = old->next;
            old->next = s->spare;
            s->spare = at;
        } else {
            link = &s->record.data[at].next;
        }
    }
    uint32_t at = s->spare;
    if (at == NONE) {
        uintptr_t offset = (uintptr_t)link - (uintptr_t)s->record.data; /* the vector may move */
        bool inside = link != &grain->first;
        at = s->record.length;
        own_push(&s->record, new);
        if (inside) link = (uint32_t *)((uintptr_t)s->record.data + offset);
    } else {
        s->spare = s->record.data[at].next;
        s->record.data[at] = new;
    }
    *link = at;
}

void shadow_range(uintptr_t address, size_t bytes, bool write, uintptr_t pc)
{
    while (bytes) {
        size_t part = GRAIN - address % GRAIN;
        if (part > bytes) part = bytes;
        shadow_access(address, (unsigned)part, write, false, pc);
        address += part;
        bytes -= part;
    }
}
