/* The bindings of a transition of a coloured net that a marking, or a bag of colours for each place, lets pass.
 * Variables get their colours one after the other; as soon as all those of a condition have one it is looked at, and
 * where it fails no other variable is tried. Conditions are what the guard asks for together, and what the inputs add
 * up: nothing that comes later can make one of them good. */
#pragma once
#include "base/budget.h"
#include "certify/coloured_game.h"

typedef struct ColouredConditions {
    void *data;
    bool (*holds)(void *data, uint32_t place, const GameBag *bag); /* can these be taken from the place? */
    bool (*found)(void *data, uint32_t transition);                /* false: no more; what was found is in `binding` */
} ColouredConditions;

/* In no order that means something. The guard is true at each that is found, and every part of an input has been asked
 * for; whether all of them are there together is not known. False: `found` or the budget ended it. */
bool coloured_bindings_each(Game *game, uint32_t transition, const ColouredConditions *conditions, uint64_t *binding,
                            Budget *budget);
