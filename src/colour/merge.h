/* Makes one colour of all that are alike (alike.h), in a net that is about to be expanded: the leaves of places and
 * bindings whose classes are all that counts are of sorts of classes from then on, with as many tokens of a class as
 * there were of its colours. The expanded net is smaller, often by orders of magnitude, and gives the same answers to
 * questions about coloured places and transitions; its places and transitions are not those of the file any more, nor
 * are numbers of markings and firings. */
#pragma once
#include "colour/pattern.h"

/* Changes the sorts of places, and the patterns of transitions and markings; the terms of the net are left as they are
 * and fit no more. False, and nothing is changed: no two colours are alike, or it would not pay. */
bool merge_alike(ColourNet *net, Pattern *const *patterns, Pattern *const *markings, Budget *budget);
