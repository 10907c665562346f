/* Errors of programs with their positions, the shape of compiled nets, and counts of traces by a naive search. */
#include "base/error.h"
#include "naive.h"
#include "program/open.h"
#include "test.h"

#include <glib/gstdio.h>

static const struct {
    const char *text, *message; /* after "p.mzk:" */
} errors[] = {
    {"var x : 0..3 = 0\nthread t { }", "2:1: ';' is expected before 'thread'"},
    {"var x : 0..3 = 5;\nthread t { }", "1:16: the initial value 5 is outside the domain 0..3 of 'x'"},
    {"var x : 3..0;\nthread t { }", "1:5: the domain 3..0 is empty"},
    {"var a[2] : bool = [1];\nthread t { }", "1:5: 'a' has more elements than initial values"},
    {"var a[2] : bool = [1, 0, 1];\nthread t { }", "1:5: 'a' has fewer elements than initial values"},
    {"var a[0] : bool;\nthread t { }", "1:7: an array needs at least one element"},
    {"thread t { x = 1; }", "1:12: 'x' is not declared"},
    {"var x : 0..1;\nthread t { x = 2; }", "2:16: the value 2 is outside the domain 0..1 of 'x'"},
    {"thread t { var x : bool = 2; }", "1:27: the value 2 is outside the domain 0..1 of 'x'"},
    {"var x : 0..1;\nthread t { lock(x); }", "2:17: 'x' is a variable, but a mutex is expected here"},
    {"mutex m;\nthread t { m = 1; }", "2:12: 'm' is a mutex, but a variable is expected here"},
    {"mutex m;\nvar x : bool;\nthread t { x = m; }", "3:16: 'm' is a mutex, but a value is expected here"},
    {"mutex m;\nthread t { join m; }", "2:12: 'm' is a mutex, but a thread is expected here"},
    {"mutex m;\nthread t { var c = 0; signal(c); }",
     "2:30: 'c' is a local name, but a condition variable is expected here"},
    {"mutex m;\nthread t { unlock(m); }", "2:12: thread t never holds this mutex here"},
    {"mutex m, n;\nthread t { lock(m); unlock(n); }", "2:21: thread t never holds this mutex here"},
    {"mutex m; cond c;\nthread t { wait(c, m); }", "2:12: thread t never holds this mutex here"},
    {"mutex m; cond c;\nthread t { atomic { wait(c, m); } }",
     "2:21: wait takes two steps and cannot stand in an atomic block"},
    {"var a[3] : bool;\nthread t { a[3] = 1; }", "2:14: the index 3 is outside 0..2 of 'a'"},
    {"var a[3] : bool;\nthread t { a = 1; }", "2:12: 'a' is an array and needs an index"},
    {"var x : bool;\nthread t { x[0] = 1; }", "2:12: 'x' is not an array"},
    {"thread t { break; }", "1:12: 'break' stands outside any loop"},
    {"thread t { goto a; }", "1:12: there is no label 'a' in this thread"},
    {"thread t { a: skip; a: skip; }", "1:21: the label 'a' stands twice in this thread"},
    {"thread t { atomic { a: skip; } }", "1:21: a label cannot stand in an atomic block"},
    {"thread t { var i = 0; while (true) { i = 1 - i; } }", "1:38: this loop takes no step"},
    {"thread t { var i = 0; atomic { while (true) { i = 1 - i; } } }", "1:47: this atomic block does not seem to end"},
    {"thread t { for i in 0..1 { i = 2; } }", "1:28: 'i' cannot be assigned to"},
    {"thread t for i in 0..1 { i = 2; }", "1:26: 'i' cannot be assigned to"},
    {"thread t { var x = 1; var x = 2; }", "1:23: 'x' already has a meaning here"},
    {"param N = 3;\nparam N = 4;\nthread t { }", "2:7: 'N' is declared twice; the first time on line 1"},
    {"var x : bool;\nparam N = x;\nthread t { }", "2:11: a parameter's default must be a constant"},
    {"thread t { if (1 { } }", "1:18: ')' is expected before '{'"},
    {"thread t { skip }", "1:17: ';' is expected before '}'"},
    {"thread t { skip;", "1:17: '}' is expected, but the program ends here"},
    {"var x : bool;", "1:5: the program has no threads"},
    {"", "1:1: there is no program here"},
    {"thread t(p) { skip; }", "1:8: 't' has parameters, but no statement creates it"},
    {"thread t(p) { skip; }\nthread u { create t(1, 2); }", "2:12: 't' has 1 parameters, but 2 arguments stand here"},
    {"thread t for i in 0..1 { }\nthread u { create t; }", "2:12: 't' is replicated over 1 indices, but 0 stand here"},
    {"thread t for i in 0..1 { }\nthread u { create t[2]; }", "2:21: there is no t with index 2"},
    {"thread t for i in 1..100000 { }", "1:14: there are more than 10000 threads"},
    {"thread t { $ }", "1:12: this character means nothing here"},
    {"thread t { /* skip; }", "1:22: the file ends inside a comment"},
    {"thread while { }", "1:8: a thread's name is expected before 'while'"},
    {"var x : 0..99999999999999999999;", "1:12: this number is too large"},
    {"var x : int;\nthread t { }", "1:5: the domain of the shared variable 'x' has more than 65536 values"},
    {"var x : 0..3;\nthread t { x = any(2..1); }", "2:16: there is no value in 2..1"},
    {"atomic mutex m;", "1:8: 'var' is expected before 'mutex'"},
    {"thread t { x + 1; }", "1:14: '=' is expected before '+'"},
};

