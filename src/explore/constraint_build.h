/* How constraints (constraint.h) are put together, shared by the closed form and the reader of files. */
#pragma once
#include "base/vec.h"
#include "explore/constraint.h"

/* A constraint on its way: of t < u; `order` is the line of the file. */
typedef struct ConstraintDraft {
    uint32_t t, u, order;
    bool never, given;
    Constraint constraint;
} ConstraintDraft;

typedef VEC(ConstraintDraft) DraftVec;
typedef VEC(ConstraintBound) BoundVec;
typedef VEC(ConstraintTap) TapVec;

Constraints *constraint_start(const Net *net);
/* Appends the bounds of t and u at common places. False: they never commute. */
bool constraint_closed_form(const Constraints *constraints, uint32_t t, uint32_t u, BoundVec *bounds);
/* False, with an error of code ERROR_SPENT, when the budget (may be NULL) is spent. */
bool constraint_draft_all(const Constraints *constraints, DraftVec *drafts, BoundVec *bounds, Budget *budget,
                          GError **error);
/* Takes over the bounds. */
void constraint_finish(Constraints *constraints, DraftVec *drafts, BoundVec *bounds);
