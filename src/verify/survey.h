/* A random walk that collects what it sees: extreme counts of places and of sums, transitions that were enabled, dead
 * markings, transitions that can never fire again. Everything noted is true of some reachable marking, so each fact is
 * a one-sided answer; nothing is ever proved by not being seen.
 *
 * Walks restart, at first or where something new was seen, and grow. They choose at random, or what fired least, by a
 * random order of importance, or what makes one of the sums larger. */
#pragma once
#include "base/budget.h"
#include "base/exact.h"
#include "base/rng.h"
#include "base/vec.h"
#include "certify/pump.h"
#include "net/net.h"

typedef struct Survey {
    const Net *net;
    uint64_t *least, *most; /* per place */
    bool *enabled;          /* per transition: was enabled somewhere */
    uint32_t n_unseen;      /* transitions not yet enabled, places not yet changed */
    uint32_t n_unchanged;
    uint64_t largest; /* count of one place */
    bool dead;        /* a dead marking was met */
    bool unbounded;   /* with sums: a run repeats itself with more */
    bool not_live;    /* at some marking an empty siphon keeps a transition (of a coloured one: all) from ever firing */
    /* Sums asked for: their extreme values so far; unbounded when a run repeats itself with more. */
    uint32_t n_sums;
    Total *sum_least, *sum_most;
    bool *sum_unbounded;
    bool keep_pumps; /* set before it runs: what repeats itself is kept as proof, */
    Pump *sum_pump;  /* the shortest seen; without parts where there is none, or the run was too long to be kept */
    uint32_t *sum_start, *sums_of_place; /* rows of sums by place */
    uint64_t steps;
} Survey;

/* sums: lists of places, may be NULL. Borrows the net. */
Survey *survey_new(const Net *net, const VecU32 *sums, uint32_t n_sums);
void survey_free(Survey *survey);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Survey, survey_free)

/* Walks until the budget is spent, enough() says so (asked now and then), or nothing new was seen for `patience`
 * seconds. */
void survey_run(Survey *survey, uint64_t seed, double patience, bool (*enough)(const Survey *survey), Budget *budget);
/* Notes what holds along a given run. */
void survey_follow(Survey *survey, const uint32_t *run, size_t n);

/* The transitions that an empty siphon of the marking keeps from ever firing: marks them, returns how many. */
uint32_t survey_blocked(const Net *net, const uint64_t *marking, bool *blocked);
