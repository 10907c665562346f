/* Random nets like programs: three or four threads, each a line of steps over locks, variables of two values, a
 * resource and a counter that all share. A step may touch two of them, choose, skip, end its thread, or take away or
 * look at the place of another thread. So a run has races at many of its events, sequences that reverse them have
 * something to leave out, and who is disabled by one action may be asleep because of another; nets of random arcs
 * (gen.h) have that hardly ever. Every run ends: each step moves its thread on. */
#pragma once
#include "base/rng.h"
#include "net/rules.h"

enum { THREAD_STEPS = 4, THREAD_OBJECTS = 7 };

/* What a transition of thread `self` takes, looks at and gives of one shared object, 0 to THREAD_OBJECTS - 1. */
static inline void thread_touch(GString *in, GString *out, Rng *rng, guint object, guint self, guint threads)
{
    guint x = object % 2, a = (guint)rng_below(rng, 2);
    bool test;
    switch (object) {
    case 0: /* locks, mostly given back */
    case 1:
        g_string_append_printf(in, " lock%u", x);
        if (!rng_chance(rng, 5)) g_string_append_printf(out, " lock%u", x);
        break;
    case 2: /* variables, tested or changed */
    case 3:
        test = rng_chance(rng, 2);
        g_string_append_printf(in, " %sv%u_%u", test ? "?" : "", x, a);
        if (!test) g_string_append_printf(out, " v%u_%u", x, 1 - a);
        break;
    case 4:
        if (rng_chance(rng, 3))
            g_string_append(out, " counter");
        else
            g_string_append_printf(in, " %s2*counter", a ? "!" : rng_chance(rng, 2) ? "?" : "");
        break;
    case 5: g_string_append(in, rng_chance(rng, 4) ? " !resource" : " resource"); break;
    default: { /* another thread */
        guint step = (guint)rng_below(rng, THREAD_STEPS);
        guint other = (self + 1 + (guint)rng_below(rng, threads - 1)) % threads;
        g_string_append_printf(in, " %sp%u_%u", rng_chance(rng, 3) ? "" : a ? "?" : "!", other, step);
    }
    }
}

static inline void thread_transition(Rules *r, Rng *rng, guint n, guint self, guint step, guint threads)
{
    GString *rule = g_string_new(NULL), *out = g_string_new(NULL);
    guint first = (guint)rng_below(rng, THREAD_OBJECTS), next = rng_chance(rng, 4) ? THREAD_STEPS : step + 1;
    g_string_printf(rule, "t%u: p%u_%u", n, self, step);
    g_string_printf(out, " -> p%u_%u", self, next);
    if (!rng_chance(rng, 6)) thread_touch(rule, out, rng, first, self, threads);
    if (rng_chance(rng, 2))
        thread_touch(rule, out, rng, (first + 1 + (guint)rng_below(rng, THREAD_OBJECTS - 1)) % THREAD_OBJECTS, self,
                     threads);
    g_string_append(rule, out->str);
    rules_add_text(r, rule->str);
    g_string_free(rule, TRUE);
    g_string_free(out, TRUE);
}

static inline Net *thread_net_of(Rng *rng, guint threads, guint steps)
{
    Rules *r = rules_new("threads");
    guint n = 0, at[8] = {0};
    for (guint i = 0; i < threads; i++) rules_place(r, 1, "p%u_0", i);
    for (guint x = 0; x < 2; x++) {
        rules_place(r, 1, "lock%u", x);
        rules_place(r, 1, "v%u_0", x);
    }
    rules_place(r, rng_below(rng, 3), "counter");
    rules_place(r, 1 + rng_below(rng, 3), "resource");
    for (guint k = 0; k < steps; k++) {
        guint i = k % threads;
        guint choices = 1 + !rng_chance(rng, 3);
        for (guint c = 0; c < choices; c++) thread_transition(r, rng, n++, i, at[i], threads);
        at[i]++;
    }
    return rules_finish(r);
}

static inline Net *thread_net(Rng *rng)
{
    guint threads = 3 + (guint)rng_below(rng, 2);
    return thread_net_of(rng, threads, 7 + (guint)rng_below(rng, 6));
}

/* With hundreds of traces, often. */
static inline Net *large_thread_net(Rng *rng)
{
    guint threads = 4 + (guint)rng_below(rng, 2);
    return thread_net_of(rng, threads, 12 + (guint)rng_below(rng, 5));
}
