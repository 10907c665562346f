/* libmazurka: Petri nets and small concurrent programs, unfolded, explored and checked from inside another program.
 *
 * Handles are opaque. A function that makes one returns NULL when it cannot and then sets *error (when error is not
 * NULL), which the caller frees; whoever gets a handle frees it, in any order: a prefix or an answer keeps its net
 * alive. Texts and arrays that an accessor returns belong to the handle and live as long as it does; what
 * mz_net_write(), mz_prefix_write() and the like return belongs to the caller, who gives it to mz_free().
 *
 * Places, transitions, events and conditions are numbers from 0. Texts are UTF-8, ended by a zero. Nothing is printed,
 * nothing ends the process, no signal handler is touched, nothing is kept between calls: different threads may call
 * at once, also on the same net, as nets, prefixes and answers never change. An mz_limits is used by one call at a
 * time; mz_limits_cancel() may be called at any time.
 *
 * Whatever comes from a file or a text may be wrong and gives an error. A NULL handle, a freed one, a number that is
 * no place, transition, event or condition: these are mistakes of the program, which debug builds assert.
 *
 * Options are a NULL-terminated list of "NAME=VALUE" (or "NAME") with the names that the commands have, without
 * dashes: {"relation=read", "order=erv", NULL}; a NULL list means none. An option that a call does not know is an
 * error. libmazurka(3) lists them. */
#ifndef MAZURKA_H
#define MAZURKA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* No place, no transition, no companion: not a cutoff. */
#define MZ_NONE 4294967295U
/* The initial marking, as the companion of a cutoff or as what made a condition. */
#define MZ_BOTTOM 4294967294U

typedef struct mz_error mz_error;
typedef struct mz_limits mz_limits;
typedef struct mz_net mz_net;
typedef struct mz_builder mz_builder;
typedef struct mz_invariants mz_invariants;
typedef struct mz_answer mz_answer;
typedef struct mz_prefix mz_prefix;
typedef struct mz_exploration mz_exploration;
typedef struct mz_comparison mz_comparison;

/* "0.1.0" */
const char *mz_version(void);
/* Frees a text or a marking that was made for the caller; NULL is allowed, as for all that free. */
void mz_free(void *memory);

/* ---- errors ---- */

typedef enum mz_code {
    MZ_ERROR_INPUT,       /* a file or an expression is not what it should be */
    MZ_ERROR_UNSUPPORTED, /* valid, but a kind of net or property that is refused by name */
    MZ_ERROR_IO,          /* cannot be read or written */
    MZ_ERROR_USAGE,       /* what was asked for makes no sense: an unknown option, say */
    MZ_ERROR_TOO_LARGE,   /* more than there are numbers for */
    MZ_ERROR_SPENT,       /* the limits ended it before there was anything to return */
    MZ_ERROR_INTERNAL,    /* a fault of this library that it noticed itself */
} mz_code;

mz_code mz_error_code(const mz_error *error);
/* The whole: "FILE:LINE:COLUMN: TEXT", or what of it there is. It is for people: control characters of names and files
 * are shown in it as \x1b, \n and so on. */
const char *mz_error_message(const mz_error *error);
/* Its parts, the file as it was given. The file is NULL, line and column are 0, when they are not known; of an
 * expression the file is the word of the property. */
const char *mz_error_text(const mz_error *error);
const char *mz_error_file(const mz_error *error);
int mz_error_line(const mz_error *error);
int mz_error_column(const mz_error *error);
void mz_error_free(mz_error *error);

/* ---- limits of one call ---- */

/* Asked about a hundred times a second, in a thread that computes; true: stop. Calls do not overlap. */
typedef bool mz_cancel_function(void *data);
/* Told about four times a second, after the first second, what is being done; and, as a log, what engines try. */
typedef void mz_line_function(const char *line, void *data);

/* No limits at first, and one thread. Wherever limits are asked for NULL means these. */
mz_limits *mz_limits_new(void);
void mz_limits_free(mz_limits *limits);
/* Of each call under these limits; 0: none. A call that they end answers MZ_UNKNOWN, or what it has so far. */
void mz_limits_set_time(mz_limits *limits, double seconds);
/* Bytes that the process may grow by during the call. */
void mz_limits_set_memory(mz_limits *limits, uint64_t bytes);
/* Events of a prefix or of an exploration. */
void mz_limits_set_events(mz_limits *limits, uint64_t events);
/* How many a call may compute in; 0: as many as the machine has. With 1, as at first, no thread is started, and every
 * run of a call does the same. */