START_TEST(errors_have_positions)
{
    for (size_t i = 0; i < G_N_ELEMENTS(errors); i++) {
        GError *error = NULL;
        Compiled *program = compile_program(errors[i].text, strlen(errors[i].text), "p.mzk", NULL, &error);
        ck_assert_msg(!program, "accepted: %s", errors[i].text);
        g_autofree char *expected = g_strdup_printf("p.mzk:%s", errors[i].message);
        ck_assert_msg(g_str_has_prefix(error->message, expected), "%s\ninstead of\n%s", error->message, expected);
        g_error_free(error);
    }
}
END_TEST

static Compiled *compile(const char *text, char **defines)
{
    GError *error = NULL;
    Compiled *program = compile_program(text, strlen(text), "p.mzk", defines, &error);
    ck_assert_msg(program, "%s\n%s", error ? error->message : "", text);
    return program;
}

/* Deep or endless input ends with an error, not with the stack. */
START_TEST(deep_nesting_is_refused)
{
    static const char *const pieces[] = {"(", "!", "-", "1+", "x?", "if(1)", "{", "while(1){", "choose{", "a:"};
    for (size_t i = 0; i < G_N_ELEMENTS(pieces); i++) {
        g_autoptr(GString) text = g_string_new(i < 5 ? "var x:bool; thread t { x = " : "thread t { ");
        for (int n = 0; n < 100000; n++) g_string_append(text, pieces[i]);
        GError *error = NULL;
        ck_assert(!compile_program(text->str, text->len, "p.mzk", NULL, &error));
        ck_assert(g_str_has_prefix(error->message, "p.mzk:1:"));
        g_error_free(error);
    }
    g_autoptr(GString) flat = g_string_new("var x:bool; thread t { x = 1;");
    for (int n = 0; n < 2000; n++) g_string_append(flat, "x = 0;");
    g_string_append(flat, "}");
    g_autoptr(Compiled) program = compile(flat->str, NULL);
    ck_assert_uint_gt(program->net->n_transitions, 2000);
}
END_TEST

