/* Can it always still happen? For each of some goals: is it reachable from every reachable marking (AG EF goal)? That
 * is what "the process can always end", "every transition is live" and "the net can always return to its start" ask.
 *
 * An answer is never a guess. HOLDS means that a search visited every marking of the net, or of a smaller net that
 * answers the same (reduce.h says why), and that all components that cannot be left have every goal. VIOLATED carries a
 * firing sequence of the net as given, replayed, to a marking from which a goal is certainly unreachable: because that
 * marking lies in such a component, because the arcs alone say so (outlook.h), or because engines that prove
 * unreachability did so with that marking as the initial one. */
#pragma once
#include "verify/question.h"

typedef struct HomeQuestion {
    const Net *net;
    FormulaStore *formulas; /* of that net */
    const FormulaId *goals;
    size_t n;
    bool live; /* the goals are that each transition can fire, for all of the net: more is known about that (live.h) */
} HomeQuestion;

typedef struct HomeResult {
    Verdict verdict;
    const char *engine; /* static name of what decided */
    char *reason;       /* why unknown; owned, may be NULL */
    VecU32 run;         /* violated: leads where goal number `lost` can never be reached again */
    size_t lost;
    uint64_t markings; /* of the search that decided, 0 when none did */
} HomeResult;

/* Fills a zeroed result. */
void home_ask(const HomeQuestion *question, const EngineOptions *options, Budget *budget, HomeResult *result);
void home_result_clear(HomeResult *result);

/* The net from another marking on. It borrows everything from `net` and the marking: not to be freed. */
static inline Net home_net_from(const Net *net, uint64_t *marking)
{
    Net from = *net;
    from.initial = marking;
    return from;
}
