/* An event graph as inline SVG: one row per depth, causes above effects, cutoffs with a dashed border.
 * Drawn by hand-made layering (rows ordered by the mean position of causes), for up to some hundred
 * events. */
#pragma once
#include "report/eventgraph.h"

typedef struct EventDrawing {
    const EventGraph *graph;
    const Net *net;
    const bool *highlight; /* per event, or NULL */
    char *const *tooltip;  /* per event, or NULL */
    const uint32_t *times; /* per event: shown as "x3" when above 1; or NULL */
} EventDrawing;

void event_drawing_print(const EventDrawing *drawing, GString *out);
