/* Compiled nets against the interpreter of interpreter.h on random programs. */
#include "explore/netexplore.h"
#include "interpreter.h"
#include "lts/indep.h"
#include "lts/netlts.h"
#include "naive.h"
#include "net/pnml.h"
#include "net/read.h"
#include "program/compile.h"
#include "program/parser.h"
#include "prop/expression.h"
#include "random_program.h"
#include "report/source.h"
#include "test.h"
#include "verify/dead_ends.h"
#include "verify/question.h"

enum { MOST_STATES = 1200, FEW_STATES = 60 };

/* Up to the n-th colon. */
static char *cut(const char *label, int n)
{
    const char *end = label;
    while (*end && (*end != ':' || --n)) end++;
    return g_strndup(label, (gsize)(end - label));
}

/* A marking in the interpreter's words: values in order of declaration, then threads. */
static char *marking_text(const Compiled *program, const uint64_t *marking, const char *const *order, size_t n)
{
    g_autofree char **lines = g_new0(char *, n);
    for (uint32_t p = 0; p < program->net->n_places; p++) {
        const char *label = net_place_label(program->net, p);
        PlaceKind kind = program->place_kind[p];
        if (!marking[p] || kind == PLACE_MUTEX || (kind == PLACE_OTHER && !g_str_has_suffix(label, " idle"))) continue;
        g_autofree char *text = kind == PLACE_STATE   ? cut(label, 1)
                                : kind == PLACE_ERROR ? cut(label, 3)
                                                      : g_strdup(label);
        for (size_t i = 0; i < n; i++) {
            size_t len = strlen(order[i]);
            if (strncmp(text, order[i], len) == 0 && (text[len] == ' ' || text[len] == ':')) {
                ck_assert_msg(!lines[i], "two places say where '%s' is", order[i]);
                lines[i] = g_steal_pointer(&text);
                break;
            }
        }
    }
    GString *all = g_string_new(NULL);
    for (size_t i = 0; i < n; i++) {
        g_string_append_printf(all, "%s\n", lines[i] ? lines[i] : "?");
        g_free(lines[i]);
    }
    return g_string_free(all, FALSE);
}

/* The names that begin the lines of an interpreter's state. */
static GPtrArray *names_of(const char *state)
{
    GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
    g_auto(GStrv) lines = g_strsplit(state, "\n", -1);
    for (char **l = lines; *l; l++)
        if (**l) g_ptr_array_add(names, g_strndup(*l, strcspn(*l, " :")));
    return names;
}

static void compare_sets(GHashTable *a, GHashTable *b, const char *what, const char *text)
{
    GHashTableIter i;
    void *key;
    g_hash_table_iter_init(&i, a);
    while (g_hash_table_iter_next(&i, &key, NULL))
        ck_assert_msg(g_hash_table_contains(b, key), "%s:\n%s\n---\n%s", what, (char *)key, text);
}

/* Exactly what `safe` promises: at most one token in a unit. */
static void check_units(const Net *net, const uint64_t *marking, const char *text)
{
    for (uint32_t u = 0; u < net->nupn->n_units; u++) {
        uint64_t tokens = 0;
        for (uint32_t i = 0; i < net->nupn->units[u].n_places; i++) tokens += marking[net->nupn->units[u].places[i]];
        ck_assert_msg(tokens <= 1, "unit %s has two tokens:\n%s", net->nupn->units[u].id, text);
    }
}

typedef struct Seen {
    unsigned compared, dead, faulty, racy;
} Seen;

static bool finds_deadlock(const Net *net, const char *text)
{
    Question question;
    ck_assert(question_init(&question, net, QUESTION_DEADLOCK, NULL, NULL, NULL));
    Budget budget = budget_unlimited();
    Result result = {0};
    engine_run(engine_find("explicit"), &question.query, &(EngineOptions){.seed = 1}, &budget, &result);
    ck_assert_msg(result.answer != ANSWER_UNKNOWN, "%s:\n%s", result.reason, text);
    bool found = result.answer == ANSWER_REACHABLE;
    result_clear(&result);
    question_clear(&question);
    return found;
}

