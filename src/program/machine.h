/* Runs the code of one thread from one resting state through one step, for every value that the cells
 * it touches may have. A *frame* is a thread's local state: program counter, evaluation stack, slots
 * and the mutexes it holds; an array of words, the first of which is their number. A thread rests
 * before a visible instruction; a step executes it, then whatever is invisible behind it.
 *
 * Forks are kept in a list, not in the C stack. */
#pragma once
#include "program/code.h"

typedef enum {
    FAULT_NONE,
    FAULT_ASSERT,     /* an assertion fails */
    FAULT_RANGE,      /* a value leaves its domain */
    FAULT_INDEX,      /* no such element or thread */
    FAULT_ARITHMETIC, /* division by zero, overflow */
    FAULT_UNLOCK,     /* unlock or wait by a thread that does not hold the mutex */
    FAULT_CHOICE,     /* any() over nothing */
} Fault;

/* What a step does to one cell: asks for `first` and, when written, leaves `now`. */
typedef struct Touch {
    uint32_t cell;
    bool written;
    int64_t first, now;
} Touch;

/* Where a thread is after a step: at rest in a frame, ended, or stopped by a fault. */
typedef struct Rest {
    int64_t *frame; /* owned; NULL when ended or faulty */
    Fault fault;
    const Stmt *stmt; /* of the fault */
} Rest;

#define NO_ACCESS UINT32_MAX

typedef struct Spawn {
    uint32_t thread;
    Rest rest;
} Spawn;

typedef struct Step {
    Rest rest;
    const Stmt *stmt;  /* whose step it is */
    uint32_t accessed; /* the variable it reads or writes outside atomic blocks, awaits and assertions; or NO_ACCESS */
    bool writes;       /* to `accessed` */
    VEC(Touch) touches;
    VEC(Spawn) spawns;
    GString *detail; /* values seen and written, for the label */
} Step;

typedef struct Steps {
    VEC(Step) list;
} Steps;

typedef struct Machine {
    Code *code;
    uint32_t held_words;
    GHashTable *good_unlocks; /* statements that at least once unlocked a mutex they held */
    size_t max_steps;         /* of one resting state */
    bool survey;              /* only states and values matter: a write need not know what it overwrites */
    VecU32 looked;            /* cells whose value sets the last program_machine_step() depended on; may repeat */
} Machine;

static inline uint32_t program_machine_pc(const int64_t *frame)
{
    return (uint32_t)frame[1];
}
/* The value of a slot, for labels. */
int64_t program_machine_slot(const Machine *machine, uint32_t thread, const int64_t *frame, uint32_t slot);
/* The mutexes it holds: a set of cells, machine->held_words long. */
const uint64_t *program_machine_held(const Machine *machine, uint32_t thread, const int64_t *frame);

/* Where a thread rests first; arguments fill its parameters. False and an error when it does not come
 * to rest. */
bool program_machine_start(const Machine *machine, uint32_t thread, const int64_t *arguments, Rest *rest,
                           GError **error);
/* Appends every step from the frame. Cells' `needed` flags and good_unlocks are updated. */
bool program_machine_step(Machine *machine, uint32_t thread, const int64_t *frame, Steps *steps, GError **error);
void program_machine_steps_free(Steps *steps);
