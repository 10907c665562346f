/* Independence relations on the transitions of a net (or the actions of any Lts), as their complement:
 * a symmetric, reflexive dependence relation. Independent actions must commute at every reachable
 * state, in both directions: neither enables or disables the other, and both orders lead to one state.
 * mazurka-theory(7) defines the relations; [POET15] Ex. 7 is `classic`. */
#pragma once
#include "base/budget.h"
#include "lts/relation.h"
#include "net/net.h"

typedef struct Indep {
    uint32_t n;
    uint32_t *start, *dependent; /* rows of dependent actions, sorted, the action itself included */
    uint64_t *matrix;            /* n rows of row_words words, or NULL when n is large */
    uint32_t row_words;
    /* Whoever changes what an action tests is dependent on it (RELATION_STRUCTURAL). Engines may prune by that. */
    bool structural;
    /* Independent pairs somebody claims and nobody proved: rows as above, or NULL. Engines check that
     * they commute at every state they meet (commute.h). */
    uint32_t *doubt_start, *doubtful;
} Indep;

/* What `text` names, PATH read and checked: the one way that knows every relation. */
Indep *indep_named(const Net *net, const char *text, Budget *budget, GError **error);
/* Any relation but FILE. NULL with an error of code ERROR_SPENT when the budget (may be NULL) ends it, of ERROR_LIMIT
 * for more pairs than 32 bits can number. */
Indep *indep_within(const Net *net, Relation relation, Budget *budget, GError **error);
/* The same without a budget, of nets that are not too large. */
Indep *indep_new(const Net *net, Relation relation);
/* From a list of dependent pairs (u32 pairs, either order, reflexive ones not needed). */
Indep *indep_from_pairs(uint32_t n, const uint32_t *pairs, size_t n_pairs);
void indep_free(Indep *indep);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Indep, indep_free)

bool indep_dependent_slow(const Indep *indep, uint32_t a, uint32_t b);
static inline bool indep_dependent(const Indep *indep, uint32_t a, uint32_t b)
{
    if (indep->matrix) return indep->matrix[(size_t)a * indep->row_words + b / 64] >> (b % 64) & 1;
    return indep_dependent_slow(indep, a, b);
}
/* Those in word w of a set of actions that depend on a. */
static inline uint64_t indep_dependent_word(const Indep *indep, uint32_t a, const uint64_t *set, uint32_t w)
{
    if (indep->matrix) return set[w] & indep->matrix[(size_t)a * indep->row_words + w];
    uint64_t dependent = 0;
    for (uint64_t rest = set[w]; rest; rest &= rest - 1)
        if (indep_dependent_slow(indep, a, w * 64 + (uint32_t)__builtin_ctzll(rest))) dependent |= rest & -rest;
    return dependent;
}
/* for (INDEP_EACH(u, indep, a, set, words)) visits the members that depend on a. A word is read when it is reached:
 * clearing the current bit inside the loop is fine. */
#define INDEP_EACH(u, indep, a, set, words)                                                                            \
    uint32_t w_##u = 0, n_##u = (words);                                                                               \
    w_##u < n_##u;                                                                                                     \
    w_##u++)                                                                                                           \
        for (uint64_t u, b_##u = indep_dependent_word(indep, a, set, w_##u);                                           \
             b_##u && ((u = w_##u * 64 + (uint64_t)__builtin_ctzll(b_##u)), true); b_##u &= b_##u - 1
/* The number of unordered independent pairs. */
uint64_t indep_count(const Indep *indep);
