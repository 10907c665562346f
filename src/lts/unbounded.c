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

bool unbounded_on_run(const Net *net, const uint32_t *run, size_t n, Unbounded *proof)
{
    if (net_arc_count(net, ARC_INHIBIT) || !net->n_places) return false;
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
            uint32_t p = gaining_place(markings + (i - back) % kept * width, here, net->n_places);
            if (p == NET_NONE) continue;
            *proof = (Unbounded){i - back, i, p};
            return true;
        }
    }
    return false;
}
