/* The firing rule on packed states (the layouts of netlts.h), compiled for searches that fire millions of
 * times. Each transition has one step per word (bits) or per place (counters). Every transition is watched at one
 * of the places it needs, so the enabled ones are found by looking only at transitions watched at marked places. */
#pragma once
#include "base/exact.h"
#include "lts/netlts.h"

/* Bits: what a transition asks of and does to one word. */
typedef struct StepperMask {
    uint64_t need, absent, take, put;
    uint32_t word;
} StepperMask;

/* Counters: need <= count <= most, and then the count changes by put - take. */
typedef struct StepperCount {
    uint64_t need, most, take, put;
    uint32_t word, shift;
} StepperCount;

typedef struct Stepper {
    NetLts *lts; /* owned: the same layout, for whoever wants the plain interface */
    const Net *net;
    unsigned width;
    uint32_t words;
    uint64_t capacity; /* largest count that fits */
    uint32_t *start;   /* of each transition's steps */
    StepperMask *masks;
    StepperCount *counts;
    bool *never;                      /* bits: a weight above 1 forbids it, or has no room */
    bool *heavy;                      /* bits: it puts two tokens at once */
    uint32_t *watch_start, *watch;    /* transitions watched at a place */
    uint32_t *unwatched, n_unwatched; /* those that need no token */
    __int128 *gain;                   /* change of the number of tokens */
} Stepper;

Stepper *stepper_new(const Net *net, unsigned width);
void stepper_free(Stepper *stepper);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Stepper, stepper_free)

/* Writes the enabled transitions (at most n_transitions) in a fixed order; returns how many. */
uint32_t stepper_enabled(const Stepper *stepper, const uint64_t *state, uint32_t *list);
/* Fires an enabled transition in place and raises *most to the largest count of a place that gained. False, state
 * undefined, when a count does not fit. */
bool stepper_fire(const Stepper *stepper, uint64_t *state, uint32_t t, uint64_t *most);
/* Tokens in the marking. */
Total stepper_tokens(const Stepper *stepper, const uint64_t *state);
/* The largest count of one place. */
uint64_t stepper_most(const Stepper *stepper, const uint64_t *state);
