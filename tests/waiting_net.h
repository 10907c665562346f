/* Random safe nets of two or three threads with loops: some only wait, in one or two steps, for variables, a lock or
 * another thread, some write as they turn; others look at a thread that turns, take its token away, or must not happen
 * while it is there. Nets with two tokens in a place come out too: whoever asks looks. */
#pragma once
#include "base/rng.h"
#include "net/rules.h"

/* Something to test or change that all share. */
static inline void waiting_touch(GString *in, GString *out, Rng *rng, bool change)
{
    guint x = (guint)rng_below(rng, 2), a = (guint)rng_below(rng, 2);
    if (rng_chance(rng, 4) && change) {
        g_string_append(in, " lock");
        if (rng_chance(rng, 2)) g_string_append(out, " lock");
    } else if (rng_chance(rng, 5)) {
        g_string_append(in, rng_chance(rng, 2) ? " ?lock" : " !lock");
    } else if (change && rng_chance(rng, 2)) {
        g_string_append_printf(in, " v%u_%u", x, a);
        g_string_append_printf(out, " v%u_%u", x, rng_chance(rng, 4) ? a : 1 - a);
    } else {
        g_string_append_printf(in, " ?v%u_%u", x, a);
    }
}

/* One more transition of a thread from one of its places to another one. */
static inline void waiting_step(Rules *r, Rng *rng, guint *n, const char *from, const char *to, bool change)
{
    g_autoptr(GString) rule = g_string_new(NULL), out = g_string_new(NULL);
    g_string_printf(rule, "t%u: %s", (*n)++, from);
    g_string_printf(out, " -> %s", to);
    if (!rng_chance(rng, 6)) waiting_touch(rule, out, rng, change);
    if (change && rng_chance(rng, 6)) waiting_touch(rule, out, rng, false);
    g_string_append(rule, out->str);
    rules_add_text(r, rule->str);
}

/* Steps from a place, over `middle` and back, or on. */
static inline void waiting_loop(Rules *r, Rng *rng, guint *n, guint i, guint j)
{
    g_autofree char *at = g_strdup_printf("p%u_%u", i, j), *middle = g_strdup_printf("q%u_%u", i, j),
                    *next = g_strdup_printf("p%u_%u", i, j + 1);
    switch (rng_below(rng, 4)) {
    case 0: waiting_step(r, rng, n, at, at, rng_chance(rng, 8)); break;
    case 1:
        waiting_step(r, rng, n, at, middle, false);
        waiting_step(r, rng, n, middle, at, rng_chance(rng, 8));
        waiting_step(r, rng, n, middle, next, rng_chance(rng, 2));
        if (rng_chance(rng, 3)) waiting_step(r, rng, n, middle, middle, true);
        break;
    case 2:
        if (j) {
            g_autofree char *before = g_strdup_printf("p%u_%u", i, j - 1);
            waiting_step(r, rng, n, at, before, rng_chance(rng, 8));
        }
        break;
    default: break;
    }
}

/* Another thread looks at the middle of a loop or at a place, or moves its token. */
static inline void waiting_meddle(Rules *r, Rng *rng, guint *n, guint i, guint j, guint threads)
{
    guint other = (i + 1 + (guint)rng_below(rng, threads - 1)) % threads, k = (guint)rng_below(rng, 2);
    char kind = rng_chance(rng, 2) ? 'q' : 'p';
    const char *how = rng_chance(rng, 3) ? "!" : "?";
    if (rng_chance(rng, 3))
        rules_add(r, "t%u: p%u_%u %c%u_%u -> p%u_%u p%u_%u", (*n)++, i, j, kind, other, k, i, j + 1, other, k);
    else
        rules_add(r, "t%u: p%u_%u %s%c%u_%u -> p%u_%u", (*n)++, i, j, how, kind, other, k, i, j + 1);
}

static inline Net *waiting_net(Rng *rng)
{
    Rules *r = rules_new("waiting");
    guint threads = 2 + rng_chance(rng, 3), n = 0;
    for (guint i = 0; i < threads; i++) rules_place(r, 1, "p%u_0", i);
    rules_place(r, 1, "v0_0");
    rules_place(r, 1, "v1_0");
    rules_place(r, rng_chance(rng, 2), "lock");
    for (guint i = 0; i < threads; i++) {
        guint steps = 1 + (guint)rng_below(rng, 3);
        for (guint j = 0; j < steps; j++) {
            g_autofree char *at = g_strdup_printf("p%u_%u", i, j), *next = g_strdup_printf("p%u_%u", i, j + 1);
            if (rng_chance(rng, 5))
                waiting_meddle(r, rng, &n, i, j, threads);
            else
                waiting_step(r, rng, &n, at, next, true);
            waiting_loop(r, rng, &n, i, j);
        }
    }
    return rules_finish(r);
}
