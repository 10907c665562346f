/* The tokens that a coloured place may ever hold, as they are found: each colour once, numbered by arrival. They become
 * known one by one, in that order; what is looked up are known ones. Indices give the known tokens that agree with
 * given colours at some leaves. */
#pragma once
#include "colour/sorts.h"

#define TOKEN_NONE UINT32_MAX

typedef struct TokenIndex {
    uint64_t leaves; /* bit i: leaf i is given */
    uint64_t *keys;  /* open addressing; the key of a slot counts where `first` is set */
    uint32_t *first; /* number of the youngest token + 1 */
    VecU32 next;     /* of each known token: an older one with the same key + 1, or 0 */
    uint32_t mask, n_keys;
} TokenIndex;

typedef struct Tokens {
    const Sorts *sorts;
    uint32_t sort, n_leaves;
    VecU64 colours;
    VecU32 leaves; /* n_leaves of each token */
    uint32_t known;
    uint32_t *table; /* open addressing: number + 1 */
    uint32_t mask;
    VEC(TokenIndex) indices;
} Tokens;

void tokens_init(Tokens *tokens, const Sorts *sorts, uint32_t sort);
void tokens_clear(Tokens *tokens);

/* Its number, or TOKEN_NONE: not found so far. */
uint32_t tokens_find(const Tokens *tokens, uint64_t colour);
/* The same after adding it if need be. At most 2^32 - 2 tokens: the caller counts. */
uint32_t tokens_add(Tokens *tokens, uint64_t colour);

/* Makes an index while no token is known; its number. */
uint32_t tokens_index(Tokens *tokens, uint64_t leaves);
/* The first token that is not known yet becomes known; its number, or TOKEN_NONE when there is none. */
uint32_t tokens_learn(Tokens *tokens);

/* The known tokens with this key, youngest first: the colours of the given leaves in mixed radix. */
uint32_t tokens_first(const Tokens *tokens, uint32_t index, uint64_t key);
static inline uint32_t tokens_next(const Tokens *tokens, uint32_t index, uint32_t token)
{
    return tokens->indices.data[index].next.data[token] - 1;
}
static inline const uint32_t *tokens_leaves(const Tokens *tokens, uint32_t token)
{
    return vec_from(&tokens->leaves, (size_t)token * tokens->n_leaves);
}
