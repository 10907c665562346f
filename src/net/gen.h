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
    uint32_t tokens;   /* bounded nets: at most so many on one place at first; 0: 3 */
    uint32_t weight;   /* bounded nets: largest arc weight; 0: 1 */
    bool acyclic;      /* every run ends */
    bool reads, loops; /* read arcs; arcs in and out of the same place */
    bool inhibitors;
    bool sinks; /* some transitions lose a token */
} GenRandom;

/* Safe by construction: state machines that synchronise on common transitions. Acyclic ones advance at least
 * one machine and move none back. With inhibitors, some transitions are inhibited by states of machines. */
Net *gen_random_safe(Rng *rng, const GenRandom *options);

/* Bounded by construction: places have values 1 to 3 and no transition increases the total value (acyclic: each
 * decreases it). */
Net *gen_random_bounded(Rng *rng, const GenRandom *options);

/* ---- families ---- */

enum { GEN_MAX_PARAMETERS = 4 };

typedef struct GenParameter {
    const char *name; /* NULL: no more of them */
    uint64_t least, usual, most;
} GenParameter;

/* What a family is made from: its parameters, defaults filled in. */
typedef struct GenCall {
    uint64_t values[GEN_MAX_PARAMETERS];
    uint64_t seed;
    int n_clauses; /* 3sat from a file: clauses, each a row of literals ended by 0 */
    uint32_t n_variables;
    int32_t *literals; /* owned by the caller of the family */
} GenCall;

typedef struct GenFamily {
    const char *name, *help;
    GenParameter parameters[GEN_MAX_PARAMETERS];
    Net *(*make)(const GenCall *call);
} GenFamily;

/* All families in the order of families.def; *n receives how many. */
const GenFamily *gen_families(size_t *n);

/* Makes a net of a family from its arguments as text (NULL-terminated; fewer than parameters: defaults). Unknown
 * families, too many arguments, and numbers out of range are errors. `3sat` also takes the name of a DIMACS file. */
Net *gen_net(const char *family, char *const *arguments, uint64_t seed, GError **error);
/* For tests: the same for one number. */
Net *gen_net_of_size(const char *family, uint64_t n);
