/* Exploring a net: chooses the layout of markings (starting narrow, again wider after an overflow) and,
 * when asked, decides whether loops that wait must be left alone, and then whether cutoffs are needed: first without,
 * again with them when a run that repeats its marking shows that the net does not terminate. */
#pragma once
#include "explore/explore.h"

typedef struct NetExplore {
    const Net *net;
    NetLts *lts;
    Explorer *explorer; /* of the last start */
    Ending end;
    ExploreOptions options; /* as used in the last start */
    uint32_t starts;
    Budget *budget;
    /* ENDING_ENDLESS and ENDING_UNBOUNDED: a run whose part from pump_from on can be repeated.
     * ENDING_REFUTED: the run after which the pair does not commute. */
    VecU32 run;
    uint32_t pump_from;
    uint32_t pair[2];
    Commute violation;
} NetExplore;

/* Runs to the end. auto_cutoffs: options->cutoffs is only the first try. */
void netexplore_run(NetExplore *run, const Net *net, const Indep *indep, const ExploreOptions *options,
                    bool auto_cutoffs, Budget *budget);
void netexplore_clear(NetExplore *run);

/* Why it did not finish, or NULL when it did. */
const char *netexplore_reason(const NetExplore *run);
/* Every maximal configuration (with cutoffs: every dead marking) has been met. */
bool netexplore_complete(const NetExplore *run);
