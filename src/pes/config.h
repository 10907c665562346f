/* The configuration that is being explored: a stack of events in an order that extends causality.
 * Everything about it is kept as bit sets over stack positions, so it costs nothing per event of the
 * store: local(i) is the local configuration of the i-th event (itself included), touch(t) are the
 * positions whose action depends on t. In these terms ([POET15] sec. 4, [DPU18] sec. 5):
 *   - the history of t after C is the union of local(i) over touch(t);
 *   - an event <t,H> with H inside C is enabled at C iff touch(t) is inside H, otherwise it conflicts
 *     with the positions touch(t) \ H;
 *   - C and the local configuration of a stored event f form a configuration iff for every g in
 *     [f] \ C all of touch(label g) lies below g.
 * All sets have `words` words; they grow together when the stack passes 64 * words events.
 *
 * Without a store of events (events is NULL) nothing is kept but the stack itself: then config_push_next() and what
 * asks about sets of positions serve, and nothing that speaks of stored events.
 *
 * The state after C is at hand. The state after another configuration is recomputed from the nearest
 * standby state: that of local(i), kept when it was asked for and i is divisible by the step ([SPOE20] sec.
 * 4.1). Step 0 keeps none, and every state is recomputed from the initial one. */
#pragma once
#include "base/bitset.h"
#include "lts/indep.h"
#include "lts/lts.h"
#include "pes/events.h"
#include "pes/trees.h"

typedef struct Config {
    const Lts *lts;
    const Indep *indep;
    Events *events; /* may be NULL */
    uint32_t n;
    uint32_t words;
    VecU32 event, label;                          /* by position */
    uint64_t *local_sets;                         /* words * 64 rows */
    uint32_t *class_of;                           /* by action: which depend on the same actions */
    uint32_t n_classes, *class_start, *class_row; /* by class: those whose actions depend on its actions */
    uint64_t *touch_sets;                         /* n_classes rows */
    uint64_t *state;
    uint32_t standby_step;
    uint64_t *standing; /* positions i whose state after local(i) is in standby, row i / step */
    VecU64 standby;
    const Trees *trees; /* NULL, or config_fits() asks them instead of the bit sets */
    VecU32 *chain;      /* with trees, by clique: the positions of its events, that at depth d at d - 1 */
    VecU64 scratch;     /* config_fits(): sets of events outside */
    VecU32 outside;     /* config_fits(): [f] \ C in causal order */
    VecU32 walk;
    VecU32 maximal; /* config_is_event(), config_causes() */
} Config;

/* A standby step for those who have no opinion. */
enum { CONFIG_STANDBY_STEP = 1 };

void config_init(Config *config, const Lts *lts, const Indep *indep, Events *events, uint32_t standby_step);
void config_clear(Config *config);
/* Lets config_fits() use trees, which know every event that will be asked about. Before any push. */
void config_use_trees(Config *config, const Trees *trees);

static inline uint64_t *config_local(const Config *c, uint32_t position)
{
    return c->local_sets + (size_t)position * c->words;
}
static inline uint64_t *config_touch(const Config *c, uint32_t label)
{
    return c->touch_sets + (size_t)c->class_of[label] * c->words;
}

/* Does the next push need larger sets? The bytes that it fills then: to be asked of a budget before. */
static inline bool config_is_full(const Config *config)
{
    return config->n == config->words * 64;
}
uint64_t config_growth(const Config *config);
/* Adds an event whose causes are in C and that conflicts with none of them. False, C unchanged, when
 * the new state does not fit the Lts's layout, or when the action is not even enabled: then the
 * independence relation is wrong. */
bool config_push(Config *config, uint32_t e);
/* Adds the event of this action that is enabled at C, as config_push() does; with a store it is interned. */
bool config_push_next(Config *config, uint32_t label);
void config_pop(Config *config);

/* Is there an event <label, H>: do all maximal events of H (a set of positions, causally closed) depend on label?
 * config->maximal lists their positions, the highest first. */
bool config_is_event(Config *config, uint32_t label, const uint64_t *history);
/* The positions of the immediate causes of the i-th event, the highest first, to config->maximal. */
void config_causes(Config *config, uint32_t i);

/* The event <label, H> of the store, or EVENT_NONE when config_is_event() says that there is none. */
uint32_t config_intern(Config *config, uint32_t label, const uint64_t *history, bool *fresh);

/* The lowest position in touch(label) outside H: the first event of C that conflicts with <label,H>,
 * or EVENT_NONE when the event is enabled at C. */
uint32_t config_first_conflict(const Config *config, uint32_t label, const uint64_t *history);

/* An event of [e] outside C, e itself or one below it, that has all of its causes in C. */
uint32_t config_descend(const Config *config, uint32_t e);
/* The lowest position of an event of C that conflicts with e, all of whose causes are in C; or EVENT_NONE. */
uint32_t config_conflict_of(const Config *config, uint32_t e);

/* Is C with [f] a configuration without events asleep in [f] \ C? If so, config->outside lists [f] \ C in
 * an order to push. Otherwise *conflict is the lowest position of an event of C that conflicts with [f],
 * or it is EVENT_NONE and *asleep is an event in the way. */
bool config_fits(Config *config, uint32_t f, uint32_t *conflict, uint32_t *asleep);

/* The state after the sub-configuration H; false as config_push(). */
bool config_state_of(Config *config, const uint64_t *history, uint64_t *state);
/* The state after [f], of any stored event f; false as config_push(). Overwrites config->outside. */
bool config_state_of_event(Config *config, uint32_t f, uint64_t *state);
