/* The installed interface, as a program of somebody else uses it: through api/mazurka.h alone. */
#include "api/mazurka.h"
#include "test.h"

#include <malloc.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- nets to ask about ---- */

/* n philosophers, each takes left, then right, then both back. */
static mz_net *philosophers(uint32_t n)
{
    mz_builder *b = mz_builder_new("philosophers");
    for (uint32_t i = 0; i < n; i++) {
        g_autofree char *fork = g_strdup_printf("fork%u", i), *has = g_strdup_printf("has%u", i);
        mz_builder_place(b, fork, NULL, 1);
        mz_builder_place(b, has, NULL, 0);
    }
    for (uint32_t i = 0; i < n; i++) {
        g_autofree char *first = g_strdup_printf("first%u", i), *second = g_strdup_printf("second%u", i);
        uint32_t one = mz_builder_transition(b, first, NULL), two = mz_builder_transition(b, second, "eats");
        uint32_t left = 2 * i, right = 2 * ((i + 1) % n), has = 2 * i + 1;
        mz_builder_arc(b, MZ_PRE, left, one, 1);
        mz_builder_arc(b, MZ_POST, has, one, 1);
        mz_builder_arc(b, MZ_PRE, has, two, 1);
        mz_builder_arc(b, MZ_READ, right, two, 1);
        mz_builder_arc(b, MZ_POST, left, two, 1);
    }
    mz_error *error = NULL;
    mz_net *net = mz_builder_finish(b, &error);
    ck_assert_msg(net, "%s", error ? mz_error_message(error) : "");
    return net;
}

/* A net with 2^n markings. */
static mz_net *switches(uint32_t n)
{
    mz_builder *b = mz_builder_new("switches");
    for (uint32_t i = 0; i < n; i++) {
        g_autofree char *off = g_strdup_printf("off%u", i), *on = g_strdup_printf("on%u", i);
        g_autofree char *up = g_strdup_printf("up%u", i), *down = g_strdup_printf("down%u", i);
        uint32_t p = mz_builder_place(b, off, NULL, 1), q = mz_builder_place(b, on, NULL, 0);
        uint32_t t = mz_builder_transition(b, up, NULL), u = mz_builder_transition(b, down, NULL);
        mz_builder_arc(b, MZ_PRE, p, t, 1);
        mz_builder_arc(b, MZ_POST, q, t, 1);
        mz_builder_arc(b, MZ_PRE, q, u, 1);
        mz_builder_arc(b, MZ_POST, p, u, 1);
    }
    return mz_builder_finish(b, NULL);
}

static mz_verdict ask(const mz_net *net, const char *property)
{
    mz_error *error = NULL;
    mz_answer *answer = mz_check(net, property, NULL, NULL, &error);
    ck_assert_msg(answer, "%s: %s", property, error ? mz_error_message(error) : "");
    size_t n;
    const uint32_t *run = mz_answer_run(answer, &n);
    ck_assert_int_eq(run != NULL, mz_answer_evidence(answer) == MZ_EVIDENCE_RUN);
    if (run) {
        g_autofree uint64_t *marking = g_memdup2(mz_answer_start(answer), mz_net_places(net) * sizeof(uint64_t));
        ck_assert_uint_eq(mz_net_fire(net, marking, run, n), n);
    }
    mz_verdict verdict = mz_answer_verdict(answer);
    mz_answer_free(answer);
    return verdict;
}

/* ---- tests ---- */

START_TEST(builds_and_asks)
{
    mz_net *net = philosophers(3);
    ck_assert_str_eq(mz_net_summary(net), "6 places, 6 transitions, 15 arcs, 3 read");
    ck_assert_uint_eq(mz_net_find_place(net, "has1"), 3);
    ck_assert_uint_eq(mz_net_find_transition(net, "has1"), MZ_NONE);
    ck_assert_str_eq(mz_net_transition_label(net, 1), "eats");
    ck_assert_uint_eq(mz_net_arcs(net, MZ_READ), 3);
    ck_assert_uint_eq(mz_net_fact(net, MZ_FACT_ORDINARY), 1);
    ck_assert_int_eq(ask(net, "deadlock"), MZ_VIOLATED);
    ck_assert_int_eq(ask(net, "safe"), MZ_HOLDS);
    ck_assert_int_eq(ask(net, "reach has0 = 1 && has1 = 1"), MZ_HOLDS);
    ck_assert_int_eq(ask(net, "invariant has0 + fork0 = 1"), MZ_HOLDS);
    ck_assert_int_eq(ask(net, "fireable second2"), MZ_HOLDS);
    ck_assert_int_eq(ask(net, "reversible"), MZ_VIOLATED);
    ck_assert_int_eq(ask(net, "live"), MZ_VIOLATED);
    ck_assert_int_eq(ask(net, "live first0"), MZ_VIOLATED);
    ck_assert_int_eq(ask(net, "home deadlock"), MZ_HOLDS);
    mz_net_free(net);
}
END_TEST

