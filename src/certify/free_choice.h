/* Why every transition of a free-choice net is live, or why a free-choice workflow net is sound: from the arcs alone,
 * in polynomial time.
 *
 * The nets have weights 1 and no inhibitor arcs; a read arc is an arc there and back. Transitions that share an input
 * place have all input places in common (extended free choice). The rank theorem [DESEL95]: such a net, connected,
 * is live and bounded iff
 *   (1) its places are covered by sets whose number of tokens no firing changes,
 *   (2) its transitions are covered by sets that, each fired once, change nothing,
 *   (3) the rank of its incidence matrix is the number of its clusters less one, a cluster being what the arcs from
 *       places to transitions connect,
 *   (4) no siphon is without tokens: no set of places that, empty, stays so.
 * The certificate lists the sets of (1) and (2); in a live and bounded net they can be chosen as its S-components and
 * T-components. Clusters, rank and the largest siphon without tokens are computed here. A net of several parts that are
 * not connected is live iff each part is, so (3) is asked of each.
 *
 * A workflow net, from a place that nothing fills to one that nothing empties, is sound iff with one more transition,
 * which takes from the last and gives to the first, it is live and bounded [AALST97]. That one has the number after all
 * others.
 *
 * In the file: the claim "live" or "sound SOURCE SINK", and after "kind free_choice" lines "tokens PLACE ..." and lines
 * "flow TRANSITION ...". */
#pragma once
#include "base/budget.h"
#include "base/vec.h"
#include "net/net.h"

typedef struct FreeChoice {
    VecU32 tokens, flows; /* lists, each ended by NET_NONE */
} FreeChoice;

void free_choice_clear(FreeChoice *proof);

/* Is the net live and bounded or, from `source` to `sink` (NET_NONE: not asked), sound? Otherwise *problem. */
bool free_choice_check(const FreeChoice *proof, const Net *net, uint32_t source, uint32_t sink, Budget *budget,
                       char **problem);
