/* A labelled transition system with finitely many deterministic actions; states are arrays of
 * state_words 64-bit words, equal iff the words are equal. The explorers and the parametric prefix
 * know a system only through this table; netlts.h makes one from a net, tests write their own. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

typedef struct Lts Lts;
struct Lts {
    uint32_t n_actions;
    uint32_t state_words;
    void (*initial)(const Lts *lts, uint64_t *state);
    bool (*enabled)(const Lts *lts, const uint64_t *state, uint32_t action);
    /* In place; the action is enabled. False, state unchanged, when the result does not fit the
     * state's layout (for nets: a count too large, on safe layouts a second token). */
    bool (*fire)(const Lts *lts, uint64_t *state, uint32_t action);
    /* Undoes fire(). */
    void (*unfire)(const Lts *lts, uint64_t *state, uint32_t action);
    /* The set of enabled actions as a bit set of bitset_words(n_actions) words. */
    void (*enabled_set)(const Lts *lts, const uint64_t *state, uint64_t *actions);

    /* Optional, to prune searches: one reason why an action is not enabled at a state, a number below
     * n_obstacles, such that every run from there to a state that enables the action contains an
     * action that removes the obstacle. NULL and 0 when there is nothing to say. */
    uint32_t n_obstacles;
    uint32_t (*obstacle)(const Lts *lts, const uint64_t *state, uint32_t action);
    bool (*removes)(const Lts *lts, uint32_t obstacle, uint32_t action);
    /* Optional: a run from `small` to `large` proves infinitely many states (it can be repeated for
     * ever and each time leads to a new state). */
    bool (*pumps)(const Lts *lts, const uint64_t *small, const uint64_t *large);
    /* Optional, both or none: a fingerprint of states to which firing an action adds a constant, mod 2^64.
     * Equal states have equal fingerprints; different ones seldom do. */
    uint64_t (*fingerprint)(const Lts *lts, const uint64_t *state);
    uint64_t (*effect)(const Lts *lts, uint32_t action);
};
