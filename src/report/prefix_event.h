/* What a user asks about one event of a prefix. */
#pragma once
#include "unfold/prefix.h"

typedef struct PrefixEvent {
    uint32_t event;
    const char *transition, *label;
    uint32_t size, depth;
    uint32_t *causes, n_causes;   /* immediate ones, sorted, each once */
    uint32_t *marking, n_marking; /* of [e]: places, each as often as it has tokens */
    uint32_t companion;           /* as in the prefix */
    char *why;                    /* why it is a cutoff, or what keeps it from being one */
} PrefixEvent;

PrefixEvent *prefix_event_new(const Prefix *prefix, uint32_t event);
void prefix_event_free(PrefixEvent *event);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PrefixEvent, prefix_event_free)
