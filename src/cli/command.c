#include "cli/command.h"

#include "api/words.h"
#include "cli/arguments.h"
#include "cli/guard.h"

#include "base/error.h"
#include "base/machine.h"
#include "base/visible.h"
#include "lts/indep.h"
#include "native/build.h"
#include "program/open.h"
#include "report/comparison.h"
#include "unfold/order.h"
#include "verify/engine.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static StopFlag stop_requested;
static mz_limits *_Atomic stopped_too;
static atomic_bool progress_visible, guarded; /* of a handler and of other threads too */

int command_fail(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    g_autofree char *message = g_strdup_vprintf(format, args);
    va_end(args);
    command_end_progress();
    visible_print(stderr, "mazurka: %s\n", message);
    return EXIT_USAGE;
}

int command_fail_error(GError *error)
{
    int code = command_fail("%s", error->message);
    g_error_free(error);
    return code;
}

static int fail_name(const Command *command, GError *error)
{
    g_prefix_error(&error, "%s: ", command->name);
    return command_fail_error(error);
}

static int check_relation(const Command *command, const char *name)
{
    Relation relation;
    GError *error = NULL;
    if (command->id == COMMAND_EXPLORE && relation_refusal(name)) return EXIT_HOLDS; /* its algorithm decides */
    if (command->id == COMMAND_COMPARE && !command->options.algorithms && comparison_merged(name, &relation))
        return EXIT_HOLDS;
    return words_relation(name, &relation, &error) ? EXIT_HOLDS : fail_name(command, error);
}

static int check_order(const Command *command, const char *name)
{
    Order order;
    GError *error = NULL;
    return words_order(name, &order, &error) ? EXIT_HOLDS : fail_name(command, error);
}

/* One name, or for compare several between commas. */
static int check_each(const Command *command, const char *names, int (*check)(const Command *, const char *))
{
    if (!names || command->id != COMMAND_COMPARE) return names ? check(command, names) : EXIT_HOLDS;
    g_auto(GStrv) list = g_strsplit(names, ",", -1);
    int code = EXIT_HOLDS;
    for (char **name = list; *name && code == EXIT_HOLDS; name++) code = check(command, *name);
    return code;
}

int command_check_names(const Command *command)
{
    const Options *o = &command->options;
    GError *error = NULL;
    if (o->engine && !words_engines(o->engine, &error)) return fail_name(command, error);
    int code = check_each(command, o->relation, check_relation);
    return code ? code : check_each(command, o->order, check_order);
}

static void say_what_was_read(const Net *net)
{
    g_autofree char *summary = net_summary(net);
    visible_print(stderr, "%s: %s\n", net->name, summary);
}

/* The jobs of a batch have their own limits, and so have the rows of a comparison, in time. */
static void arm_guard(const Command *command)
{
    const Options *o = &command->options;
    if (command->id == COMMAND_BATCH) return;
    double seconds = command->id == COMMAND_COMPARE ? 0 : o->time;
    guard_arm(command, seconds > 0 ? command->started + seconds : 0, seconds, (uint64_t)o->memory << 20);
}

static int tell_unknown(Command *command, const char *reason)
{
    command_end_progress();
    if (command->options.json) {
        GString *json = command_json_begin(command, NULL);
        json_string(json, "verdict", "unknown");
        json_string(json, "reason", reason);
        command_json_end(command, json);
    } else {
        visible_print(stdout, "UNKNOWN: %s\n", reason);
    }
    return EXIT_UNKNOWN;
}

int command_fail_reading(Command *command, GError *error)
{
    if (!g_error_matches(error, MAZURKA_ERROR, ERROR_SPENT)) return command_fail_error(error);
    int code = tell_unknown(command, error->message);
    g_error_free(error);
    return code;
}

