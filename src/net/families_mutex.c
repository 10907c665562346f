/* Families around mutual exclusion. */
#include "net/families.h"
#include "net/rules.h"

static Net *dining(uint64_t n, bool free_of_deadlock)
{
    Rules *r = rules_new("philosophers%s-%u", free_of_deadlock ? "-free" : "", (unsigned)n);
    for (unsigned i = 0; i < n; i++) rules_places(r, "think* has eat fork*", i);
    for (unsigned i = 0; i < n; i++) {
        unsigned a = i, b = (i + 1) % (unsigned)n;
        if (free_of_deadlock && i == n - 1) a = b, b = i;
        rules_add(r, "first%u: think%u fork%u -> has%u", i, i, a, i);
        rules_add(r, "second%u: has%u fork%u -> eat%u", i, i, b, i);
        rules_add(r, "back%u: eat%u -> think%u fork%u fork%u", i, i, i, a, b);
    }
    return rules_finish(r);
}

Net *family_philosophers(const GenCall *call)
{
    return dining(call->values[0], false);
}

Net *family_philosophers_free(const GenCall *call)
{
    return dining(call->values[0], true);
}

Net *family_ring(const GenCall *call)
{
    unsigned n = (unsigned)call->values[0];
    Rules *r = rules_new("ring-%u", n);
    for (unsigned i = 0; i < n; i++) {
        rules_places(r, "idle* wait crit", i);
        rules_place(r, i == 0, "token%u", i);
    }
    for (unsigned i = 0; i < n; i++) {
        unsigned next = (i + 1) % n;
        rules_add(r, "request%u: idle%u -> wait%u", i, i, i);
        rules_add(r, "enter%u: wait%u token%u -> crit%u", i, i, i, i);
        rules_add(r, "leave%u: crit%u -> idle%u token%u", i, i, i, next);
        rules_add(r, "pass%u: token%u ?idle%u -> token%u", i, i, i, next);
    }
    return rules_finish(r);
}

Net *family_slotted_ring(const GenCall *call)
{
    unsigned n = (unsigned)call->values[0];
    Rules *r = rules_new("slotted-ring-%u", n);
    for (unsigned i = 0; i < n; i++) {
        rules_places(r, i % 2 ? "vacant* free" : "vacant free*", i);
        rules_places(r, "full idle* sent", i);
    }
    for (unsigned i = 0; i < n; i++) {
        unsigned next = (i + 1) % n;
        rules_add(r, "move_free%u: free%u vacant%u -> vacant%u free%u", i, i, next, i, next);
        rules_add(r, "move_full%u: full%u vacant%u -> vacant%u full%u", i, i, next, i, next);
        rules_add(r, "put%u: free%u idle%u -> full%u sent%u", i, i, i, i, i);
        rules_add(r, "get%u: full%u sent%u -> free%u idle%u", i, i, i, i, i);
    }
    return rules_finish(r);
}

/* Level by level: raise your level, become its victim, go on when nobody else is as high or another became the
 * victim. below{l}_{i} says that process i is below level l. */
Net *family_peterson(const GenCall *call)
{
    unsigned n = (unsigned)call->values[0];
    Rules *r = rules_new("peterson-%u", n);
    for (unsigned i = 0; i < n; i++) {
        rules_place(r, 1, "at0_%u", i);
        for (unsigned l = 1; l < n; l++) {
            rules_place(r, 0, "set%u_%u", l, i);
            rules_place(r, 0, "wait%u_%u", l, i);
            rules_place(r, 0, "at%u_%u", l, i);
            rules_place(r, 1, "below%u_%u", l, i);
            rules_place(r, 0, "up%u_%u", l, i);
        }
    }
    for (unsigned l = 1; l < n; l++)
        for (unsigned i = 0; i < n; i++) rules_place(r, i == n - 1, "victim%u_%u", l, i);
    g_autoptr(GString) rule = g_string_new(NULL);
    for (unsigned i = 0; i < n; i++) {
        for (unsigned l = 1; l < n; l++) {
            rules_add(r, "raise%u_%u: at%u_%u below%u_%u -> set%u_%u up%u_%u", l, i, l - 1, i, l, i, l, i, l, i);
            for (unsigned k = 0; k < n; k++)
                if (k == i)
                    rules_add(r, "stay%u_%u: set%u_%u ?victim%u_%u -> wait%u_%u", l, i, l, i, l, i, l, i);
                else
                    rules_add(r, "yield%u_%u_%u: set%u_%u victim%u_%u -> wait%u_%u victim%u_%u", l, i, k, l, i, l, k, l,
                              i, l, i);
            g_string_printf(rule, "alone%u_%u: wait%u_%u", l, i, l, i);
            for (unsigned k = 0; k < n; k++)
                if (k != i) g_string_append_printf(rule, " ?below%u_%u", l, k);
            g_string_append_printf(rule, " -> at%u_%u", l, i);
            rules_add_text(r, rule->str);
            for (unsigned k = 0; k < n; k++)
                if (k != i) rules_add(r, "pass%u_%u_%u: wait%u_%u ?victim%u_%u -> at%u_%u", l, i, k, l, i, l, k, l, i);
        }
        g_string_printf(rule, "exit%u: at%u_%u", i, n - 1, i);
        for (unsigned l = 1; l < n; l++) g_string_append_printf(rule, " up%u_%u", l, i);
        g_string_append_printf(rule, " -> at0_%u", i);
        for (unsigned l = 1; l < n; l++) g_string_append_printf(rule, " below%u_%u", l, i);
        rules_add_text(r, rule->str);
    }
    return rules_finish(r);
}

