/* Condition (b) of the step fuse, for places of a net that steps change (steps.h, shrink.h): each transition with a
 * need at one of them has need 1 there and none at the others, and the needs and limits that such transitions have
 * elsewhere are, as a set, the same for each of the places. */
#pragma once
#include "certify/shrink.h"

bool twins_are_asked_alike(Shrink *s, const uint32_t *places, size_t n);
