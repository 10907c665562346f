/* What every verification engine answers: is a marking that satisfies the goal reachable? All
 * properties come down to it: deadlock (EF deadlock && !final), invariants (EF !phi), safeness,
 * fireability. engines.def lists the engines; strategies are values.
 *
 * An engine never guesses: REACHABLE carries a firing sequence from the initial marking of the query's net,
 * which the caller replays; UNREACHABLE means the engine completed a proof; everything else is
 * UNKNOWN with a reason a user can act on. */
#pragma once
#include "certify/bound.h"
#include "certify/descent.h"
#include "certify/steps.h"
#include "prop/formula.h"
#include "verify/result.h"

typedef struct Query {
    const Net *net;
    FormulaStore *formulas; /* of that net */
    FormulaId goal;
} Query;

/* The query's net is this one from the marking on that the run leads to, and its goal is lost there. */
typedef struct ProofLost {
    const Net *net;
    const VecU32 *run;
} ProofLost;

/* The query's goal is what is stuck (certify/descent.h) of this one, which can therefore always be reached again. */
typedef struct ProofHome {
    FormulaStore *formulas;
    FormulaId goal;
    const Descent *descent;
} ProofHome;

/* A proof in memory. Several engines may find one at once; the last one stays. */
typedef struct ProofMemory {
    GMutex mutex;
    GString *text; /* NULL: none yet; owned by whoever made this */
} ProofMemory;

/* Where a proof goes. When the query's net was made from another by steps, the proof is written about that one. */
typedef struct ProofFile {
    const char *path;
    ProofMemory *memory;     /* instead of a file, or NULL */
    const Query *original;   /* NULL: the query itself */
    const NetSteps *steps;   /* from the original's net to the query's */
    const BoundClaim *bound; /* that the goal, as passed by no reachable marking, is a part of; NULL: of none */
    const ProofLost *lost;   /* after a run of another net; NULL: none */
    const ProofHome *home;   /* about a goal that can always be reached again; NULL: not */
    /* Why a proof that checks could not be written, which makes it no less a proof; NULL: then it is no answer. */
    char **unwritten;
} ProofFile;

typedef struct EngineOptions {
    uint64_t seed;
    unsigned threads;
    const char *relation, *order; /* NULL: the engine's default */
    const ProofFile *certificate; /* NULL: no proof is wanted */
    bool reduced;                 /* the query's net was made as small as it can be already */
    bool repeats;                 /* a long run may come with result->times */
    /* Told what is tried, for how long and why it stopped; may be called from several threads. May be NULL. */
    void (*log)(const char *line, void *data);
    void *log_data;
} EngineOptions;

typedef enum { ENGINE_COMPLETE, ENGINE_PARTIAL, ENGINE_MIXED } EngineKind; /* engines.def */

typedef struct Engine {
    const char *name;
    EngineKind kind;
    /* Fills a zeroed Result; sets its engine, unless MIXED. */
    void (*run)(const Query *query, const EngineOptions *options, Budget *budget, Result *result);
} Engine;

/* Runs it and says how it ended. */
void engine_run(const Engine *engine, const Query *query, const EngineOptions *options, Budget *budget, Result *result);
/* NULL when there is no such engine. */
const Engine *engine_find(const char *name);
/* For tests: the i-th of engines.def; NULL behind the last one. */
const Engine *engine_at(size_t i);
/* Is it one engine's name, or several of them (but auto and certified) joined by commas: the portfolio of just those?
 * Otherwise *odd is the name that is none (owned by the caller). */
bool engine_known(const char *names, char **odd);
/* "auto, explicit, walk": for messages. Owned by the caller. */
char *engine_names(void);

#define ENGINE(name, kind, techniques, help)                                                                           \
    void engine_##name(const Query *query, const EngineOptions *options, Budget *budget, Result *result);
#include "verify/engines.def"
#undef ENGINE

/* After UNREACHABLE was found by what cannot be written down: engine certified writes a proof of the same claim, which
 * the reason then names. Without one the answer is UNKNOWN. */
void engine_prove_again(const Query *query, const EngineOptions *options, Budget *budget, Result *result);

/* One line to the log, if there is one. */
void engine_say(const EngineOptions *options, const char *format, ...) G_GNUC_PRINTF(2, 3);
/* How it ended. */
void engine_say_end(const EngineOptions *options, const char *name, const Result *result, double seconds);