/* Every door: what is wrong with a text is an error value with its place. */
START_TEST(mistakes_are_values)
{
    static const struct {
        const char *text, *file, *part;
        int line, column;
    } nets[] = {{"<pnml", "x.pnml", "", 1, 0},
                {"", "x", "", 1, 0},
                {"PEP\nPTNet\nFORMAT_N\nPL\n1\"a\"M1\nTR\n1\"t\"\nPT\n1>9\n", "x", "", 9, 0},
                {"thread t { x = 1; }", "a.mzk", "x", 1, 0}};
    for (size_t i = 0; i < G_N_ELEMENTS(nets); i++) {
        mz_error *error = NULL;
        ck_assert(!mz_net_read_bytes(nets[i].text, strlen(nets[i].text), nets[i].file, NULL, NULL, NULL, &error));
        ck_assert_str_eq(mz_error_file(error), nets[i].file);
        ck_assert_int_eq(mz_error_line(error), nets[i].line);
        ck_assert(strstr(mz_error_text(error), nets[i].part));
        ck_assert(g_str_has_suffix(mz_error_message(error), mz_error_text(error)));
        mz_error_free(error);
        ck_assert(!mz_net_read_bytes(nets[i].text, strlen(nets[i].text), nets[i].file, NULL, NULL, NULL, NULL));
    }
    static const struct {
        const char *property, *file;
        int column;
    } asked[] = {{"reach has0 >", "reach", 7},
                 {"invariant nosuch = 1", "invariant", 1},
                 {"fireable nosuch", "fireable", 0},
                 {"live nosuch", "live", 0},
                 {"home (", "home", 2},
                 {"", NULL, 0},
                 {"odd", NULL, 0},
                 {"reach", "reach", 0},
                 {"deadlock now", "deadlock", 0},
                 {"sound -1", "sound", 0},
                 {"sound", NULL, 0},
                 {"race", "race", 0}};
    mz_net *net = philosophers(2);
    for (size_t i = 0; i < G_N_ELEMENTS(asked); i++) {
        mz_error *error = NULL;
        ck_assert_msg(!mz_check(net, asked[i].property, NULL, NULL, &error), "%s", asked[i].property);
        ck_assert_msg(g_strcmp0(mz_error_file(error), asked[i].file) == 0, "%s: %s", asked[i].property,
                      mz_error_message(error));
        ck_assert_int_eq(mz_error_column(error), asked[i].column);
        mz_error_free(error);
    }
    const char *const lists[][3] = {{"odd=1", NULL},  {"engine=odd", NULL},   {"engine=walk", "engine=walk", NULL},
                                    {"seed=x", NULL}, {"relation=odd", NULL}, {"order=odd", NULL},
                                    {"", NULL}};
    for (size_t i = 0; i < G_N_ELEMENTS(lists); i++) {
        mz_error *error = NULL;
        ck_assert(!mz_check(net, "deadlock", lists[i], NULL, &error));
        ck_assert_int_eq(mz_error_code(error), MZ_ERROR_USAGE);
        mz_error_free(error);
        ck_assert(!mz_unfold(net, (const char *const[]){"cutoffs=maybe", NULL}, NULL, NULL));
        ck_assert(!mz_explore(net, lists[i][0][0] == 's' ? lists[i] : (const char *const[]){"cache=-1", NULL}, NULL,
                              NULL, NULL, NULL));
    }
    ck_assert(!mz_net_write(net, "odd", NULL, NULL));
    mz_error *error = NULL;
    ck_assert(!mz_net_write(net, "pdf", NULL, &error) && mz_error_code(error) == MZ_ERROR_USAGE);
    ck_assert_str_eq(mz_error_message(error),
                     "a net is written as pnml, ll_net, lola, tpn, net, and drawn as dot or svg, not as 'pdf'");
    mz_error_free(error);
    ck_assert(!mz_verify(net, "odd", 3, NULL, NULL, NULL));
    ck_assert(!mz_check_file(net, "/nonexistent", NULL, NULL, NULL, NULL, NULL));
    mz_net_free(net);
}
END_TEST

