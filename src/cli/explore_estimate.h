/* How many traces are there, and how many are left? mazurka explore --estimate tells it instead of exploring. Beside an
 * exploration that somebody watches, or that a limit of time may end, an ExploreEstimate makes probes (estimate.h) in a
 * small part of the time. */
#pragma once
#include "cli/command.h"
#include "explore/estimate.h"

/* The whole of explore --estimate. */
int explore_estimate(Command *command, const Net *net);

typedef struct TraceFigures {
    double traces, low, high;
    bool known;
} TraceFigures;

typedef struct ExploreEstimate {
    const Net *net;
    const Indep *indep;
    DporOptions options; /* bounds, and what is explored */
    uint64_t seed;
    GMutex lock; /* any thread of the exploration may make a probe: of all below */
    Budget budget;
    NetLts *lts;
    Estimate *probes; /* NULL: none yet */
    unsigned width;   /* of the layout */
    double began, spent;
    bool over;         /* it will become no better */
    TraceFigures last; /* when it ended */
} ExploreEstimate;

/* Begins, when there is something to tell and somebody who might want it: not with a bound on the length of whole runs,
 * which reverse search does not have (algorithm), and not where nothing ends the exploration and nobody looks on.
 * Borrows all; `budget` asks for probes from then on. */
void explore_estimate_begin(ExploreEstimate *estimate, const Net *net, const Indep *indep, const DporOptions *options,
                            Algorithm algorithm, uint64_t seed, Budget *budget);
/* No probes come after this; nothing that was borrowed is needed any more. */
void explore_estimate_end(ExploreEstimate *estimate);

/* All of these take the number of traces that were found so far. Text for the progress line, "" when nothing is known.
 */
void explore_estimate_describe(ExploreEstimate *estimate, uint64_t found, GString *line);
/* The keys traces_estimate, traces_low, traces_high and traces_left, null when they are not known. `exact`: all were
 * found. */
void explore_estimate_json(ExploreEstimate *estimate, uint64_t found, bool exact, GString *json);
/* A line, when something is known. */
void explore_estimate_print(ExploreEstimate *estimate, uint64_t found);
