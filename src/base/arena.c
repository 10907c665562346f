#include "base/arena.h"

#include <glib.h>
#include <string.h>

struct ArenaBlock {
    struct ArenaBlock *previous;
    size_t size;
};

enum { FIRST_BLOCK = 4096, LARGEST_BLOCK = 1 << 20 };

static void add_block(Arena *arena, size_t n)
{
    size_t size = arena->last ? arena->last->size * 2 : FIRST_BLOCK;
    if (size > LARGEST_BLOCK) size = LARGEST_BLOCK;
    if (size < n + sizeof(struct ArenaBlock)) size = n + sizeof(struct ArenaBlock);
    struct ArenaBlock *block = g_malloc(size);
    block->previous = arena->last;
    block->size = size;
    arena->last = block;
    arena->next = (char *)(block + 1);
    arena->end = (char *)block + size;
    arena->bytes += size;
}

void *arena_room(Arena *arena, size_t n)
{
    n = (n + 7) & ~(size_t)7;
    if ((size_t)(arena->end - arena->next) < n || !arena->next) add_block(arena, n);
    return arena->next;
}

void *arena_alloc(Arena *arena, size_t n)
{
    void *result = arena_room(arena, n);
    arena->next += (n + 7) & ~(size_t)7;
    return result;
}

void *arena_copy(Arena *arena, const void *data, size_t n)
{
    void *copy = arena_alloc(arena, n);
    if (n) memcpy(copy, data, n);
    return copy;
}

void arena_free(Arena *arena)
{
    for (struct ArenaBlock *block = arena->last; block;) {
        struct ArenaBlock *previous = block->previous;
        g_free(block);
        block = previous;
    }
    *arena = (Arena){0};
}