/* A caller prints what it is told: nothing in it is obeyed by a terminal or begins a line. */
START_TEST(messages_show_what_a_terminal_would_obey)
{
    static const char file[] = "a\nVERIFIED\x1b[2J.pnml",
                      net_text[] = "PEP\nPTNet\nFORMAT_N\nPL\n1\"p\x1b[2J\"M1\nTR\n1\"t\"\n";
    mz_error *errors[4] = {NULL};
    ck_assert(!mz_net_read_bytes("<pnml", 5, file, NULL, NULL, NULL, &errors[0]));
    ck_assert(!mz_net_read(file, NULL, NULL, NULL, &errors[1]));
    ck_assert_str_eq(mz_error_file(errors[0]), file);
    mz_net *net = mz_net_read_bytes(net_text, strlen(net_text), "n", NULL, NULL, NULL, NULL);
    ck_assert_str_eq(mz_net_place_id(net, 0), "p\x1b[2J");
    ck_assert(!mz_check(net, "reach \"q\x1b[2J\" >= 1", NULL, NULL, &errors[2]));
    ck_assert(!mz_check(net, "odd\x1b[2J\n", NULL, NULL, &errors[3]));
    for (size_t i = 0; i < G_N_ELEMENTS(errors); i++) {
        ck_assert_msg(!strpbrk(mz_error_message(errors[i]), "\n\x1b"), "%zu: %s", i, mz_error_message(errors[i]));
        ck_assert(!strpbrk(mz_error_text(errors[i]), "\n\x1b"));
        mz_error_free(errors[i]);
    }
    mz_net_free(net);
}
END_TEST

START_TEST(a_builder_tells_its_first_mistake)
{
    for (int mistake = 0; mistake < 8; mistake++) {
        mz_builder *b = mz_builder_new(mistake == 0 ? "\xff" : "net");
        uint32_t p = mz_builder_place(b, mistake == 1 ? "" : "p", NULL, 1);
        uint32_t t = mz_builder_transition(b, mistake == 2 ? "\xc3" : "t", NULL);
        if (mistake == 3) mz_builder_arc(b, MZ_PRE, p + 1, t, 1);
        if (mistake == 4) mz_builder_arc(b, MZ_PRE, p, t + 1, 1);
        if (mistake == 5) mz_builder_arc(b, MZ_PRE, p, t, 0);
        if (mistake == 6) mz_builder_place(b, "p", NULL, 0);
        if (mistake == 7) mz_builder_final(b, "q = 1");
        mz_error *error = NULL;
        ck_assert_msg(!mz_builder_finish(b, &error), "mistake %d", mistake);
        ck_assert_int_eq(mz_error_code(error), MZ_ERROR_INPUT);
        mz_error_free(error);
    }
}
END_TEST

