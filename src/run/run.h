/* The state of the runtime that a checked program is linked with. One program is explored per process, and its calls
 * come in through functions of fixed names (pthread_mutex_lock, malloc, ...): so there is one state, `run`, on pages of
 * its own that are left alone when the program's memory is put back.
 *
 * Life of an execution: the explorer (explorer.h) puts the memory back, starts the main thread and gets control again
 * when the execution ended. In between threads pass control among themselves: a thread that comes to a visible
 * operation says so (scheduler.h), the next thread is decided on its own stack, and control goes there directly. */
#pragma once
#include "run/alternative.h"
#include "run/calls.h"
#include "run/reversal.h"

#include <stdbool.h>

enum {
    MAX_THREADS = 250,
    MAX_WATCHED = 16, /* reads of a spinning loop */
    MAX_KEYS = 64,
    MAX_NAME = 64,
    PAGE = 4096,
    MUCH_EFFORT = 20000000, /* reads between two visible operations, after which a thread gives way */
};

/* Virtual time begins there. */
#define FIRST_SECOND UINT64_C(1000000000)
#define BILLION UINT64_C(1000000000)

#define STACK_BYTES ((size_t)64 << 20)

typedef enum {
    THREAD_UNUSED,
    THREAD_READY,   /* runs, or will as soon as it may: between visible operations */
    THREAD_PARKED,  /* before its pending operation */
    THREAD_PASSIVE, /* waits for an end or a barrier: what lets it go is somebody else's step */
    THREAD_GIVING,  /* gives way between visible operations: goes on when its turn comes or nobody else can */
    THREAD_ENDED,
} ThreadState;

/* What a thread is about to do. */
typedef struct Pending {
    uint8_t kind, size;
    bool timed;    /* gives up instead of waiting for ever */
    bool stutters; /* it gave up before, in the same state, and nothing has changed */
    uint8_t memory_order;
    uint16_t choice;
    uintptr_t object[2], pc;
    uint64_t operand, expected, old;
    uint64_t (*update)(uint64_t old, uint64_t operand);
    int result;
} Pending;

typedef struct Watched {
    uintptr_t pc, address;
    uint64_t value, state;
    uint8_t size;
} Watched;

typedef struct Thread {
    void *sp;
    ThreadState state;
    Pending pending;
    uint16_t number, parent, ordinal, children; /* ordinal: which child of its parent, from 1 */
    bool detached, joined, signalled, spinning;
    uint32_t woken_by;     /* the signal */
    uint32_t last, events; /* its last event, or the one that created it; how many are its own */
    void *(*start)(void *);
    int (*start_c11)(void *);
    void *argument, *result;
    uintptr_t waits_for;   /* condition or barrier */
    void *cleanup;         /* the innermost pthread_cleanup_push() */
    uint32_t call, beyond; /* its call stack (calls.h); how many calls it is deeper than that */
    int saved_errno;
    uint64_t clock, random; /* virtual nanoseconds; the state of rand(): of each thread, as order must not show */
    uint32_t clock_event;   /* events before it read the clock last */
    uint64_t pace;          /* by what its time went on last while it spun */
    uint32_t effort;        /* what it did since its last event: reads, and sleeping counts as many */
    bool looked;            /* at the clock, since its first read that is watched */
    uint32_t fence;         /* its last release fence, or EVENT_NONE */
    unsigned n_watched;
    Watched watched[MAX_WATCHED];
    bool quiet; /* since its wait timed out it changed nothing; what it read of atomics is seen */
    unsigned n_seen;
    Watched seen[MAX_WATCHED];
    uint64_t quiet_state;
    uintptr_t quiet_mutex;
    unsigned taken; /* how often the mutex had been taken when it began to wait */
    void *key[MAX_KEYS];
    /* Outlives executions. */
    char *stack; /* lowest address */
    char *tls;
} Thread;

typedef enum { ALGORITHM_WAKEUP, ALGORITHM_SOURCE, ALGORITHM_SLEEP, ALGORITHM_UNFOLDING } Algorithm;

typedef enum {
    END_NONE,
    END_MAXIMAL,  /* every thread ended */
    END_DEADLOCK, /* some wait for ever */
    END_EXIT,     /* the program ended, threads that wait are left behind */
    END_FAILURE,  /* assert, abort, signal, misuse: told already */
    END_BLOCKED,  /* all that could run is asleep */
    END_BOUND,
    END_DIVERGED,
    END_WITNESS, /* of a replay: the schedule is at its end */
} EndKind;

/* A line of a witness: who goes on, and whom it wakes ("-": nobody). */
typedef struct WitnessStep {
    char thread[MAX_NAME], woken[MAX_NAME];
} WitnessStep;

typedef enum { RESTART_AUTO, RESTART_SNAPSHOT, RESTART_FORK } Restart;

typedef struct Settings {
    Algorithm algorithm;
    Restart restart;
    bool debugged; /* under gdb */
    bool visible_memory, stop_at_failure, show_output, trace_steps;
    uint32_t depth, partial; /* partial: k of k-partial alternatives, 0: optimal */
    uint32_t told_steps;     /* so many steps of the tree of executions are told */
    uint64_t max_executions;
} Settings;

typedef void (*ExitFunction)(void);

typedef struct Counts {
    uint64_t executions, traces, blocked, bounded, deadlocks, failures, races, steps;
    uint32_t deepest;
} Counts;

typedef struct Run {
    bool active; /* the program runs; before and after, calls come from the runtime or the system's start-up */
    Settings settings;
    Counts counts;
    Trace trace;
    Tree tree;
    Calls calls;
    Unfolding unfolding;
    Alternative alternative;
    OpVector sleep, sequence;
    OWN_VECTOR(Reversal) races;
    OWN_VECTOR(uint32_t) candidates; /* scratch of reversal.h */
    OWN_VECTOR(uint16_t) choices;
    OWN_VECTOR(ExitFunction) at_exit; /* what atexit() was given; before main() begins first */
    uint32_t n_at_exit;               /* before main() begins */
    OWN_VECTOR(WitnessStep) witness;  /* to be repeated; empty: explore */
    uint32_t witness_at;
    uint32_t depth, replayed;   /* events so far of this execution; of which so many repeat the last one */
    uint32_t tree_at, sleep_at; /* the node that the execution is at: its tree node, where its sleepers begin */
    Thread *current;
    uint16_t ready[MAX_THREADS + 1], n_ready, first_ready, n_live;
    void *explorer_sp;
    EndKind end;
    uint64_t failures;             /* in this execution */
    uint32_t held;                 /* locks, at this moment */
    uint32_t in_a_row;             /* steps of one thread */
    bool exiting, failed, stopped; /* main returned; something went wrong in it; nothing more is to be run */
    struct {
        uint64_t steps, milliseconds; /* when they were last seen to grow, in processor time */
        unsigned ticks;
    } watch;
    Thread thread[MAX_THREADS];
    struct {
        uint16_t parent, ordinal;
    } slot[MAX_THREADS]; /* which thread has which number: the same in all executions */
    uint16_t n_slots;
    uint16_t n_keys;
    void (*destructor[MAX_KEYS])(void *);
} Run;

#define RUN_PAGES ((sizeof(Run) + PAGE - 1) / PAGE)

typedef union RunPages {
    Run run;
    char bytes[RUN_PAGES * PAGE];
} RunPages;

extern RunPages run_pages __attribute__((visibility("hidden"), aligned(4096)));
#define run (run_pages.run)
