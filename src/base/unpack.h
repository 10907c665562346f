/* Compressed inputs, gzip and xz, unpacked piece by piece in bounded memory (xz: at most 256 MB, enough for xz -9e).
 * Whoever reads decides how much comes out: a small file that unpacks to a huge one costs no more than that one would.
 * Several members or streams one behind the other count as one file; anything else behind them is an error.
 *
 * What begins with Unpack is there twice: unpack.c, by zlib and liblzma, and certify/unpack_refused.c, by which
 * mazurka-verify refuses compressed files, so that no such library is among what has to be trusted. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

typedef enum { UNPACK_NONE, UNPACK_GZIP, UNPACK_XZ } UnpackKind;

enum { UNPACK_HEAD = 6 }; /* bytes that tell */
UnpackKind unpack_kind(const char *head, size_t len);
/* The length of the ending of a compressed file, ".gz" or ".xz"; 0: the path has none. */
size_t unpack_ending(const char *path);

typedef struct Unpack Unpack;
Unpack *unpack_new(UnpackKind kind);
void unpack_free(Unpack *unpack);

/* Unpacks from [*from, end) and moves *from; `last`: nothing comes behind `end`. Returns how many bytes went to the
 * buffer, which may be none. *problem says what is wrong with the data, an end that is missing too. */
size_t unpack_step(Unpack *unpack, const char **from, const char *end, bool last, char *buffer, size_t size,
                   const char **problem);
/* May the data end here? */
bool unpack_complete(const Unpack *unpack);