START_TEST(net_has_the_promised_shape)
{
    g_autoptr(Compiled) p = compile("var x : 0..3 = 1;\n"
                                    "mutex m;\n"
                                    "thread t for i in 1..2 {\n"
                                    "    lock(m);\n"
                                    "    x = 1;\n"
                                    "    here: if (x == 2)\n"
                                    "        x = 3;\n"
                                    "    unlock(m);\n"
                                    "}\n",
                                    NULL);
    const Net *net = p->net;
    ck_assert_str_eq(net->name, "p");
    ck_assert_str_eq(net->final, "t_1_end >= 1 && t_2_end >= 1");
    ck_assert_ptr_null(p->errors);
    ck_assert_ptr_nonnull(p->races);
    /* x keeps the values it can have: 1 and, by the text, 3 after 2, which never comes */
    ck_assert_uint_ne(net_find_place(net, "x_1"), NET_NONE);
    ck_assert_uint_eq(net_find_place(net, "x_2"), NET_NONE);
    ck_assert_uint_eq(net_find_place(net, "x_3"), NET_NONE);
    ck_assert_uint_ne(net_find_place(net, "m_free"), NET_NONE);
    ck_assert_uint_eq(net_find_place(net, "m_held"), NET_NONE);
    ck_assert_uint_ne(net_find_place(net, "t_1_here"), NET_NONE);
    /* per thread: lock, write, read, unlock */
    ck_assert_uint_eq(net->n_transitions, 8);
    uint32_t write = net_find_transition(net, "t_1_L5_t1"), read = net_find_transition(net, "t_1_L6_t2"),
             x = net_find_place(net, "x_1");
    ck_assert_uint_ne(write, NET_NONE);
    ck_assert_uint_ne(read, NET_NONE);
    ck_assert_str_eq(net_transition_label(net, write), "t[1]: line 5: x = 1 [x: 1 -> 1]");
    ck_assert_str_eq(net_transition_note(net, write), "p.mzk:5:5");
    /* a write of the same value consumes and produces, a read has a read arc */
    ck_assert_uint_eq(net_arc_weight(net, ARC_PRE, write, x), 1);
    ck_assert_uint_eq(net_arc_weight(net, ARC_POST, write, x), 1);
    ck_assert_uint_eq(net_arc_weight(net, ARC_READ, read, x), 1);
    ck_assert_uint_eq(net_arc_weight(net, ARC_PRE, read, x), 0);
}
END_TEST

START_TEST(dead_locals_make_no_places)
{
    g_autoptr(Compiled) p = compile("thread t { var l : 0..9 = any(0..9); skip; skip; }", NULL);
    ck_assert_uint_eq(p->net->n_transitions, 3); /* the ten choices are one */
    g_autoptr(Compiled) q = compile("thread t { var l : 0..9 = any(0..9); skip; assert(l < 10); }", NULL);
    ck_assert_uint_eq(q->net->n_transitions, 20);
    ck_assert_ptr_null(q->errors);
}
END_TEST

START_TEST(parameters_can_be_set)
{
    const char *text = "param N = 2; const M = N * 2; var x[M] : bool; thread t { x[N] = 1; }";
    g_autoptr(Compiled) p = compile(text, NULL);
    ck_assert_uint_ne(net_find_place(p->net, "x_3_0"), NET_NONE);
    ck_assert_uint_eq(net_find_place(p->net, "x_4_0"), NET_NONE);
    char *defines[] = {"N=3", NULL};
    g_autoptr(Compiled) q = compile(text, defines);
    ck_assert_uint_ne(net_find_place(q->net, "x_5_0"), NET_NONE);
    static const struct {
        char *define;
        const char *message;
    } wrong[] = {{"M=3", "-D M=3: p.mzk has no parameter 'M'; it has N"},
                 {"N", "-D N: NAME=VALUE is expected"},
                 {"N=x", "-D N=x: an integer is expected after '='"},
                 {"NN=1", "-D NN=1: p.mzk has no parameter 'NN'; it has N"}};
    for (size_t i = 0; i < G_N_ELEMENTS(wrong); i++) {
        char *list[] = {wrong[i].define, NULL};
        GError *error = NULL;
        ck_assert(!compile_program(text, strlen(text), "p.mzk", list, &error));
        ck_assert_str_eq(error->message, wrong[i].message);
        g_error_free(error);
    }
}
END_TEST

