#include "run/own.h"

#include "run/tell.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { LEAST = 1 << 16 };

/* Shared memory: one mapping for all, used from its beginning. */
typedef struct Shared {
    size_t used;
} Shared;

#define SHARED_BYTES ((size_t)1 << 36)

static Shared **shared(void)
{
    static Shared *kept; /* set before the memory is recorded */
    return &kept;
}

static void *map(void *place, size_t bytes, int flags)
{
    /* not mmap(), which may be looked up with the help of malloc() */
    long pages = syscall(SYS_mmap, place, bytes, PROT_READ | PROT_WRITE, flags | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0L);
    if (pages == -1) tell_and_end("limit\tmemory\n");
    return (void *)pages;
}

static void *from_shared(size_t bytes)
{
    Shared *s = *shared();
    bytes = (bytes + LEAST - 1) / LEAST * LEAST;
    if (SHARED_BYTES - s->used < bytes) tell_and_end("limit\tmemory\n");
    void *pages = (char *)s + s->used;
    s->used += bytes;
    return pages;
}

void own_share(void *pages, size_t bytes)
{
    *shared() = map(NULL, SHARED_BYTES, MAP_SHARED);
    (*shared())->used = LEAST;
    void *copy = from_shared(bytes);
    memcpy(copy, pages, bytes);
    map(pages, bytes, MAP_SHARED | MAP_FIXED);
    memcpy(pages, copy, bytes);
}

void *own_pages(uintptr_t hint, size_t bytes)
{
    return *shared() && !hint ? from_shared(bytes) : map((void *)hint, bytes, MAP_PRIVATE);
}

void own_exit(int code)
{
    for (;;) syscall(SYS_exit_group, code);
}

void *own_room(void *data, uint32_t *capacity, size_t items, size_t size)
{
    size_t old = (size_t)*capacity * size, bytes = old ? old : LEAST;
    old = old ? (old + LEAST - 1) / LEAST * LEAST : 0;
    if (old) bytes = old;
    while (bytes < items * size) bytes *= 2;
    void *room = old && !*shared() ? mremap(data, old, bytes, MREMAP_MAYMOVE) : own_pages(0, bytes);
    if (old && *shared()) memcpy(room, data, old);
    if (room == MAP_FAILED) tell_and_end("limit\tmemory\n");
    *capacity = (uint32_t)(bytes / size);
    return room;
}
