/* Possible extensions of the classic engine by trying out, for large nets: extension.h without the relation. There each
 * new event costs as many entries as there are conditions concurrent with it, nearly all of them in a net of many parts
 * that do not know each other, though few are ever asked for. Here the conditions on the places asked about are tried
 * out one by one (unfold/classic/painting.h), and nothing is kept between events. The same candidates in the same
 * order. */
#pragma once
#include "unfold/classic/engine.h"

/* Lists the conditions of live events by place, those that are older than the event being extended; and no more. */
void trial_list_places(ClassicEngine *engine);
void trial_drop_places(ClassicEngine *engine);

/* Gives up the relation: from now on trial_search() is called. */
void trial_begin(ClassicEngine *engine);
/* As extension_search(). */
void trial_search(ClassicEngine *engine, uint32_t n);
