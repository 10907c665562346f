#include "cli/native.h"

#include "base/error.h"
#include "base/output.h"
#include "base/visible.h"
#include "explore/algorithm.h"
#include "native/build.h"
#include "native/child.h"

#include <stdio.h>
#include <string.h>

bool cli_native_wants(const Command *command)
{
    if (!command->n_arguments) return false;
    const char *first = command->arguments[0];
    return build_is_source(first) || build_is_foreign(first) || build_is_program(first);
}

/* ---- options ---- */

static int read_algorithm(const Command *command, NativeOptions *options, const char **name)
{
    static const struct {
        Algorithm algorithm;
        unsigned number; /* src/native/child.h */
    } known[] = {{ALGORITHM_ODPOR, 0}, {ALGORITHM_SDPOR, 1}, {ALGORITHM_SLEEP, 2}, {ALGORITHM_UPOR, 3}};
    bool given = command->id == COMMAND_EXPLORE && command->options.algorithm;
    Algorithm wanted = given ? (Algorithm)command_choice(command->options.algorithm) : ALGORITHM_ODPOR;
    *name = algorithm_name(wanted);
    for (size_t i = 0; i < G_N_ELEMENTS(known); i++)
        if (known[i].algorithm == wanted) {
            options->algorithm = known[i].number;
            return 0;
        }
    return command_fail("%s: C programs are explored by odpor, sdpor, upor or sleep, not by %s", command->name, *name);
}

static int read_alternatives(const Command *command, NativeOptions *options, const char *algorithm)
{
    const char *text = command->options.alternatives;
    uint64_t k;
    if (!text) return 0;
    if (strcmp(algorithm, algorithm_name(ALGORITHM_UPOR)) != 0)
        return command_fail("%s: --alternatives belongs to --algorithm upor", command->name);
    if (strcmp(text, "optimal") == 0) return 0;
    if (!g_str_has_prefix(text, "k=") || !g_ascii_string_to_unsigned(text + 2, 10, 1, UINT32_MAX, &k, NULL))
        return command_fail("%s: --alternatives of a C program is optimal or k=N with N at least 1, not '%s'",
                            command->name, text);
    options->partial = (uint32_t)k;
    return 0;
}

enum { DEFAULT_DEPTH = 10000, DRAWN_STEPS = 4000 };

static int read_options(Command *command, NativeOptions *options, const char **algorithm)
{
    const Options *o = &command->options;
    *options = (NativeOptions){.depth = o->depth ? (uint32_t)o->depth : DEFAULT_DEPTH,
                               .max_executions = (uint64_t)o->max_executions,
                               .show_output = o->show_output,
                               .restart = (NativeRestart)command_choice(o->restart),
                               .memory = (uint64_t)o->memory << 20,
                               .tree = o->html ? DRAWN_STEPS : 0,
                               .visible_memory = o->visible == VISIBLE_MEMORY};
    if (o->relation || o->order || o->cutoffs)
        return command_fail("%s: --relation, --order and --cutoffs are about nets, not C programs", command->name);
    int code = read_algorithm(command, options, algorithm);
    return code ? code : read_alternatives(command, options, *algorithm);
}

/* ---- building and running ---- */

typedef struct Native {
    Build build;
    char **argv;
} Native;

static void native_clear(Native *native)
{
    build_clear(&native->build);
    g_strfreev(native->argv);
}

/* Where "--" stands, behind which the program's own arguments are; else the end. */
static size_t find_dashes(char **words)
{
    size_t i = 0;
    while (words[i] && strcmp(words[i], "--") != 0) i++;
    return i;
}

static int build_files(Command *command, char **words, size_t n, Native *native)
{
    const Options *o = &command->options;
    GError *error = NULL;
    g_autoptr(GStrvBuilder) sources = g_strv_builder_new();
    for (size_t i = 0; i < n; i++) {
        if (build_is_foreign(words[i]))
            return command_fail("%s: this is C++ by its name; C programs are supported, C++ is not", words[i]);
        if (!build_is_source(words[i]))
            return command_fail("%s: '%s' is not a C file; arguments for the program come after --", command->name,
                                words[i]);
        g_strv_builder_add(sources, words[i]);
    }
    g_auto(GStrv) files = g_strv_builder_end(sources);
    BuildOptions how = {o->define, o->cflags, o->ldflags};
    Budget budget = command_budget(command);
    return build_sources(&native->build, files, &how, &budget, &error) ? 0 : command_fail_reading(command, error);
}

