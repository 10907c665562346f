/* What an inductive set of clauses over the places of a safe net proves, given groups of places that always hold
 * exactly one token. That they do is checked here: one token at first, and no transition changes their sum. So is that
 * the initial marking satisfies every clause; the rest is written down as clauses that say some marking with at most
 * one token per place that satisfies all of them and has one token in each group is BAD:
 *
 *   the goal holds there, or
 *   a transition enabled there leads to a marking that breaks one of the clauses, or
 *   a transition enabled there puts a second token on a place.
 *
 * If that is contradictory, every reachable marking satisfies the clauses, by induction, and none satisfies the goal.
 */
#pragma once
#include "certify/cnf.h"

typedef struct Inductive {
    VecI32 clauses; /* numbers place + 1, negative for "empty", each clause ended by 0 */
    VecI32 groups;  /* numbers place + 1, each group ended by 0 */
} Inductive;

void inductive_clear(Inductive *set);

/* Are they lists of places of the net, each ended by 0, with a minus sign only where that is allowed? */
bool inductive_names_places(const Net *net, const VecI32 *lists, bool negative);
/* Does each of the groups always hold exactly one token? */
bool inductive_groups_hold(const Net *net, const VecI32 *groups, char **problem);
/* Says it, with a literal per place for "marked". */
void inductive_add_groups(Cnf *cnf, const VecI32 *groups, const int32_t *places);

/* Fills an initialised Cnf. False: *problem says what is wrong. */
bool inductive_clauses(const Net *net, const Inductive *set, const FormulaStore *store, FormulaId goal, Cnf *cnf,
                       char **problem);
