/* Runs of a net whose alike colours were made one (merge.h), as runs of the coloured net that was read. Its marking is
 * kept in colours: a binding of classes takes, from each input place, any token of these classes, which is as good as
 * every other (alike.h); what stands on no input arc is the first colour of its class. */
#pragma once
#include "base/budget.h"
#include "colour/net.h"
#include "net/net.h"

typedef struct Unmerge Unmerge;

/* `net` as it was read; it outlives the result. NULL: nothing in it is alike, or the budget ended. */
Unmerge *unmerge_new(const ColourNet *net, Budget *budget);
void unmerge_free(Unmerge *unmerge);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Unmerge, unmerge_free)

/* The firings of a run of `merged` from the initial marking, by the names that expand.h gives them; owned by the
 * caller. NULL: it is no run of that net, or the budget ended. */
GPtrArray *unmerge_run(Unmerge *unmerge, const Net *merged, const uint32_t *run, size_t n, Budget *budget);
