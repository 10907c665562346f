/* A net as the classic engine wants it: read arcs turned into loops, presets and postsets as plain
 * sets of places, the effect of a firing on a bit marking and on its hash as words to xor.
 *
 * Transitions that no safe marking enables (an input or read weight above 1) are left out of the
 * consumers. A transition that puts two tokens on a place at once is kept and its place noted: its
 * first event proves the net unsafe. */
#pragma once
#include "base/bitset.h"
#include "net/net.h"

typedef struct SafeEffect {
    uint64_t bits;
    uint64_t gains; /* those that are set by it: they must not be set before */
    uint32_t word;
} SafeEffect;

/* A consumer of a place that needs no other one has watch NET_NONE; the others watch another of their
 * inputs: there is nothing to try before a condition on that place is at hand. */
typedef struct SafeConsumer {
    uint32_t watch, transition;
} SafeConsumer;

/* The consumers of one place that watch the same place: consumer[from .. to-1]. */
typedef struct SafeWatch {
    uint32_t place, from, to;
} SafeWatch;

typedef struct SafeNet {
    const Net *net;
    uint32_t n_places, n_transitions, words;
    uint32_t max_pre, max_post;
    uint32_t *pre_start, *pre; /* places per transition, sorted */
    uint32_t *post_start, *post;
    uint32_t *doubled;        /* a place that gets two tokens, or NET_NONE */
    uint32_t *consumer_start; /* per place: its consumers, by watched place */
    SafeConsumer *consumer;
    uint32_t *watch_start; /* per place: the watched places of its consumers, each once; NET_NONE first */
    SafeWatch *watch;
    uint64_t *watch_signature; /* per place: signatures of the watched places, */
    uint32_t *signature_start; /* where those of each bit begin, and where the last ends: */
    uint32_t *signature_watch; /* indices of watch[] */
    /* Places in 64 classes, neighbours in the same, a bit each: a cheap test that two sets of places are disjoint. */
    uint64_t *signature; /* per place */
    uint64_t *near;      /* per place: signatures of itself and the other inputs of its consumers, */
    uint64_t *close;     /* and their remainders modulo 64 */
    uint32_t *effect_start;
    SafeEffect *effect;
    uint64_t *key;    /* per place: the hash of a marking is the xor of its places' keys */
    uint64_t *change; /* per transition: xor of the keys of the places it changes */
} SafeNet;

/* The watches of place p whose place has the signature `bit`, one of watch_signature[p], are watch[result[0] ..
 * result[1] - 1]. */
static inline const uint32_t *safenet_watches(const SafeNet *safe, uint32_t p, uint64_t bit)
{
    uint64_t lower = safe->watch_signature[p] & (bit - 1);
    return safe->signature_watch + safe->signature_start[p] + bitset_count_word(lower);
}

/* NULL and an error when the net has inhibitor arcs that can matter (weight 1). Keys have hash_bits bits, 0 = all. */
SafeNet *safenet_new(const Net *net, unsigned hash_bits, GError **error);
void safenet_free(SafeNet *safe);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SafeNet, safenet_free)