/* What events say one by one is what the arrays say, and the causes are the producers. */
START_TEST(prefixes_are_told_twice)
{
    static const char *const relations[] = {"relation=classic", "relation=read", "relation=none"};
    mz_net *net = philosophers(3);
    for (size_t r = 0; r < G_N_ELEMENTS(relations); r++) {
        mz_prefix *p = mz_unfold(net, (const char *const[]){relations[r], NULL}, NULL, NULL);
        ck_assert_int_eq(mz_prefix_ending(p), MZ_COMPLETE);
        size_t n, n_causes;
        const uint32_t *start = mz_prefix_array(p, MZ_CAUSE_START, &n),
                       *cause = mz_prefix_array(p, MZ_CAUSE, &n_causes);
        ck_assert_uint_eq(n, mz_prefix_events(p) + 1);
        ck_assert_uint_eq(start[n - 1], n_causes);
        uint32_t cutoffs = 0;
        for (uint32_t e = 0; e < mz_prefix_events(p); e++) {
            uint32_t count, n_pre;
            const uint32_t *causes = mz_prefix_causes(p, e, &count), *pre = mz_prefix_pre(p, e, &n_pre);
            ck_assert_uint_eq(count, start[e + 1] - start[e]);
            ck_assert(!count || memcmp(causes, cause + start[e], count * sizeof *causes) == 0);
            for (uint32_t i = 0; i < count; i++) ck_assert_uint_lt(causes[i], e);
            for (uint32_t i = 0; i < n_pre; i++) {
                uint32_t producer = mz_prefix_producer(p, pre[i]);
                bool found = producer == MZ_BOTTOM;
                for (uint32_t k = 0; k < count; k++) found |= causes[k] == producer;
                ck_assert(found);
            }
            cutoffs += mz_prefix_companion(p, e) != MZ_NONE;
            g_autofree uint32_t *local = g_new(uint32_t, mz_prefix_size(p, e));
            ck_assert_uint_eq(mz_prefix_local(p, e, local), mz_prefix_size(p, e));
            ck_assert_uint_eq(local[mz_prefix_size(p, e) - 1], e);
        }
        ck_assert_uint_eq(cutoffs, mz_prefix_cutoffs(p));
        char *svg = mz_prefix_write(p, "svg", MZ_NONE, 0, &n, NULL);
        ck_assert(svg && strlen(svg) == n && g_str_has_prefix(svg, "<svg"));
        mz_free(svg);
        mz_prefix_free(p);
    }
    mz_net_free(net);
}
END_TEST

enum { N_KINDS = MZ_LEAF_STUCK + 1 };

static bool count_leaf(mz_leaf kind, const uint32_t *run, size_t length, void *data)
{
    uint64_t *counts = data;
    (void)run;
    if (kind == MZ_LEAF_AGAIN)
        memset(counts, 0, N_KINDS * sizeof *counts);
    else
        counts[kind]++;
    return length < 1000;
}

/* A thread that looks at a flag until another one sets it, if there is one. */
static mz_net *waiting(bool for_ever)
{
    mz_builder *b = mz_builder_new("waiting");
    uint32_t at = mz_builder_place(b, "at", NULL, 1), off = mz_builder_place(b, "off", NULL, 1);
    uint32_t look = mz_builder_transition(b, "look", NULL);
    mz_builder_arc(b, MZ_READ, at, look, 1);
    mz_builder_arc(b, MZ_READ, off, look, 1);
    if (!for_ever) mz_builder_arc(b, MZ_PRE, off, mz_builder_transition(b, "set", NULL), 1);
    return mz_builder_finish(b, NULL);
}

/* What is explored of a net that is then freed; leaves are counted by kind. */
static mz_exploration *explored(mz_net *net, const char *algorithm, const char *more, uint64_t *counts)
{
    g_autofree char *first = g_strdup_printf("algorithm=%s", algorithm);
    g_auto(GStrv) rest = g_strsplit(more, " ", -1);
    const char *options[5] = {first};
    for (guint i = 0; rest[i]; i++) options[i + 1] = rest[i];
    mz_error *error = NULL;
    memset(counts, 0, N_KINDS * sizeof *counts);
    mz_exploration *x = mz_explore(net, options, NULL, count_leaf, counts, &error);
    ck_assert_msg(x, "%s: %s", more, error ? mz_error_message(error) : "");
    for (mz_leaf kind = MZ_LEAF_MAXIMAL; kind <= MZ_LEAF_STUCK; kind++)
        ck_assert_uint_eq(counts[kind], mz_exploration_leaves(x, kind));
    mz_net_free(net);
    return x;
}

static mz_net *program(const char *name)
{
    g_autofree char *path =
        g_strdup_printf("%s/nets/programs/%s.mzk", g_getenv("SRCDIR") ? g_getenv("SRCDIR") : "..", name);
    mz_net *net = mz_net_read(path, NULL, NULL, NULL, NULL);
    ck_assert(net != NULL);
    return net;
}

