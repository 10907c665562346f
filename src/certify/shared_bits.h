/* Rows of bits of which many are alike. A row consists of blocks; where two rows are made from one another they share
 * the blocks in which they do not differ, so that n rows that grow one by one cost n blocks, not n times their length,
 * and the difference of two is found without looking at what they share. A row that another was made from must not be
 * changed any more. */
#pragma once
#include "base/bitset.h"
#include "base/vec.h"

enum { SHARED_BITS_MOST_WORDS = 64 };

typedef struct SharedBlock {
    size_t row; /* that may write it */
    uint64_t word[];
} SharedBlock;

typedef struct SharedBits {
    size_t n_blocks, words; /* of a row, of a block */
    SharedBlock **rows;     /* NULL: all 0 */
    VEC(SharedBlock *) made;
} SharedBits;

/* All rows are empty. */
void shared_bits_init(SharedBits *s, size_t n_rows, size_t n_bits);
void shared_bits_clear(SharedBits *s);

/* The bytes that init takes at once. */
uint64_t shared_bits_bytes(size_t n_rows, size_t n_bits);

void shared_bits_copy(SharedBits *s, size_t to, size_t from);
void shared_bits_or(SharedBits *s, size_t to, size_t from);
void shared_bits_put(SharedBits *s, size_t row, size_t bit, bool value);
bool shared_bits_equal(const SharedBits *s, size_t a, size_t b);

static inline uint64_t shared_bits_word(const SharedBits *s, size_t row, size_t k)
{
    const SharedBlock *block = s->rows[row * s->n_blocks + k / s->words];
    return block ? block->word[k % s->words] : 0;
}
static inline bool shared_bits_get(const SharedBits *s, size_t row, size_t bit)
{
    return shared_bits_word(s, row, bit / 64) >> (bit % 64) & 1;
}

/* Appends the members of `row` that are none of `without`, in their order. */
void shared_bits_minus(const SharedBits *s, size_t row, size_t without, VecU32 *members);
/* The greatest member that is in `among`, a set of which only the words from..to may be other than 0; UINT32_MAX. */
uint32_t shared_bits_last(const SharedBits *s, size_t row, const uint64_t *among, size_t from, size_t to);
