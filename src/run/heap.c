#include "run/heap.h"

#include "run/api.h"
#include "run/own.h"
#include "run/shadow.h"
#include "run/tell.h"
#include "run/threads.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define STATES UINT64_C(0x4f0000000000)
#define NOTES UINT64_C(0x4e0000000000)
enum { GRAIN = 16, BIG = 1 << 20 };

/* Before each block. */
typedef struct Header {
    size_t bytes;
    uintptr_t allocated, freed;
    size_t check;
} Header;

#define CHECK UINT64_C(0x6d617a75726b6121)

typedef struct Region {
    bool mapped;
    size_t used, recorded; /* bytes; in the region of the main thread, of before the first execution */
} Region;

typedef struct Heap {
    Region region[256];
} Heap;

static Heap *heap(void)
{
    static Heap *kept;                                /* set before the memory is recorded */
    if (!kept) kept = own_pages(NOTES, sizeof *kept); /* of the process: with its mappings */
    return kept;
}

static uint8_t *states(unsigned region)
{
    return (uint8_t *)(uintptr_t)(STATES + region * (HEAP_REGION / GRAIN));
}

static uintptr_t base(unsigned region)
{
    return HEAP_BASE + region * HEAP_REGION;
}

static void set_states(uintptr_t start, size_t bytes, HeapState state)
{
    unsigned region = (unsigned)((start - HEAP_BASE) / HEAP_REGION);
    memset(states(region) + (start - base(region)) / GRAIN, (int)state, (bytes + GRAIN - 1) / GRAIN);
}

static void *allocate(size_t bytes, size_t alignment, uintptr_t pc)
{
    unsigned number = run.active ? run.current->number : 0;
    Region *region = &heap()->region[number];
    if (!region->mapped) {
        own_pages(base(number), HEAP_REGION);
        own_pages((uintptr_t)states(number), HEAP_REGION / GRAIN);
        region->mapped = true;
    }
    run_api_changed();
    if (alignment < GRAIN) alignment = GRAIN;
    size_t start = (region->used + sizeof(Header) + alignment - 1) & ~(alignment - 1);
    if (bytes >= HEAP_REGION || start + bytes + GRAIN > HEAP_REGION) return NULL;
    /* One grain between blocks belongs to nobody. */
    region->used = ((start + (bytes ? bytes : 1) + GRAIN - 1) & ~(size_t)(GRAIN - 1)) + GRAIN;
    uintptr_t block = base(number) + start;
    *((Header *)block - 1) = (Header){bytes, pc, 0, CHECK};
    set_states(block, bytes ? bytes : 1, HEAP_LIVE);
    return (void *)block;
}

HeapState heap_state(uintptr_t address)
{
    if (!heap_has(address)) return HEAP_OUTSIDE;
    unsigned region = (unsigned)((address - HEAP_BASE) / HEAP_REGION);
    if (!heap()->region[region].mapped) return HEAP_OUTSIDE;
    HeapState state = states(region)[(address - base(region)) / GRAIN];
    return state ? state : HEAP_NEVER;
}

bool heap_block(uintptr_t address, HeapBlock *block)
{
    if (heap_state(address) == HEAP_OUTSIDE) return false;
    uintptr_t at = address & ~(uintptr_t)(GRAIN - 1);
    unsigned region = (unsigned)((address - HEAP_BASE) / HEAP_REGION);
    for (; at >= base(region) + sizeof(Header); at -= GRAIN) {
        const Header *header = (const Header *)at - 1;
        if (header->check != CHECK || heap_state(at) == HEAP_NEVER) continue;
        *block = (HeapBlock){at, header->allocated, header->freed, header->bytes};
        return true;
    }
    return false;
}

static void release(void *pointer, uintptr_t pc)
{
    if (!pointer) return;
    uintptr_t block = (uintptr_t)pointer;
    Header *header = (Header *)block - 1;
    if (!heap_has(block) || block % GRAIN || header->check != CHECK || heap_state(block) == HEAP_NEVER) {
        if (run.active) tell_memory_error("free", block, pc);
        return;
    }
    if (heap_state(block) == HEAP_FREED) {
        if (run.active) tell_memory_error("double free", block, pc);
        return;
    }
    if (run.active) shadow_range(block, header->bytes < PAGE ? header->bytes : PAGE, true, pc);
    header->freed = pc;
    set_states(block, header->bytes ? header->bytes : 1, HEAP_FREED);
}

void heap_record(void)
{
    Region *region = &heap()->region[0];
    region->used = region->recorded = (region->used + PAGE - 1) / PAGE * PAGE; /* pages are put back whole */
}

void heap_recorded(uintptr_t *start, size_t *bytes)
{
    *start = base(0);
    *bytes = heap()->region[0].used;
}

static void clear(void *start, size_t bytes)
{
    size_t ahead = -(uintptr_t)start % PAGE;
    if (bytes < BIG) {
        memset(start, 0, bytes);
        return;
    }
    memset(start, 0, ahead);
    madvise((char *)start + ahead, bytes - ahead, MADV_DONTNEED);
}

void heap_restore(void)
{
    for (unsigned i = 0; i < run.n_slots; i++) {
        Region *region = &heap()->region[i];
        if (region->used == region->recorded) continue;
        clear((char *)base(i) + region->recorded, region->used - region->recorded);
        clear(states(i) + region->recorded / GRAIN, (region->used - region->recorded) / GRAIN + 1);
        region->used = region->recorded;
    }
}

/* ---- the functions of the C library ---- */

PUBLIC void *malloc(size_t bytes)
{
    void *block = allocate(bytes, GRAIN, HERE);
    if (!block) errno = ENOMEM;
    return block;
}

PUBLIC void free(void *block)
{
    release(block, HERE);
}

PUBLIC void *calloc(size_t n, size_t size)
{
    size_t bytes;
    void *block = __builtin_mul_overflow(n, size, &bytes) ? NULL : allocate(bytes, GRAIN, HERE);
    if (!block) errno = ENOMEM; /* fresh memory is zero: nothing is used twice */
    return block;
}

PUBLIC void *realloc(void *old, size_t bytes)
{
    HeapBlock known;
    void *block = allocate(bytes, GRAIN, HERE);
    if (!block) {
        errno = ENOMEM;
        return NULL;
    }
    if (old && heap_block((uintptr_t)old, &known) && known.start == (uintptr_t)old)
        memcpy(block, old, known.bytes < bytes ? known.bytes : bytes);
    release(old, HERE);
    return block;
}

PUBLIC int posix_memalign(void **block, size_t alignment, size_t bytes)
{
    if (alignment < sizeof(void *) || (alignment & (alignment - 1))) return EINVAL;
    *block = allocate(bytes, alignment, HERE);
    return *block ? 0 : ENOMEM;
}

PUBLIC void *aligned_alloc(size_t alignment, size_t bytes)
{
    return allocate(bytes, alignment, HERE);
}

PUBLIC void *memalign(size_t alignment, size_t bytes);
void *memalign(size_t alignment, size_t bytes)
{
    return allocate(bytes, alignment, HERE);
}

PUBLIC size_t malloc_usable_size(void *block);
size_t malloc_usable_size(void *block)
{
    HeapBlock known;
    return block && heap_block((uintptr_t)block, &known) ? known.bytes : 0;
}
