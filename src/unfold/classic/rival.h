/* Which of two candidates of one size and marking is the smaller one. Small configurations are written down in normal
 * form (unfold/normal.h) as long as they wait, if they are champions; of others the events are found that the other has
 * not. */
#pragma once
#include "unfold/classic/engine.h"

/* Of the table of finders (unfold/schedule.h): the engine is the finder. The first candidate is the one just added. */
bool rival_compare(void *finder, const Waiting *a, const Waiting *b, uint32_t size, int *order);
void rival_claims(void *finder, Waiting *candidate, uint32_t size);
void rival_difference(void *finder, const Waiting *a, const Waiting *b, OrderSteps *only);
bool rival_has_larger(void *finder, int which, uint32_t depth, uint32_t transition);

/* The event of this candidate is to be extended. Sizes never decrease. */
void rival_begin(ClassicEngine *engine, const Waiting *candidate, uint32_t size);
