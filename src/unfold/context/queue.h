/* Possible extensions waiting for their turn, and the markings reached so far.
 *
 * Every adequate order looks at the size first and an extension is larger than its causes, so all
 * candidates of one size are known before the first of them is taken. Candidates whose marking was
 * reached by a smaller configuration are cutoffs whatever the order; of those that reach a new marking
 * together the order picks. No candidate is ever compared with one of another marking. */
#pragma once
#include "unfold/context/order.h"

typedef struct ContextCandidate {
    uint64_t hash; /* of the marking */
    uint32_t transition, n_causes;
    uint32_t causes;  /* in the bucket's pool: the causes, then the changes tested */
    uint32_t marking; /* once judged */
} ContextCandidate;

typedef struct ContextBucket {
    VEC(ContextCandidate) candidates;
    VecU32 pool;
} ContextBucket;

typedef struct ContextMarking {
    uint64_t hash;
    uint32_t size;    /* of the smallest configuration that reaches it */
    uint32_t best;    /* while that size is current: the candidate; afterwards unused */
    uint32_t history; /* of the kept event, PREFIX_BOTTOM for the initial marking */
} ContextMarking;

typedef struct ContextQueue {
    ContextStore *store;
    VEC(ContextBucket) buckets; /* by size */
    VEC(ContextMarking) markings;
    VecU64 words; /* marking_words per marking */
    uint32_t *slots;
    size_t mask;
    VecU32 stamp, base;
    uint32_t epoch, based_on;
} ContextQueue;

void context_queue_init(ContextQueue *q, ContextStore *store, uint32_t bottom_history);
void context_queue_clear(ContextQueue *q);

void context_queue_push(ContextQueue *q, uint32_t t, const uint32_t *causes, uint32_t n_causes, const uint32_t *tested,
                        uint32_t size, uint64_t hash);
/* The bucket of one size, NULL when there is nothing of that size or above. */
ContextBucket *context_queue_bucket(ContextQueue *q, uint32_t size);
void context_queue_drop(ContextQueue *q, uint32_t size);

static inline const uint64_t *context_queue_marking(const ContextQueue *q, uint32_t marking)
{
    return q->words.data + (size_t)marking * q->store->net->marking_words;
}
static inline const uint32_t *context_queue_causes(const ContextBucket *b, const ContextCandidate *c)
{
    return b->pool.data + c->causes;
}
static inline const uint32_t *context_queue_tested(const ContextBucket *b, const ContextCandidate *c)
{
    return b->pool.data + c->causes + c->n_causes;
}
static inline ContextConfig context_queue_config(const ContextBucket *b, const ContextCandidate *c)
{
    return (ContextConfig){c->transition, c->n_causes, context_queue_causes(b, c)};
}

/* Finds or adds the marking of candidate i (of this size) and keeps the smallest candidate of each new
 * marking in `best`. Returns NET_NONE, or a place that would hold a second token. */
uint32_t context_queue_judge(ContextQueue *q, ContextOrder *order, ContextBucket *bucket, uint32_t i, uint32_t size);
