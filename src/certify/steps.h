/* Steps that make a net smaller, as they stand in a certificate before a proof about the smaller net. A certificate
 * claims that a goal is unreachable, so a step has to lose no run to the goal; whether it adds some is of no concern to
 * the checker (then the proof behind it fails). What each step must respect is therefore less than what a reduction
 * respects.
 *
 * Nets are seen by their arcs alone: t is enabled at m iff need(t,p) <= m(p) < limit(t,p) for every place p, and firing
 * it adds delta(t,p), where need >= -delta. (Without an arc: need 0, limit infinite, delta 0; a read arc and a loop are
 * the same.) The goal is and/or of comparisons of sums of places and of `deadlock`, never negated; fireable(t) is
 * replaced by t's needs and limits. The places in these comparisons are SHOWN. A goal that says "not deadlock" allows
 * no steps.
 *
 * A step from N to N' is SOUND when for every reachable marking m of N there is a reachable m' of N' such that
 *   (1) shown places have the same count in m and m' (those removed: a count known from what remains), and
 *   (2) if the goal speaks of deadlock and m is dead in N, then m' is dead in N'.
 * A goal that holds at m then holds at m', for deadlock is never negated in it. So, step by step, if the first net can
 * reach the goal then so can the last; a proof that the last one cannot is one that the first one cannot.
 *
 * The steps, what is checked, and why that makes them sound:
 *
 * constant P. No delta at P is positive, or none is negative, so that m(P) <= m0(P), or m(P) >= m0(P), always.
 * Transitions whose need or limit at P that excludes are removed, as are those with need >= limit at P; needs and
 * limits at P that it implies are dropped. If it is both, P is removed and its count is m0(P). Runs and dead markings
 * stay what they are.
 *
 * siphon P... None of them has tokens; every transition with a positive delta at one of them has a need > 0 at one of
 * them. So the first to mark one of them would need a token in one of them: they stay empty. Transitions with a need >
 * 0 there are removed; they never fire, nor do they count for deadness.
 *
 * forget P... Each is not shown, and, if the goal speaks of deadlock, no need or limit is at it. It is removed with its
 * arcs. All runs remain, with the same counts elsewhere; if nothing tests P, so do dead markings.
 *
 * useless T... Each has delta 0 everywhere; or the goal does not speak of deadlock and each delta other than 0 is
 * negative and at a place that is not shown and at which no transition has a limit. T is removed. A run without its
 * firings of T remains one: it has the same counts where deltas are 0, and elsewhere at least as many tokens, which no
 * need minds. Dead markings: in the first case the counts are the same, and there are fewer transitions.
 *
 * weaker T U. T and U differ, have the same deltas, and at each place need(U) <= need(T), limit(U) >= limit(T). T is
 * removed. U fires for it; there are fewer transitions, so the dead remain dead.
 *
 * same_place P Q. P and Q differ, all deltas at P are those at Q, and c = m0(P) - m0(Q) >= 0. So m(P) = m(Q) + c
 * always, and m(P) >= c. Transitions with limit(t,P) <= c never fire and are removed. Others get need(t,Q) :=
 * max(need(t,Q), need(t,P) - c), limit(t,Q) := min(limit(t,Q), limit(t,P) - c), and P is removed. Nothing changes at
 * any reachable marking. Q is shown if P was.
 *
 * fuse P1 P2... Two or more places that differ, are not shown and have no limit. If the goal speaks of deadlock, either
 * (a) each has a transition that asks for one token there and for nothing else, or (b) each transition with a need at
 * one of them has need 1 there and none at the others, and the needs and limits that such transitions have elsewhere
 * are, as a set, the same for each of the places. They become P1 with the sums of counts, needs and deltas. A marking
 * enables no less when the tokens are counted together. Let m be dead, and let a transition be enabled by the sums. In
 * case (a) m has no token in any of the places, so their sum is 0 and it needs nothing of them; it would be enabled at
 * m. In case (b) it needs something of them, or it would be, so one of them has a token at m, and a transition that
 * needs one of it and elsewhere the same would be enabled at m.
 *
 * post P. P is not shown; nobody has a limit at P. Each transition at P either is a producer (delta > 0, need 0) or a
 * consumer (need w, delta -w, the same w for all); there is a consumer. Consumers have no other need and no limit, and
 * their other deltas are positive and at places that are not shown and at which nobody has a limit. Either there is one
 * consumer and each producer makes a multiple of w, or each makes w and m0(P) < w. Every producer h and consumer f are
 * replaced by the sequence h f^k, k = delta(h,P)/w, P is removed; a single consumer fires m0(P)/w times in the initial
 * marking. In a run of N the n-th firing of consumers takes the n-th portion of w tokens; let each portion be taken as
 * soon as it is there, by the consumer that takes it later, or by any if none does. What consumers add comes earlier,
 * where nobody minds more tokens, so that is a run of N' with the same counts in shown places. At a dead m all portions
 * are taken, so m' = m but for P; and h f^k is enabled there only if h is.
 *
 * pre P. P is not shown; nobody has a limit at P. Producers and consumers as before; there is a consumer; each producer
 * makes w, m0(P) < w. Producers have no other deltas than negative ones, no needs beyond these (need = -delta) and no
 * limits, at places that are not shown and at which no other transition has a need or a limit. Every producer h and
 * consumer f are replaced by h f, P is removed. In a run of N let the n-th firing of producers wait until just before
 * the n-th firing of consumers (it comes before it, since m0(P) < w), and leave out those that no consumer follows.
 * Meanwhile h's tokens stay where nobody else asks for them, and those that h makes are asked for by consumers alone.
 * So it is a run of N', with the same counts but in P and in places that producers take from. Let m be dead. If m(P) >=
 * w, each consumer f lacks something else than P, at a place where m' is the same, and h f lacks it too. If m(P) < w no
 * producer was left out, m' = m but for P, and h f is enabled only if h is. Other transitions ask for nothing where m'
 * differs.
 *
 * A sequence of transitions is a transition: a then b needs max(need a, need b - delta a), is limited by min(limit a,
 * limit b - delta a), and adds both deltas. If some limit is no larger than the need it never fires and is left out.
 * New transitions are numbered on from the last (producers in order, for each the consumers in order); removed ones
 * leave their numbers unused until the last step, when what remains is numbered in order. Counts of 2^40 or more in the
 * net, and such beyond 2^60 in a step, are refused. */
