#include "certify/shared_bits.h"

static size_t blocks_for(size_t n_bits)
{
    return (bitset_words(n_bits) + SHARED_BITS_MOST_WORDS - 1) / SHARED_BITS_MOST_WORDS;
}

uint64_t shared_bits_bytes(size_t n_rows, size_t n_bits)
{
    return (uint64_t)n_rows * blocks_for(n_bits) * sizeof(SharedBlock *);
}

void shared_bits_init(SharedBits *s, size_t n_rows, size_t n_bits)
{
    *s = (SharedBits){.n_blocks = blocks_for(n_bits), .words = MIN(bitset_words(n_bits), SHARED_BITS_MOST_WORDS)};
    s->rows = g_new0(SharedBlock *, n_rows * s->n_blocks + 1);
}

void shared_bits_clear(SharedBits *s)
{
    for (size_t i = 0; i < s->made.len; i++) g_free(s->made.data[i]);
    vec_free(&s->made);
    g_free(s->rows);
    *s = (SharedBits){0};
}

/* The block for its row to write: what is shared is copied first. */
static SharedBlock *own(SharedBits *s, size_t row, size_t i)
{
    SharedBlock **at = &s->rows[row * s->n_blocks + i], *before = *at;
    if (before && before->row == row) return before;
    SharedBlock *block = g_malloc(sizeof *block + s->words * sizeof *block->word);
    block->row = row;
    for (size_t k = 0; k < s->words; k++) block->word[k] = before ? before->word[k] : 0;
    vec_push(&s->made, block);
    return *at = block;
}

void shared_bits_copy(SharedBits *s, size_t to, size_t from)
{
    for (size_t i = 0; i < s->n_blocks; i++) s->rows[to * s->n_blocks + i] = s->rows[from * s->n_blocks + i];
}

static bool includes(const SharedBits *s, const SharedBlock *block, const SharedBlock *part)
{
    for (size_t k = 0; k < s->words; k++)
        if (part->word[k] & ~block->word[k]) return false;
    return true;
}

void shared_bits_or(SharedBits *s, size_t to, size_t from)
{
    for (size_t i = 0; i < s->n_blocks; i++) {
        SharedBlock **at = &s->rows[to * s->n_blocks + i], *more = s->rows[from * s->n_blocks + i];
        if (!more || *at == more || (*at && includes(s, *at, more))) continue;
        if (!*at || includes(s, more, *at))
            *at = more;
        else
            bitset_or(own(s, to, i)->word, more->word, s->words);
    }
}

void shared_bits_put(SharedBits *s, size_t row, size_t bit, bool value)
{
    if (shared_bits_get(s, row, bit) == value) return;
    own(s, row, bit / 64 / s->words)->word[bit / 64 % s->words] ^= (uint64_t)1 << bit % 64;
}

bool shared_bits_equal(const SharedBits *s, size_t a, size_t b)
{
    for (size_t i = 0; i < s->n_blocks; i++) {
        const SharedBlock *x = s->rows[a * s->n_blocks + i], *y = s->rows[b * s->n_blocks + i];
        if (x == y) continue;
        for (size_t k = 0; k < s->words; k++)
            if ((x ? x->word[k] : 0) != (y ? y->word[k] : 0)) return false;
    }
    return true;
}

void shared_bits_minus(const SharedBits *s, size_t row, size_t without, VecU32 *members)
{
    for (size_t i = 0; i < s->n_blocks; i++) {
        const SharedBlock *block = s->rows[row * s->n_blocks + i], *other = s->rows[without * s->n_blocks + i];
        for (size_t k = 0; block && block != other && k < s->words; k++)
            for (uint64_t rest = block->word[k] & ~(other ? other->word[k] : 0); rest; rest &= rest - 1)
                vec_push(members, (uint32_t)((i * s->words + k) * 64) + (uint32_t)__builtin_ctzll(rest));
    }
}

uint32_t shared_bits_last(const SharedBits *s, size_t row, const uint64_t *among, size_t from, size_t to)
{
    for (size_t k = to + 1; k-- > from;) {
        const SharedBlock *block = s->rows[row * s->n_blocks + k / s->words];
        uint64_t both = block ? block->word[k % s->words] & among[k] : 0;
        if (both) return (uint32_t)(k * 64 + 63) - (uint32_t)__builtin_clzll(both);
        if (!block) k -= k % s->words; /* to the last word of the block before */
    }
    return UINT32_MAX;
}
