/* The three ways in which the classic engine knows what is concurrent, and when it changes from one to another: lists
 * (unfold/classic/co.h), bits (unfold/classic/matrix.h), or nothing kept and conditions tried out
 * (unfold/classic/painting.h). It begins with lists. Bits are the better way where a large part of all is concurrent,
 * which may be so at first and no more later; trying out is for large nets of many parts, and for good.
 *
 * What an event costs is estimated for the way it goes and for the others, from the lengths of lists and the number of
 * conditions on the places that matter. A change comes when the other way would have saved as much as the change costs,
 * so that changes never cost more than there was to save. */
#pragma once
#include "unfold/classic/engine.h"

/* One of so many events is looked at, and stands for all of them, unless it is concurrent with so few groups. */
enum { WAY_EVERY = 32, WAY_SHORT = 32 };

/* Is there anything to think about? co->common is set, if there are lists. */
static inline bool way_is_open(const ClassicEngine *engine)
{
    if (engine->lean || engine->dense) return true;
    return engine->event % WAY_EVERY == 0 && (engine->matrix || engine->co->n_common >= WAY_SHORT);
}

/* Before engine->event is extended, which has n conditions and this preset: changes the way where that pays. What is
 * concurrent with the event is set before and after (extension_common()). */
void way_choose(ClassicEngine *engine, const uint32_t *preset, uint32_t n_pre, uint32_t n);
