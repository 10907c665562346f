/* malloc and its relatives. Every thread allocates from a region of its own and nothing is used twice in one execution:
 * so addresses depend on what the thread did alone, not on the order of threads, and every use of memory that was freed
 * is seen. A byte per 16 bytes says what they are. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum { HEAP_OUTSIDE, HEAP_NEVER, HEAP_LIVE, HEAP_FREED } HeapState;

/* What the 16 bytes around the address are. */
HeapState heap_state(uintptr_t address);
/* The block that an address lies in or behind: its size, and where it was allocated and freed. */
typedef struct HeapBlock {
    uintptr_t start, allocated, freed;
    size_t bytes;
} HeapBlock;
bool heap_block(uintptr_t address, HeapBlock *block);

/* From now on allocations belong to an execution. */
void heap_record(void);
/* Those of the last execution are gone. */
void heap_restore(void);
/* What was allocated before the first execution, for pages.h. */
void heap_recorded(uintptr_t *start, size_t *bytes);

#define HEAP_BASE UINT64_C(0x510000000000)
#define HEAP_REGION (UINT64_C(1) << 30)
static inline bool heap_has(uintptr_t address)
{
    return address - HEAP_BASE < HEAP_REGION * 256;
}