#pragma once
#include "base/vec.h"

#include <stdbool.h>

typedef enum {
#define STEP(constant, name, nodes) STEP_##constant,
#include "certify/steps.def"
#undef STEP
    N_STEP_KINDS
} StepKind;

typedef struct NetStep {
    StepKind kind;
    size_t from; /* the nodes it lists: from here to where the next step begins */
} NetStep;

/* A zeroed one is empty. */
typedef struct NetSteps {
    VEC(NetStep) list;
    VecU32 nodes;
} NetSteps;

void steps_clear(NetSteps *steps);
/* Begins a step; what is added then belongs to it. */
void steps_begin(NetSteps *steps, StepKind kind);
static inline void steps_add(NetSteps *steps, uint32_t node)
{
    vec_push(&steps->nodes, node);
}

/* The nodes of step i. */
static inline const uint32_t *steps_nodes(const NetSteps *steps, size_t i, size_t *n)
{
    size_t from = steps->list.data[i].from,
           to = i + 1 < steps->list.len ? steps->list.data[i + 1].from : steps->nodes.len;
    *n = to - from;
    return vec_from(&steps->nodes, from);
}

/* Appends "NAME NODE NODE ..." of step i, without an end of line. */
void steps_text(const NetSteps *steps, size_t i, GString *out);
/* Reads such a line as the next step; false when it is none. */
bool steps_parse(NetSteps *steps, const char *line);