/* words: C files or one program that is built, and behind -- what it is called with. */
static int prepare(Command *command, char **words, Native *native)
{
    size_t n = find_dashes(words);
    *native = (Native){0};
    g_autoptr(GStrvBuilder) argv = g_strv_builder_new();
    if (!build_is_program(words[0])) {
        int code = build_files(command, words, n, native);
        if (code) return code;
        g_strv_builder_add(argv, native->build.program);
    } else {
        g_autofree char *path = g_canonicalize_filename(words[0], NULL);
        g_strv_builder_add(argv, path);
        for (size_t i = 1; i < n; i++) g_strv_builder_add(argv, words[i]);
    }
    for (size_t i = n; words[n] && words[i + 1]; i++) g_strv_builder_add(argv, words[i + 1]);
    native->argv = g_strv_builder_end(argv);
    return 0;
}

static int run(Command *command, const Native *native, NativeOptions *options, NativeResult **result)
{
    GError *error = NULL;
    Budget budget = command_budget(command);
    if (command->options.time > 0)
        options->seconds = MAX(command->options.time - (budget_now() - command->started), 0.01);
    *result = native_child_run(native->argv, options, &budget, &error);
    if (*result && (*result)->outside) {
        g_autofree char *function = g_steal_pointer(&(*result)->outside);
        native_result_free(*result);
        options->restart = NATIVE_FORK;
        *result = native_child_run(native->argv, options, &budget, &error);
        if (*result) (*result)->outside = g_steal_pointer(&function);
    }
    command_end_progress();
    if (!*result) return command_fail_error(error);
    if ((*result)->refused) return command_fail("%s: %s", command->arguments[0], (*result)->refused);
    return 0;
}

static int run_and_tell(NativeAnswer *a, char **words, NativeOptions *options, int (*tell)(NativeAnswer *answer))
{
    Native native;
    g_autoptr(NativeResult) result = NULL;
    int code = prepare(a->command, words, &native);
    if (!code) code = run(a->command, &native, options, &result);
    if (!code) {
        /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): what is prepared has a program */
        g_autoptr(Symbols) symbols = symbols_new(native.argv[0], result);
        a->result = result;
        a->symbols = symbols;
        code = tell(a);
    }
    native_clear(&native);
    return code;
}

static int tell_divergence(const NativeAnswer *a)
{
    const NativeStep *then = a->result->then, *now = a->result->now;
    if (then->valued && now->valued && then->pc == now->pc && then->object == now->object)
        return command_fail("%s: the program does not repeat itself: at step %" G_GUINT64_FORMAT ", %s, %s %s at %s, "
                            "the value was %" G_GINT64_FORMAT ", and is now %" G_GINT64_FORMAT
                            " (uninitialised memory, or something from outside?)",
                            a->command->arguments[0], a->result->diverged_at + 1, then->thread, then->operation,
                            symbols_object(a->symbols, then->object), symbols_line(a->symbols, then->pc), then->value,
                            now->value);
    return command_fail("%s: the program does not repeat itself: step %" G_GUINT64_FORMAT
                        " was %s, %s %s at %s, and is now %s, %s %s at %s (uninitialised memory, or something from "
                        "outside?)",
                        a->command->arguments[0], a->result->diverged_at + 1, then->thread, then->operation,
                        symbols_object(a->symbols, then->object), symbols_line(a->symbols, then->pc), now->thread,
                        now->operation, symbols_object(a->symbols, now->object), symbols_line(a->symbols, now->pc));
}

static int died(const NativeAnswer *a)
{
    return command_fail("%s: the program ended by signal %d (%s) outside of its threads", a->command->arguments[0],
                        a->result->died_of, g_strsignal(a->result->died_of));
}

/* ---- explore ---- */

static int tell_exploration(NativeAnswer *a)
{
    if (a->result->then && a->result->now) return tell_divergence(a);
    if (a->result->died_of) return died(a);
    if (a->command->options.json)
        cli_native_json(a);
    else
        cli_native_print_exploration(a);
    if (!cli_native_page(a)) return EXIT_USAGE;
    return cli_native_reason(a->result) ? EXIT_UNKNOWN : EXIT_HOLDS;
}

int cli_native_explore(Command *command)
{
    NativeOptions options;
    NativeAnswer answer = {.command = command};
    int code = read_options(command, &options, &answer.algorithm);
    if (code) return code;
    return run_and_tell(&answer, command->arguments, &options, tell_exploration);
}

/* ---- check ---- */

/* --deadlock, --race and --assertions ask for a part; without them everything counts. */
static bool concerns(const Options *o, const NativeFinding *finding)
{
    bool deadlock = strcmp(finding->kind, "deadlock") == 0, race = strcmp(finding->kind, "race") == 0;
    if (!o->deadlock && !o->race && !o->assertions) return true;
    return (o->deadlock && deadlock) || (o->race && race) || (o->assertions && !deadlock && !race);
}

static const NativeFinding *violation(const Command *command, const NativeResult *result)
{
    for (guint i = 0; i < result->findings->len; i++)
        if (!cli_native_is_note(result->findings->pdata[i]) && concerns(&command->options, result->findings->pdata[i]))
            return result->findings->pdata[i];
    return NULL;
}

