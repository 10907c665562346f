/* Functions of the C library that access memory: they count as the accesses that they make. Programs are linked with
 * --wrap for each of them (src/native/build.c); the runtime's own calls are renamed to the real ones when it is built.
 */
#include "run/api.h"

#include <string.h>

#define WRAPPED(result, name, ...)                                                                                     \
    result __real_##name(__VA_ARGS__);                                                                                 \
    PUBLIC result __wrap_##name(__VA_ARGS__);                                                                          \
    result __wrap_##name(__VA_ARGS__)

static size_t length(const char *text, size_t most)
{
    size_t n = 0;
    while (n < most && text[n]) n++;
    return n < most ? n + 1 : n;
}

static void reads(const void *start, size_t bytes, uintptr_t pc)
{
    if (run.active) tsan_range(start, bytes, false, pc);
}

static void writes(const void *start, size_t bytes, uintptr_t pc)
{
    if (run.active) tsan_range(start, bytes, true, pc);
}

WRAPPED(void *, memcpy, void *to, const void *from, size_t n)
{
    reads(from, n, HERE);
    writes(to, n, HERE);
    return __real_memcpy(to, from, n);
}

WRAPPED(void *, memmove, void *to, const void *from, size_t n)
{
    reads(from, n, HERE);
    writes(to, n, HERE);
    return __real_memmove(to, from, n);
}

WRAPPED(void *, memset, void *to, int byte, size_t n)
{
    writes(to, n, HERE);
    return __real_memset(to, byte, n);
}

WRAPPED(int, memcmp, const void *a, const void *b, size_t n)
{
    reads(a, n, HERE);
    reads(b, n, HERE);
    return __real_memcmp(a, b, n);
}

WRAPPED(size_t, strlen, const char *text)
{
    reads(text, length(text, SIZE_MAX), HERE);
    return __real_strlen(text);
}

WRAPPED(char *, strcpy, char *to, const char *from)
{
    reads(from, length(from, SIZE_MAX), HERE);
    writes(to, length(from, SIZE_MAX), HERE);
    return __real_strcpy(to, from);
}

WRAPPED(char *, strncpy, char *to, const char *from, size_t n)
{
    reads(from, length(from, n), HERE);
    writes(to, n, HERE);
    return __real_strncpy(to, from, n);
}

WRAPPED(char *, strcat, char *to, const char *from)
{
    reads(from, length(from, SIZE_MAX), HERE);
    writes(to + length(to, SIZE_MAX) - 1, length(from, SIZE_MAX), HERE);
    return __real_strcat(to, from);
}

WRAPPED(int, strcmp, const char *a, const char *b)
{
    reads(a, length(a, SIZE_MAX), HERE);
    reads(b, length(b, SIZE_MAX), HERE);
    return __real_strcmp(a, b);
}

WRAPPED(int, strncmp, const char *a, const char *b, size_t n)
{
    reads(a, length(a, n), HERE);
    reads(b, length(b, n), HERE);
    return __real_strncmp(a, b, n);
}

WRAPPED(char *, strchr, const char *text, int byte)
{
    reads(text, length(text, SIZE_MAX), HERE);
    return __real_strchr(text, byte);
}

/* clang's names. */
PUBLIC void *__tsan_memcpy(void *to, const void *from, size_t n);
void *__tsan_memcpy(void *to, const void *from, size_t n)
{
    return __wrap_memcpy(to, from, n);
}

PUBLIC void *__tsan_memmove(void *to, const void *from, size_t n);
void *__tsan_memmove(void *to, const void *from, size_t n)
{
    return __wrap_memmove(to, from, n);
}

PUBLIC void *__tsan_memset(void *to, int byte, size_t n);
void *__tsan_memset(void *to, int byte, size_t n)
{
    return __wrap_memset(to, byte, n);
}