int command_fail_library(Command *command, mz_error *error, const char *word)
{
    const char *message = mz_error_message(error), *file = mz_error_file(error);
    bool option = word && file && strcmp(word, file) == 0;
    int code = mz_error_code(error) == MZ_ERROR_SPENT ? tell_unknown(command, message)
               : mz_error_code(error) != MZ_ERROR_INTERNAL
                   ? command_fail("%s%s", option ? "--" : "", message)
                   : (command_fail("%s: %s", command->name, message), EXIT_INTERNAL);
    mz_error_free(error);
    return code;
}

/* No net: told in words that help more than those of a file of no known format. */
static bool is_c_program(Command *command, const char *path)
{
    if (!build_is_source(path)) return false;
    command->failure = command_fail("%s: C programs are taken by check, explore and replay (check --html and "
                                    "explore --html make pages)",
                                    path);
    return true;
}

Compiled *command_read(Command *command, const char *path)
{
    return command_read_coloured(command, path, NULL);
}

Compiled *command_read_coloured(Command *command, const char *path, ColourNet **coloured)
{
    GError *error = NULL;
    if (is_c_program(command, path)) return NULL;
    arm_guard(command);
    Budget budget = command_budget(command);
    if (command->id == COMMAND_COMPARE) /* there --time is for each row */
        budget_restart(&budget, command->options.time);
    OpenOptions options = {.net_id = command->options.net_id, .budget = &budget, .defines = command->options.define};
    options.coloured = coloured;
    Compiled *read = open_file(path, &options, &error);
    if (!read)
        command->failure = command_fail_reading(command, error);
    else if (read->net && !command->options.quiet && !command->options.json)
        say_what_was_read(read->net);
    return read;
}

mz_net *command_open(Command *command, const char *path)
{
    mz_error *error = NULL;
    if (is_c_program(command, path)) return NULL;
    arm_guard(command);
    mz_net *net = mz_net_read(path, command->options.net_id, (const char *const *)command->options.define,
                              command_limits(command), &error);
    if (!net)
        command->failure = command_fail_library(command, error, NULL);
    else if (!command->options.quiet && !command->options.json)
        visible_print(stderr, "%s: %s\n", mz_net_name(net), mz_net_summary(net));
    return net;
}

Net *command_read_net(Command *command, const char *path)
{
    g_autoptr(Compiled) read = command_read(command, path);
    return read ? g_steal_pointer(&read->net) : NULL;
}

static void on_signal(int number)
{
    (void)number;
    stop_requested = 1;
    if (stopped_too) mz_limits_cancel(stopped_too);
    if (guarded) guard_stop();
}

static void show_line(const char *line, void *data)
{
    (void)data;
    visible_print(stderr, "\r\033[K%s", line);
    fflush(stderr);
    progress_visible = true;
}

/* What engines tell. */
static void log_line(const char *line, void *data)
{
    (void)data;
    visible_print(stderr, "%s\n", line);
}

void command_end_progress(void)
{
    guard_disarm();
    if (!progress_visible) return;
    fputs("\r\033[K", stderr);
    progress_visible = false;
}

void command_go_on(const Command *command)
{
    fflush(stdout);
    arm_guard(command);
}

static uint64_t memory_limit(const Options *o)
{
    return o->memory ? (uint64_t)o->memory << 20 : machine_usual_memory();
}

/* Signals stop what is computed; true: progress is to be shown. */
static bool begin(Command *command)
{
    const Options *o = &command->options;
    guarded = command->id != COMMAND_BATCH;
    arm_guard(command);
    struct sigaction action = {.sa_handler = on_signal};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGHUP, &action, NULL);
    enum { AUTO, ALWAYS };
    return command_choice(o->progress) == AUTO ? isatty(STDERR_FILENO) && !o->quiet
                                               : command_choice(o->progress) == ALWAYS;
}

Budget command_budget(Command *command)
{
    const Options *o = &command->options;
    Budget budget = budget_new(o->time, memory_limit(o), (uint64_t)o->max_events);
    budget_limit_time(&budget, command->started, o->time);
    if (o->threads == 1) budget_by_work(&budget, &command->work, o->time);
    budget_stop_by(&budget, &stop_requested);
    if (begin(command)) budget_show(&budget, show_line, NULL);
    return budget;
}