Net *family_dekker(const GenCall *call)
{
    unsigned n = (unsigned)call->values[0];
    Rules *r = rules_new("dekker-%u", n);
    for (unsigned i = 0; i < n; i++) rules_places(r, "idle* try crit down* up", i);
    g_autoptr(GString) rule = g_string_new(NULL);
    for (unsigned i = 0; i < n; i++) {
        rules_add(r, "raise%u: idle%u down%u -> try%u up%u", i, i, i, i, i);
        g_string_printf(rule, "enter%u: try%u", i, i);
        for (unsigned j = 0; j < n; j++)
            if (j != i) g_string_append_printf(rule, " ?down%u", j);
        g_string_append_printf(rule, " -> crit%u", i);
        rules_add_text(r, rule->str);
        for (unsigned j = 0; j < n; j++)
            if (j != i) rules_add(r, "withdraw%u_%u: try%u up%u ?up%u -> idle%u down%u", i, j, i, i, j, i, i);
        rules_add(r, "exit%u: crit%u up%u -> idle%u down%u", i, i, i, i, i);
    }
    return rules_finish(r);
}

/* id0: nobody's turn. Without clocks a process may overwrite the variable after another has entered. */
Net *family_fischer(const GenCall *call)
{
    unsigned n = (unsigned)call->values[0];
    Rules *r = rules_new("fischer-%u", n);
    for (unsigned k = 0; k <= n; k++) rules_place(r, k == 0, "id%u", k);
    for (unsigned i = 1; i <= n; i++) rules_places(r, "start* ask wait crit", i);
    for (unsigned i = 1; i <= n; i++) {
        rules_add(r, "request%u: start%u ?id0 -> ask%u", i, i, i);
        for (unsigned j = 0; j <= n; j++)
            if (j == i)
                rules_add(r, "set%u_%u: ask%u ?id%u -> wait%u", i, j, i, i, i);
            else
                rules_add(r, "set%u_%u: ask%u id%u -> wait%u id%u", i, j, i, j, i, i);
        rules_add(r, "enter%u: wait%u ?id%u -> crit%u", i, i, i, i);
        rules_add(r, "retry%u: wait%u ?id0 -> start%u", i, i, i);
        rules_add(r, "exit%u_0: crit%u ?id0 -> start%u", i, i, i);
        for (unsigned j = 1; j <= n; j++) rules_add(r, "exit%u_%u: crit%u id%u -> start%u id0", i, j, i, j, i);
    }
    return rules_finish(r);
}

Net *family_rw(const GenCall *call)
{
    unsigned n = (unsigned)call->values[0];
    Rules *r = rules_new("rw-%u", n);
    rules_place(r, 1, "ok");
    for (unsigned i = 0; i < n; i++) {
        rules_place(r, 1, "idle%u", i);
        rules_add(r, "read%u: idle%u ?ok -> got%u", i, i, i);
        rules_add(r, "back%u: got%u -> idle%u", i, i, i);
    }
    rules_add(r, "write: ok -> busy");
    rules_add(r, "done: busy -> ok");
    return rules_finish(r);
}
