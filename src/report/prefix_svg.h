/* A prefix as a layered drawing (layered.h): time runs downwards. Events of depth d are in row 2d-1, what they
 * produce in the row below, the initial conditions in row 0. Cutoffs are dashed and say what their companion is;
 * companions are filled. */
#pragma once
#include "report/prefix_part.h"

enum { PREFIX_SVG_MOST = 3000 };

/* False and an error when more than PREFIX_SVG_MOST nodes would be drawn. */
bool prefix_svg_print(const PrefixPart *part, GString *out, GError **error);
