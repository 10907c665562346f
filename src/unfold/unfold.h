/* The one way to build a prefix: picks the engine by the relation (or as told) and runs it.
 *
 *   classic     branching process of a safe net with conditions (unfold/classic/classic.h)
 *   context     read-aware, conditions with histories (unfold/context/context.h)
 *   parametric  any relation, any bounded net, events only (unfold/parametric/net.h)
 *
 * Each is a way to find possible extensions; what becomes of them is the same for all (unfold/schedule.h). */
#pragma once
#include "unfold/prefix.h"

typedef enum { UNFOLD_AUTO, UNFOLD_CLASSIC, UNFOLD_CONTEXT, UNFOLD_PARAMETRIC } UnfoldEngine;

typedef struct UnfoldOptions {
    UnfoldEngine engine;
    Relation relation;
    const Indep *indep; /* the relation built already, or NULL; RELATION_FILE needs it */
    Order order;
    bool cutoffs;
    UnfoldGoal goal; /* or NULL */
    void *goal_data;
    unsigned hash_bits; /* classic, for tests: bits of a marking's hash; 0 = 64 */
    uint32_t deep;      /* classic: from which |[e]| on its ways for large configurations are taken; 0 = as measured */
    uint32_t lean;      /* classic: from which event on its ways for large nets are taken; 0 = as measured */
    uint32_t
        dense; /* classic: takes its ways for dense nets and leaves them by turns of so many events; 0 = the same */
} UnfoldOptions;

/* Never NULL on a net the engine accepts: limits (the budget's, with max_events counting events) and
 * an unsafe net give the part built so far, with prefix->end saying why it ended. NULL and an error
 * when the engine cannot take the net or the options. */
Prefix *unfold(const Net *net, const UnfoldOptions *options, Budget *budget, GError **error);
