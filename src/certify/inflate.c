#include "certify/inflate.h"

#include <string.h>

enum { WINDOW = 32768, MOST_BITS = 15, N_LENGTHS = 288, N_DISTANCES = 30 };

typedef struct Inflate {
    const uint8_t *at, *end;
    uint32_t held; /* bits taken from the input and not yet used */
    unsigned n_held;
    uint8_t window[WINDOW]; /* the last bytes; those from `sent` on are still to be given to the sink */
    size_t filled, sent;
    bool full;          /* the window was filled at least once */
    uint32_t low, high; /* Adler-32 */
    InflateSink sink;
    void *data;
    bool bad;
} Inflate;

/* A Huffman code: how many symbols have each length, and the symbols by length. */
typedef struct Code {
    uint16_t count[MOST_BITS + 1], symbol[N_LENGTHS];
} Code;

/* ---- input ---- */

static unsigned take_bits(Inflate *u, unsigned n)
{
    while (u->n_held < n) {
        if (u->at == u->end) {
            u->bad = true;
            return 0;
        }
        u->held |= (uint32_t)*u->at++ << u->n_held;
        u->n_held += 8;
    }
    unsigned bits = u->held & ((1u << n) - 1);
    u->held >>= n;
    u->n_held -= n;
    return bits;
}

/* Codes of one length are consecutive numbers that follow on those of the length before. */
static unsigned take_symbol(Inflate *u, const Code *code)
{
    unsigned value = 0, first = 0, index = 0;
    for (unsigned length = 1; length <= MOST_BITS && !u->bad; length++) {
        value |= take_bits(u, 1);
        if (value - first < code->count[length]) return code->symbol[index + value - first];
        index += code->count[length];
        first = (first + code->count[length]) << 1;
        value <<= 1;
    }
    u->bad = true;
    return 0;
}

/* False when the lengths promise more codes than there are. */
static bool make_code(Code *code, const uint8_t *lengths, unsigned n)
{
    unsigned start[MOST_BITS + 2] = {0};
    int left = 1;
    memset(code, 0, sizeof *code);
    for (unsigned i = 0; i < n; i++) code->count[lengths[i]]++;
    code->count[0] = 0;
    for (unsigned length = 1; length <= MOST_BITS; length++) {
        left = 2 * left - code->count[length];
        if (left < 0) return false;
        start[length + 1] = start[length] + code->count[length];
    }
    for (unsigned i = 0; i < n; i++)
        if (lengths[i]) code->symbol[start[lengths[i]]++] = (uint16_t)i;
    return true;
}

/* ---- output ---- */

static void flush(Inflate *u)
{
    const uint8_t *bytes = u->window + u->sent;
    size_t n = u->filled - u->sent;
    for (size_t i = 0; i < n; i++) {
        u->low = (u->low + bytes[i]) % 65521;
        u->high = (u->high + u->low) % 65521;
    }
    if (n && !u->sink(bytes, n, u->data)) u->bad = true;
    u->sent = u->filled;
}

static void put_byte(Inflate *u, uint8_t byte)
{
    u->window[u->filled++] = byte;
    if (u->filled < WINDOW) return;
    flush(u);
    u->filled = u->sent = 0;
    u->full = true;
}

static void copy_back(Inflate *u, unsigned length, unsigned distance)
{
    if (distance > (u->full ? WINDOW : u->filled)) {
        u->bad = true;
        return;
    }
    for (; length && !u->bad; length--) put_byte(u, u->window[(u->filled + WINDOW - distance) % WINDOW]);
}

/* ---- blocks ---- */

static void plain_block(Inflate *u)
{
    u->held = u->n_held = 0; /* fewer than 8 bits are held: whole bytes follow */
    unsigned length = take_bits(u, 16), check = take_bits(u, 16);
    if ((length ^ check) != 0xffff) u->bad = true;
    for (; length && !u->bad; length--) put_byte(u, (uint8_t)take_bits(u, 8));
}

