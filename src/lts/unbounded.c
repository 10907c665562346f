#include "lts/unbounded.h"

#include <string.h>

/* At most: markings of the run that are kept, counts in them, firings, and counts that are looked at. */
enum { KEPT = 4096, KEPT_COUNTS = 1 << 21, LONGEST = 16384, EFFORT = 100000000 };

/* A place that gained when b covers a strictly; NET_NONE otherwise. *looked counts the counts. */
static uint32_t gaining_place(const uint64_t *a, const uint64_t *b, uint32_t n, size_t *looked)
{
    uint32_t place = NET_NONE, p = 0;
    while (p < n && b[p] >= a[p]) {
        if (b[p] > a[p]) place = p;
        p++;
    }
    *looked += p;
    return p < n ? NET_NONE : place;
}

/* Then t may not fire again. */
static bool inhibitor_gained(const Net *net, const uint64_t *small, const uint64_t *large, uint32_t t)
{
    NetRow row = net_places(net, ARC_INHIBIT, t);
    for (uint32_t i = 0; i < row.len; i++)
        if (small[row.node[i]] != large[row.node[i]]) return true;
    return false;
}

static uint32_t gains(const Net *net, const uint64_t *small, const uint64_t *large, const uint32_t *run, size_t n,
                      size_t *looked)
{
    uint32_t place = gaining_place(small, large, net->n_places, looked);
    if (place == NET_NONE || !net_arc_count(net, ARC_INHIBIT)) return place;
    *looked += n;
    for (size_t i = 0; i < n; i++)
        if (inhibitor_gained(net, small, large, run[i])) return NET_NONE;
    return place;
}

uint32_t unbounded_by(const Net *net, const uint64_t *small, const uint64_t *large, const uint32_t *run, size_t n)
{
    size_t looked = 0;
    return gains(net, small, large, run, n, &looked);
}

size_t unbounded_longest(const Net *net)
{
    return MIN(LONGEST, EFFORT / ((size_t)net->n_places + net->n_transitions + 1));
}

bool unbounded_on_run(const Net *net, const uint32_t *run, size_t n, Budget *budget, Unbounded *proof)
{
    if (!net->n_places) return false;
    n = MIN(n, unbounded_longest(net));
    size_t kept = MIN(MIN(n + 1, KEPT), KEPT_COUNTS / net->n_places + 2), width = net->n_places;
    g_autofree uint64_t *markings = g_new(uint64_t, kept * width);
    memcpy(markings, net->initial, width * sizeof *markings);
    size_t effort = 0;
    for (size_t i = 1; i <= n && effort < EFFORT; i++) {
        size_t before = effort;
        /* A ring: the markings before the last `kept` are forgotten. */
        uint64_t *here = markings + i % kept * width;
        memmove(here, markings + (i - 1) % kept * width, width * sizeof *here);
        if (!net_fire(net, here, run[i - 1])) return false;
        for (size_t back = 1; back < kept && back <= i; back++, effort += 4) {
            uint32_t p = gains(net, markings + (i - back) % kept * width, here, run + i - back, back, &effort);
            if (p == NET_NONE) continue;
            *proof = (Unbounded){i - back, i, p};
            return true;
        }
        /* About a nanosecond for each count. */
        if (budget_charge(budget, (uint32_t)((effort - before) / 10))) return false;
    }
    return false;
}