START_TEST(programs_are_told_from_nets)
{
    g_autofree char *folder = g_dir_make_tmp("mazurka-XXXXXX", NULL);
    static const struct {
        const char *name, *text;
        bool program;
    } files[] = {{"a.txt", "// a comment\nthread t { skip; }", true},
                 {"b.mzk", "# another\n/* and */ mutex m; thread t { }", true},
                 {"c.mzk", "PEP\nPTNet\nFORMAT_N\nPL\n1\"p\"M1\nTR\n1\"t\"\nTP\nPT\n1>1\n", false},
                 {"d", "PEP\nPTNet\nFORMAT_N\nPL\n1\"p\"M1\nTR\n1\"t\"\nTP\nPT\n1>1\n", false}};
    for (size_t i = 0; i < G_N_ELEMENTS(files); i++) {
        g_autofree char *path = g_build_filename(folder, files[i].name, NULL);
        ck_assert(g_file_set_contents(path, files[i].text, -1, NULL));
        g_autoptr(Compiled) read = open_file(path, NULL, NULL);
        ck_assert_ptr_nonnull(read);
        ck_assert(read->is_program == files[i].program);
        g_remove(path);
    }
    g_rmdir(folder);
}
END_TEST

/* XML names without colons, so that every PNML reader takes them. */
static bool is_plain_id(const char *id)
{
    if (!g_ascii_isalpha(*id) && *id != '_') return false;
    for (; *id; id++)
        if (!g_ascii_isalnum(*id) && *id != '_') return false;
    return true;
}

START_TEST(shipped_programs_compile)
{
    g_autofree char *folder = g_build_filename(g_getenv("SRCDIR") ? g_getenv("SRCDIR") : ".", "nets", "programs", NULL);
    g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
    ck_assert_ptr_nonnull(dir);
    unsigned n = 0;
    for (const char *name; (name = g_dir_read_name(dir));) {
        if (!g_str_has_suffix(name, ".mzk")) continue;
        g_autofree char *path = g_build_filename(folder, name, NULL);
        GError *error = NULL;
        g_autoptr(Compiled) p = open_file(path, NULL, &error);
        ck_assert_msg(p, "%s", error ? error->message : "");
        const Net *net = p->net;
        for (uint32_t i = 0; i < net->n_places; i++)
            ck_assert_msg(is_plain_id(net_place_id(net, i)), "%s", net_place_id(net, i));
        for (uint32_t i = 0; i < net->n_transitions; i++) {
            ck_assert_msg(is_plain_id(net_transition_id(net, i)), "%s", net_transition_id(net, i));
            ck_assert(strstr(net_transition_label(net, i), ": line "));
            ck_assert(g_str_has_prefix(net_transition_note(net, i), path));
        }
        ck_assert(net_is_ordinary(net) && net_max_weight(net) <= 1);
        n++;
    }
    ck_assert_uint_gt(n, 30);
}
END_TEST

/* ---- maximal traces by sleep sets and nothing else: every trace is run to its end exactly once ---- */

typedef struct Traces {
    const Net *net;
    bool *dependent;
    VEC(uint32_t) run, event;
    GHashTable *events; /* "transition: causes" -> number + 1 */
    uint64_t maximal;
} Traces;

static bool changes_what(const Net *net, uint32_t t, uint32_t u)
{
    for (uint32_t p = 0; p < net->n_places; p++) {
        bool changed = net_arc_weight(net, ARC_PRE, t, p) || net_arc_weight(net, ARC_POST, t, p);
        if (changed && (net_arc_weight(net, ARC_PRE, u, p) || net_arc_weight(net, ARC_READ, u, p))) return true;
    }
    return false;
}