void mz_limits_set_threads(mz_limits *limits, unsigned threads);
/* NULL ends each of them. */
void mz_limits_set_cancel(mz_limits *limits, mz_cancel_function *cancel, void *data);
void mz_limits_set_progress(mz_limits *limits, mz_line_function *progress, void *data);
void mz_limits_set_log(mz_limits *limits, mz_line_function *log, void *data);
/* From any thread, or from a signal handler: the call that runs under these limits ends soon, and the next ones at
 * once, until mz_limits_renew(). */
void mz_limits_cancel(mz_limits *limits);
void mz_limits_renew(mz_limits *limits);

/* ---- nets ---- */

/* Reads a net of any format, coloured nets expanded, or compiles a program; "-" is standard input, packed files are
 * unpacked. net_id says which net of several (NULL: the only one); defines is NULL or a NULL-terminated list of
 * "NAME=VALUE" for a program's parameters. */
mz_net *mz_net_read(const char *path, const char *net_id, const char *const *defines, mz_limits *limits,
                    mz_error **error);
/* The same from memory; name is for messages, and tells a program by its ending .mzk. */
mz_net *mz_net_read_bytes(const void *data, size_t size, const char *name, const char *net_id,
                          const char *const *defines, mz_limits *limits, mz_error **error);
void mz_net_free(mz_net *net);

typedef enum mz_arc { MZ_PRE, MZ_POST, MZ_READ, MZ_INHIBIT } mz_arc;

/* A net made in code. Mistakes (an arc to a node that is not there, a weight of 0, an id twice or not UTF-8) are told
 * by mz_builder_finish(). */
mz_builder *mz_builder_new(const char *name);
/* The number of the new node. The label may be NULL: then it is the id. */
uint32_t mz_builder_place(mz_builder *builder, const char *id, const char *label, uint64_t tokens);
uint32_t mz_builder_transition(mz_builder *builder, const char *id, const char *label);
/* A transition takes what MZ_PRE says, needs but keeps what MZ_READ says, makes what MZ_POST says, and cannot fire
 * while the place has as many tokens as MZ_INHIBIT says. Arcs of one kind between two nodes are added up (read: the
 * largest, inhibit: the smallest). */
void mz_builder_arc(mz_builder *builder, mz_arc kind, uint32_t place, uint32_t transition, uint64_t weight);
/* An expression for the markings at which the net may end. */
void mz_builder_final(mz_builder *builder, const char *expression);
/* Frees the builder, whatever happens. */
mz_net *mz_builder_finish(mz_builder *builder, mz_error **error);
void mz_builder_free(mz_builder *builder);

const char *mz_net_name(const mz_net *net);
/* "12 places, 9 transitions, 31 arcs; ignored: 4 toolspecific" */
const char *mz_net_summary(const mz_net *net);
bool mz_net_is_program(const mz_net *net);
/* The markings at which it may end, an expression, or NULL. */
const char *mz_net_final(const mz_net *net);
uint32_t mz_net_places(const mz_net *net);
uint32_t mz_net_transitions(const mz_net *net);
const char *mz_net_place_id(const mz_net *net, uint32_t place);
const char *mz_net_place_label(const mz_net *net, uint32_t place);
const char *mz_net_transition_id(const mz_net *net, uint32_t transition);
const char *mz_net_transition_label(const mz_net *net, uint32_t transition);
/* Where it is in the source of a program, else "". */
const char *mz_net_transition_note(const mz_net *net, uint32_t transition);
/* By id; MZ_NONE when there is none. */
uint32_t mz_net_find_place(const mz_net *net, const char *id);
uint32_t mz_net_find_transition(const mz_net *net, const char *id);
/* Tokens of each place. */
const uint64_t *mz_net_initial(const mz_net *net);
/* The arcs of one kind by transition: those of t go to places[start[t]] up to, not including, places[start[t + 1]], in
 * order of places. The weights are in the same order; NULL when all are 1. */
uint32_t mz_net_arcs(const mz_net *net, mz_arc kind);
const uint32_t *mz_net_arc_start(const mz_net *net, mz_arc kind);
const uint32_t *mz_net_arc_place(const mz_net *net, mz_arc kind);
const uint64_t *mz_net_arc_weight(const mz_net *net, mz_arc kind);

/* The firing rule, on one count for each place. mz_net_fire() fires a sequence in place and returns how many could be
 * fired. */
