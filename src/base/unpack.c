#include "base/unpack.h"

#include <glib.h>
#include <lzma.h>
#include <string.h>
#include <zlib.h>

enum { XZ_MEMORY = 256 << 20 };

struct Unpack {
    UnpackKind kind;
    z_stream gzip;
    lzma_stream xz;
    bool complete; /* a member of gzip has just ended; all streams of xz have */
};

static void must(bool good)
{
    if (!good) g_error("out of memory");
}

Unpack *unpack_new(UnpackKind kind)
{
    enum { GZIP_ONLY = 16 + MAX_WBITS };
    Unpack *unpack = g_new0(Unpack, 1);
    unpack->kind = kind;
    if (kind == UNPACK_GZIP)
        must(inflateInit2(&unpack->gzip, GZIP_ONLY) == Z_OK);
    else
        must(lzma_stream_decoder(&unpack->xz, XZ_MEMORY, LZMA_CONCATENATED) == LZMA_OK);
    return unpack;
}

void unpack_free(Unpack *unpack)
{
    if (!unpack) return;
    if (unpack->kind == UNPACK_GZIP)
        inflateEnd(&unpack->gzip);
    else
        lzma_end(&unpack->xz);
    g_free(unpack);
}

static const char early[] = "the compressed data ends too early";
static const char damaged[] = "the compressed data is damaged";

static size_t step_gzip(Unpack *unpack, const char **from, const char *end, bool last, char *buffer, size_t size,
                        const char **problem)
{
    z_stream *z = &unpack->gzip;
    if (unpack->complete && *from == end) return 0;
    if (unpack->complete) must(inflateReset(z) == Z_OK);
    unpack->complete = false;
    z->next_in = (Bytef *)*from;
    z->avail_in = (uInt)MIN((size_t)(end - *from), (size_t)G_MAXUINT);
    z->next_out = (Bytef *)buffer;
    z->avail_out = (uInt)MIN(size, (size_t)G_MAXUINT);
    int code = inflate(z, Z_NO_FLUSH);
    *from = (const char *)z->next_in;
    size_t n = (size_t)((char *)z->next_out - buffer);
    if (code == Z_STREAM_END)
        unpack->complete = true;
    else if (code != Z_OK && code != Z_BUF_ERROR)
        *problem = damaged;
    else if (!n && last && *from == end)
        *problem = early;
    return n;
}

static size_t step_xz(Unpack *unpack, const char **from, const char *end, bool last, char *buffer, size_t size,
                      const char **problem)
{
    lzma_stream *xz = &unpack->xz;
    if (unpack->complete) return 0;
    xz->next_in = (const uint8_t *)*from;
    xz->avail_in = (size_t)(end - *from);
    xz->next_out = (uint8_t *)buffer;
    xz->avail_out = size;
    lzma_ret code = lzma_code(xz, last ? LZMA_FINISH : LZMA_RUN);
    *from = (const char *)xz->next_in;
    unpack->complete = code == LZMA_STREAM_END;
    if (code == LZMA_MEMLIMIT_ERROR)
        *problem = "unpacking it would need more than 256 MB of memory";
    else if (code == LZMA_BUF_ERROR && last)
        *problem = early;
    else if (code != LZMA_OK && code != LZMA_STREAM_END && code != LZMA_BUF_ERROR)
        *problem = damaged;
    return (size_t)((char *)xz->next_out - buffer);
}

size_t unpack_step(Unpack *unpack, const char **from, const char *end, bool last, char *buffer, size_t size,
                   const char **problem)
{
    return (unpack->kind == UNPACK_GZIP ? step_gzip : step_xz)(unpack, from, end, last, buffer, size, problem);
}

bool unpack_complete(const Unpack *unpack)
{
    return unpack->complete;
}
