#include "test.h"

#include "explore/explore_internal.h"
#include "net/rules.h"
#include "sat/sat.h"

/* Random 3-CNF formulas at the ratio where half of them are satisfiable, solved three ways: by the solver, as the
 * question whether an extension exists ([DPU18] Thm 5), and as the question whether an alternative exists ([DPU18] Thm
 * 4). */

typedef struct Formula {
    int variables, clauses;
    SatLit literal[600][3];
} Formula;

static void draw(Formula *f, Rng *rng, int variables)
{
    f->variables = variables;
    f->clauses = (int)(variables * 4.26 + 0.5);
    ck_assert_int_le(f->clauses, 600);
    for (int j = 0; j < f->clauses; j++)
        for (int k = 0; k < 3;) {
            SatLit v = 1 + (SatLit)rng_below(rng, (uint64_t)variables);
            bool repeated = false;
            for (int i = 0; i < k; i++) repeated |= abs(f->literal[j][i]) == v;
            if (!repeated) f->literal[j][k++] = rng_chance(rng, 2) ? v : -v;
        }
}

static bool satisfiable(const Formula *f)
{
    g_autoptr(Sat) sat = sat_new();
    sat_variables(sat, f->variables);
    for (int j = 0; j < f->clauses; j++) sat_clause(sat, f->literal[j], 3);
    return sat_solve(sat, NULL) == SAT_YES;
}

static void append_clauses(GString *rule, const Formula *f, SatLit literal)
{
    for (int j = 0; j < f->clauses; j++)
        for (int k = 0; k < 3; k++)
            if (f->literal[j][k] == literal) g_string_append_printf(rule, " d%d", j);
}

