/* Which colours of a coloured net nothing tells apart. Found for each leaf of a place's sort and of a transition's
 * binding: either its colour matters, or only the class of it does. There is one set of classes for each basic sort.
 *
 * A leaf of a binding does not matter when it stands at most once on the input arcs of its transition, where one token
 * is taken, no guard compares it with anything but constants, and no place that it goes to wants to know it. A leaf of
 * a place does not matter when no input arc takes it for a leaf that does. Places of a subtraction, of <all> on an
 * input arc or of several equal tokens on one always matter. Colours are of one class when all comparisons of leaves
 * that do not matter with constants, and all constants that are taken from such places, agree on them.
 *
 * Then forgetting all but the class is a bisimulation: a marking enables a transition for some colours of given classes
 * exactly if the classes in it do, since every token of a class will serve and each choice is free of the others; and
 * what it leads to has the same classes whatever was chosen. So the two nets agree on every question that is about the
 * number of tokens in coloured places, about firing coloured transitions, and about deadlocks. */
#pragma once
#include "colour/pattern.h"

typedef struct ColourClasses {
    uint32_t *class_of;       /* of each colour; NULL: never asked for. Numbered as they begin */
    uint32_t *representative; /* of each class: its first colour */
    uint32_t *size;           /* of each class */
    uint32_t n;
} ColourClasses;

typedef struct Alike {
    const ColourNet *net;
    Pattern *const *patterns; /* of each transition; borrowed */
    Pattern *const *markings; /* of each place; borrowed */
    uint32_t *first;          /* of each place: its first leaf below */
    bool *place_matters;      /* each leaf of each place */
    bool **binding_matters;   /* of each transition, each leaf of its binding */
    ColourClasses *classes;   /* of each basic sort */
    uint32_t n_sorts;
} Alike;

/* NULL: the budget ended, or no two colours are alike anywhere. */
Alike *alike_new(const ColourNet *net, Pattern *const *patterns, Pattern *const *markings, Budget *budget);
void alike_free(Alike *alike);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Alike, alike_free)

/* The sort of one leaf of a place, if its classes are all that counts; else SORT_NONE. */
uint32_t alike_place_leaf(const Alike *alike, uint32_t place, uint32_t leaf);
uint32_t alike_binding_leaf(const Alike *alike, uint32_t transition, uint32_t leaf);