/* Deadlocks mean the same to `check` of the program, to `check` of its net as written and read again, and to `explore`.
 */
static void compare_deadlocks(const Net *net, size_t n_dead, const char *text)
{
    GError *error = NULL;
    char *pnml = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&pnml, &length);
    bool written = pnml_write(net, out, &error);
    fclose(out);
    ck_assert_msg(written, "%s", error ? error->message : "");
    g_autoptr(Net) again = net_read_bytes(pnml, length, "twin.pnml", NULL, &error);
    free(pnml);
    ck_assert_msg(again, "%s", error ? error->message : "");
    ck_assert_msg(finds_deadlock(net, text) == (n_dead > 0), "check and the twin differ:\n%s", text);
    ck_assert_msg(finds_deadlock(again, text) == (n_dead > 0), "check of the written net differs:\n%s", text);
    g_autoptr(Indep) indep = indep_new(net, RELATION_READ);
    Budget budget = budget_unlimited();
    NetExplore run;
    ExploreOptions options = {.order = ORDER_ERV, .cache = CACHE_UNLIMITED, .cutoffs = true};
    netexplore_run(&run, net, indep, &options, false, &budget);
    size_t n;
    const ExploreDead *dead = explore_dead(run.explorer, &n);
    DeadEnds ends;
    ck_assert(dead_ends_init(&ends, run.lts, dead, n, NULL));
    ck_assert_msg(ends.n_deadlocks == n_dead, "explore finds %zu deadlocks, there are %zu:\n%s", ends.n_deadlocks,
                  n_dead, text);
    dead_ends_clear(&ends);
    netexplore_clear(&run);
}

/* Counts nothing when the program is not comparable: refused, or too many states. */
static void compare(const char *text, Seen *seen)
{
    GError *error = NULL;
    g_autoptr(Compiled) program = compile_program(text, strlen(text), "random.mzk", NULL, &error);
    if (!program) {
        ck_assert_msg(strstr(error->message, "random.mzk:"), "%s", error->message);
        g_clear_error(&error);
        return;
    }
    g_autoptr(Ast) ast = parser_read(text, strlen(text), "random.mzk", NULL, NULL);
    Interpreted *twin = interpreter_run(ast, MOST_STATES);
    Naive *naive = naive_explore(program->net, MOST_STATES);
    bool complete = twin->complete && naive->complete;
    if (complete) {
        GHashTableIter first;
        void *key;
        g_hash_table_iter_init(&first, twin->states);
        g_hash_table_iter_next(&first, &key, NULL);
        g_autoptr(GPtrArray) names = names_of(key);
        g_autoptr(NetLts) lts = netlts_new(program->net, 64);
        FormulaStore *formulas = formula_store_new(program->net);
        FormulaId races = 0, final = 0;
        if (program->races) ck_assert(expression_parse(formulas, program->races, "races", &races, NULL));
        ck_assert(expression_parse(formulas, program->net->final, "final", &final, NULL));
        g_autoptr(GHashTable) states = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
        g_autoptr(GHashTable) dead = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
        bool race = false;
        size_t n_dead = 0;
        ck_assert_msg(naive->max_in_place <= 1, "the net is not safe:\n%s", text);
        for (guint i = 0; i < naive->markings->len; i++) {
            const uint64_t *marking = naive_marking(naive, i);
            check_units(program->net, marking, text);
            char *state = marking_text(program, marking, (const char *const *)names->pdata, names->len);
            if (!g_array_index(naive->n_enabled, guint, i) && !formula_holds(formulas, final, lts, marking)) {
                g_hash_table_add(dead, g_strdup(state));
                n_dead++;
            }
            g_hash_table_add(states, state);
            g_auto(GStrv) pair = source_race(program, marking);
            bool says = program->races && formula_holds(formulas, races, lts, marking);
            ck_assert_msg(says == (pair != NULL), "the race expression and the race sites differ:\n%s", text);
            race |= says;
        }
        compare_sets(states, twin->states, "only the net reaches", text);
        compare_sets(twin->states, states, "only the interpreter reaches", text);
        compare_sets(dead, twin->dead, "dead only in the net", text);
        compare_sets(twin->dead, dead, "dead only in the interpreter", text);
        ck_assert_msg(race == twin->race, "race: net %d, interpreter %d\n%s", race, twin->race, text);
        formula_store_free(formulas);
        if (naive->markings->len <= FEW_STATES) compare_deadlocks(program->net, n_dead, text);
        seen->compared++;
        seen->dead += g_hash_table_size(dead) > 0;
        seen->racy += race;
        g_autofree char **keys = (char **)g_hash_table_get_keys_as_array(states, NULL);
        g_autofree char *all = g_strjoinv("", keys);
        seen->faulty += strstr(all, ": line ") != NULL;
    }
    naive_free(naive);
    interpreter_free(twin);
}