/* Variable i: p_i makes it true, then n_i false; t needs a token of every clause. Transitions p1 n1 p2 n2 ... t. */
static Net *extension_net(const Formula *f)
{
    Rules *r = rules_new("hard");
    g_autoptr(GString) rule = g_string_new(NULL);
    rules_place(r, 1, "go");
    for (int i = 1; i <= f->variables; i++) {
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
    for (int j = 0; j < f->clauses; j++) g_string_append_printf(rule, " d%d", j);
    g_string_append(rule, " ->");
    rules_add_text(r, rule->str);
    return rules_finish(r);
}

static uint32_t push_full(Config *c, uint32_t t)
{
    uint64_t *history = g_new0(uint64_t, c->words);
    for (BITSET_EACH(i, config_touch(c, t), c->words)) bitset_or(history, config_local(c, (uint32_t)i), c->words);
    bool fresh;
    uint32_t e = config_intern(c, t, history, &fresh);
    g_free(history);
    ck_assert(e != EVENT_NONE && config_push(c, e));
    return e;
}

/* Does t occur in ex(C) for the C with every p_i and n_i? The independence of the theorem: n_i depends on p_i, and
 * everything on t. */
static bool extension_exists(const Formula *f)
{
    g_autoptr(Net) net = extension_net(f);
    VecU32 pairs = {0};
    uint32_t t = net->n_transitions - 1;
    for (uint32_t u = 0; u < t; u++) {
        vec_push(&pairs, u);
        vec_push(&pairs, t);
        if (u % 2) continue;
        vec_push(&pairs, u);
        vec_push(&pairs, u + 1);
    }
    g_autoptr(Indep) indep = indep_from_pairs(net->n_transitions, pairs.data, pairs.len / 2);
    vec_free(&pairs);
    g_autoptr(NetLts) lts = netlts_new(net, 8);
    Events events;
    events_init(&events, false);
    Config c;
    config_init(&c, &lts->lts, indep, &events, CONFIG_STANDBY_STEP);
    Budget budget = budget_new(TEST_PLENTY, 0, 0);
    Extend *x = extend_new(&c, lts, EXTEND_AUTO, &budget);
    for (uint32_t u = 0; u < t; u++) {
        push_full(&c, u);
        extend_pushed(x);
    }
    uint64_t *history = g_new0(uint64_t, c.words);
    int answer = extend_exists(x, t, history);
    ck_assert_int_ne(answer, 0);
    if (answer > 0) { /* the history is a satisfying assignment, open variables do not matter */
        for (int j = 0; j < f->clauses; j++) {
            bool good = false;
            for (int k = 0; k < 3; k++) {
                uint32_t p = 2 * ((uint32_t)abs(f->literal[j][k]) - 1);
                bool up = bitset_get(history, p) && !bitset_get(history, p + 1), down = bitset_get(history, p + 1);
                good |= f->literal[j][k] > 0 ? up : down;
            }
            ck_assert(good);
        }
    }
    g_free(history);
    extend_free(x);
    config_clear(&c);
    events_clear(&events);
    return answer > 0;
}

/* Threads true_i and false_i race for variable i; the winner starts one thread per clause it satisfies, which takes
 * the lock of the clause; d_j takes the same lock. Transitions d_0 ... d_{m-1} first. */
static Net *alternative_net(const Formula *f)
{
    Rules *r = rules_new("hard");
    g_autoptr(GString) rule = g_string_new(NULL);
    for (int j = 0; j < f->clauses; j++) {
        rules_place(r, 1, "lock%d", j);
        rules_add(r, "d%d: lock%d ->", j, j);
    }
    for (int i = 1; i <= f->variables; i++) {
        rules_place(r, 1, "v%d", i);
        for (int sign = 0; sign < 2; sign++) {
            SatLit literal = sign ? -i : i;
            g_string_printf(rule, "%s%d: v%d ->", sign ? "false" : "true", i, i);
            for (int j = 0; j < f->clauses; j++)
                for (int k = 0; k < 3; k++)
                    if (f->literal[j][k] == literal) g_string_append_printf(rule, " run%d.%d", j, k);
            rules_add_text(r, rule->str);
        }
    }
    for (int j = 0; j < f->clauses; j++)
        for (int k = 0; k < 3; k++) rules_add(r, "r%d.%d: run%d.%d lock%d ->", j, k, j, k, j);
    return rules_finish(r);
}

/* With C empty, D = all d_j and every event of the net known: is there an alternative? */
static bool alternative_exists(const Formula *f)
{
    g_autoptr(Net) net = alternative_net(f);
    g_autoptr(Indep) indep = indep_new(net, RELATION_CLASSIC);
    g_autoptr(NetLts) lts = netlts_new(net, 1);
    Budget budget = budget_new(TEST_PLENTY, 0, 0);
    ExploreOptions options = {.cache = CACHE_UNLIMITED};
    Explorer *x = explore_new(&lts->lts, lts, indep, &options, &budget);
    uint32_t m = (uint32_t)f->clauses, node = NODE_NONE;
    for (uint32_t j = 0; j < m; j++) {
        uint32_t d = push_full(&x->config, j);
        config_pop(&x->config);
        node = explore_new_node(x, node, node != NODE_NONE);
        explore_node(x, node)->event = d;
        events_ref(&x->events, d);
        x->enabled_event[j] = d;
        bitset_set(x->enabled, j);
        explore_sleep(x, node);
        for (uint32_t k = 0; k < 3; k++) {
            SatLit literal = f->literal[j][k];
            push_full(&x->config, m + 2 * ((uint32_t)abs(literal) - 1) + (literal < 0));
            uint32_t r = push_full(&x->config, m + 2 * (uint32_t)f->variables + 3 * j + k);
            events_ref(&x->events, r);
            vec_push(&explore_node(x, node)->rivals, ((Rival){.f = r, .watched = r}));
            config_pop(&x->config);
            config_pop(&x->config);
        }
    }
    uint32_t n, *add = alternative_find(x, node, &n);
    ck_assert_int_eq(budget_ending(&budget), ENDING_COMPLETE);
    bool found = add != NULL;
    uint64_t *avoided = g_new0(uint64_t, bitset_words(m));
    for (uint32_t i = 0; found && i < n; i++) {
        uint32_t label = x->events.event.data[add[i]].label;
        ck_assert_uint_ge(label, m);
        if (label >= m + 2 * (uint32_t)f->variables) bitset_set(avoided, (label - m - 2 * (uint32_t)f->variables) / 3);
    }
    if (found) ck_assert_uint_eq(bitset_count(avoided, bitset_words(m)), m);
    g_free(avoided);
    g_free(add);
    explore_free(x);
    return found;
}

START_TEST(hard_questions_agree_with_the_solver)
{
    Rng rng = {17};
    int yes = 0, no = 0;
    for (int round = 0; round < 40; round++) {
        Formula f;
        draw(&f, &rng, round < 30 ? 5 + round % 10 : 50);
        bool expected = satisfiable(&f);
        ck_assert_int_eq(extension_exists(&f), expected);
        ck_assert_int_eq(alternative_exists(&f), expected);
        yes += expected && f.variables == 50;
        no += !expected && f.variables == 50;
    }
    ck_assert_int_gt(yes, 1);
    ck_assert_int_gt(no, 1);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("hard");
    TEST_CASE(suite, hard_questions_agree_with_the_solver);
    return test_run(suite);
}
