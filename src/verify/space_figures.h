/* The contest's StateSpace: how many markings are reachable, how many firings are possible in them, the most tokens in
 * a place and in a marking. Small nets by explicit search, others by decision diagrams (src/symbolic) under several
 * orders of their levels, one after the other. */
#pragma once
#include "verify/engine.h"

typedef struct SpaceFigures {
    bool known, infinite;     /* infinite: all four are */
    char *markings, *firings; /* in decimal digits; owned by the caller */
    uint64_t max_in_place;
    Total max_in_marking;
    const char *engine; /* that counted, or found that there is no end: "explicit", "symbolic", "survey", "cover" */
    char *reason;       /* when not known; owned by the caller */
} SpaceFigures;

/* engine: "explicit" or "symbolic" for those alone; anything else, or NULL: whatever helps. */
SpaceFigures space_figures(const Net *net, const char *engine, const EngineOptions *options, Budget *budget);
void space_figures_clear(SpaceFigures *figures);
