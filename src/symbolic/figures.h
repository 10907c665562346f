/* What a diagram of markings tells: how many there are, how many firings are possible in them, the most tokens. Counts
 * are exact, however long. */
#pragma once
#include "base/exact.h"
#include "symbolic/diagram.h"
#include "symbolic/model.h"

typedef struct Figures {
    char *markings, *firings; /* in decimal digits; owned */
    uint64_t max_in_place;
    Total max_in_marking;
} Figures;

/* Of a set that is not EMPTY. False: the budget ended; *figures is then empty. */
bool figures_of(Diagram *diagram, Model *model, Node markings, Figures *figures);
void figures_clear(Figures *figures);
