/* Finds the bindings of a transition whose tokens are all known: a join over its input arcs. The order of its steps is
 * fixed beforehand, a plan: each input item is looked up by the colours that are bound already, equalities of the guard
 * bind or test, other conditions are tested as soon as all they need is bound, and variables that nothing binds run
 * over their sorts.
 *
 * Items that stand for several tokens (<all>, subtractions) bind nothing: who finds the binding checks them. */
#pragma once
#include "colour/pattern.h"
#include "colour/tokens.h"

typedef struct JoinStep JoinStep;

typedef struct Plan {
    const Pattern *pattern;
    Tokens *tokens; /* of all places of the net; borrowed */
    VEC(JoinStep) steps;
    uint32_t trigger; /* the item that one given token matches first, or ITEM_NONE */
} Plan;

#define ITEM_NONE UINT32_MAX

/* The item takes part in the join. */
bool join_binds(const Pattern *pattern, const Part *part, uint32_t item);

/* Plans for all tokens, or for those of bindings where item `trigger` takes the given one. Makes indices. */
Plan *join_plan(const Pattern *pattern, Tokens *tokens, uint32_t trigger);
void join_plan_free(Plan *plan);

/* Calls `found` for each binding until it returns false; `token` is what the trigger takes. False: stopped, or the
 * budget ended. */
bool join_run(Plan *plan, uint32_t token, uint32_t *binding, Budget *budget, bool (*found)(void *data), void *data);
