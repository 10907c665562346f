/* Which places every reachable marking of a net marks or leaves empty, as clauses over the variables of
 * an instant (safe_sat.h), as far as structure says it:
 *
 *   group    exactly one place is marked (token_groups.h, place invariants);
 *   trap     some place is marked: it has a token at first and keeps one (run_facts.h);
 *   sum      of places that are all in groups, with factors: it has the same value as at first (conserved.h).
 *
 * There are too many to say them all, so they are learnt from markings that break one. Each is a fact by itself, so
 * together they are what certify/facts.h checks. */
#pragma once
#include "certify/facts.h"
#include "verify/conserved.h"
#include "verify/safe_sat.h"
#include "verify/token_groups.h"

typedef struct PlaceFacts {
    SafeSat *safe;
    SatLit places;          /* the instant */
    VecU32 groups, traps;   /* lists of places, each ended by NET_NONE */
    TokenGroups *finder;    /* NULL until it is needed */
    Conserved *conserved;   /* NULL until it is needed */
    VecU32 sums;            /* of them, those that were said */
    bool *grouped, *marked; /* per place: in a group; of the last model */
} PlaceFacts;

/* Do places that are marked or not say what is enabled? The transitions of the net test for one token only then. */
bool place_facts_tell(const Net *net);
/* Borrows what safe is; says the groups that are found at once. */
void place_facts_init(PlaceFacts *facts, SafeSat *safe, SatLit places, Budget *budget);
void place_facts_clear(PlaceFacts *facts);

/* Can the literal hold in a marking that breaks no fact? SAT_YES: no more can be learnt from the last model. */
SatAnswer place_facts_ask(PlaceFacts *facts, SatLit literal, Budget *budget);
/* Does the goal count tokens where there may be more than one? A place that is in no group may have more. */
bool place_facts_beyond(const PlaceFacts *facts, const FormulaStore *formulas, FormulaId goal);
/* Appends them. */
void place_facts_write(const PlaceFacts *facts, Inductive *set, Linear *sums);
