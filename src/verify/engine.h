/* What every verification engine answers: is a marking that satisfies the goal reachable? All
 * properties come down to it: deadlock (EF deadlock && !final), invariants (EF !phi), safeness,
 * fireability. engines.def lists the engines; strategies are values.
 *
 * An engine never guesses: REACHABLE carries a firing sequence from the initial marking of the query's net,
 * which the caller replays; UNREACHABLE means the engine completed a proof; everything else is
 * UNKNOWN with a reason a user can act on. */
#pragma once
#include "base/budget.h"
#include "base/exact.h"
#include "certify/steps.h"
#include "prop/formula.h"

typedef enum { ANSWER_UNKNOWN, ANSWER_REACHABLE, ANSWER_UNREACHABLE } Answer;

typedef struct Query {
    const Net *net;
    FormulaStore *formulas; /* of that net */
    FormulaId goal;
} Query;

/* Where a proof goes. When the query's net was made from another by steps, the proof is written about that one. */
typedef struct ProofFile {
    const char *path;
    const Query *original; /* NULL: the query itself */
    const NetSteps *steps; /* from the original's net to the query's */
    /* Why a proof that checks could not be written, which makes it no less a proof; NULL: then it is no answer. */
    char **unwritten;
} ProofFile;

typedef struct EngineOptions {
    uint64_t seed;
    unsigned threads;
    const char *relation, *order; /* NULL: the engine's default */
    const ProofFile *certificate; /* NULL: no proof is wanted */
    /* Told what is tried, for how long and why it stopped; may be called from several threads. May be NULL. */
    void (*log)(const char *line, void *data);
    void *log_data;
} EngineOptions;

typedef struct Result {
    Answer answer;
    const char *engine; /* static name of the engine that answered */
    char *reason;       /* why UNKNOWN, or what the proof rests on; owned, may be NULL */
    VecU32 witness;     /* transitions; meaningful when REACHABLE */
    /* figures of explicit search; 0 when another engine answered */
    uint64_t markings, firings, max_tokens_in_place;
    Total max_tokens_in_marking;
} Result;

void result_clear(Result *result);

typedef struct Engine {
    const char *name;
    const char *help;
    /* Fills a zeroed Result. */
    void (*run)(const Query *query, const EngineOptions *options, Budget *budget, Result *result);
} Engine;

/* Runs it and says how it ended. */
void engine_run(const Engine *engine, const Query *query, const EngineOptions *options, Budget *budget, Result *result);
/* "unknown", "reachable", "unreachable" */
const char *answer_text(Answer answer);
/* NULL when there is no such engine. */
const Engine *engine_find(const char *name);
/* Is it one engine's name, or several of them (but auto and certified) joined by commas: the portfolio of just those?
 * Otherwise *odd is the name that is none (owned by the caller). */
bool engine_known(const char *names, char **odd);
/* "auto, explicit, walk": for messages. Owned by the caller. */
char *engine_names(void);

#define ENGINE(name, help)                                                                                             \
    void engine_##name(const Query *query, const EngineOptions *options, Budget *budget, Result *result);
#include "verify/engines.def"
#undef ENGINE

/* One line to the log, if there is one. */
void engine_say(const EngineOptions *options, const char *format, ...) G_GNUC_PRINTF(2, 3);

/* UNKNOWN because the budget is spent. */
void result_stopped(Result *result, const Budget *budget);
