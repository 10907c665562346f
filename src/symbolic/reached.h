/* The reachable markings of a net as a diagram, with all that is needed to read it. */
#pragma once
#include "symbolic/figures.h"
#include "symbolic/saturate.h"

typedef struct Reached {
    Levels *levels;
    Model *model;
    Diagram *diagram;
    Node markings;
} Reached;

/* NULL and a sentence why (static) when the budget ended or diagrams cannot hold it. Borrows net and budget. */
Reached *reached_new(const Net *net, LevelsGrouping grouping, LevelsOrder order, Budget *budget, const char **reason);
void reached_free(Reached *reached);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Reached, reached_free)
