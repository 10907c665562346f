/* Possible extensions of the classic engine by trying out, for large nets: extension.h without the relation. There each
 * new event costs as many entries as there are conditions concurrent with it, nearly all of them in a net of many parts
 * that do not know each other, though few are ever asked for. Here the conditions on the places asked about are tried
 * out one by one (unfold/classic/painting.h), and nothing is kept between events. The same candidates in the same
 * order. */
#pragma once
#include "unfold/classic/engine.h"

enum { TRIAL_FREE = 256 }; /* so long a list of concurrent conditions is never too long */

/* Is trying out the better way from now on? engine->event has n conditions and engine->co->common is set. */
bool trial_weigh(ClassicEngine *engine, uint32_t n);
static inline bool trial_pays(ClassicEngine *engine, uint32_t n)
{
    return (engine->lean || engine->co->n_common >= TRIAL_FREE) && trial_weigh(engine, n);
}
/* Gives up the relation: from now on trial_search() is called. */
void trial_begin(ClassicEngine *engine);
/* As extension_search(). */
void trial_search(ClassicEngine *engine, uint32_t n);