/* Loops that wait are left out, or runs have a bound, with every algorithm. tests/test_spins.c has the figures. */
START_TEST(exploring_what_waits)
{
    static const char *const ALGORITHMS[] = {"upor", "odpor", "reverse", "sdpor", "sleep"};
    uint64_t n[N_KINDS];
    for (size_t k = 0; k < G_N_ELEMENTS(ALGORITHMS); k++) {
        static const char *const AWAITS[] = {"cutoffs=off await=on", "cutoffs=off await=auto"};
        for (size_t i = 0; k < 3 && i < G_N_ELEMENTS(AWAITS); i++) { /* the others block */
            mz_exploration *x =
                explored(program("peterson"), ALGORITHMS[k], k ? AWAITS[i] + strlen("cutoffs=off ") : AWAITS[i], n);
            ck_assert(mz_exploration_complete(x));
            ck_assert(n[MZ_LEAF_MAXIMAL] == 4 && n[MZ_LEAF_WAITING] == 4 && !n[MZ_LEAF_STUCK]);
            mz_exploration_free(x);
        }
        mz_exploration *x = explored(waiting(true), ALGORITHMS[k], "await=on", n);
        ck_assert(n[MZ_LEAF_STUCK] == 1 && !n[MZ_LEAF_MAXIMAL] && mz_exploration_complete(x));
        mz_exploration_free(x);
        x = explored(waiting(false), ALGORITHMS[k], "unroll=3",
                     n); /* set before or behind so many looks, and what is cut */
        ck_assert(n[MZ_LEAF_MAXIMAL] == 4 && !mz_exploration_complete(x));
        mz_exploration_free(x);
        x = explored(waiting(true), ALGORITHMS[k], "depth=5", n);
        ck_assert(n[MZ_LEAF_BOUND] == 1 && !n[MZ_LEAF_MAXIMAL] && !mz_exploration_complete(x));
        mz_exploration_free(x);
        x = explored(waiting(true), ALGORITHMS[k], k ? "await=off" : "cutoffs=off", n);
        ck_assert(!mz_exploration_complete(x) && mz_exploration_ending(x) == MZ_ENDLESS);
        mz_exploration_free(x);
    }
    mz_net *net = waiting(true);
    mz_error *error = NULL;
    ck_assert(!mz_explore(net, (const char *const[]){"unroll=1", "cutoffs=on", NULL}, NULL, NULL, NULL, &error));
    ck_assert_int_eq(mz_error_code(error), MZ_ERROR_USAGE);
    mz_error_free(error);
    ck_assert(!mz_explore(net, (const char *const[]){"await=late", NULL}, NULL, NULL, NULL, NULL));
    mz_net_free(net);
}
END_TEST

START_TEST(exploring_tells_every_leaf)
{
    mz_net *net = philosophers(3);
    static const char *const ways[][3] = {{NULL}, {"relation=read", NULL}, {"cutoffs=on", "order=mole", NULL}};
    for (size_t i = 0; i < G_N_ELEMENTS(ways); i++) {
        uint64_t counts[N_KINDS] = {0};
        mz_exploration *x = mz_explore(net, ways[i], NULL, count_leaf, counts, NULL);
        ck_assert(mz_exploration_complete(x));
        for (mz_leaf kind = MZ_LEAF_MAXIMAL; kind <= MZ_LEAF_BOUND; kind++)
            ck_assert_uint_eq(counts[kind], mz_exploration_leaves(x, kind));
        ck_assert_uint_eq(mz_exploration_deadlocks(x), 1);
        size_t n;
        ck_assert(mz_exploration_run(x, 0, &n) && n == 3);
        mz_exploration_free(x);
    }
    mz_net_free(net);
}
END_TEST

START_TEST(certificates_stay_in_memory)
{
    mz_net *net = philosophers(3), *other = philosophers(2);
    static const char *const asked[] = {"invariant has0 + fork0 = 1", "home deadlock", "live first0"};
    for (size_t i = 0; i < G_N_ELEMENTS(asked); i++) {
        mz_answer *answer = mz_check(net, asked[i], (const char *const[]){"certificate", NULL}, NULL, NULL);
        size_t size;
        const char *proof = mz_answer_certificate(answer, &size);
        char *claim = NULL;
        ck_assert_msg(proof && !mz_answer_unwritten(answer), "%s", asked[i]);
        ck_assert(mz_verify(net, proof, size, NULL, &claim, NULL) && claim && *claim);
        mz_free(claim);
        mz_error *error = NULL;
        ck_assert(!mz_verify(other, proof, size, NULL, &claim, &error) && !claim);
        mz_error_free(error);
        g_autofree char *broken = g_memdup2(proof, size);
        broken[size / 2] ^= 1;
        ck_assert(!mz_verify(net, broken, size, NULL, NULL, NULL));
        mz_answer_free(answer);
    }
    mz_net_free(other);
    mz_net_free(net);
}
END_TEST

