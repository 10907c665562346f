/* Shows that a goal can always be reached again, or finds where it is lost, without the graph of all markings: by a
 * rank (certify/descent.h), guessed from the arcs (order.h), and questions of reachability.
 *
 * Is a stuck marking reachable, one without the goal where nothing lowers the rank? If the engines prove that none is,
 * the goal is always reachable again. If they find one, a search from there for the goal or for a marking of smaller
 * rank gives a way, and what was stuck there is so no longer, wherever that way can be fired; or the search ends
 * without any: then the goal is lost at that marking. And so on. Each question goes to the portfolio: stubborn sets
 * that keep the goal, complete prefixes whose configurations SAT searches, clauses, inequalities. None of them has to
 * keep components that cannot be left, since that a marking is stuck says nothing about what can happen later; so the
 * conditions against ignoring transitions that such a reduction would need [VALMARI17] are not needed either.
 *
 * On a bounded net it ends if time suffices: every question excludes one more marking. */
#pragma once
#include "certify/descent.h"
#include "verify/engine.h"
#include "verify/question.h"

typedef struct Downhill {
    Verdict verdict;
    const char *engine; /* of the last question */
    char *reason;       /* of unknown; owned */
    VecU32 run;         /* violated: to where the goal is lost; owned */
    uint32_t ways;      /* that were needed */
} Downhill;

/* Fills a zeroed one. `file`, if not NULL: a certificate goes there when it holds. The formulas are of the net. */
void downhill_ask(const Net *net, FormulaStore *formulas, FormulaId goal, const EngineOptions *options,
                  const ProofFile *file, Budget *budget, Downhill *downhill);
void downhill_clear(Downhill *downhill);
