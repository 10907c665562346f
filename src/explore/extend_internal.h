/* Shared by the three ways of enumerating histories (extend.h); not for others. */
#pragma once
#include "explore/extend.h"

enum { STRUCTURE_PATIENCE = 20000 };
#define NO_PLACE UINT32_MAX

/* Token counts and sums of them never overflow this. */
typedef __int128 Count;
#define COUNT_MAX ((Count)1 << 126)

typedef struct Need {
    uint32_t place;
    bool holds[2];      /* with the place empty, with one token */
    Count least, below; /* least <= count < below */
} Need;

/* What the lattice method looks at, again and again, of a need. */
typedef struct SafeNeed {
    uint32_t place;
    bool initial;  /* is the place marked at first? */
    bool holds[2]; /* as in Need */
} SafeNeed;

typedef struct Move {
    uint32_t place;
    Count effect; /* never 0 */
} Move;

struct Extend {
    Config *config;
    const NetLts *net;
    ExtendMethod method;
    Budget *budget;
    uint32_t n_places;
    VEC(Need) needs;
    VEC(SafeNeed) safe_needs; /* parallel */
    VEC(Move) moves;
    VecU32 need_start, move_start; /* per transition */
    VecU32 *chain;                 /* per place: positions that change it, in order */
    /* Safe layouts: per transition, once it has been fired, the transitions that can have it as a maximal cause (those
     * that want the places it changes as it leaves them), in groups: a place they all need marked or NO_PLACE, how
     * many, which. The place is one that few need, so that most groups are passed over as a whole. */
    VecU32 *follow;
    bool *follow_made;
    VecU32 tested_by; /* per place: how many needs */
    VecU64 sets;      /* scratch rows */
    VecU32 branches, candidates;
    VecU64 start;      /* counting: the first row, kept for a second try */
    VecU32 last_cover; /* counting: per position, the last candidate above it */
    VEC(Count) counts, bounds;
    ExtendStats stats;
};

/* candidates := the positions that depend on t and are not in the set. */
void extend_candidates(Extend *x, uint32_t t, const uint64_t *in);

/* The effect of the event at a position on a place. */
static inline Count extend_effect(const Extend *x, uint32_t position, uint32_t place)
{
    uint32_t t = x->config->label.data[position];
    for (uint32_t i = x->move_start.data[t]; i < x->move_start.data[t + 1]; i++)
        if (x->moves.data[i].place == place) return x->moves.data[i].effect;
    return 0;
}

/* Row 0 of x->sets holds what must be in. 1 done, 0 budget spent, -1 patience lost: try sat. */
int extend_by_counting(Extend *x, uint32_t t, ExtendFound found, void *data);
/* must is what must be in; it may be row 0. */
bool extend_by_sat(Extend *x, uint32_t t, const uint64_t *must, ExtendFound found, void *data);
int extend_one_by_sat(Extend *x, uint32_t t, uint64_t *history);