/* What random programs seldom hit. */
static const char *const corners[] = {
    "var x : 0..1 = 0;\nthread e { }\nthread t {\njoin e;\nx = 1;\n}",
    "var x : 0..1 = 0;\nthread e {\nassert(false);\n}\nthread t {\nx = 1;\n}",
    "var x : 0..3 = 0;\nthread w { }\nthread t {\ncreate w;\njoin w;\ncreate w;\nx = 1;\njoin w;\njoin w;\nx = 2;\n}",
    "var x : 0..3 = 0;\nthread t {\nwhile (true) {\natomic {\nx += 1;\nbreak;\n}\n}\nx += 1;\nskip;\n}\n"
    "thread u {\nskip;\nx = 0;\n}",
    "var x : 0..2 = 0;\nthread t {\nfor i in 0..2 {\natomic {\nx = i;\nif (i < 1) {\ncontinue;\n}\nx = "
    "0;\n}\nskip;\n}\n}",
    "var x : 0..2 = 0;\nmutex m;\nthread t {\natomic {\nlock(m);\nx = 1;\nunlock(m);\n}\n}\n"
    "thread u {\nlock(m);\nx = 2;\nunlock(m);\n}",
    "var x : 0..2 = 0;\nmutex m;\nthread t {\natomic {\nlock(m);\nlock(m);\n}\nx = 1;\n}",
    "var x : 0..2 = 0;\nmutex m;\nthread t {\nlock(m);\nif (any(0..1)) {\nunlock(m);\n}\nunlock(m);\nx = 1;\n}",
    "var x : 0..2 = 0;\nthread t {\nchoose {\n} or {\nx = 1;\n}\n}",
    "var x : 0..2 = 0;\nthread t {\nchoose {\nawait(x == 1);\n} or {\nawait(x == 2);\n}\nassert(x != 2);\n}\n"
    "thread u {\nx = any(0..2);\n}",
    "var x : -2..2 = 0;\nthread w(p, q) for k in -1..0 {\nx = p - q + k;\n}\nthread t {\ncreate w[-1](1, 2);\n"
    "create w[x](x, 1);\n}",
    "var x : 0..3 = 0;\nmutex m;\nthread w {\nif (x == 0) {\nlock(m);\nx = 1;\nreturn;\n}\nif (any(0..1)) "
    "{\nlock(m);\n}\n"
    "unlock(m);\nx = 2;\n}\nthread t {\ncreate w;\njoin w;\ncreate w;\n}",
    "var x : 0..2 = 1;\nthread t {\nfor i in 1..x {\nx = 2;\n}\nreturn;\nx = 0;\n}",
    "mutex m;\ncond c[2];\nvar x : 0..2 = 0;\nthread t for k in 0..1 {\nlock(m);\nwait(c[k], m);\nx = "
    "k;\nunlock(m);\n}\n"
    "thread u {\nbroadcast(c[0]);\nsignal(c[1]);\nsignal(c[x]);\n}",
    "var y : 0..2 = 0;\nthread t {\ny = 1;\n}\nthread u {\nchoose {\nskip;\n} or {\ny = 2;\n}\n}",
    "var x : 0..2 = 0;\nmutex m;\nthread t {\nlock(m);\nassert(x == 1);\nunlock(m);\n}\nthread u "
    "{\nlock(m);\nunlock(m);\n}",
    "var x : 0..2 = 0;\nthread t {\nassert(x == 1);\n}\nthread u {\njoin t;\n}",
    "var x : 0..2 = 0;\nthread t {\nx = 1;\n}\nthread u {\nvar l : 0..2;\n"
    "choose {\natomic {\nl = x;\n}\nl = 0;\n} or {\nl = x;\nl = 0;\n}\n}",
    "var x : 0..2 = 0;\nthread t {\natomic {\natomic {\nx = 1;\n}\nx = 2;\nreturn;\n}\n}\nthread u {\nx = 0;\n}",
};

