/* What mz_check() and mz_check_file() found. Parts belong to their whole. */
#pragma once
#include "api/handles.h"

#include "verify/ask.h"

struct mz_answer {
    Handle handle;
    mz_net *net; /* kept */
    mz_verdict verdict;
    mz_kind kind;
    mz_evidence evidence;
    char *property, *engine, *reason, *unwritten, *run_file, *certificate_file, *bound, *subject;
    VecU32 run, transitions;
    VecU64 times;         /* of the run; empty: each transition once */
    uint64_t *start;      /* NULL: the initial marking */
    GString *certificate; /* or NULL */
    uint64_t markings, firings, tokens_in_place;
    char *tokens_in_marking;
    VEC(mz_answer *) parts;
};

mz_answer *api_answer_new(const mz_net *net, const char *property);
mz_answer *api_answer_add_part(mz_answer *whole, const char *property);
/* Takes over what a result has: reason, run and figures. */
void api_answer_take(mz_answer *answer, Result *result);

/* What all questions are asked with: engine, relation, order, seed; of the limits threads and log. False: an error. */
bool api_answer_options(const char *const *options, mz_limits *limits, AskOptions *ask, GError **error);

/* answer_always.c: "home EXPR", "reversible", "live", "sound" and their arguments. *mine: is it one of them? NULL and
 * an error, or NULL and not mine. */
mz_answer *api_answer_always(const mz_net *net, const char *word, const char *argument, const char *const *options,
                             mz_limits *limits, bool *mine, GError **error);

/* Is a proof asked for, and where? The memory is cleared by api_answer_keep_proof(), which gives it to the answer. */
const ProofFile *api_answer_proof(const char *const *options, ProofFile *file, ProofMemory *memory);
void api_answer_keep_proof(mz_answer *answer, ProofMemory *memory);