bool mz_net_enabled(const mz_net *net, const uint64_t *marking, uint32_t transition);
size_t mz_net_fire(const mz_net *net, uint64_t *marking, const uint32_t *sequence, size_t length);
/* The marking in words, of a program in those of its source: values and threads. For mz_free(). */
char *mz_net_describe(const mz_net *net, const uint64_t *marking);

/* What the arcs tell; a class is 0 or 1. Each is computed in linear time. */
typedef enum mz_fact {
    MZ_FACT_LOOPS, /* pairs of a place and a transition with arcs both ways */
    MZ_FACT_SOURCE_TRANSITIONS,
    MZ_FACT_SINK_TRANSITIONS,
    MZ_FACT_SOURCE_PLACES,
    MZ_FACT_SINK_PLACES,
    MZ_FACT_ISOLATED_PLACES,
    MZ_FACT_INITIAL_TOKENS,
    MZ_FACT_LARGEST_WEIGHT,
    MZ_FACT_ORDINARY,
    MZ_FACT_PURE,
    MZ_FACT_CONSERVATIVE,
    MZ_FACT_STATE_MACHINE,
    MZ_FACT_MARKED_GRAPH,
    MZ_FACT_FREE_CHOICE,
    MZ_FACT_EXTENDED_FREE_CHOICE,
} mz_fact;
uint64_t mz_net_fact(const mz_net *net, mz_fact fact);

/* Sums of places, weighted, that no firing changes. Never NULL; within the limits perhaps not all. */
mz_invariants *mz_net_invariants(const mz_net *net, mz_limits *limits);
void mz_invariants_free(mz_invariants *invariants);
uint32_t mz_invariants_count(const mz_invariants *invariants);
/* All of minimal support are there. */
bool mz_invariants_complete(const mz_invariants *invariants);
/* The places of one, their number, their weights in the same order, and the value of the sum. */
const uint32_t *mz_invariants_places(const mz_invariants *invariants, uint32_t i, uint32_t *count);
const uint64_t *mz_invariants_weights(const mz_invariants *invariants, uint32_t i);
uint64_t mz_invariants_value(const mz_invariants *invariants, uint32_t i);

/* In memory, by the name of a format: "pnml", "ll_net", "lola", "tpn", "net"; "dot" and "svg" are drawings. The size
 * may be NULL. For mz_free(). */
char *mz_net_write(const mz_net *net, const char *format, size_t *size, mz_error **error);
/* A firing sequence, of a relation (NULL: the usual one) the partial order that it stands for: "run" (one id in each
 * line, as `mazurka replay` reads it), "dot" or "svg". */
char *mz_net_write_run(const mz_net *net, const uint32_t *run, size_t length, const char *relation, const char *format,
                       size_t *size, mz_error **error);

/* ---- questions ---- */

typedef enum mz_verdict { MZ_UNKNOWN, MZ_HOLDS, MZ_VIOLATED } mz_verdict;

/* Asks one property:
 *   "deadlock"           no reachable marking is dead, but for final ones
 *   "reach EXPR"         a marking that satisfies the expression is reachable
 *   "invariant EXPR"     every reachable marking satisfies it
 *   "fireable T"         some run fires the transition
 *   "safe"               no place ever has two tokens
 *   "home EXPR"          such a marking can always be reached again
 *   "reversible"         the initial marking can
 *   "live T", "live"     the transition, or every one, can always fire again
 *   "sound", "sound weak", "sound relaxed", "sound N"    of workflow nets, in parts
 *   "assertions", "race" of programs: no assertion fails, no two accesses race
 * Options: engine, relation, order, seed, final=EXPR (more markings at which it may end), certificate (a proof in
 * memory), certificate-file=PATH (a proof there); repeats: long runs that repeat themselves are welcome, with
 * mz_answer_times(). */
mz_answer *mz_check(const mz_net *net, const char *property, const char *const *options, mz_limits *limits,
                    mz_error **error);

/* Told of each answer as soon as it is final. */
typedef void mz_answer_function(const mz_answer *answer, void *data);
/* All properties of a contest file: an answer whose parts they are, in the file's order, and whose verdict is the worst
 * of theirs (violated, then unknown). told may be NULL. Options: engine, relation, order, seed, witnesses=FOLDER,
 * certificates=FOLDER. */
mz_answer *mz_check_file(const mz_net *net, const char *path, const char *const *options, mz_limits *limits,
                         mz_answer_function *told, void *data, mz_error **error);
