/* Possible extensions of the classic engine: all co-sets that fit a transition's preset and hold a
 * condition of the newest event.
 *
 * In a safe net two concurrent conditions never have the same place. So a transition that has the place
 * of a new condition among its inputs takes that condition, every transition is tried at most once per event, and
 * only its other inputs are looked for among the conditions concurrent with the event. */
#pragma once
#include "unfold/classic/engine.h"

/* Sets the common of the lists or of the matrix to what is concurrent with an event with this preset. */
void extension_common(ClassicEngine *engine, const uint32_t *preset, uint32_t n);

/* Enters n conditions of one event, `first` and the following, into the lists of all that is concurrent with it, which
 * is co->common; or the initial ones, as the first of all. */
void extension_enter(ClassicEngine *engine, uint32_t first, uint32_t n);

/* Adds every candidate of t with what is chosen of its preset; n_open positions (engine->open) are left for conditions
 * that were found. */
void extension_fill(ClassicEngine *engine, uint32_t t, uint32_t n_open);

/* The places that matter to the consumers of an event's conditions, and some more, in two ways (unfold/safenet.h). */
typedef struct ExtensionPlaces {
    uint64_t near, close;
} ExtensionPlaces;

/* A new round: the n conditions of engine->event are its own. */
ExtensionPlaces extension_set_own(ClassicEngine *engine, uint32_t n);

/* Adds every candidate that uses one of the n conditions of engine->event, which start at
 * engine->condition, and enters them into the co-relation; engine->co->common is set. Stops the engine
 * when one of them is concurrent with a condition on its place. */
void extension_search(ClassicEngine *engine, uint32_t n);
