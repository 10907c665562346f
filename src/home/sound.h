/* Soundness of workflow nets, in parts that are answered one by one.
 *
 * A workflow net begins with k tokens on its source, the one place that nothing fills, and is finished where the file's
 * final markings (or --final) say so; otherwise with k tokens on its only sink, the place that nothing empties, and
 * none elsewhere; with several sinks where only sinks have tokens.
 *
 *   completes  from every reachable marking one is reachable that has the tokens of a finished one
 *   proper     no reachable marking has these tokens and others besides
 *   useful     every transition can fire (no dead transition)
 *   relaxed    every transition lies on a run to a finished marking
 *
 * classical = completes, proper and useful (van der Aalst); weak = completes and proper; relaxed = relaxed alone. With
 * several sinks a finished marking has no tokens elsewhere by definition, so proper holds and completes asks for a
 * finished marking itself. An unbounded net without inhibitor arcs and with finitely many finished markings is not
 * sound, nor weakly: what pumps tokens before the end leaves them behind.
 *
 * Free-choice nets with one source and one sink are asked the rank theorem first (rank_theorem.h): if it says yes, all
 * parts hold. Then comes a search of all markings, if they are few; then each part by itself, completes by home.h and
 * the others by the engines for reachability. */
#pragma once
#include "home/home.h"
#include "verify/examination.h"

typedef enum { SOUND_CLASSICAL, SOUND_WEAK, SOUND_RELAXED } SoundVariant;

typedef enum { PART_COMPLETES, PART_PROPER, PART_USEFUL, PART_RELAXED, N_SOUND_PARTS } SoundPart;

typedef struct Workflow {
    Net net;                 /* begins with k tokens on the source; borrows the rest from the net it was made of */
    uint64_t *initial;       /* owned */
    FormulaStore *formulas;  /* of that net */
    FormulaId done, covered; /* finished; has at least the tokens of a finished marking */
    FormulaId ended;         /* without final markings: only sinks have tokens, however many; else as done */
    bool several_sinks;
    bool exact; /* finitely many markings are finished */
    uint32_t
        ends[2]; /* one token begins on the first and ends, alone, on the second, the only such places; or NET_NONE */
} Workflow;

/* `final` (may be NULL) names finished markings beside those of the file. An error says why it is no workflow net. */
bool workflow_init(Workflow *workflow, const Net *net, uint64_t k, const char *final, GError **error);
void workflow_clear(Workflow *workflow);

typedef struct SoundAnswer {
    bool asked;
    Verdict verdict;
    const char *engine;
    char *reason;       /* of unknown, or what violated rests on when there is no run; owned */
    VecU32 run;         /* completes: to where it is lost; proper: to a marking with tokens left behind */
    VecU32 transitions; /* useful, relaxed: those that are not */
} SoundAnswer;

typedef struct Soundness {
    Verdict verdict; /* of the whole */
    SoundAnswer part[N_SOUND_PARTS];
    uint32_t unbounded; /* a place that has no bound, or NET_NONE */
} Soundness;

/* "completes", ...: the keys of JSON. */
const char *sound_part_name(SoundPart part);
/* Fills a zeroed Soundness. */
void sound_ask(const Workflow *workflow, SoundVariant variant, const EngineOptions *options, Budget *budget,
               Soundness *soundness);
void sound_clear(Soundness *soundness);

/* As examinations of a batch: is the net sound (classically); can the end (Workflow.ended) always be reached? What is
 * no workflow net is unknown, with the reason. */
Truth sound_examine(Examination *examination, Budget *budget);
Truth sound_examine_completion(Examination *examination, Budget *budget);