void mz_answer_free(mz_answer *answer);

mz_verdict mz_answer_verdict(const mz_answer *answer);
/* As asked; of a part its name or id. */
const char *mz_answer_property(const mz_answer *answer);
/* What decided, and why it is unknown or what the proof rests on; each may be NULL. */
const char *mz_answer_engine(const mz_answer *answer);
const char *mz_answer_reason(const mz_answer *answer);

/* What shows the answer to be right. A run has been fired again on the net before anybody hears of it. */
typedef enum mz_evidence { MZ_EVIDENCE_NONE, MZ_EVIDENCE_RUN, MZ_EVIDENCE_PROOF } mz_evidence;
mz_evidence mz_answer_evidence(const mz_answer *answer);
/* The run: transitions. NULL and 0 when it is none, an array even when no firing is needed. */
const uint32_t *mz_answer_run(const mz_answer *answer, size_t *length);
/* With the option repeats: how often each transition of the run is fired in a row. NULL: once. */
const uint64_t *mz_answer_times(const mz_answer *answer);
/* Where it begins, one count for each place: at the initial marking, but for "sound N". */
const uint64_t *mz_answer_start(const mz_answer *answer);
/* The certificate for mazurka-verify(1), when one was asked for and found. */
const void *mz_answer_certificate(const mz_answer *answer, size_t *size);
/* Why there is none although one was asked for and the proof is there, or NULL. */
const char *mz_answer_unwritten(const mz_answer *answer);
/* Names of files in the folders of witnesses and certificates, or NULL. */
const char *mz_answer_run_file(const mz_answer *answer);
const char *mz_answer_certificate_file(const mz_answer *answer);

/* Of the markings that were visited, when they were: 0 otherwise. */
uint64_t mz_answer_markings(const mz_answer *answer);
uint64_t mz_answer_firings(const mz_answer *answer);
uint64_t mz_answer_tokens_in_place(const mz_answer *answer);
/* A decimal number, which may have more than 64 bits. */
const char *mz_answer_tokens_in_marking(const mz_answer *answer);

/* What kind of property of a file it is. */
typedef enum mz_kind {
    MZ_KIND_QUESTION,    /* answered by a verdict */
    MZ_KIND_BOUND,       /* the largest value of a sum of places */
    MZ_KIND_UNSUPPORTED, /* the reason says why */
    MZ_KIND_FAULTY,      /* the reason says what is wrong, with file:line:column */
} mz_kind;
mz_kind mz_answer_kind(const mz_answer *answer);
/* "12" or "+inf"; NULL: not known, or no bound was asked for. */
const char *mz_answer_bound(const mz_answer *answer);

/* Answers of their own: of "sound" completes, proper, useful, relaxed, as far as asked; of a file its properties. */
uint32_t mz_answer_parts(const mz_answer *answer);
const mz_answer *mz_answer_part(const mz_answer *answer, uint32_t i);
/* What it is about: of "live" the transition that is lost, of "sound" a place without bound; an id, or NULL. */
const char *mz_answer_subject(const mz_answer *answer);
/* Of useful and relaxed: the transitions that are not. */
const uint32_t *mz_answer_transitions(const mz_answer *answer, size_t *count);

/* Does a certificate prove its claim for this net? True; *claim (for mz_free(), may be NULL) says what. */
bool mz_verify(const mz_net *net, const void *certificate, size_t size, mz_limits *limits, char **claim,
               mz_error **error);

/* ---- unfolding ---- */

/* How a computation ended. */
typedef enum mz_ending {
    MZ_COMPLETE,
    MZ_ENDED_BY_GOAL,
    MZ_ENDED_BY_TIME,
    MZ_ENDED_BY_MEMORY,
    MZ_ENDED_BY_EVENTS,
    MZ_ENDED_BY_CANCEL,
    MZ_UNSAFE,    /* a place got a second token, and this way needs safe nets */
    MZ_UNBOUNDED, /* a run that can be repeated for ever adds tokens */
    MZ_ENDLESS,   /* a run that can be repeated for ever, and cutoffs are off */
    MZ_REFUTED,   /* two transitions that the relation calls independent do not commute */
    MZ_OVERFLOW,  /* a count passes 64 bits */
} mz_ending;

/* A finite prefix of the unfolding; with limits the part that was made. Options: relation (none, classic, read, loops,
 * proved, file:PATH), order (mcmillan, parikh, erv, mole), finder (auto, classic, context, parametric), cutoffs=off. */
