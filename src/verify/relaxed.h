/* How hard a change seems at a marking, if what is there were never lost (delete relaxation; costs add up, [BG01]).
 *
 * A fact is that a place gets more tokens, or fewer. A transition costs its price and what the facts that it lacks
 * cost; a fact costs what the cheapest transition does that brings it about (its supporter). All are found in one go by
 * Dijkstra's rule, in about the time of looking at every arc once. Costs are guesses, not bounds; only finite ones
 * mean that something can be done. */
#pragma once
#include "base/queue.h"
#include "lts/tracker.h"

/* Costs stay below it; what never comes about costs this. */
#define RELAXED_NEVER ((uint32_t)1 << 30)

typedef struct Relaxed {
    const Tracker *here; /* the marking that costs are about; borrowed */
    uint32_t *price;     /* per transition, 1 at first: whoever searches may raise it */
    uint32_t *cost;      /* per transition: of having fired it once */
    uint32_t *lacking;   /* per transition: tests that fail and whose facts are not known yet */
    uint32_t *fact;      /* per fact: its cost */
    uint32_t *supporter; /* per fact: who brings it about */
    uint64_t *gain;      /* per fact: tokens, each time */
    Queue open;          /* facts whose tests are not looked at yet */
} Relaxed;

Relaxed *relaxed_new(const Tracker *here);
void relaxed_free(Relaxed *relaxed);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Relaxed, relaxed_free)

/* Finds all costs at the tracker's marking now. */
void relaxed_look(Relaxed *relaxed);
/* What relaxed_look() costs, in units of Budget. */
uint32_t relaxed_units(const Relaxed *relaxed);

static inline uint32_t relaxed_more(uint32_t place)
{
    return 2 * place;
}
static inline uint32_t relaxed_fewer(uint32_t place)
{
    return 2 * place + 1;
}
/* a + b * times, at most RELAXED_NEVER. */
static inline uint32_t relaxed_sum(uint32_t a, uint32_t b, uint64_t times)
{
    if (a >= RELAXED_NEVER || b >= RELAXED_NEVER) return RELAXED_NEVER;
    return (uint32_t)MIN(a + (unsigned __int128)b * times, RELAXED_NEVER - 1);
}
/* How often its supporter must fire for so many tokens. */
static inline uint64_t relaxed_times(const Relaxed *relaxed, uint32_t fact, uint64_t tokens)
{
    uint64_t gain = MAX(relaxed->gain[fact], 1);
    return tokens / gain + (tokens % gain != 0);
}
/* Does the test fail here? Then *fact is what would mend it, *tokens by how many. */
bool relaxed_lacks(const Relaxed *relaxed, uint32_t place, const TrackerTest *test, uint32_t *fact, uint64_t *tokens);
