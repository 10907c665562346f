/* Growing arrays. VEC(T) declares an anonymous struct; a zeroed one is an empty vector. Elements move
 * when it grows, so keep indices, not pointers. Memory comes from the GLib allocator and running out
 * of it aborts; engines ask their Budget before large growth. */
#pragma once
#include <glib.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define VEC(T)                                                                                                         \
    struct {                                                                                                           \
        T *data;                                                                                                       \
        size_t len, cap;                                                                                               \
    }

typedef VEC(uint32_t) VecU32;
typedef VEC(uint64_t) VecU64;

#define vec_reserve(v, n)                                                                                              \
    do {                                                                                                               \
        size_t need_ = (n);                                                                                            \
        if (need_ > (v)->cap) {                                                                                        \
            size_t cap_ = (v)->cap ? (v)->cap : 8;                                                                     \
            while (cap_ < need_) cap_ += cap_ / 2 + 8;                                                                 \
            (v)->data = g_realloc_n((v)->data, cap_, sizeof *(v)->data);                                               \
            (v)->cap = cap_;                                                                                           \
        }                                                                                                              \
    } while (0)

/* The next capacity of one of the few long arrays of a store: beyond 2 KiB it is 256 KiB at once. So much comes from
 * the system as pages of its own, which cost nothing before they are touched and are moved, not copied, when it grows.
 */
static inline size_t vec_long_cap(size_t cap, size_t need, size_t item)
{
    size_t least = need * item > 2048 ? (1 << 18) / item : 16;
    return MAX(MAX(need, least), 2 * cap);
}

/* As vec_reserve(), for such an array. */
#define vec_reserve_long(v, n)                                                                                         \
    do {                                                                                                               \
        size_t need_ = (n);                                                                                            \
        if (G_UNLIKELY(need_ > (v)->cap)) {                                                                            \
            (v)->cap = vec_long_cap((v)->cap, need_, sizeof *(v)->data);                                               \
            (v)->data = g_realloc_n((v)->data, (v)->cap, sizeof *(v)->data);                                           \
        }                                                                                                              \
    } while (0)

#define vec_push_long(v, x)                                                                                            \
    do {                                                                                                               \
        vec_reserve_long(v, (v)->len + 1);                                                                             \
        (v)->data[(v)->len++] = (x);                                                                                   \
    } while (0)

/* An empty vector, with room for exactly n. */
#define vec_init(v, n)                                                                                                 \
    do {                                                                                                               \
        (v)->len = 0;                                                                                                  \
        (v)->cap = (n);                                                                                                \
        (v)->data = g_malloc_n((v)->cap, sizeof *(v)->data);                                                           \
    } while (0)

#define vec_push(v, x)                                                                                                 \
    do {                                                                                                               \
        if ((v)->len == (v)->cap) vec_reserve(v, (v)->len + 1);                                                        \
        (v)->data[(v)->len++] = (x);                                                                                   \
    } while (0)

#define vec_append(v, items, n)                                                                                        \
    do {                                                                                                               \
        size_t n_ = (n);                                                                                               \
        vec_reserve(v, (v)->len + n_);                                                                                 \
        if (n_) memcpy((v)->data + (v)->len, (items), n_ * sizeof *(v)->data);                                         \
        (v)->len += n_;                                                                                                \
    } while (0)

#define vec_pop(v) ((v)->data[--(v)->len])
#define vec_last(v) ((v)->data[(v)->len - 1])
#define vec_clear(v) ((v)->len = 0)

#define vec_free(v)                                                                                                    \
    do {                                                                                                               \
        g_free((v)->data);                                                                                             \
        (v)->data = NULL;                                                                                              \
        (v)->len = (v)->cap = 0;                                                                                       \
    } while (0)

/* The address of item i, which may be one past the last: also of a vector that never had any, where it is NULL. */
#define vec_from(v, i) ((v)->data ? (v)->data + (i) : NULL)
