/* The queries of a contest run that are asked together: the properties of a file, of one kind, or the one about
 * deadlocks. */
#pragma once
#include "batch/contest_tell.h"
#include "verify/ask_properties.h"

void contest_ask_deadlock(Contest *contest);
void contest_ask_properties(Contest *contest, const PropertySet *set, AskKinds kinds);
