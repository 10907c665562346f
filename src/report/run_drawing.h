/* A firing sequence drawn as the partial order it stands for: an edge leads from each firing to the later ones that
 * depend on it and on nothing in between. */
#pragma once
#include "lts/indep.h"

enum { RUN_SVG_MOST = 1000 };

void run_drawing_dot(const Net *net, const Indep *indep, const uint32_t *run, size_t n, GString *out);
/* The same as a layered drawing (layered.h); false and an error for more than RUN_SVG_MOST firings. */
bool run_drawing_svg(const Net *net, const Indep *indep, const uint32_t *run, size_t n, GString *out, GError **error);