START_TEST(corner_programs)
{
    Seen seen = {0};
    for (size_t i = 0; i < G_N_ELEMENTS(corners); i++) {
        compare(corners[i], &seen);
        ck_assert_msg(seen.compared == i + 1, "not compared:\n%s", corners[i]);
    }
}
END_TEST

/* Every statement in every other, two deep: S stands for what is inside. The branches before and after it matter: a
 * thread may rest before all of them. */
static const char *const around[] = {
    "S",
    "if (x == 1) {\nS\n}",
    "if (x == 1) {\nskip;\n} else {\nS\n}",
    "if (l) {\nS\n}",
    "while (x == 0) {\nS\nbreak;\n}",
    "while (l < 1) {\nl += 1;\nS\n}",
    "for iD in 0..1 {\nS\n}",
    "for iD in x..1 {\nS\ncontinue;\n}",
    "atomic {\nS\n}",
    "choose {\nskip;\n} or {\nS\n}",
    "choose {\nS\n} or {\nawait(x == 2);\n}",
    "choose {\n} or {\nS\n}",
    "choose {\natomic {\nS\n}\n} or {\nS\n}",
    "choose {\nl = 1;\n} or {\nl = 0;\n}\nS",
    "lock(m);\nS\nunlock(m);",
    "if (trylock(m)) {\nS\n}",
    "{\nvar kD : 0..2 = x;\nS\n}",
};

static const char *const inside[] = {
    "x = 2;",
    "l = x;",
    "l = a[x];",
    "a[x] = 1;",
    "a[1] = x;",
    "x += 1;",
    "l = l * 2;",
    "await(x == 1);",
    "assert(x == 0);",
    "assert(l < 2);",
    "lock(m);",
    "unlock(m);",
    "wait(c, m);",
    "signal(c);",
    "broadcast(c);",
    "create w;",
    "join w;",
    "skip;",
    "exit;",
    "return;",
    "l = any(0..1);",
    "l = any(x..1);",
    "l = trylock(m);",
    "if (x == 2) {\nx = 0;\n}",
    "while (x == 2) {\n}",
    "x = l ? x : a[0];",
    "l = x == 1 && a[1] == 0 || a[0];",
};

/* What the other thread does meanwhile. */
static const char *const beside[] = {
    "x = 1;",
    "lock(m);\nx = 1;\nsignal(c);\nunlock(m);",
    "choose {\na[1] = 1;\n} or {\nx = 1;\n}",
    "atomic {\nx = 1;\na[0] = 2;\n}\njoin w;",
};

