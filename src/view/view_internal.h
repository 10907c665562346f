/* The inside of a View, for view.c and view_runs.c. */
#pragma once
#include "view/view.h"

struct View {
    char *title, *about, *first;
    GString *net, *prefix, *runs, *trees, *sources, *labels; /* JSON, empty when there is none */
};
