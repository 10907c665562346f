/* The net that steps.h speaks of, while steps change it, and the goal on it. Nothing here is taken from the code that
 * makes reductions. Removed places and transitions keep their numbers; a removed place may have a count known from
 * another.
 *
 * Each arc of a transition says something, is the only one at its place, and has need >= -delta >= -SHRINK_MOST. Their
 * order means nothing; with many arcs a table finds the one at a place, so that each change costs the same. */
#pragma once
#include "base/vec.h"
#include "prop/formula.h"

#define SHRINK_MOST ((int64_t)1 << 60)
#define SHRINK_NO_LIMIT INT64_MAX

typedef struct ShrinkArc {
    uint32_t place;
    int64_t need, limit, delta; /* enabled: need <= m < limit */
} ShrinkArc;

typedef struct ShrinkTransition {
    VEC(ShrinkArc) arcs;
    uint32_t *table; /* open addressing: place -> position + 1 in arcs; NULL for few arcs */
    uint32_t mask;
    size_t asks; /* the number of the last siphon that it asks for tokens of */
    bool gone;
} ShrinkTransition;

typedef struct ShrinkPlace {
    int64_t tokens;
    VecU32 near;     /* transitions that had an arc here at some time, unless `sorted` in any order */
    uint32_t limits; /* arcs with a limit */
    bool gone, shown, sorted;
    bool known; /* gone, and its count is that of `like` (NET_NONE: 0) plus `plus` */
    uint32_t like;
    int64_t plus;
} ShrinkPlace;

typedef struct Shrink {
    const Net *net;
    const FormulaStore *formulas;
    FormulaId goal;
    bool deadlock; /* the goal speaks of it */
    ShrinkPlace *places;
    VEC(ShrinkTransition) transitions;
    size_t n_arcs;
    size_t n_siphons; /* steps of that kind so far */
} Shrink;

/* NULL: *problem says why this net and goal allow no steps. Borrows all. */
Shrink *shrink_new(const Net *net, const FormulaStore *formulas, FormulaId goal, char **problem);
void shrink_free(Shrink *s);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Shrink, shrink_free)

bool shrink_has_place(const Shrink *s, uint32_t p);
bool shrink_has_transition(const Shrink *s, uint32_t t);
/* One that says nothing when there is none. */
ShrinkArc shrink_arc(const Shrink *s, uint32_t t, uint32_t p);
/* In place of the old one; an arc that says nothing is no arc. */
void shrink_put(Shrink *s, uint32_t t, ShrinkArc arc);
/* The transitions with an arc at p, in order. Valid until arcs at p change; a copy is the caller's. */
VecU32 shrink_near(Shrink *s, uint32_t p);
void shrink_remove_transition(Shrink *s, uint32_t t);
void shrink_remove_place(Shrink *s, uint32_t p);
/* Adds the sequence of a and then `times` times b, without what they do at `without`, unless it can never fire. False
 * when a count is too large. */
bool shrink_add_sequence(Shrink *s, uint32_t a, uint32_t b, int64_t times, uint32_t without);

/* What is left, places with their ids; NULL when it cannot be built. */
Net *shrink_net(Shrink *s);
/* The goal on that net. False when a number is too large. */
bool shrink_goal(const Shrink *s, FormulaStore *to, FormulaId *goal);
