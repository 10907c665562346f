/* Proofs that a free-choice net is live and bounded, or that a free-choice workflow net is sound: in polynomial time,
 * whatever the number of markings (certify/free_choice.h has the theorems, and checks what is found here).
 *
 * What has to be found are covers by S-components and T-components. In a live and bounded free-choice net every minimal
 * siphon is the set of places of an S-component, and every place is in one [DESEL95]. A minimal siphon with place
 * p is grown from {p}: as long as some transition fills it without taking from it, the places of a path from the set to
 * that transition are added [KEMPER92]. The path is found backwards, each place being met once, from the first that
 * knows it: so none that fills a place of the path takes from a second one further on, and where one takes from the set
 * the path ends. In a free-choice net each that fills the set then has exactly one input there, and along these one
 * comes back to p from everywhere: no smaller siphon is inside. Paths over places that no set has so far come first, so
 * that few sets cover the net. T-components are the same with places and transitions exchanged and arcs turned round.
 *
 * A net for which this fails is not live and bounded; what else it is others find out. */
#pragma once
#include "certify/certificate.h"

/* Fills the proof, which the caller clears in any case. False: there is none, or the budget is spent. */
bool rank_theorem_live(const Net *net, Budget *budget, Certificate *proof);
bool rank_theorem_sound(const Net *net, uint32_t source, uint32_t sink, Budget *budget, Certificate *proof);
