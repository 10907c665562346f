/* A net as a decision diagram sees it. Its places are divided into groups, one per level; a value of a level is what
 * its places have together, numbered as they are met (so counts need no bound that is known before). A transition is a
 * list of functions on values, one for each level that it touches, the highest first; lists with the same end share it.
 * Any division is right; a good one has few values per level and few levels per transition (levels.h). */
#pragma once
#include "base/vec.h"
#include "net/net.h"
#include "symbolic/diagram.h"
#include "symbolic/levels.h"

/* What a transition does with one place of a level: least <= count < below (0: any), then - take + give. */
typedef struct ModelChange {
    uint32_t slot; /* among the level's places */
    uint64_t least, below, take, give;
} ModelChange;

/* So many in a place of a level. */
typedef struct ModelTokens {
    uint64_t slot, count;
} ModelTokens;
typedef VEC(ModelTokens) ModelValue;

enum { MODEL_UNKNOWN = UINT32_MAX, MODEL_NONE = UINT32_MAX - 1 };
typedef struct ModelFunction {
    uint32_t level, from, len; /* slice of changes */
    VecU32 next;               /* value -> value, NONE where it is not enabled, UNKNOWN where nobody asked yet */
} ModelFunction;

enum { MODEL_END };
/* What is remembered of a tail and a node: MODEL_OPERATION + tail, node, and which of several things it is. */
enum { MODEL_OPERATION = DIAGRAM_FREE + 1 };
typedef struct ModelTail {
    uint32_t function, next; /* what is below it: a tail, MODEL_END when nothing */
} ModelTail;

/* Some transitions whose highest level is this one, all of the same effect. */
typedef struct ModelEvent {
    uint32_t function, tail, times;
    bool idle; /* they change nothing: of interest for counting only */
} ModelEvent;

/* What can happen at a value of the level: it becomes `to`, and below happens the tail. */
typedef struct ModelMove {
    uint32_t to, tail, times;
    bool idle;
} ModelMove;
typedef struct ModelMoves {
    size_t from;
    uint32_t len; /* MODEL_UNKNOWN: nobody asked yet */
} ModelMoves;

typedef struct ModelLevel {
    VecU32 places;
    VEC(ModelTokens)
    tokens;           /* of all values, one after the other; those of a value by slot, only where there are any */
    VEC(size_t) from; /* per value, and the end of the last */
    uint32_t initial;
    uint32_t *table, table_mask; /* open addressing: value + 1 */
    VEC(ModelEvent) events;
    VEC(ModelMoves) moves_of; /* per value */
    VEC(ModelMove) moves;
} ModelLevel;

typedef struct Model {
    const Net *net;
    uint32_t n_levels;
    ModelLevel *levels;       /* 0 is the lowest */
    const uint32_t *of_place; /* level, or NET_NONE: no firing changes the place; borrowed */
    uint32_t *slot;           /* of each place in its level */
    VEC(ModelFunction) functions;
    VEC(ModelChange) changes;
    VEC(ModelTail) tails;
    VecU32 chain;      /* per transition: its whole list as a tail; MODEL_NONE: never enabled */
    uint32_t n_always; /* transitions that are enabled everywhere and change nothing */
    const char *fault; /* what the diagrams cannot hold, a sentence; NULL: nothing yet */
    ModelValue scratch;
} Model;

/* Borrows both. */
Model *model_new(const Net *net, const Levels *levels);
void model_free(Model *model);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Model, model_free)

/* The value that a function makes of one, or MODEL_NONE; that too after a fault. */
uint32_t model_step_slowly(Model *model, uint32_t function, uint32_t value);
static inline uint32_t model_step(Model *model, uint32_t function, uint32_t value)
{
    const VecU32 *next = &model->functions.data[function].next;
    uint32_t to = value < next->len ? next->data[value] : MODEL_UNKNOWN;
    return to != MODEL_UNKNOWN ? to : model_step_slowly(model, function, value);
}
/* All moves at a value, those first that change nothing below. */
const ModelMove *model_moves(Model *model, uint32_t level, uint32_t value, uint32_t *n);

/* What the value's places have; those that are not there have nothing. */
static inline const ModelTokens *model_tokens(const Model *model, uint32_t level, uint32_t value, size_t *n)
{
    const ModelLevel *l = &model->levels[level];
    *n = l->from.data[value + 1] - l->from.data[value];
    return vec_from(&l->tokens, l->from.data[value]);
}
/* The values of a whole marking, the lowest level first; false: it has one that was never met, or differs where nothing
 * changes. */
bool model_locate(Model *model, const uint64_t *marking, uint32_t *values);
