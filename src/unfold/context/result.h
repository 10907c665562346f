/* Collects the events of a read-aware prefix as they come and makes the Prefix of them. */
#pragma once
#include "unfold/context/candidate.h"
#include "unfold/prefix.h"

typedef struct ContextResult {
    const ContextNet *net;
    /* histories */
    VecU32 event, companion, size, depth, cause_start, cause;
    uint32_t n_cutoffs;
    /* contextual events: the producers (events, NET_NONE for bottom) of what they test, in net order */
    VecU32 transition, first_history, tested_start, tested;
    VEC(uint8_t) live; /* has a history that is no cutoff */
    uint32_t *slots;
    size_t mask;
} ContextResult;

void context_result_init(ContextResult *result, const ContextNet *net);
void context_result_clear(ContextResult *result);

/* Returns the new history; companion is a history, PREFIX_NONE or PREFIX_BOTTOM. */
uint32_t context_result_add(ContextResult *result, ContextStore *store, const ContextCandidate *candidate,
                            uint32_t size, uint32_t companion);
/* Moves what was collected into the prefix. */
void context_result_finish(ContextResult *result, Prefix *prefix);
