/* The functions behind families.def. Places and transitions are numbered in the order of the text, which is part
 * of a family's definition: sizes of prefixes depend on it. */
#pragma once
#include "net/gen.h"

#define FAMILY(function, name, help, ...) Net *family_##function(const GenCall *call);
#include "net/families.def"
#undef FAMILY
