/* A net as an Lts. A state packs one counter of `width` bits per place: width 1 is the layout of safe
 * nets and fast; 2 to 64 hold larger counts. Firing that would overflow a counter returns false, so
 * safeness (or k-boundedness) is checked, never assumed: on false, report it or start again wider. */
#pragma once
#include "lts/lts.h"
#include "net/net.h"

typedef struct NetLts {
    Lts lts; /* first: a NetLts* is an Lts* */
    const Net *net;
    unsigned width;           /* 1, 2, 4, 8, 16, 32 or 64 bits per place */
    struct NetLtsStep *steps; /* width 1: per (transition, word) masks */
    uint32_t *step_start;
    bool *never; /* width 1: a weight above 1 disables it */
} NetLts;

/* Borrows the net. */
NetLts *netlts_new(const Net *net, unsigned width);
void netlts_free(NetLts *lts);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(NetLts, netlts_free)

/* The smallest width that holds the initial marking. */
unsigned netlts_initial_width(const Net *net);

static inline uint64_t netlts_count(const NetLts *lts, const uint64_t *state, uint32_t place)
{
    if (lts->width == 64) return state[place];
    uint64_t bit = (uint64_t)place * lts->width;
    return state[bit / 64] >> (bit % 64) & (((uint64_t)1 << lts->width) - 1);
}
/* The count fits. */
static inline void netlts_set_count(const NetLts *lts, uint64_t *state, uint32_t place, uint64_t count)
{
    if (lts->width == 64) {
        state[place] = count;
        return;
    }
    uint64_t bit = (uint64_t)place * lts->width, most = ((uint64_t)1 << lts->width) - 1;
    state[bit / 64] = (state[bit / 64] & ~(most << (bit % 64))) | count << (bit % 64);
}
/* False when the marking does not fit. */
bool netlts_pack(const NetLts *lts, const uint64_t *marking, uint64_t *state);
void netlts_unpack(const NetLts *lts, const uint64_t *state, uint64_t *marking);