/* An event is a transition with the set of events before it that it depends on, directly or not. */
static uint32_t event_of(Traces *x, uint32_t t)
{
    g_autofree bool *cause = g_new0(bool, x->run.len + 1);
    for (size_t i = x->run.len; i-- > 0;) {
        cause[i] = x->dependent[x->run.data[i] * x->net->n_transitions + t];
        for (size_t k = i + 1; k < x->run.len && !cause[i]; k++)
            cause[i] = cause[k] && x->dependent[x->run.data[i] * x->net->n_transitions + x->run.data[k]];
    }
    g_autoptr(GArray) causes = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    for (size_t i = 0; i < x->run.len; i++)
        if (cause[i]) g_array_append_val(causes, x->event.data[i]);
    for (guint i = 1; i < causes->len; i++)
        for (guint k = i; k > 0 && g_array_index(causes, uint32_t, k) < g_array_index(causes, uint32_t, k - 1); k--) {
            uint32_t swap = g_array_index(causes, uint32_t, k);
            g_array_index(causes, uint32_t, k) = g_array_index(causes, uint32_t, k - 1);
            g_array_index(causes, uint32_t, k - 1) = swap;
        }
    GString *key = g_string_new(NULL);
    g_string_append_printf(key, "%u:", t);
    for (guint i = 0; i < causes->len; i++) g_string_append_printf(key, " %u", g_array_index(causes, uint32_t, i));
    guint number = GPOINTER_TO_UINT(g_hash_table_lookup(x->events, key->str));
    if (!number) {
        number = g_hash_table_size(x->events) + 1;
        g_hash_table_insert(x->events, g_strdup(key->str), GUINT_TO_POINTER(number));
    }
    g_string_free(key, TRUE);
    return number - 1;
}

static void explore(Traces *x, const uint64_t *marking, const bool *sleep)
{
    uint32_t n = x->net->n_transitions;
    g_autofree bool *asleep = g_memdup2(sleep, n + 1);
    g_autofree uint64_t *next = g_new(uint64_t, x->net->n_places + 1);
    bool dead = true;
    for (uint32_t t = 0; t < n; t++) {
        if (!net_enabled(x->net, marking, t)) continue;
        dead = false;
        if (asleep[t]) continue;
        memcpy(next, marking, x->net->n_places * sizeof *next);
        net_fire(x->net, next, t);
        g_autofree bool *below = g_new0(bool, n + 1);
        for (uint32_t u = 0; u < n; u++) below[u] = asleep[u] && !x->dependent[u * n + t];
        uint32_t event = event_of(x, t);
        vec_push(&x->run, t);
        vec_push(&x->event, event);
        explore(x, next, below);
        x->run.len--;
        x->event.len--;
        asleep[t] = true;
    }
    x->maximal += dead;
}

static void count(const Net *net, uint64_t *maximal, uint64_t *events)
{
    uint32_t n = net->n_transitions;
    Traces x = {.net = net, .dependent = g_new0(bool, (gsize)n *n)};
    x.events = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    for (uint32_t t = 0; t < n; t++)
        for (uint32_t u = 0; u < n; u++)
            x.dependent[t * n + u] = t == u || changes_what(net, t, u) || changes_what(net, u, t);
    g_autofree bool *none = g_new0(bool, n + 1);
    explore(&x, net->initial, none);
    *maximal = x.maximal;
    *events = g_hash_table_size(x.events);
    g_hash_table_unref(x.events);
    g_free(x.dependent);
    vec_free(&x.run);
    vec_free(&x.event);
}