Budget command_budget_of_half(Command *command)
{
    Budget budget = command_budget(command);
    long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    if (!command->options.memory && pages > 0 && size > 0)
        budget_limit_memory(&budget, MIN(machine_usual_memory(), (uint64_t)pages / 2 * (uint64_t)size));
    return budget;
}

mz_limits *command_limits(Command *command)
{
    const Options *o = &command->options;
    mz_limits *limits = command->limits;
    if (!limits) {
        limits = command->limits = mz_limits_new();
        stopped_too = limits;
    }
    api_limits_of_program(limits, command->started);
    mz_limits_set_time(limits, o->time);
    mz_limits_set_memory(limits, memory_limit(o));
    mz_limits_set_events(limits, (uint64_t)o->max_events);
    mz_limits_set_threads(limits, (unsigned)MAX(o->threads, 0));
    mz_limits_set_progress(limits, begin(command) ? show_line : NULL, NULL);
    mz_limits_set_log(limits, o->verbose ? log_line : NULL, NULL);
    if (stop_requested) mz_limits_cancel(limits);
    return limits;
}

void command_end_limits(Command *command)
{
    stopped_too = NULL;
    mz_limits_free(g_steal_pointer(&command->limits));
}

static void json_option_FLAG(GString *json, const char *name, gboolean value)
{
    if (value) json_bool(json, name, true);
}
static void json_option_STRING(GString *json, const char *name, const char *value)
{
    if (value) json_string(json, name, value);
}
/* --algorithms alone had no value before it could have one. */
static void json_option_OPTIONAL(GString *json, const char *name, const char *value)
{
    if (value && !*value && strcmp(name, "algorithms") == 0)
        json_bool(json, name, true);
    else
        json_option_STRING(json, name, value);
}
#define json_option_INPUT json_option_STRING
#define json_option_OUTPUT json_option_STRING
static void json_option_INTEGER(GString *json, const char *name, gint64 value)
{
    if (value) json_int(json, name, value);
}
static void json_option_COUNT(GString *json, const char *name, gint64 value)
{
    if (value) json_int(json, name, value);
}
static void json_option_CHOICE(GString *json, const char *name, unsigned value)
{
    g_autofree char *word = value ? arguments_word(name, value) : NULL;
    if (word) json_string(json, name, word);
}
static void json_option_REAL(GString *json, const char *name, double value)
{
    if (value != 0) json_real(json, name, value);
}
G_GNUC_UNUSED static void json_option_STRINGS(GString *json, const char *name, char **values)
{
    if (values) json_strings(json, name, values);
}

GString *command_json_begin(Command *command, const char *net_name)
{
    GString *json = g_string_new(NULL);
    json_open(json, NULL, '{');
    json_string(json, "net", net_name);
    json_string(json, "command", command->name);
    json_string(json, "version", PACKAGE_VERSION);
    json_open(json, "options", '{');
    const Options *o = &command->options;
#define OPTION(member, name, letter, kind, argument, commands, help) json_option_##kind(json, name, o->member);
#include "cli/options.def"
#undef OPTION
    json_close(json, '}');
    return json;
}

void command_json_run(GString *json, const char *key, const Net *net, const uint32_t *run, size_t n)
{
    json_open(json, key, '[');
    for (size_t i = 0; i < n; i++) json_string(json, NULL, net_transition_id(net, run[i]));
    json_close(json, ']');
}

void command_json_end(Command *command, GString *json)
{
    json_open(json, "timing", '{');
    json_real(json, "wall", budget_now() - command->started);
    json_real(json, "cpu", budget_cpu());
    json_close(json, '}');
    json_int(json, "peak_kib", (int64_t)budget_peak_kib());
    json_close(json, '}');
    command_end_progress();
    puts(json->str);
    fflush(stdout);
    g_string_free(json, TRUE);
}
