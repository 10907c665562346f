/* Priorities of transitions, which no net of ours has: PIPE writes for each transition whether it is timed and a
 * priority. Immediate transitions go before timed ones, and among themselves by priority, so a file is a P/T net only
 * when all its transitions are on one level. A transition without such labels is immediate and of priority 1, PIPE's
 * default. */
#pragma once
#include "base/xml.h"

typedef struct PnmlPriorities {
    /* the open transition */
    bool timed;
    double priority;
    /* those before it */
    bool any, first_timed;
    double first_priority;
} PnmlPriorities;

void pnml_priority_open(PnmlPriorities *priorities);
/* Texts of the labels; false: not understood. */
bool pnml_priority_timed(PnmlPriorities *priorities, const char *text, GError **error);
bool pnml_priority_set(PnmlPriorities *priorities, const char *text, GError **error);
/* False when this transition is on another level than one before. */
bool pnml_priority_close(PnmlPriorities *priorities, GError **error);
