/* Satisfiability as a net (after [DPU18], Theorem 5, repaired). Variable i starts undecided (s_i); p_i makes it true,
 * then n_i false. Clause place d_j holds one token per true literal of clause j; t needs one in each. The theorem's
 * independence is not valid on its net: after t, an n_i could enable another transition. Here t takes the token of
 * `go`, which every p_i and n_i reads, so that t ends everything. An all-false assignment needs every p_i and n_i. */
#include "net/families.h"
#include "net/rules.h"

typedef struct Formula {
    uint32_t variables;
    int clauses;
    const int32_t *literals; /* rows ended by 0 */
} Formula;

/* " d3 2*d7": clause places where the literal occurs, as a piece of a rule. */
static void append_clauses(GString *rule, const Formula *f, int32_t literal)
{
    const int32_t *at = f->literals;
    for (int j = 1; j <= f->clauses; j++) {
        unsigned times = 0;
        for (; *at; at++) times += *at == literal;
        at++;
        if (times == 1) g_string_append_printf(rule, " d%d", j);
        if (times > 1) g_string_append_printf(rule, " %u*d%d", times, j);
    }
}

static Net *net_of(const Formula *f, const char *name)
{
    Rules *r = rules_new("%s", name);
    g_autoptr(GString) rule = g_string_new(NULL);
    rules_place(r, 1, "go");
    for (int j = 1; j <= f->clauses; j++) rules_place(r, 0, "d%d", j);
    for (int32_t i = 1; i <= (int32_t)f->variables; i++) {
        rules_place(r, 1, "s%d", i);
        g_string_printf(rule, "p%d: s%d ?go -> true%d", i, i, i);
        append_clauses(rule, f, i);
        rules_add_text(r, rule->str);
        g_string_printf(rule, "n%d: true%d ?go", i, i);
        append_clauses(rule, f, i);
        g_string_append(rule, " ->");
        append_clauses(rule, f, -i);
        rules_add_text(r, rule->str);
    }
    g_string_assign(rule, "t: go");
    for (int j = 1; j <= f->clauses; j++) g_string_append_printf(rule, " d%d", j);
    g_string_append(rule, " ->");
    rules_add_text(r, rule->str);
    return rules_finish(r);
}

/* Three different variables per clause where there are so many. */
static int32_t *random_literals(uint32_t n, int clauses, Rng *rng)
{
    int32_t *literals = g_new(int32_t, (size_t)clauses * 4 + 1), *at = literals;
    for (int j = 0; j < clauses; j++) {
        int32_t chosen[3];
        uint32_t size = MIN(n, 3);
        for (uint32_t k = 0; k < size;) {
            chosen[k] = 1 + (int32_t)rng_below(rng, n);
            bool repeated = false;
            for (uint32_t i = 0; i < k; i++) repeated |= chosen[i] == chosen[k];
            k += !repeated;
        }
        for (uint32_t k = 0; k < size; k++) *at++ = rng_chance(rng, 2) ? chosen[k] : -chosen[k];
        *at++ = 0;
    }
    return literals;
}

Net *family_sat(const GenCall *call)
{
    if (call->literals) {
        Formula given = {call->n_variables, call->n_clauses, call->literals};
        return net_of(&given, "3sat");
    }
    uint32_t n = (uint32_t)call->values[0];
    int clauses = call->values[1] ? (int)call->values[1] : (int)(n * 43 / 10 + (n * 43 % 10 != 0));
    Rng rng = {call->seed};
    g_autofree int32_t *literals = random_literals(n, clauses, &rng);
    g_autofree char *name = g_strdup_printf("3sat-%u-%d-%" G_GUINT64_FORMAT, n, clauses, call->seed);
    Formula formula = {n, clauses, literals};
    return net_of(&formula, name);
}
