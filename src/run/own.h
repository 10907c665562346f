/* The runtime's own memory, straight from the system: the program's malloc is the thing observed (heap.h), and what the
 * explorer knows must outlive the executions that are put back between two runs (pages.h). Vectors grow by mremap, so
 * only indices into them are kept. Nothing here is ever given back: the process ends with the exploration.
 *
 * Where each execution is a process (processes.h) this memory is shared by all of them, but for pages at a place of
 * their own, which belong to the execution. */
#pragma once
#include <stddef.h>
#include <stdint.h>

/* Zeroed pages at or near `hint` (0: anywhere); ends the process with a sentence when there are none. */
void *own_pages(uintptr_t hint, size_t bytes);
/* From now on memory is shared with processes to come; so are these pages, with what is in them. */
void own_share(void *pages, size_t bytes);
/* Larger room for a vector: at least `items` of `size` bytes; *capacity is in items. */
void *own_room(void *data, uint32_t *capacity, size_t items, size_t size);

/* The process ends here and now; exit() and _exit() are the program's. */
void own_exit(int code) __attribute__((noreturn));

#define OWN_VECTOR(type)                                                                                               \
    struct {                                                                                                           \
        type *data;                                                                                                    \
        uint32_t length, capacity;                                                                                     \
    }

#define own_reserve(v, n)                                                                                              \
    ((n) <= (v)->capacity ? (void)0 : (void)((v)->data = own_room((v)->data, &(v)->capacity, (n), sizeof *(v)->data)))
#define own_push(v, ...) (own_reserve(v, (v)->length + 1), (v)->data[(v)->length++] = (__VA_ARGS__))
