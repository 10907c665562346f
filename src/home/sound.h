/* Soundness of workflow nets (workflow.h), in parts that are answered one by one.
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
#include "home/workflow.h"
#include "verify/examination.h"

typedef enum { SOUND_CLASSICAL, SOUND_WEAK, SOUND_RELAXED } SoundVariant;

typedef enum { PART_COMPLETES, PART_PROPER, PART_USEFUL, PART_RELAXED, N_SOUND_PARTS } SoundPart;

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
