/* What the last firing leaves behind. A reachable marking M is the initial one, or on the way to it some firing was the
 * last that changed the marking: that of a transition t with an effect, enabled at M less its effect. So M is the
 * initial marking, or for one transition t with an effect and every place p
 *
 *   M(p) >= need(t, p) + effect(t, p)   and, with an inhibitor arc,   M(p) < limit(t, p) + effect(t, p),
 *
 * where need is the larger of what t takes and reads. */
#pragma once
#include "certify/cnf.h"

/* Says so in clauses; counts beyond 2^64 - 1 are not tested, which only says less. */
void last_firing_clauses(const Net *net, Cnf *cnf, const CnfTests *tests);