static int write_witness(const NativeAnswer *a)
{
    GError *error = NULL;
    if (!a->finding || !a->command->options.witness) return 0;
    g_autofree char *text = cli_native_witness(a, a->finding);
    return output_write(a->command->options.witness, text, strlen(text), &error) ? 0 : command_fail_error(error);
}

static int tell_check(NativeAnswer *a)
{
    if (a->result->then && a->result->now) return tell_divergence(a);
    a->finding = violation(a->command, a->result);
    if (!a->finding && a->result->died_of) return died(a);
    if (a->command->options.json)
        cli_native_json(a);
    else
        cli_native_print_check(a);
    int code = write_witness(a);
    if (!cli_native_page(a)) code = EXIT_USAGE;
    return code ? code : a->finding ? EXIT_VIOLATED : cli_native_reason(a->result) ? EXIT_UNKNOWN : EXIT_HOLDS;
}

int cli_native_check(Command *command)
{
    NativeOptions options;
    NativeAnswer answer = {.command = command};
    const Options *o = &command->options;
    int code = read_options(command, &options, &answer.algorithm);
    if (code) return code;
    if (o->reach || o->invariant || o->fireable || o->safe || o->property || o->final || o->engine || o->certificate)
        return command_fail("check: C programs are asked --deadlock, --assertions, --race, or all of it at once");
    options.stop_at_failure = !o->deadlock && !o->race && !o->assertions;
    return run_and_tell(&answer, command->arguments, &options, tell_check);
}

/* ---- replay ---- */

/* The witness under gdb, with this terminal. */
static int debug(const Native *native, NativeOptions *options)
{
    GError *error = NULL;
    int status = 0;
    g_autofree char *gdb = g_find_program_in_path("gdb");
    if (!gdb) return command_fail("replay: --gdb needs the program gdb, which is not installed");
    options->debugged = true;
    options->restart = NATIVE_SNAPSHOT; /* one execution, in the process that gdb sees */
    g_autofree char *told = native_child_settings(options);
    g_auto(GStrv) environment = g_environ_setenv(g_get_environ(), "MAZURKA_RUN", told, TRUE);
    g_autoptr(GPtrArray) argv = g_ptr_array_new();
    static char *fixed[] = {
        "-q",        "-ex",   "set breakpoint pending on", "-ex", "break mazurka_stop", "-ex", "run 3>/dev/null", "-ex",
        "backtrace", "--args"};
    g_ptr_array_add(argv, gdb);
    for (size_t i = 0; i < G_N_ELEMENTS(fixed); i++) g_ptr_array_add(argv, fixed[i]);
    for (char **word = native->argv; *word; word++) g_ptr_array_add(argv, *word);
    g_ptr_array_add(argv, NULL);
    if (!g_spawn_sync(NULL, (char **)argv->pdata, environment, G_SPAWN_CHILD_INHERITS_STDIN, NULL, NULL, NULL, NULL,
                      &status, &error))
        return command_fail_error(error);
    return EXIT_HOLDS;
}

static int tell_replay(NativeAnswer *a)
{
    const NativeFinding *finding = violation(a->command, a->result);
    if (a->result->then && a->result->now) return tell_divergence(a);
    if (!finding && a->result->died_of) return died(a);
    cli_native_print_steps(a, finding, a->result->steps, true);
    if (finding)
        cli_native_print_finding(a, finding);
    else
        visible_print(stdout, "%u steps; nothing goes wrong\n", a->result->steps->len);
    return finding ? EXIT_VIOLATED : EXIT_HOLDS;
}

int cli_native_replay(Command *command)
{
    NativeOptions options;
    Native native;
    NativeAnswer answer = {.command = command};
    int code = read_options(command, &options, &answer.algorithm);
    if (code) return code;
    size_t at = find_dashes(command->arguments); /* behind the program, or behind all */
    if (at < 2 || build_is_source(command->arguments[at - 1])) at = (size_t)command->n_arguments;
    if (at < 2) return command_fail("replay: a C program and a WITNESS are expected");
    options.witness = command->arguments[at - 1];
    g_autoptr(GPtrArray) words = g_ptr_array_new();
    for (size_t i = 0; i <= (size_t)command->n_arguments; i++)
        if (i != at - 1) g_ptr_array_add(words, command->arguments[i]);
    options.stop_at_failure = options.show_output = true;
    options.max_executions = 1;
    if (!g_file_test(options.witness, G_FILE_TEST_EXISTS))
        return command_fail("%s: there is no such file", options.witness);
    if (!command->options.gdb) return run_and_tell(&answer, (char **)words->pdata, &options, tell_replay);
    code = prepare(command, (char **)words->pdata, &native);
    if (!code) code = debug(&native, &options);
    native_clear(&native);
    return code;
}
