/* Generated nets: parametric families (families.def) and random nets. The same arguments and seed give
 * the same net on every machine. */
#pragma once
#include "base/rng.h"
#include "net/net.h"

/* What a random net may contain. Sizes of 0 are drawn (2-4 components, 2-4 states, 3-8 transitions, 2-7
 * places); features left false do not occur. */
typedef struct GenRandom {
    uint32_t components, states; /* safe nets: state machines and the states of each */
    uint32_t places;             /* bounded nets */
    uint32_t transitions;
    uint32_t tokens;    /* bounded nets: at most so many on one place at first; 0: 3 */
    uint32_t weight;    /* bounded nets: largest arc weight; 0: 1 */
    bool acyclic;       /* every run ends */
    bool reads, loops;  /* read arcs; arcs in and out of the same place */
    bool inhibitors;
    bool sinks; /* some transitions lose a token */
} GenRandom;

/* Safe by construction: state machines that synchronise on common transitions. Acyclic ones advance at least
 * one machine and move none back. With inhibitors, some transitions are inhibited by states of machines. */
Net *gen_random_safe(Rng *rng, const GenRandom *options);

/* Bounded by construction: places have values 1 to 3 and no transition increases the total value (acyclic: each
 * decreases it). */
Net *gen_random_bounded(Rng *rng, const GenRandom *options);
