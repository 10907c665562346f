/* The part of a prefix that is shown: all of it, or what lies around one event. */
#pragma once
#include "base/vec.h"
#include "unfold/prefix.h"

typedef struct PrefixPart {
    const Prefix *prefix;
    bool *event, *condition; /* shown or not */
    uint32_t n_events, n_conditions;
    uint32_t around; /* the event in the middle, PREFIX_NONE when everything is shown */
} PrefixPart;

/* around = PREFIX_NONE: everything. Otherwise the events at most `radius` steps away, a step leading to
 * a cause, to an effect or to the companion, and the conditions next to them. */
PrefixPart *prefix_part_new(const Prefix *prefix, uint32_t around, uint32_t radius);
void prefix_part_free(PrefixPart *part);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PrefixPart, prefix_part_free)

/* The events that cause e, as far as its preset and reads (or its list of causes) name them; calls
 * visit once per arc. */
void prefix_part_causes(const Prefix *prefix, uint32_t e, void (*visit)(uint32_t cause, void *data), void *data);
/* The same appended, sorted and each once. */
void prefix_part_push_causes(const Prefix *prefix, uint32_t e, VecU32 *causes);
/* Sorts what is there from `first` on, and leaves each once. */
void prefix_part_sort_causes(VecU32 *causes, size_t first);
