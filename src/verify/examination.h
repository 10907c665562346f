/* The global questions of the Model Checking Contest that are not one reachability query: each is settled by what a
 * survey walk saw, by structure, or by a portfolio over many small queries. They are about the places and transitions
 * of the coloured net when the net expands one: a coloured place has the tokens of all its colours, a coloured
 * transition fires when one of its bindings does. Never a guess: TRUTH_UNKNOWN when the budget ends first. */
#pragma once
#include "certify/pump.h"
#include "verify/portfolio.h"

typedef enum { TRUTH_UNKNOWN, TRUTH_NO, TRUTH_YES } Truth;

typedef struct Examination {
    const Net *net;
    EngineOptions options;
    const char *engine; /* set to what decided: "survey", "structure", "equation", "portfolio", "explicit" */
    char *reason;       /* set when undecided: what stopped it; owned by the caller */
    /* set when the answer rests on one, else NET_NONE: a transition that never fires, a place that never changes; of
     * net_colours_asked() */
    uint32_t dead, constant;
    bool keep_pumps; /* asks for the proofs of infinite bounds */
} Examination;

/* No reachable marking has two tokens in a place. */
Truth examination_one_safe(Examination *examination, Budget *budget);
/* Some transition of the i-th of net_colours_asked() is enabled. */
FormulaId examination_fires(FormulaStore *formulas, uint32_t asked);
/* Every transition can fire somewhere. */
Truth examination_quasi_live(Examination *examination, Budget *budget);
/* Some place has the same count in all reachable markings. */
Truth examination_stable_marking(Examination *examination, Budget *budget);

/* The goal whose being unreachable shows that an answer of quasi_live (no) or stable_marking (yes) is right; false when
 * the answer rests on none. */
bool examination_goal(const Examination *examination, FormulaStore *formulas, FormulaId *goal);

typedef struct ExaminationBound {
    bool known, infinite;
    Total value; /* when known and not infinite: the largest value; otherwise the largest one seen */
    const char *engine;
    char *reason; /* when not known; owned by the caller */
    Pump pump;    /* when infinite and asked for, unless it was too long; owned by the caller */
} ExaminationBound;

/* The largest value of each sum of places over all reachable markings. `told` (may be NULL) is called once for each as
 * soon as it is known. Fills n zeroed bounds. */
void examination_bounds(Examination *examination, const VecU32 *sums, size_t n, Budget *budget,
                        ExaminationBound *bounds, void (*told)(size_t i, const ExaminationBound *bound, void *data),
                        void *data);
void examination_bound_clear(ExaminationBound *bound);
/* The goal that the sum reaches its bound or, above, that it passes it. False: there is no such bound, or no such
 * formula. */
bool examination_bound_goal(FormulaStore *formulas, const VecU32 *places, const ExaminationBound *bound, bool above,
                            FormulaId *goal);
