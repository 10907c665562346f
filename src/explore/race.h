/* The conflicting extensions of the current configuration C, kept while C grows and shrinks: each is an
 * event f = <t,H> with H inside C that conflicts with at least one event of C. Its first conflict, in
 * the order of the run, is at position `first`; the node before that position is where the race is to
 * be reversed.
 *
 * Reversing keeps all of C that f allows: with B = touch(t) \ H, the events of C in conflict with f, the
 * sequence is the events behind `first` that are not above any event of B, in the order of the run, then
 * t. This is notdep(e,E).proc(e') of [ODPOR14] for the race between e and f. */
#pragma once
#include "base/vec.h"
#include "pes/config.h"

typedef struct Race {
    uint32_t label, first;
    uint32_t words;  /* of the history; 0: everything in touch(label) before `first` */
    size_t history;  /* in the pool */
    uint64_t weight; /* of f, as trail.h has it */
} Race;

typedef struct Races {
    VEC(Race) race;
    VecU64 pool;
    VecU64 bad;        /* scratch */
    size_t most;       /* held at one time */
    size_t most_words; /* of their histories, so */
} Races;

void races_clear(Races *races);
/* f = <label, history> where config_first_conflict() is `first`. */
void races_add(Races *races, const Config *config, uint32_t label, const uint64_t *history, uint32_t first,
               uint64_t weight);
/* f was enabled before the event at `first`, which depends on it. */
void races_add_disabled(Races *races, uint32_t label, uint32_t first, uint64_t weight);
/* Forgets all but the first n. */
void races_cut(Races *races, size_t n);

/* The positions of C in conflict with f, of (config->n + 63) / 64 words; until the next call. */
const uint64_t *races_conflicts(Races *races, const Race *race, const Config *config);

/* With causally closed sets of positions: are the causes of f in it; is one of its conflicts? */
bool races_causes_inside(const Races *races, const Race *race, const Config *config, const uint64_t *set);
bool races_conflict_inside(const Races *races, const Race *race, const Config *config, const uint64_t *set);

/* The reversing sequence goes to v; kept (config->words words) gets the positions that make it, without
 * the last action. */
void races_reverse(Races *races, const Race *race, const Config *config, VecU32 *v, uint64_t *kept);
