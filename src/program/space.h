/* The resting states of every thread and the steps between them, found by running each thread alone
 * against the values its cells may take, until neither states nor values grow. It
 * over-approximates: a step may ask for a value that never occurs at that point. */
#pragma once
#include "program/machine.h"

/* A place where a thread can be stopped by a fault. */
typedef struct FaultPlace {
    uint32_t thread;
    Fault fault;
    const Stmt *stmt;
} FaultPlace;

typedef enum { TARGET_STATE, TARGET_END, TARGET_FAULT } TargetKind;

/* A thread's whereabouts by number: a state of its list, or a fault of the space's list. */
typedef struct SpaceTarget {
    TargetKind kind;
    uint32_t thread, number;
} SpaceTarget;

typedef struct Edge {
    uint32_t from; /* state of `to.thread` */
    SpaceTarget to;
    const Stmt *stmt;
    uint32_t touches, n_touches; /* slice of space->touches */
    uint32_t spawns, n_spawns;   /* slice of space->spawns */
    char *detail;
} Edge;

/* A plain access that a thread may do next in a state; one at a choice has those of all its branches. */
typedef struct Access {
    uint32_t cell, thread, state;
    bool writes;
    const Stmt *stmt;
} Access;

/* What an expansion of a state rested on: cells, and how many values they had in all. */
typedef struct Basis {
    uint32_t *cells;
    uint32_t n_cells;
    size_t n_values;
} Basis;

typedef struct ThreadStates {
    VEC(int64_t *) frames;
    VEC(Basis) bases;    /* of the frames expanded so far */
    GHashTable *numbers; /* frame -> number + 1 */
    bool starts;         /* runs from the beginning */
    SpaceTarget first;
} ThreadStates;

typedef struct Space {
    Machine machine;
    Arena arena;
    ThreadStates *threads;
    VEC(FaultPlace) faults;
    GHashTable *fault_numbers; /* FaultPlace -> number + 1 */
    VEC(Edge) edges;           /* by thread, state and value */
    VEC(Touch) touches;
    VEC(SpaceTarget) spawns;
    VEC(Access) accesses;  /* may repeat */
    size_t work, max_work; /* steps computed so far, and allowed */
} Space;

#define SPACE_MAX_WORK 10000000

/* Value sets only grow, so a state is looked at again only when a cell it asked for has more values than then. Cells'
 * value sets in `code` are completed. An unlock that no run of its thread can do rightly is an
 * error, as is a program with too many states. */
Space *space_compute(Code *code, size_t max_work, GError **error);
void space_free(Space *space);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Space, space_free)
