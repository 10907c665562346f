/* The skeleton of an expanded net: the coloured net without its colours (NetColours.coloured). It has few places, and
 * every run of the expanded net is one of it, so whatever it cannot reach, the expanded net cannot either. The other
 * way round nothing follows: a run of the skeleton may mix colours that do not fit.
 *
 * A goal is weakened until it is about coloured places and transitions alone: sums that have all colours of a place
 * alike stay, a fireable binding is a fireable coloured transition; that something is not fireable, deadlocks and other
 * sums say nothing without colours. */
#pragma once
#include "verify/portfolio_goals.h"

typedef VEC(FormulaTerm) SkeletonTerms;

/* Is there one? Not where an inscription has no fixed number of tokens. */
bool skeleton_exists(const Net *net);
/* The sum over coloured places, if it is one. `terms` are sorted by place, each once. */
bool skeleton_terms(const Net *net, const FormulaTerm *terms, size_t n, SkeletonTerms *out);
/* Answers the open goals that the skeleton cannot reach. */
void skeleton_answer(Goals *goals);
