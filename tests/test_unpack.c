/* Compressed inputs: what comes out is what went in, however it is cut; damage and missing ends are errors, never half
 * a net; limits are about what comes out. */
#include "test.h"

#include "base/error.h"
#include "base/rng.h"
#include "base/unpack.h"
#include "base/vec.h"
#include "net/read.h"
#include "pieces.h"

#include <lzma.h>
#include <string.h>
#include <zlib.h>

typedef VEC(char) Bytes;

static void pack_gzip(const char *data, size_t len, Bytes *out)
{
    z_stream z = {0};
    ck_assert_int_eq(deflateInit2(&z, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
    size_t bound = deflateBound(&z, len);
    vec_reserve(out, out->len + bound);
    z.next_in = (Bytef *)data;
    z.avail_in = (uInt)len;
    z.next_out = (Bytef *)(out->data + out->len);
    z.avail_out = (uInt)bound;
    ck_assert_int_eq(deflate(&z, Z_FINISH), Z_STREAM_END);
    out->len += z.total_out;
    deflateEnd(&z);
}

static void pack_xz(const char *data, size_t len, Bytes *out)
{
    size_t bound = lzma_stream_buffer_bound(len);
    vec_reserve(out, out->len + bound);
    ck_assert_int_eq(lzma_easy_buffer_encode(6, LZMA_CHECK_CRC64, NULL, (const uint8_t *)data, len,
                                             (uint8_t *)out->data, &out->len, out->len + bound),
                     LZMA_OK);
}

static void pack(UnpackKind kind, const char *data, size_t len, Bytes *out)
{
    (kind == UNPACK_GZIP ? pack_gzip : pack_xz)(data, len, out);
}

static char *unpack_all(const Bytes *packed, size_t pieces, size_t most, size_t *len, GError **error)
{
    Pieces source = {packed->data, packed->len, pieces};
    g_autoptr(Input) input = input_from(pieces_fetch, &source, "f", NULL);
    return input_read_all(input, most, len, error);
}

/* Random texts of all sizes in one, two or three members, read in pieces of all sizes. */
START_TEST(comes_out_as_it_went_in)
{
    Rng rng = {1};
    for (int i = 0; i < 400; i++) {
        UnpackKind kind = i % 2 ? UNPACK_GZIP : UNPACK_XZ;
        Bytes plain = {0}, packed = {0};
        for (uint64_t members = 1 + rng_below(&rng, 3); members; members--) {
            size_t from = plain.len, n = rng_chance(&rng, 10) ? rng_below(&rng, 200000) : rng_below(&rng, 300);
            for (size_t k = 0; k < n; k++) vec_push(&plain, rng_chance(&rng, 4) ? (char)rng_next(&rng) : 'x');
            pack(kind, plain.data ? plain.data + from : "", n, &packed);
        }
        size_t len;
        GError *error = NULL;
        g_autofree char *text = unpack_all(&packed, 1 + rng_below(&rng, i % 3 ? 7 : 100000), SIZE_MAX, &len, &error);
        ck_assert_msg(text != NULL, "%s", error ? error->message : "");
        ck_assert_uint_eq(len, plain.len);
        ck_assert(!len || memcmp(text, plain.data, len) == 0);
        vec_free(&plain);
        vec_free(&packed);
    }
}
END_TEST

static const char lola[] =
    "PLACE a, b; MARKING a; TRANSITION t CONSUME a; PRODUCE b; TRANSITION u CONSUME b; PRODUCE a;";

START_TEST(a_part_is_an_error)
{
    for (UnpackKind kind = UNPACK_GZIP; kind <= UNPACK_XZ; kind++) {
        Bytes packed = {0};
        pack(kind, lola, strlen(lola), &packed);
        for (size_t cut = 0; cut <= packed.len; cut++) {
            g_autoptr(GError) error = NULL;
            g_autoptr(Net) net = net_read_bytes(packed.data, cut, "f", NULL, &error);
            ck_assert_int_eq(net != NULL, cut == packed.len);
            if (cut >= UNPACK_HEAD && !net) ck_assert_str_eq(error->message, "f: the compressed data ends too early");
        }
        vec_free(&packed);
    }
}
END_TEST

/* A changed byte is found, or it was one that says nothing of the content (the time in a gzip header). */
START_TEST(damage_is_an_error)
{
    for (UnpackKind kind = UNPACK_GZIP; kind <= UNPACK_XZ; kind++) {
        Bytes packed = {0};
        pack(kind, lola, strlen(lola), &packed);
        int found = 0;
        for (size_t i = 0; i < packed.len; i++) {
            packed.data[i] ^= 0x55;
            g_autoptr(GError) error = NULL;
            g_autoptr(Net) net = net_read_bytes(packed.data, packed.len, "f", NULL, &error);
            packed.data[i] ^= 0x55;
            if (net) ck_assert_uint_eq(net->n_transitions, 2);
            found += !net;
        }
        ck_assert_int_gt(found, (int)packed.len - 10);
        vec_push(&packed, 'x');
        g_autoptr(GError) error = NULL;
        ck_assert_ptr_null(net_read_bytes(packed.data, packed.len, "f", NULL, &error));
        vec_free(&packed);
    }
}
END_TEST

START_TEST(limits_count_what_comes_out)
{
    enum { LARGE = 50000000, MOST = 1000000 };
    g_autofree char *zeros = g_malloc0(LARGE);
    for (UnpackKind kind = UNPACK_GZIP; kind <= UNPACK_XZ; kind++) {
        Bytes packed = {0};
        pack(kind, zeros, LARGE, &packed);
        ck_assert_uint_lt(packed.len, MOST);
        size_t len;
        g_autoptr(GError) error = NULL;
        ck_assert_ptr_null(unpack_all(&packed, SIZE_MAX, MOST, &len, &error));
        ck_assert(error->code == ERROR_LIMIT && len <= MOST);
        g_clear_error(&error);
        Budget budget = budget_new(1e-9, 0, 0);
        g_autoptr(Input) input = input_bytes(packed.data, packed.len, "f", &budget);
        ck_assert_ptr_null(input_read_all(input, SIZE_MAX, &len, &error));
        ck_assert_int_eq(error->code, ERROR_SPENT);
        vec_free(&packed);
    }
}
END_TEST

START_TEST(twice_is_said)
{
    Bytes once = {0}, twice = {0};
    pack_gzip(lola, strlen(lola), &once);
    pack_xz(once.data, once.len, &twice);
    g_autoptr(GError) error = NULL;
    ck_assert_ptr_null(net_read_bytes(twice.data, twice.len, "f", NULL, &error));
    ck_assert_str_eq(error->message, "f:1:1: the file is compressed more than once");
    vec_free(&once);
    vec_free(&twice);
}
END_TEST

START_TEST(endings)
{
    ck_assert_uint_eq(format_ending("a.pnml.gz"), 8);
    ck_assert_uint_eq(format_ending("a.lola.xz"), 8);
    ck_assert_uint_eq(format_ending("a.tapn"), 5);
    ck_assert_uint_eq(format_ending("a.gz"), 0);
    ck_assert_uint_eq(format_ending("gz"), 0);
    ck_assert_uint_eq(format_ending(".gz"), 0);
    ck_assert_int_eq(format_of_path("a.pnml.gz"), N_FORMATS);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("unpack");
    TEST_CASE(suite, comes_out_as_it_went_in);
    TEST_CASE(suite, a_part_is_an_error);
    TEST_CASE(suite, damage_is_an_error);
    TEST_CASE(suite, limits_count_what_comes_out);
    TEST_CASE(suite, twice_is_said);
    TEST_CASE(suite, endings);
    return test_run(suite);
}
