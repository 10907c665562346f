#include "lts/unbounded.h"

#include <string.h>

/* Markings of the run that are kept, and comparisons of counts, at most. */
enum { KEPT = 4096, EFFORT = 100000000 };

/* A place that gained when b covers a strictly; NET_NONE otherwise. */
static uint32_t gaining_place(const uint64_t *a, const uint64_t *b, uint32_t n)
{
    uint32_t place = NET_NONE;
    for (uint32_t p = 0; p < n; p++) {
        if (b[p] < a[p]) return NET_NONE;
        if (b[p] > a[p]) place = p;
    }
    return place;
}

static bool inhibits(const Net *net, const uint64_t *small, const uint64_t *large, uint32_t t)
{
    NetRow row = net_places(net, ARC_INHIBIT, t);
    for (uint32_t i = 0; i < row.len; i++)
        if (small[row.node[i]] != large[row.node[i]]) return true;
    return false;
}

uint32_t unbounded_by(const Net *net, const uint64_t *small, const uint64_t *large, const uint32_t *run, size_t n)
{
    uint32_t place = gaining_place(small, large, net->n_places);
    if (place == NET_NONE || !net_arc_count(net, ARC_INHIBIT)) return place;
    for (size_t i = 0; i < n; i++)
        if (inhibits(net, small, large, run[i])) return NET_NONE;
    return place;
}

bool unbounded_on_run(const Net *net, const uint32_t *run, size_t n, Unbounded *proof)
{
    if (!net->n_places) return false;
    size_t kept = MIN(MIN(n + 1, KEPT), EFFORT / net->n_places + 1), width = net->n_places;
    g_autofree uint64_t *markings = g_new(uint64_t, kept * width);
    memcpy(markings, net->initial, width * sizeof *markings);
    size_t effort = 0;
    for (size_t i = 1; i <= n; i++) {
        /* A ring: the markings before the last `kept` are forgotten. */
        uint64_t *here = markings + i % kept * width;
        memmove(here, markings + (i - 1) % kept * width, width * sizeof *here);
        if (!net_fire(net, here, run[i - 1])) return false;
        for (size_t back = 1; back < kept && back <= i && effort < EFFORT; back++, effort += 4) {
            uint32_t p = unbounded_by(net, markings + (i - back) % kept * width, here, run + i - back, back);
            if (p == NET_NONE) continue;
            *proof = (Unbounded){i - back, i, p};
            return true;
        }
    }
    return false;
}
