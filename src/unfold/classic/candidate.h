/* Candidates of the classic engine: possible extensions that wait for their turn. */
#pragma once
#include "unfold/classic/engine.h"

/* t with this preset, which holds a condition of engine->event (or is empty), is a possible extension:
 * computes its size and marking from those of the event, decides between it and the champion of the
 * marking, and puts it into its size class. May stop the engine (unsafe, budget). */
void candidate_add(ClassicEngine *engine, uint32_t t, const uint32_t *preset);
