/* Visible operations of threads. An operation touches at most two cells (cells.h: a mutex, a condition, an atomic,
 * ...), each as a reader or as a writer. Two operations are dependent when they belong to one thread or touch one cell
 * that at least one of them writes; everything the explorer does rests on this relation alone. Whether an operation was
 * a reader can depend on its outcome (a compare-and-swap that failed, a trylock that failed). */
#pragma once
#include <stdbool.h>
#include <stdint.h>

typedef enum {
#define OP(constant, words, flags) OP_##constant,
#include "run/ops.def"
#undef OP
    N_OPS
} OpKind;

enum { ACQUIRES = 1, RELEASES = 2, SILENT = 4 };

/* The choice of an operation that is left open: the first one possible. */
#define CHOICE_OPEN UINT16_MAX

typedef struct Op {
    uint8_t kind, n; /* n cells */
    uint8_t write;   /* bit i: cell i is written */
    uint8_t bytes;   /* of memory that it reads or writes; 0: a mutex and the like */
    uint16_t thread;
    uint16_t choice; /* signal: the thread that is woken */
    uint32_t cell[2];
    uint32_t id; /* its event in run.unfolding, where that is kept */
} Op;

/* ACQUIRES, RELEASES, SILENT. */
unsigned op_flags(unsigned kind);
const char *op_words(unsigned kind);

static inline bool op_dependent(const Op *a, const Op *b)
{
    if (a->thread == b->thread) return true;
    for (unsigned i = 0; i < a->n; i++)
        for (unsigned j = 0; j < b->n; j++)
            if (a->cell[i] == b->cell[j] && ((a->write >> i | b->write >> j) & 1)) return true;
    return false;
}

/* The same step of the same thread, as far as its choice is fixed. */
static inline bool op_same(const Op *a, const Op *b)
{
    return a->thread == b->thread && (a->choice == b->choice || a->choice == CHOICE_OPEN || b->choice == CHOICE_OPEN);
}