mz_prefix *mz_unfold(const mz_net *net, const char *const *options, mz_limits *limits, mz_error **error);
void mz_prefix_free(mz_prefix *prefix);

mz_ending mz_prefix_ending(const mz_prefix *prefix);
/* "time limit" and the like; "" when complete. */
const char *mz_prefix_reason(const mz_prefix *prefix);
const char *mz_prefix_relation(const mz_prefix *prefix);
const char *mz_prefix_order(const mz_prefix *prefix);
uint32_t mz_prefix_events(const mz_prefix *prefix);
uint32_t mz_prefix_cutoffs(const mz_prefix *prefix);
/* The parametric way makes events without conditions. */
bool mz_prefix_has_conditions(const mz_prefix *prefix);
uint32_t mz_prefix_conditions(const mz_prefix *prefix);
/* Under relations that know reads an event may have several histories: these are then the events of the relation, and
 * cutoffs are a matter of histories. 0 elsewhere. */
uint32_t mz_prefix_histories(const mz_prefix *prefix);
uint32_t mz_prefix_cutoff_histories(const mz_prefix *prefix);

/* Of an event. Causes have smaller numbers. */
uint32_t mz_prefix_transition(const mz_prefix *prefix, uint32_t event);
/* An event, MZ_BOTTOM, or MZ_NONE when it is no cutoff. */
uint32_t mz_prefix_companion(const mz_prefix *prefix, uint32_t event);
/* Of its local configuration: the number of events, and the longest chain. */
uint32_t mz_prefix_size(const mz_prefix *prefix, uint32_t event);
uint32_t mz_prefix_depth(const mz_prefix *prefix, uint32_t event);
/* The direct causes: events that made what it takes or reads. */
const uint32_t *mz_prefix_causes(const mz_prefix *prefix, uint32_t event, uint32_t *count);
/* Conditions: taken, read, and made; those made have numbers one after the other, of which the first is returned. */
const uint32_t *mz_prefix_pre(const mz_prefix *prefix, uint32_t event, uint32_t *count);
const uint32_t *mz_prefix_read(const mz_prefix *prefix, uint32_t event, uint32_t *count);
uint32_t mz_prefix_post(const mz_prefix *prefix, uint32_t event, uint32_t *count);
/* Of a condition: its place, and the event that made it or MZ_BOTTOM. */
uint32_t mz_prefix_place(const mz_prefix *prefix, uint32_t condition);
uint32_t mz_prefix_producer(const mz_prefix *prefix, uint32_t condition);

/* Fills `events` with the local configuration, the event itself last; room for mz_prefix_size() of them. */
uint32_t mz_prefix_local(const mz_prefix *prefix, uint32_t event, uint32_t *events);
/* Fills one count for each place: the marking that the local configuration leads to; of MZ_BOTTOM the initial one. */
void mz_prefix_marking(const mz_prefix *prefix, uint32_t event, uint64_t *marking);
/* Why it is a cutoff, or what keeps it from being one. For mz_free(). */
char *mz_prefix_why(const mz_prefix *prefix, uint32_t event);

/* The same as whole arrays, for those that take many at once. */
typedef enum mz_array {
    MZ_EVENT_TRANSITION,
    MZ_EVENT_COMPANION,
    MZ_EVENT_SIZE,
    MZ_EVENT_DEPTH,
    MZ_CAUSE_START, /* one more than events: those of e are [start[e], start[e + 1]) of MZ_CAUSE */
    MZ_CAUSE,
    MZ_PRE_START, /* the same for conditions that are taken */
    MZ_PRE_CONDITION,
    MZ_READ_START, /* and for those that are read; empty when none can be */
    MZ_READ_CONDITION,
    MZ_POST_START, /* those made by e are the numbers [start[e], start[e + 1]) themselves */
    MZ_CONDITION_PLACE,
    MZ_CONDITION_EVENT,
    MZ_HISTORY_EVENT, /* histories: of which event, and what an event without histories has */
    MZ_HISTORY_COMPANION,
    MZ_HISTORY_SIZE,
    MZ_HISTORY_DEPTH,
    MZ_HISTORY_CAUSE_START,
    MZ_HISTORY_CAUSE,
} mz_array;
const uint32_t *mz_prefix_array(const mz_prefix *prefix, mz_array array, size_t *length);

/* When it ended because of a fact about the net: the run that shows it, the place of MZ_UNSAFE, from where on the run
 * of MZ_UNBOUNDED and MZ_ENDLESS repeats, the two transitions of MZ_REFUTED. */