START_TEST(naive_counts)
{
    static const struct {
        const char *program, *define;
        uint64_t maximal, events; /* 0: not looked at */
    } rows[] = {{"pi", "N=3", 6, 0},         {"mpat", "K=2", 8, 0},           {"fig1", "N=3", 6, 20},
                {"stf", NULL, 6, 0},         {"ccnf", "P=4", 16, 16},         {"ssb", "N=0", 4, 12},
                {"ssb", "N=1", 22, 0},       {"readers", NULL, 4, 12},        {"lastzero", "N=3", 12, 41},
                {"lastzero", "N=4", 28, 83}, {"example2", NULL, 7, 0},        {"example2", "SHORT=1", 5, 0},
                {"worked", NULL, 4, 10},     {"worked", "Z=-1", 5, 12},       {"fig2", NULL, 4, 23},
                {"opposite", NULL, 3, 16},   {"prodcons2", "ROUNDS=1", 4, 0}, {"prodcons", "ROUNDS=1", 6, 0}};
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autofree char *path =
            g_strdup_printf("%s/nets/programs/%s.mzk", g_getenv("SRCDIR") ? g_getenv("SRCDIR") : ".", rows[i].program);
        char *defines[] = {(char *)rows[i].define, NULL};
        OpenOptions options = {.defines = defines};
        GError *error = NULL;
        g_autoptr(Net) net = open_net(path, &options, &error);
        ck_assert_msg(net, "%s", error ? error->message : "");
        uint64_t maximal, events;
        count(net, &maximal, &events);
        if (rows[i].maximal)
            ck_assert_msg(maximal == rows[i].maximal, "%s %s: %d maximal", rows[i].program, rows[i].define,
                          (int)maximal);
        if (rows[i].events)
            ck_assert_msg(events == rows[i].events, "%s %s: %d events", rows[i].program, rows[i].define, (int)events);
    }
}
END_TEST

/* Wherever the budget ends, compiling ends with it and says so; enough of it changes nothing. */
START_TEST(compiling_ends_with_the_budget)
{
    g_autoptr(GString) text = g_string_new("var x : 0..3 = 0;\nmutex m;\nthread t for i in 0..1 {\nvar l : 0..3;\n");
    for (int n = 0; n < 400; n++)
        g_string_append_printf(text, "l%d: lock(m);\nl = any(0..3);\nx = l;\nassert(x < 3);\nunlock(m);\n", n);
    g_string_append(text, "}\n");
    unsigned spent = 0;
    for (double seconds = 1e-6;; seconds *= 1.5) {
        uint64_t work = 0;
        Budget whole = budget_unlimited();
        budget_by_work(&whole, &work, 0);
        Budget part = budget_child(&whole, seconds, NULL);
        GError *error = NULL;
        g_autoptr(Compiled) program =
            compile_limited(text->str, text->len, "p.mzk", NULL, SPACE_MAX_WORK, &part, &error);
        if (program) break;
        ck_assert_msg(g_error_matches(error, MAZURKA_ERROR, ERROR_SPENT), "%s", error->message);
        ck_assert_str_eq(error->message, "p.mzk: time limit while the program was compiled");
        g_error_free(error);
        ck_assert_uint_lt(++spent, 60);
    }
    ck_assert_uint_gt(spent, 10);
    static const StopFlag stop = 1;
    Budget stopped = budget_unlimited();
    budget_stop_by(&stopped, &stop);
    GError *error = NULL;
    ck_assert(!compile_limited(text->str, text->len, "p.mzk", NULL, SPACE_MAX_WORK, &stopped, &error));
    ck_assert_msg(g_error_matches(error, MAZURKA_ERROR, ERROR_SPENT), "%s", error->message);
    g_error_free(error);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("program");
    TEST_CASE(suite, errors_have_positions);
    TEST_CASE(suite, deep_nesting_is_refused);
    TEST_CASE(suite, net_has_the_promised_shape);
    TEST_CASE(suite, dead_locals_make_no_places);
    TEST_CASE(suite, parameters_can_be_set);
    TEST_CASE(suite, programs_are_told_from_nets);
    TEST_CASE(suite, shipped_programs_compile);
    TEST_CASE(suite, naive_counts);
    TEST_CASE(suite, compiling_ends_with_the_budget);
    return test_run(suite);
}
