/* The events of an unfolding under an independence relation, hash-consed. An event is a pair <t,H> of
 * an action and a configuration, its history, whose maximal events all depend on t ([POET15] Def. 3). H is
 * the union of the local configurations of its maximal events, so (t, maximal events of H) names the
 * event: equal pairs get equal ids, whatever run they were met on.
 *
 * Ids are 32-bit. An event holds a reference on each of its causes; others (the explorer's stacks and
 * lists) hold theirs by events_ref(). What nobody refers to is the cache: events_trim() forgets its
 * oldest part, and ids of forgotten events are used again. Until then nothing is lost.
 *
 * `position` and `mark` belong to whoever runs over the store (config.h, the explorer). */
#pragma once
#include "base/vec.h"

#include <stdbool.h>

#define EVENT_NONE UINT32_MAX

typedef struct Event {
    uint32_t label;
    uint32_t causes;   /* first of n_causes ids in the pool, increasing: the maximal events of H */
    uint32_t position; /* in the current configuration, or EVENT_NONE */
    uint32_t mark;     /* free for the owner; 0 at birth */
    uint32_t refs;
    uint16_t n_causes;
    bool cutoff : 1;
    bool asleep : 1; /* in the explorer's set D */
    bool queued : 1; /* waits in the cache's queue */
    bool dead : 1;   /* forgotten, id free */
} Event;

/* The hash spares a look at events that are not the one wanted. */
typedef struct EventSlot {
    uint32_t hash, id; /* id + 1; 0: free */
} EventSlot;

typedef struct Events {
    VEC(Event) event;
    VecU32 pool; /* lists of causes */
    VecU32 free_ids;
    VecU32 *free_lists; /* per length: slices of the pool to use again */
    size_t n_free_lists;
    EventSlot *table; /* open addressing */
    uint32_t table_mask;
    uint32_t live;    /* events that exist now */
    uint64_t created; /* events ever made, a forgotten one made again counts twice */
    uint64_t forgotten;
    VecU32 queue; /* candidates for forgetting, a ring of growing index */
    size_t queue_from;
    bool keep_queue; /* false: the cache is unlimited and nothing is queued */
} Events;

/* `bounded` says that events_trim() will be used. */
void events_init(Events *events, bool bounded);
void events_clear(Events *events);

static inline const uint32_t *events_causes(const Events *events, uint32_t e)
{
    return vec_from(&events->pool, events->event.data[e].causes);
}

/* The event <label, history with these maximal events>, made when new. causes are n distinct ids in
 * increasing order. *fresh says whether it was made now. */
uint32_t events_intern(Events *events, uint32_t label, const uint32_t *causes, uint32_t n, bool *fresh);

static inline void events_ref(Events *events, uint32_t e)
{
    events->event.data[e].refs++;
}
void events_unref(Events *events, uint32_t e);

/* The number of unreferenced events waiting, at most (some may be referenced again). */
static inline size_t events_waiting(const Events *events)
{
    return events->queue.len - events->queue_from;
}
/* Forgets the longest-unreferenced events until at most `keep` wait. Before an id becomes free,
 * `forget` (may be NULL) is told. */
void events_trim(Events *events, size_t keep, void (*forget)(void *data, uint32_t e), void *data);

/* Bytes held. */
size_t events_bytes(const Events *events);