/* ---- limits ---- */

static bool stop_at(void *data)
{
    int *left = data;
    return --*left < 0;
}

static void expect_unknown(const mz_net *net, mz_limits *limits, const char *reason)
{
    static const char *const options[] = {"engine=explicit", NULL};
    mz_answer *answer = mz_check(net, "invariant on0 <= 1", options, limits, NULL);
    ck_assert_int_eq(mz_answer_verdict(answer), MZ_UNKNOWN);
    ck_assert_msg(strstr(mz_answer_reason(answer), reason), "%s, not %s", mz_answer_reason(answer), reason);
    mz_answer_free(answer);
}

static gpointer cancel_soon(gpointer data)
{
    g_usleep(50000);
    mz_limits_cancel(data);
    return NULL;
}

START_TEST(limits_end_as_unknown)
{
    mz_net *net = switches(40);
    mz_limits *limits = mz_limits_new();
    mz_limits_set_time(limits, 0.05);
    expect_unknown(net, limits, "time limit");
    mz_limits_set_time(limits, 0);
    mz_limits_set_memory(limits, 20 << 20);
    expect_unknown(net, limits, "memory limit");
    mz_limits_set_memory(limits, 0);
    int left = 3;
    mz_limits_set_cancel(limits, stop_at, &left);
    expect_unknown(net, limits, "stopped");
    ck_assert_int_lt(left, 0);
    mz_limits_set_cancel(limits, NULL, NULL);
    expect_unknown(net, limits, "stopped");
    mz_limits_renew(limits);
    GThread *thread = g_thread_new("cancel", cancel_soon, limits);
    expect_unknown(net, limits, "stopped");
    g_thread_join(thread);
    mz_limits_renew(limits);
    mz_limits_set_events(limits, 7);
    mz_prefix *prefix = mz_unfold(net, NULL, limits, NULL);
    ck_assert_int_eq(mz_prefix_ending(prefix), MZ_ENDED_BY_EVENTS);
    ck_assert_uint_le(mz_prefix_events(prefix), 7);
    mz_prefix_free(prefix);
    mz_limits_free(limits);
    mz_net_free(net);
}
END_TEST

/* ---- several threads ---- */

static gpointer analyse(gpointer data)
{
    const mz_net *shared = data;
    mz_net *own = philosophers(4);
    for (int i = 0; i < 5; i++) {
        ck_assert_int_eq(ask(shared, "deadlock"), MZ_VIOLATED);
        ck_assert_int_eq(ask(own, "invariant has0 + fork0 = 1"), MZ_HOLDS);
        mz_prefix *prefix = mz_unfold(shared, (const char *const[]){"relation=read", NULL}, NULL, NULL);
        ck_assert_uint_gt(mz_prefix_events(prefix), 5);
        mz_prefix_causes(prefix, 3, NULL);
        mz_prefix_free(prefix);
        ck_assert(!mz_check(own, "reach (", NULL, NULL, NULL));
    }
    mz_net_free(own);
    return NULL;
}

START_TEST(two_analyses_at_once)
{
    mz_net *net = philosophers(5);
    GThread *threads[2];
    for (int i = 0; i < 2; i++) threads[i] = g_thread_new("analyse", analyse, net);
    analyse(net);
    for (int i = 0; i < 2; i++) g_thread_join(threads[i]);
    mz_net_free(net);
}
END_TEST

/* ---- many calls ---- */

static size_t in_use(void)
{
    return mallinfo2().uordblks;
}

START_TEST(ten_thousand_checks_leave_nothing)
{
    uint32_t most = (uint32_t)test_number("MAZURKA_CHECKS", 10000);
    size_t before = 0;
    for (uint32_t i = 0; i < most; i++) {
        mz_net *net = philosophers(2 + i % 2);
        ck_assert_int_eq(ask(net, "deadlock"), MZ_VIOLATED);
        mz_error *error = NULL;
        ck_assert(!mz_check(net, "reach x", NULL, NULL, &error));
        mz_error_free(error);
        mz_net_free(net);
        if (i == most / 10) before = in_use();
    }
    ck_assert_msg(in_use() <= before + 65536, "%zu bytes, then %zu", before, in_use());
}
END_TEST

