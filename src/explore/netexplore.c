#include "explore/netexplore.h"

#include <assert.h>

/* Does the run that overflowed cover one of its own markings strictly? Without inhibitor arcs it can
 * then be repeated, each time with more tokens. Looks at the ends of the run only. */
static bool pumps(const Net *net, const Config *c)
{
    enum { MOST_MARKINGS = 4096 };
    if (net_arc_count(net, ARC_INHIBIT) || c->n > MOST_MARKINGS) return false;
    size_t p = MAX(net->n_places, 1);
    uint64_t *markings = g_new(uint64_t, p * ((size_t)c->n + 1));
    memcpy(markings, net->initial, net->n_places * sizeof(uint64_t));
    for (uint32_t i = 0; i < c->n; i++) {
        memcpy(markings + (i + 1) * p, markings + i * p, p * sizeof(uint64_t));
        bool fired = net_fire(net, markings + (i + 1) * p, c->label.data[i]);
        assert(fired);
        (void)fired;
    }
    bool covers = false;
    const uint64_t *last = markings + c->n * p;
    for (uint32_t i = 0; i < c->n && !covers; i++) {
        bool below = true, strictly = false;
        for (uint32_t q = 0; q < net->n_places && below; q++) {
            below = markings[i * p + q] <= last[q];
            strictly |= markings[i * p + q] < last[q];
        }
        covers = below && strictly;
    }
    g_free(markings);
    return covers;
}

static void start(NetExplore *run, const Net *net, const Indep *indep, unsigned width)
{
    explorer_free(run->explorer);
    netlts_free(run->lts);
    run->lts = netlts_new(net, width);
    run->explorer = explorer_new(&run->lts->lts, run->lts, indep, &run->options, run->budget);
    run->starts++;
    run->end = explorer_run(run->explorer);
}

void netexplore_run(NetExplore *run, const Net *net, const Indep *indep, const ExploreOptions *options, bool auto_cutoffs,
                    Budget *budget)
{
    *run = (NetExplore){.options = *options, .budget = budget};
    unsigned width = netlts_initial_width(net);
    for (;;) {
        start(run, net, indep, width);
        if (run->end == EXPLORE_OVERFLOW) {
            if (pumps(net, explorer_config(run->explorer))) run->end = EXPLORE_UNBOUNDED;
            if (width == 64 || run->end == EXPLORE_UNBOUNDED) return;
            width *= 2;
        } else if (run->end == EXPLORE_ENDLESS && auto_cutoffs) {
            run->options.cutoffs = true;
        } else {
            return;
        }
    }
}

void netexplore_clear(NetExplore *run)
{
    explorer_free(run->explorer);
    netlts_free(run->lts);
    *run = (NetExplore){0};
}

const char *netexplore_reason(const NetExplore *run)
{
    switch (run->end) {
    case EXPLORE_DONE: return explorer_stats(run->explorer)->leaves[LEAF_BOUND] ? "depth bound" : NULL;
    case EXPLORE_STOPPED: return budget_reason_text(run->budget->reason);
    case EXPLORE_OVERFLOW: return "a token count passes 2^64 - 1";
    case EXPLORE_ENDLESS: return "a run repeats its marking: the net does not terminate, so cutoffs are needed";
    case EXPLORE_UNBOUNDED: return "the net is unbounded";
    case EXPLORE_INVALID: return "the independence relation is not valid";
    }
    return NULL;
}

bool netexplore_complete(const NetExplore *run)
{
    return netexplore_reason(run) == NULL;
}