/* Each alone at a choice, with each other one, beside each. */
static const char *const touches[] = {"l = x;",    "x = 1;",         "l = a[0];", "a[0] = 1;",
                                      "a[x] = 1;", "await(x == 1);", "skip;"};

START_TEST(all_branches_of_a_choice_count)
{
    Seen seen = {0};
    unsigned n = 0;
    for (size_t i = 0; i < G_N_ELEMENTS(touches); i++)
        for (size_t k = 0; k < G_N_ELEMENTS(touches); k++)
            for (size_t b = 0; b < G_N_ELEMENTS(touches); b++) {
                g_autofree char *text = g_strdup_printf(
                    "var x : 0..1 = 0;\nvar a[2] : 0..1 = 0;\nthread t {\nvar l : 0..1 = 0;\nchoose {\n%s\n"
                    "} or {\n%s\n}\n}\nthread u {\nvar l : 0..1 = 0;\n%s\n}\n",
                    touches[i], touches[k], touches[b]);
                n++;
                compare(text, &seen);
            }
    ck_assert(seen.compared == n && seen.racy > n / 4 && seen.racy < n * 3 / 4);
}
END_TEST

static char *nest(const char *outer, const char *inner, int depth)
{
    GString *text = g_string_new(outer);
    g_autofree char *number = g_strdup_printf("%d", depth);
    g_string_replace(text, "D", number, 0);
    g_string_replace(text, "S", inner, 0);
    return g_string_free(text, FALSE);
}

/* The short run takes one program in nineteen. */
START_TEST(nested_statements)
{
    Seen seen = {0};
    unsigned stride = test_soak() ? 1 : 19, number = 0, n = 0;
    for (size_t i = 0; i < G_N_ELEMENTS(inside); i++)
        for (size_t k = 0; k < G_N_ELEMENTS(around) * G_N_ELEMENTS(around); k++)
            for (size_t b = 0; b < G_N_ELEMENTS(beside); b++) {
                if (number++ % stride) continue;
                g_autofree char *one = nest(around[k % G_N_ELEMENTS(around)], inside[i], 1);
                g_autofree char *two = nest(around[k / G_N_ELEMENTS(around)], one, 2);
                g_autofree char *text =
                    g_strdup_printf("var x : 0..2 = 0;\nvar a[2] : 0..2 = 0;\nmutex m;\ncond c;\nthread w {\nskip;\n}\n"
                                    "thread t {\nvar l : 0..2 = 0;\n%s\nx = l;\n}\nthread u {\n%s\n}\n",
                                    two, beside[b]);
                n++;
                compare(text, &seen);
            }
    printf("%u of %u nests compared: %u with dead ends, %u with errors, %u with races\n", seen.compared, n, seen.dead,
           seen.faulty, seen.racy);
    ck_assert(seen.compared > n / 2 && seen.dead > n / 20 && seen.faulty > n / 50 && seen.racy > n / 10);
}
END_TEST

START_TEST(random_programs)
{
    unsigned n = test_rounds(2000, 100000);
    Seen seen = {0};
    const char *one = g_getenv("MAZURKA_SEED");
    uint64_t seed = one ? g_ascii_strtoull(one, NULL, 10) : 1;
    for (unsigned i = 0; i < (one ? 1 : n); i++) {
        g_autofree char *text = random_program(seed + i);
        if (one) puts(text);
        compare(text, &seen);
    }
    printf("%u of %u programs compared: %u with dead ends, %u with errors, %u with races\n", seen.compared, n,
           seen.dead, seen.faulty, seen.racy);
    ck_assert(one || (seen.compared > n / 2 && seen.dead > n / 10 && seen.faulty > n / 10 && seen.racy > n / 10));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("program twin");
    TEST_CASE(suite, corner_programs);
    TEST_CASE(suite, all_branches_of_a_choice_count);
    TEST_CASE(suite, nested_statements);
    TEST_CASE(suite, random_programs);
    return test_run(suite);
}
