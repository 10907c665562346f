#include "base/arena.h"

#include <glib.h>
#include <string.h>

struct ArenaBlock {
    struct ArenaBlock *previous;
    size_t size;
};

enum { FIRST_BLOCK = 4096, LARGEST_BLOCK = 1 << 20 };

void arena_grow(Arena *arena, size_t n)
{
    size_t size = arena->last ? arena->last->size * 2 : FIRST_BLOCK, need = n + sizeof(struct ArenaBlock) + 8;
    if (size > LARGEST_BLOCK) size = LARGEST_BLOCK;
    if (size < need) size = need;
    struct ArenaBlock *block = g_malloc(size);
    block->previous = arena->last;
    block->size = size;
    arena->last = block;
    arena->next = (char *)(block + 1);
    arena->end = (char *)block + size;
    arena->bytes += size;
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