/* A handle that keeps its net. */
START_TEST(nets_live_as_long_as_they_are_needed)
{
    mz_net *net = philosophers(2);
    mz_answer *answer = mz_check(net, "deadlock", NULL, NULL, NULL);
    mz_prefix *prefix = mz_unfold(net, NULL, NULL, NULL);
    const mz_net *nets[] = {net, net};
    mz_comparison *table = mz_compare(nets, 2, "classic,read", "erv,mole", NULL, NULL, NULL);
    mz_net_free(net);
    g_autofree uint64_t *marking = g_new(uint64_t, 4);
    mz_prefix_marking(prefix, 0, marking);
    ck_assert_uint_eq(mz_answer_start(answer)[0], 1);
    ck_assert_uint_eq(mz_comparison_rows(table), 8);
    ck_assert_str_eq(mz_comparison_row(table, 3)->order, "mole");
    mz_answer_free(answer);
    mz_comparison_free(table);
    mz_prefix_free(prefix);
}
END_TEST

/* What is written is read as an equal net. */
START_TEST(nets_are_written_in_memory)
{
    static const char *const formats[] = {"pnml", "ll_net", "net"};
    mz_net *net = philosophers(3);
    for (size_t i = 0; i < G_N_ELEMENTS(formats); i++) {
        size_t size;
        char *text = mz_net_write(net, formats[i], &size, NULL);
        mz_net *again = mz_net_read_bytes(text, size, "again", NULL, NULL, NULL, NULL);
        ck_assert(again);
        ck_assert_str_eq(mz_net_summary(again), mz_net_summary(net));
        mz_net_free(again);
        mz_free(text);
    }
    static const char *const pictures[] = {"svg", "dot"};
    for (size_t i = 0; i < G_N_ELEMENTS(pictures); i++) {
        uint32_t run[] = {0, 2, 4};
        size_t size;
        char *text = mz_net_write(net, pictures[i], &size, NULL);
        ck_assert(text && strlen(text) == size && strstr(text, "fork0"));
        mz_free(text);
        text = mz_net_write_run(net, run, 3, "read", pictures[i], &size, NULL);
        ck_assert(text && strlen(text) == size && strstr(text, "first1"));
        mz_free(text);
    }
    mz_net_free(net);
}
END_TEST

static bool stop_later(void *data)
{
    return ++*(int *)data > 5;
}

/* What was made before a caller cancels stays, also when the next relation has not even begun. */
START_TEST(a_cancelled_comparison_has_its_rows)
{
    mz_limits *limits = mz_limits_new();
    const mz_net *net = switches(40);
    mz_error *error = NULL;
    int asked = 0;
    mz_limits_set_cancel(limits, stop_later, &asked);
    mz_comparison *rows = mz_compare(&net, 1, "none,classic", NULL, NULL, limits, &error);
    ck_assert_msg(rows, "%s", error ? mz_error_message(error) : "");
    ck_assert_uint_eq(mz_comparison_rows(rows), 1);
    ck_assert_int_eq(mz_comparison_row(rows, 0)->ending, MZ_ENDED_BY_CANCEL);
    mz_comparison_free(rows);
    mz_limits_free(limits);
    mz_net_free((mz_net *)net);
}
END_TEST

/* ---- mistakes of programs ---- */

static void null_net(void)
{
    mz_net_places(NULL);
}

static void null_property(void)
{
    mz_check(philosophers(2), NULL, NULL, NULL, NULL);
}

static void net_freed(void)
{
    mz_net *net = philosophers(2);
    mz_net_free(net);
    mz_net_places(net);
}

static void net_freed_twice(void)
{
    mz_net *net = philosophers(2);
    mz_net_free(net);
    mz_net_free(net);
}

static void builder_finished(void)
{
    mz_builder *builder = mz_builder_new("b");
    mz_net_free(mz_builder_finish(builder, NULL));
    mz_builder_place(builder, "p", NULL, 0);
}

