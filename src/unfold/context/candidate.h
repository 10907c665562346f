/* Candidates of the read-aware engine as they wait in the schedule: a transition, the maximal events of its history and
 * the changes that it tests; with the hash of the marking, which is known when they are found. The marking itself is
 * made when the candidate's turn comes, and most candidates are then seen to be cutoffs without any comparison. */
#pragma once
#include "unfold/context/store.h"
#include "unfold/schedule.h"

typedef struct ContextCandidate {
    uint32_t transition, n_causes;
    const uint32_t *causes; /* the newest first */
    const uint32_t *tested;
    const uint32_t *more; /* of context_extend_more(); n_more may be 0 */
    uint32_t n_more;
    uint64_t hash;
} ContextCandidate;

/* Scratch for walks over configurations. */
typedef struct ContextWalk {
    ContextStore *store;
    uint32_t epoch, based_on;
    VecU32 base;     /* per event: in [base] */
    VecU32 stamp[2]; /* per event: in the first, the second configuration */
    VecU32 members[2];
} ContextWalk;

void context_candidate_walk_init(ContextWalk *walk, ContextStore *store);
void context_candidate_walk_clear(ContextWalk *walk);

void context_candidate_push(Schedule *schedule, const ContextNet *net, const ContextCandidate *candidate,
                            uint32_t size);

/* The words of a waiting candidate: two of the hash, the number of causes, the causes, what is tested, more. */
enum { CONTEXT_HASH, CONTEXT_N_CAUSES = 2, CONTEXT_CAUSES };

/* Points into `waiting`. */
static inline ContextCandidate context_candidate_of(const Waiting *waiting)
{
    const uint32_t *words = waiting->words, n = words[CONTEXT_N_CAUSES];
    assert(n > 0 && waiting->n_words >= CONTEXT_CAUSES + n);
    const uint32_t *causes = words + CONTEXT_CAUSES;
    ContextCandidate c = {.transition = waiting->transition, .n_causes = n, .causes = causes, .tested = causes + n};
    memcpy(&c.hash, words + CONTEXT_HASH, sizeof c.hash);
    return c;
}

/* The marking after the candidate; NET_NONE, or a place that would hold a second token. */
uint32_t context_candidate_marking(ContextWalk *walk, const Schedule *schedule, const ContextCandidate *candidate,
                                   uint64_t *marking);

/* What the table of finders asks for (unfold/schedule.h). */
void context_candidate_difference(ContextWalk *walk, const ContextCandidate *pair, OrderSteps *only);
bool context_candidate_has_larger(const ContextWalk *walk, int which, uint32_t depth, uint32_t transition);
