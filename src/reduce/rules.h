/* The structural reductions of rules.def. Each looks at the whole net once, applies itself wherever it can,
 * and returns how often it did. Every rule preserves, for each vector of values of the shown places, whether a
 * reachable marking has these values; when rnet->deadlock is set also whether a reachable dead marking has.
 * A rule that is not sure leaves the net alone.
 *
 * With rnet->home each rule also preserves, for every goal over shown places, whether it can be reached from every
 * reachable marking (AG EF). To show this for a rule, relate each reachable marking m of the net before it to one m' of
 * the net after it such that (1) from m a marking with these shown values is reachable iff one is from m', and (2)
 * every reachable m' has such an m. If some m is lost then so is its m', by (1), and the other way round by (2).
 *   constant, dead, same_place, same_transition: the graph of markings is the same, but for loops.
 *   sink, slice: m' is m on the places that stay. What is left out tests none of them and, with rnet->home, changes
 *     none of them; what stays tests nothing that is left out. (Without it slice drops transitions that only take
 *     tokens.)
 *   fold: m' has the sums. Whatever fires at one of them a transition alike to it fires at the other, and back.
 *   supply: m' is m without the filled places. The transition that fills them can do so at m whatever happened before.
 *   component: m' has the sum. At m tokens can be moved inside first, whatever happened before.
 *   post: a token on p can be passed on at once, because its consumers need nothing else. If m is lost, so is every
 *     marking where they have been passed on, and those are the ones that the net after it has; m' is one of them.
 *   pre: m' is m with the producers of the tokens on p not yet fired. They need what nobody else tests, so whatever can
 *     happen at m' can happen after they fired, and ends with the same shown values.
 *
 * With rnet->live (and nothing shown) each rule preserves instead whether every transition is live. Rules of places
 * keep what is enabled, so the above suffices; a transition that is found never to fire ends it (rnet->never_fires).
 *   same_transition: only equal guards; without effect, only what can fire whenever another can.
 *   component: a move becomes a transition without effect that asks for a token in the component, as it did.
 *   post: the producer with a consumer can fire whenever the producer can, and then the consumer of one's choice.
 *   pre: only with one producer or one consumer. A producer that can fire stays so until it does, because nobody else
 *     tests what it needs. One consumer: when it can fire with the token of any producer, it can with that of this one;
 *     one producer: whatever fires a consumer fires it with that producer's token.
 *   supply: the transition that fills the places can always fire; the others can fire from m iff they can from m' once
 *     the places are filled, and filling them takes nothing away.
 *   dead, slice, fold: not used.
 *
 * References: Berthelot's agglomerations and implicit places; Thierry-Mieg, Structural Reductions Revisited
 * (2020), for the shape with shown places, the free components and the slices. */
#pragma once
#include "reduce/rnet.h"

typedef enum {
#define RULE(constant, name) RULE_##constant,
#include "reduce/rules.def"
#undef RULE
    N_RULES
} Rule;

#define RULE(constant, name) uint32_t rule_##name(Rnet *rnet, Budget *budget);
#include "reduce/rules.def"
#undef RULE
