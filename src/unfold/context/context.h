/* The read-aware engine: the contextual unfolding of a safe net (Baldan, Corradini, Koenig, Rodriguez,
 * Schwoon), built history by history, which is event by event of the parametric unfolding under
 * `read` or `loops` ([POET15] Def. 3).
 *
 * Its Prefix has contextual events with what they consume, read and produce, and in `histories` the
 * pairs <t,H>. Two histories belong to one event iff they consume and read the same conditions. A
 * history is a cutoff iff its marking is that of a smaller one; an event is a cutoff iff all its
 * histories are.
 *
 * A transition that changes nothing is dependent on itself only: after its event r comes <t,[r]>, a
 * cutoff, which is a second history of the same contextual event. */
#pragma once
#include "unfold/unfold.h"

/* As unfold(). Refuses nets with weights or inhibitor arcs and other relations than read and loops. */
Prefix *context_unfold(const Net *net, const UnfoldOptions *options, Budget *budget, GError **error);