static void coded_block(Inflate *u, const Code *lengths, const Code *distances)
{
    static const uint16_t base[] = {3,  4,  5,  6,  7,  8,  9,  10, 11,  13,  15,  17,  19,  23, 27,
                                    31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258};
    static const uint8_t extra[] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2,
                                    2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};
    static const uint16_t far[] = {1,    2,    3,    4,    5,    7,    9,    13,    17,    25,
                                   33,   49,   65,   97,   129,  193,  257,  385,   513,   769,
                                   1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577};
    while (!u->bad) {
        unsigned symbol = take_symbol(u, lengths);
        if (u->bad || symbol == 256) return;
        if (symbol < 256) {
            put_byte(u, (uint8_t)symbol);
            continue;
        }
        unsigned which = symbol - 257;
        if (which >= sizeof extra) {
            u->bad = true;
            return;
        }
        unsigned length = base[which] + take_bits(u, extra[which]), step = take_symbol(u, distances);
        if (u->bad || step >= N_DISTANCES) {
            u->bad = true;
            return;
        }
        copy_back(u, length, far[step] + take_bits(u, step < 4 ? 0 : step / 2 - 1));
    }
}

static void fixed_block(Inflate *u)
{
    uint8_t lengths[N_LENGTHS];
    Code code, distance;
    memset(lengths, 8, 144);
    memset(lengths + 144, 9, 112);
    memset(lengths + 256, 7, 24);
    memset(lengths + 280, 8, 8);
    make_code(&code, lengths, N_LENGTHS);
    memset(lengths, 5, N_DISTANCES);
    make_code(&distance, lengths, N_DISTANCES);
    coded_block(u, &code, &distance);
}

/* The lengths of both codes, themselves coded: 16 repeats the last one, 17 and 18 repeat zero. */
static bool take_lengths(Inflate *u, const Code *code, uint8_t *lengths, unsigned n)
{
    for (unsigned i = 0; i < n;) {
        unsigned symbol = take_symbol(u, code), times = 1;
        if (u->bad) return false;
        uint8_t length = symbol < 16 ? (uint8_t)symbol : symbol == 16 && i ? lengths[i - 1] : 0;
        if (symbol == 16 && i == 0) return false;
        if (symbol >= 16)
            times = symbol == 16 ? 3 + take_bits(u, 2) : symbol == 17 ? 3 + take_bits(u, 3) : 11 + take_bits(u, 7);
        if (u->bad || times > n - i) return false;
        while (times--) lengths[i++] = length;
    }
    return true;
}

static void own_block(Inflate *u)
{
    static const uint8_t order[] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
    unsigned n_lengths = 257 + take_bits(u, 5), n_distances = 1 + take_bits(u, 5), n_order = 4 + take_bits(u, 4);
    uint8_t lengths[N_LENGTHS + N_DISTANCES] = {0};
    Code code, distance;
    u->bad |= n_lengths > 286 || n_distances > N_DISTANCES;
    for (unsigned i = 0; i < n_order; i++) lengths[order[i]] = (uint8_t)take_bits(u, 3);
    if (u->bad || !make_code(&code, lengths, sizeof order) ||
        !take_lengths(u, &code, memset(lengths, 0, sizeof lengths), n_lengths + n_distances) ||
        !make_code(&code, lengths, n_lengths) || !make_code(&distance, lengths + n_lengths, n_distances)) {
        u->bad = true;
        return;
    }
    coded_block(u, &code, &distance);
}

bool inflate_zlib(const uint8_t *packed, size_t len, InflateSink sink, void *data)
{
    if (len < 6 || (packed[0] & 15) != 8 || (packed[0] << 8 | packed[1]) % 31 || packed[1] & 32) return false;
    Inflate u = {.at = packed + 2, .end = packed + len, .low = 1, .sink = sink, .data = data};
    for (unsigned last = 0; !last && !u.bad;) {
        last = take_bits(&u, 1);
        switch (take_bits(&u, 2)) {
        case 0: plain_block(&u); break;
        case 1: fixed_block(&u); break;
        case 2: own_block(&u); break;
        default: u.bad = true;
        }
    }
    flush(&u);
    if (u.bad || u.end - u.at != 4) return false;
    uint32_t sum = (uint32_t)u.at[0] << 24 | (uint32_t)u.at[1] << 16 | (uint32_t)u.at[2] << 8 | u.at[3];
    return sum == (u.high << 16 | u.low);
}
