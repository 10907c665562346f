/* Candidates of the classic engine: possible extensions that wait for their turn. */
#pragma once
#include "unfold/classic/engine.h"

/* t with this preset, which holds a condition of engine->event (or is empty), is a possible extension:
 * computes its size and marking from those of the event and hands it to the schedule. May stop it (unsafe, budget). */
void candidate_add(ClassicEngine *engine, uint32_t t, const uint32_t *preset);

/* Of the table of finders (unfold/schedule.h): the engine is the finder. The first candidate is the one just added. */
void candidate_difference(void *finder, const Waiting *a, const Waiting *b, OrderSteps *only);
bool candidate_has_larger(void *finder, int which, uint32_t depth, uint32_t transition);
