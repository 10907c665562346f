/* Candidates of the classic engine: possible extensions that wait for their turn. */
#pragma once
#include "unfold/classic/engine.h"

/* t with this preset, which holds a condition of engine->event (or is empty), is a possible extension:
 * computes its size and marking from those of the event and hands it to the schedule. May stop it (unsafe, budget). */
void candidate_add(ClassicEngine *engine, uint32_t t, const uint32_t *preset);

/* Paints [event] in the first painting and lists it in engine->inside. */
void candidate_paint_event(ClassicEngine *engine);