static void limits_freed(void)
{
    mz_limits *limits = mz_limits_new();
    mz_limits_free(limits);
    mz_check(philosophers(2), "deadlock", NULL, limits, NULL);
}

static void answer_freed(void)
{
    mz_answer *answer = mz_check(philosophers(2), "deadlock", NULL, NULL, NULL);
    mz_answer_free(answer);
    mz_answer_verdict(answer);
}

static void answer_freed_twice(void)
{
    mz_answer *answer = mz_check(philosophers(2), "deadlock", NULL, NULL, NULL);
    mz_answer_free(answer);
    mz_answer_free(answer);
}

static void prefix_freed(void)
{
    mz_prefix *prefix = mz_unfold(philosophers(2), NULL, NULL, NULL);
    mz_prefix_free(prefix);
    mz_prefix_events(prefix);
}

static void exploration_freed(void)
{
    mz_exploration *exploration = mz_explore(philosophers(2), NULL, NULL, NULL, NULL, NULL);
    mz_exploration_free(exploration);
    mz_exploration_events(exploration);
}

static void invariants_freed(void)
{
    mz_invariants *invariants = mz_net_invariants(philosophers(2), NULL);
    mz_invariants_free(invariants);
    mz_invariants_count(invariants);
}

static void comparison_freed(void)
{
    const mz_net *net = philosophers(2);
    mz_comparison *comparison = mz_compare(&net, 1, NULL, NULL, NULL, NULL, NULL);
    mz_comparison_free(comparison);
    mz_comparison_rows(comparison);
}

static void error_freed(void)
{
    mz_error *error = NULL;
    mz_check(philosophers(2), "no such word", NULL, NULL, &error);
    mz_error_free(error);
    mz_error_line(error);
}

static void foreign_handle(void)
{
    mz_net_places((const mz_net *)mz_unfold(philosophers(2), NULL, NULL, NULL));
}

static void number_of_no_place(void)
{
    mz_net_place_id(philosophers(2), 4);
}

static void number_of_no_event(void)
{
    mz_prefix *prefix = mz_unfold(philosophers(2), NULL, NULL, NULL);
    mz_prefix_transition(prefix, mz_prefix_events(prefix));
}

#ifdef NDEBUG
#define MISTAKES_END 0
#else
#define MISTAKES_END 1
#endif

/* In processes of their own: none of them comes to its end. */
START_TEST(mistakes_of_programs_are_asserted)
{
    static void (*const mistakes[])(void) = {
        null_net,     null_property,      net_freed,          net_freed_twice,    builder_finished, limits_freed,
        answer_freed, answer_freed_twice, prefix_freed,       exploration_freed,  invariants_freed, comparison_freed,
        error_freed,  foreign_handle,     number_of_no_place, number_of_no_event,
    };
    for (size_t i = 0; MISTAKES_END && i < G_N_ELEMENTS(mistakes); i++) {
        pid_t child = fork();
        if (child == 0) {
            if (!freopen("/dev/null", "w", stderr)) _exit(1);
            mistakes[i]();
            _exit(0);
        }
        int status;
        ck_assert_int_eq(waitpid(child, &status, 0), child);
        ck_assert_msg(!WIFEXITED(status) || WEXITSTATUS(status), "mistake %zu was not noticed", i);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("api");
    TEST_CASE(suite, builds_and_asks);
    TEST_CASE(suite, mistakes_are_values);
    TEST_CASE(suite, messages_show_what_a_terminal_would_obey);
    TEST_CASE(suite, a_builder_tells_its_first_mistake);
    TEST_CASE(suite, prefixes_are_told_twice);
    TEST_CASE(suite, exploring_tells_every_leaf);
    TEST_CASE(suite, exploring_what_waits);
    TEST_CASE(suite, certificates_stay_in_memory);
    TEST_CASE(suite, limits_end_as_unknown);
    TEST_CASE(suite, two_analyses_at_once);
    TEST_CASE(suite, ten_thousand_checks_leave_nothing);
    TEST_CASE(suite, nets_live_as_long_as_they_are_needed);
    TEST_CASE(suite, nets_are_written_in_memory);
    TEST_CASE(suite, a_cancelled_comparison_has_its_rows);
    TEST_CASE(suite, mistakes_of_programs_are_asserted);
    return test_run(suite);
}