const uint32_t *mz_prefix_run(const mz_prefix *prefix, size_t *length);
uint32_t mz_prefix_unsafe_place(const mz_prefix *prefix);
uint32_t mz_prefix_repeats_from(const mz_prefix *prefix);
const uint32_t *mz_prefix_pair(const mz_prefix *prefix);

/* "dot", "svg", "json", "mci" or "pnml" in memory. around is MZ_NONE for all of it, or the event in the middle of what
 * is drawn, radius how many steps from it. For mz_free(). */
char *mz_prefix_write(const mz_prefix *prefix, const char *format, uint32_t around, uint32_t radius, size_t *size,
                      mz_error **error);

/* ---- exploring ---- */

typedef enum mz_leaf {
    MZ_LEAF_MAXIMAL, /* nothing can be added */
    MZ_LEAF_CUTOFF,  /* what can be added comes back to a known marking */
    MZ_LEAF_BLOCKED, /* explored elsewhere already */
    MZ_LEAF_BOUND,   /* deeper than asked for */
    MZ_LEAF_AGAIN,   /* no leaf: exploring begins again in another way, forget all leaves so far */
    MZ_LEAF_WAITING, /* with await: in the middle of a turn of a loop that waits; others begin it later */
    MZ_LEAF_STUCK,   /* with await: nothing but such turns can ever happen */
} mz_leaf;
/* Told of each configuration where exploring turns back, as a firing sequence of its events. False: stop. */
typedef bool mz_leaf_function(mz_leaf kind, const uint32_t *run, size_t length, void *data);

/* Explores one run of each Mazurkiewicz trace without storing markings. leaf may be NULL. Options: algorithm (upor,
 * odpor, reverse, sdpor, sleep), relation, order, cutoffs (on, off, auto), alternatives (optimal, source, k=N), search
 * (dfs, bfs, random, size), cache, depth, unroll, await (on, off, auto; off when not given), seed. */
mz_exploration *mz_explore(const mz_net *net, const char *const *options, mz_limits *limits, mz_leaf_function *leaf,
                           void *data, mz_error **error);
void mz_exploration_free(mz_exploration *exploration);

mz_ending mz_exploration_ending(const mz_exploration *exploration);
/* Every maximal configuration (with cutoffs: every dead marking) was met; otherwise the reason why not. */
bool mz_exploration_complete(const mz_exploration *exploration);
const char *mz_exploration_reason(const mz_exploration *exploration);
uint64_t mz_exploration_leaves(const mz_exploration *exploration, mz_leaf kind);
/* Met: counted again when forgotten and met again. */
uint64_t mz_exploration_events(const mz_exploration *exploration);
/* Different dead markings: deadlocks first, then those at which the net may end. */
uint32_t mz_exploration_deadlocks(const mz_exploration *exploration);
uint32_t mz_exploration_ends(const mz_exploration *exploration);
/* A run to one of them, 0 up to deadlocks and ends together. */
const uint32_t *mz_exploration_run(const mz_exploration *exploration, uint32_t i, size_t *length);

/* ---- comparing ---- */

/* One net under one relation and order. */
typedef struct mz_row {
    uint32_t net;         /* which of those given */
    const char *relation; /* as given */
    const char *order;
    mz_ending ending;
    const char *note;         /* what stopped it, or "" */
    uint64_t events, cutoffs; /* under the relation: histories where there are any */
    int64_t conditions;       /* -1: it has none */
    int64_t markings;         /* of local configurations, different ones; -1: not counted */
    uint64_t occurrences;     /* events whatever their histories */
    uint64_t independent;     /* pairs of transitions */
    uint32_t depth, width;    /* the longest chain; the most events of one depth */
    double seconds;
    double ratio; /* events / events under classic, 0 when one of the two is not complete or not there */
} mz_row;

/* Unfolds each net under each relation (a list with commas; NULL: the usual ones) and each order (the same; NULL: erv).
 * The limit of time is that of a row; what a row cannot do stands in its note. Options: cutoffs=off. */
mz_comparison *mz_compare(const mz_net *const *nets, uint32_t n_nets, const char *relations, const char *orders,
                          const char *const *options, mz_limits *limits, mz_error **error);
void mz_comparison_free(mz_comparison *comparison);
uint32_t mz_comparison_rows(const mz_comparison *comparison);
const mz_row *mz_comparison_row(const mz_comparison *comparison, uint32_t i);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
