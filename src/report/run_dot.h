/* A firing sequence drawn as the partial order it stands for (DOT): an edge leads from each firing to the later ones
 * that depend on it and on nothing in between. */
#pragma once
#include "lts/indep.h"

void run_dot(const Net *net, const Indep *indep, const uint32_t *run, size_t n, GString *out);
