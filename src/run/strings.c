/* Functions of the C library that access memory: they count as the accesses that they make. Programs are linked with
 * --wrap for each of them (src/native/build.c); the runtime's own calls are renamed to the real ones when it is built.
 */
#include "run/api.h"

#include <stdarg.h>
#include <stdio.h>
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

/* Up to where they differ. */
static void read_both(const char *a, const char *b, size_t most, bool same_case, uintptr_t pc)
{
    size_t n = 0;
    while (n < most && a[n] && (a[n] == b[n] || (same_case && ((a[n] ^ b[n]) & ~32) == 0))) n++;
    reads(a, n < most ? n + 1 : n, pc);
    reads(b, n < most ? n + 1 : n, pc);
}

WRAPPED(int, strcmp, const char *a, const char *b)
{
    read_both(a, b, SIZE_MAX, false, HERE);
    return __real_strcmp(a, b);
}

WRAPPED(int, strncmp, const char *a, const char *b, size_t n)
{
    read_both(a, b, n, false, HERE);
    return __real_strncmp(a, b, n);
}

WRAPPED(int, strcasecmp, const char *a, const char *b)
{
    read_both(a, b, SIZE_MAX, true, HERE);
    return __real_strcasecmp(a, b);
}

WRAPPED(int, strncasecmp, const char *a, const char *b, size_t n)
{
    read_both(a, b, n, true, HERE);
    return __real_strncasecmp(a, b, n);
}

WRAPPED(char *, strchr, const char *text, int byte)
{
    char *found = __real_strchr(text, byte);
    reads(text, found ? (size_t)(found - text) + 1 : length(text, SIZE_MAX), HERE);
    return found;
}

WRAPPED(void *, memchr, const void *start, int byte, size_t n)
{
    char *found = __real_memchr(start, byte, n);
    reads(start, found ? (size_t)(found - (const char *)start) + 1 : n, HERE);
    return found;
}

WRAPPED(size_t, strnlen, const char *text, size_t n)
{
    reads(text, length(text, n), HERE);
    return __real_strnlen(text, n);
}

WRAPPED(char *, strncat, char *to, const char *from, size_t n)
{
    size_t bytes = length(from, n), end = length(to, SIZE_MAX) - 1;
    reads(from, bytes, HERE);
    writes(to + end, bytes && !from[bytes - 1] ? bytes : bytes + 1, HERE);
    return __real_strncat(to, from, n);
}

WRAPPED(char *, stpcpy, char *to, const char *from)
{
    reads(from, length(from, SIZE_MAX), HERE);
    writes(to, length(from, SIZE_MAX), HERE);
    return __real_stpcpy(to, from);
}

/* The text is read to its end, the other argument is as good as constant. */
#define READS_TEXT(result, name, parameters, ...)                                                                      \
    result __real_##name parameters;                                                                                   \
    PUBLIC result __wrap_##name parameters;                                                                            \
    result __wrap_##name parameters                                                                                    \
    {                                                                                                                  \
        reads(text, length(text, SIZE_MAX), HERE);                                                                     \
        return __real_##name(__VA_ARGS__);                                                                             \
    }
READS_TEXT(char *, strrchr, (const char *text, int byte), text, byte)
READS_TEXT(char *, strstr, (const char *text, const char *part), text, part)
READS_TEXT(size_t, strspn, (const char *text, const char *set), text, set)
READS_TEXT(size_t, strcspn, (const char *text, const char *set), text, set)
READS_TEXT(char *, strpbrk, (const char *text, const char *set), text, set)
READS_TEXT(char *, strdup, (const char *text), text)
READS_TEXT(int, atoi, (const char *text), text)
READS_TEXT(long, atol, (const char *text), text)
READS_TEXT(int, puts, (const char *text), text)
READS_TEXT(int, fputs, (const char *text, FILE *file), text, file)

WRAPPED(char *, strndup, const char *text, size_t n)
{
    reads(text, length(text, n), HERE);
    return __real_strndup(text, n);
}

/* ---- cutting into words ---- */

WRAPPED(char *, strtok_r, char *text, const char *set, char **rest)
{
    uintptr_t pc = HERE;
    char *begin = text ? text : *rest;
    if (begin) reads(begin, length(begin, SIZE_MAX), pc);
    char *word = __real_strtok_r(text, set, rest);
    if (word) writes(word + __real_strlen(word), 1, pc);
    writes(rest, sizeof *rest, pc);
    return word;
}

static char state_of_strtok; /* where it is, for all threads together; the true one is the C library's */

WRAPPED(char *, strtok, char *text, const char *set)
{
    writes(&state_of_strtok, 1, HERE);
    return __real_strtok(text, set);
}

/* ---- printing into memory ---- */

static int print(char *to, size_t most, const char *format, va_list values, uintptr_t pc)
{
    va_list again;
    va_copy(again, values);
    int n = vsnprintf(NULL, 0, format, again);
    va_end(again);
    if (n >= 0 && most) writes(to, (size_t)n + 1 < most ? (size_t)n + 1 : most, pc);
    return vsnprintf(to, most, format, values);
}

WRAPPED(int, vsnprintf, char *to, size_t most, const char *format, va_list values)
{
    return print(to, most, format, values, HERE);
}

WRAPPED(int, vsprintf, char *to, const char *format, va_list values)
{
    return print(to, INT32_MAX, format, values, HERE);
}

WRAPPED(int, snprintf, char *to, size_t most, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    int n = print(to, most, format, values, HERE);
    va_end(values);
    return n;
}

WRAPPED(int, sprintf, char *to, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    int n = print(to, INT32_MAX, format, values, HERE);
    va_end(values);
    return n;
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
