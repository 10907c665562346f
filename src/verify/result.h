/* What an engine (engine.h) found: an answer with its run, or the reason why there is none. A zeroed Result says
 * UNKNOWN and owns nothing. */
#pragma once
#include "base/budget.h"
#include "base/exact.h"
#include "base/vec.h"
#include "lts/explicit.h"

typedef enum { ANSWER_UNKNOWN, ANSWER_REACHABLE, ANSWER_UNREACHABLE } Answer;

typedef struct Result {
    Answer answer;
    const char *engine; /* static name of the engine that answered */
    char *reason;       /* why UNKNOWN, or what the proof rests on; owned, may be NULL */
    bool refuted;       /* UNKNOWN because the engine's witness did not replay: its fault, not a limit */
    VecU32 witness;     /* transitions; meaningful when REACHABLE */
    VecU64 times;       /* how often each of them is fired in a row; empty: once (EngineOptions.repeats) */
    /* figures of explicit search; 0 when another engine answered */
    uint64_t markings, firings, max_tokens_in_place;
    Total max_tokens_in_marking;
} Result;

void result_clear(Result *result);

/* UNKNOWN because the budget is spent. */
void result_stopped(Result *result, const Budget *budget);

/* What a search says that did not go to its end: REACHABLE with the run to its goal, or why it is UNKNOWN. */
void result_searched(Result *result, const Explicit *search, Ending end);

/* "unknown", "reachable", "unreachable". */
const char *result_answer_text(Answer answer);
