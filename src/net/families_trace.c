/* Families whose traces can be counted by hand: readers, races, choices. */
#include "net/families.h"
#include "net/rules.h"

static Net *readers(uint64_t n, bool loops)
{
    Rules *r = rules_new("readers%s-%u", loops ? "-loop" : "", (unsigned)n);
    rules_place(r, 1, "p");
    for (unsigned i = 1; i <= n; i++) rules_place(r, 1, "q%u", i);
    for (unsigned i = 1; i <= n; i++) rules_place(r, 0, "r%u", i);
    for (unsigned i = 1; i <= n; i++)
        if (loops)
            rules_add(r, "t%u: q%u p -> r%u p", i, i, i);
        else
            rules_add(r, "t%u: q%u ?p -> r%u", i, i, i);
    rules_add(r, "take: p -> c");
    return rules_finish(r);
}

Net *family_readers(const GenCall *call)
{
    return readers(call->values[0], false);
}

Net *family_readers_loop(const GenCall *call)
{
    return readers(call->values[0], true);
}

Net *family_ccnf(const GenCall *call)
{
    unsigned n = (unsigned)call->values[0];
    Rules *r = rules_new("ccnf-%u", n);
    for (unsigned i = 0; i < n; i++) rules_places(r, "x* left* right*", i);
    for (unsigned i = 0; i < n; i++) {
        rules_add(r, "a%u: left%u x%u -> adone%u x%u", i, i, i, i, i);
        rules_add(r, "b%u: right%u x%u -> bdone%u x%u", i, i, i, i, i);
    }
    return rules_finish(r);
}

Net *family_choice(const GenCall *call)
{
    unsigned n = (unsigned)call->values[0];
    Rules *r = rules_new("choice-%u", n);
    for (unsigned i = 0; i < n; i++) {
        rules_place(r, 1, "p%u", i);
        rules_add(r, "a%u: p%u -> ap%u", i, i, i);
        rules_add(r, "b%u: p%u -> bp%u", i, i, i);
    }
    return rules_finish(r);
}

Net *family_chain(const GenCall *call)
{
    unsigned n = (unsigned)call->values[0];
    Rules *r = rules_new("chain-%u", n);
    for (unsigned i = 1; i < n; i++) rules_place(r, 1, "c%u", i);
    for (unsigned i = 1; i <= n; i++) rules_place(r, 1, "s%u", i);
    g_autoptr(GString) rule = g_string_new(NULL);
    for (unsigned i = 1; i <= n; i++) {
        g_string_printf(rule, "t%u: s%u", i, i);
        if (i > 1) g_string_append_printf(rule, " c%u", i - 1);
        if (i < n) g_string_append_printf(rule, " c%u", i);
        g_string_append_printf(rule, " -> e%u", i);
        rules_add_text(r, rule->str);
    }
    return rules_finish(r);
}

Net *family_independent(const GenCall *call)
{
    unsigned n = (unsigned)call->values[0];
    Rules *r = rules_new("independent-%u", n);
    for (unsigned i = 0; i < n; i++) {
        rules_place(r, 1, "p%u", i);
        rules_add(r, "t%u: p%u -> q%u", i, i, i);
    }
    return rules_finish(r);
}

Net *family_write_reads(const GenCall *call)
{
    unsigned n = (unsigned)call->values[0];
    Rules *r = rules_new("write-reads-%u", n);
    rules_place(r, 1, "x0");
    rules_place(r, 0, "x1");
    rules_place(r, 1, "writer");
    rules_add(r, "w: writer x0 -> wrote x1");
    for (unsigned i = 1; i <= n; i++) {
        rules_place(r, 1, "reader%u", i);
        rules_add(r, "r%u_0: reader%u ?x0 -> saw%u_0", i, i, i);
        rules_add(r, "r%u_1: reader%u ?x1 -> saw%u_1", i, i, i);
    }
    return rules_finish(r);
}

Net *family_counter_race(const GenCall *call)
{
    unsigned n = (unsigned)call->values[0];
    Rules *r = rules_new("counter-race-%u", n);
    for (unsigned k = 0; k < n; k++) {
        rules_place(r, k == 0, "c%u", k);
        rules_places(r, "x* writer*", k);
    }
    rules_place(r, 1, "master");
    for (unsigned k = 0; k < n; k++) rules_add(r, "w%u: writer%u x%u -> wrote%u x%u", k, k, k, k, k);
    for (unsigned k = 0; k + 1 < n; k++) rules_add(r, "count%u: c%u -> c%u", k, k, k + 1);
    for (unsigned k = 0; k < n; k++) {
        rules_add(r, "read%u: master ?c%u -> saw%u", k, k, k);
        rules_add(r, "write%u: saw%u x%u -> end x%u", k, k, k, k);
    }
    return rules_finish(r);
}
