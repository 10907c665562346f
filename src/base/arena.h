/* A bump allocator: blocks that live until the whole arena is freed. For stores that grow event by
 * event and die at once. Pointers stay valid; memory is not zeroed. */
#pragma once
#include <stddef.h>
#include <stdint.h>

typedef struct Arena {
    struct ArenaBlock *last;
    char *next, *end;
    size_t bytes; /* obtained from the system so far */
} Arena;

/* A new block with room for more than n bytes. */
void arena_grow(Arena *arena, size_t n);

/* Where the next n bytes will be, if no more are asked for before. */
static inline void *arena_room(Arena *arena, size_t n)
{
    if ((size_t)(arena->end - arena->next) <= n + 7) arena_grow(arena, n);
    return arena->next;
}

/* Returns n bytes aligned to 8. A zeroed Arena is empty and ready. */
static inline void *arena_alloc(Arena *arena, size_t n)
{
    void *result = arena_room(arena, n);
    arena->next += (n + 7) & ~(size_t)7;
    return result;
}

void *arena_copy(Arena *arena, const void *data, size_t n);
void arena_free(Arena *arena);
