/* Independence constraints ([CDPOR18] Def. 2) of the transitions of a net: per pair, bounds on places such
 * that the two commute at every marking within them where both are enabled. For nets the closed form
 * is exact: with need(t,p) tokens asked for, and lower(t,p), raise(t,p) the net effect, t and u commute
 * iff p >= need(u,p) + lower(t,p), and the same with t and u changed, at each place that one lowers and the
 * other needs, and p <= most(u,p) - raise(t,p) at each place that one raises and that inhibits the other.
 * Both orders then lead to the same marking, as always in nets. So two consumers of p commute where p has
 * enough for both, and no search for a better constraint can find more.
 *
 * A file replaces the constraints of the pairs it names. Lines are
 *     T U: P >= 3, Q <= 1        or  T U: always  or  T U: never
 * with ids quoted when they hold blanks or one of : , # " (base/quote.h); '#' starts a comment;
 * several lines for one pair mean any of them. A line that implies the closed form is proved; any other is
 * doubtful: a search that relies on it must look whether the two really commute there. */
#pragma once
#include "base/budget.h"
#include "net/net.h"

/* What a transition asks of and does to one place. */
typedef struct ConstraintTap {
    uint32_t place;
    uint64_t need;         /* tokens: a pre or read arc */
    uint64_t most;         /* an inhibitor arc of weight most + 1; UINT64_MAX: none */
    uint64_t lower, raise; /* net effect; one of them is 0 */
} ConstraintTap;

typedef struct ConstraintBound {
    uint32_t place;
    uint64_t least, most;
} ConstraintBound;

/* One constraint of a pair: a slice of bounds, all of which must hold. */
typedef struct Constraint {
    uint32_t bounds, n_bounds;
    bool doubtful;
} Constraint;

/* A pair that does not commute everywhere (or that the file names): any of a slice of constraints. */
typedef struct ConstraintPair {
    uint32_t other;
    uint32_t first, n;
} ConstraintPair;

typedef struct Constraints {
    const Net *net;
    uint32_t *tap_start;
    ConstraintTap *taps; /* rows by place */
    uint32_t *pair_start;
    ConstraintPair *pairs; /* of each transition, by the other's number; both directions share constraints */
    Constraint *constraint;
    ConstraintBound *bound;
    uint32_t n_constraints, n_bounds;
    uint32_t n_given, n_doubtful; /* constraints from the file; those not proved */
} Constraints;

/* The closed form. Borrows the net. NULL with an error of code ERROR_SPENT when the budget (may be NULL) ends it. */
Constraints *constraints_within(const Net *net, Budget *budget, GError **error);
/* The same with the pairs of a file replaced. */
Constraints *constraints_read_file(const Net *net, const char *path, Budget *budget, GError **error);
/* For tests: both without a budget, the file as a text. */
Constraints *constraints_new(const Net *net);
/* For tests, as above. */
Constraints *constraints_read(const Net *net, const char *text, const char *file, GError **error);
void constraints_free(Constraints *constraints);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Constraints, constraints_free)

/* NULL when t and u commute wherever both are enabled, t = u included. */
const ConstraintPair *constraints_pair(const Constraints *constraints, uint32_t t, uint32_t u);
/* Both are enabled at the marking: does some constraint hold? *doubtful when only doubtful ones do. */
bool constraints_hold(const Constraints *constraints, const ConstraintPair *pair, const uint64_t *marking,
                      bool *doubtful);
/* The firing rule itself: both are enabled; is each still enabled after the other? */
bool constraints_commute(const Constraints *constraints, uint32_t t, uint32_t u, const uint64_t *marking);
/* One line per pair (once), in the format of the file. */
void constraints_print(const Constraints *constraints, GString *text);
