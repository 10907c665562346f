#include "cli/command.h"
#include "cli/guard.h"

#include "base/error.h"
#include "base/visible.h"
#include "lts/indep.h"
#include "program/open.h"
#include "unfold/order.h"
#include "verify/engine.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static volatile sig_atomic_t stop_requested;
static bool progress_visible, guarded;

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

int command_check_names(const Command *command)
{
    const Options *o = &command->options;
    Relation relation;
    Order order;
    g_autofree char *odd = NULL;
    if (o->engine && !engine_known(o->engine, &odd)) {
        g_autofree char *names = engine_names();
        if (engine_find(odd)) return command_fail("%s: engine '%s' stands alone, not in a list", command->name, odd);
        return command_fail("%s: there is no engine '%s'; there are: %s", command->name, odd, names);
    }
    if (o->relation && !relation_parse(o->relation, &relation) && !relation_refusal(o->relation))
        return command_fail("%s: there is no relation '%s' (none, classic, read, loops, proved, file:PATH)",
                            command->name, o->relation);
    if (o->order && !order_parse(o->order, &order))
        return command_fail("%s: there is no order '%s' (mcmillan, parikh, erv, mole)", command->name, o->order);
    return EXIT_HOLDS;
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

int command_fail_reading(Command *command, GError *error)
{
    if (!g_error_matches(error, MAZURKA_ERROR, ERROR_SPENT)) return command_fail_error(error);
    command_end_progress();
    if (command->options.json) {
        JsonBuilder *json = command_json_begin(command, NULL);
        json_string(json, "verdict", "unknown");
        json_string(json, "reason", error->message);
        command_json_end(command, json);
    } else {
        visible_print(stdout, "UNKNOWN: %s\n", error->message);
    }
    g_error_free(error);
    return EXIT_UNKNOWN;
}

Compiled *command_read(Command *command, const char *path)
{
    GError *error = NULL;
    arm_guard(command);
    Budget budget = command_budget(command);
    if (command->id == COMMAND_COMPARE && budget.deadline > 0) /* there --time is for each row */
        budget.deadline += budget_now() - command->started;
    OpenOptions options = {.net_id = command->options.net_id, .budget = &budget, .defines = command->options.define};
    Compiled *read = open_file(path, &options, &error);
    if (!read)
        command->failure = command_fail_reading(command, error);
    else if (!command->options.quiet && !command->options.json)
        say_what_was_read(read->net);
    return read;
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
    if (guarded) guard_stop();
}

static void show_line(const char *line, void *data)
{
    (void)data;
    visible_print(stderr, "\r\033[K%s", line);
    fflush(stderr);
    progress_visible = true;
}

void command_log_line(const char *line, void *data)
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

Budget command_budget(Command *command)
{
    const Options *o = &command->options;
    Budget budget = budget_new(o->time, (uint64_t)o->memory << 20, (uint64_t)o->max_events);
    if (o->time > 0) budget.deadline = command->started + o->time;
    budget.started = command->started;
    if (o->threads == 1) budget_by_work(&budget, &command->work, o->time);
    budget.stop = &stop_requested;
    guarded = command->id != COMMAND_BATCH;
    arm_guard(command);
    struct sigaction action = {.sa_handler = on_signal};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGHUP, &action, NULL);
    bool wanted = !o->progress || strcmp(o->progress, "auto") == 0 ? isatty(STDERR_FILENO) && !o->quiet
                                                                   : strcmp(o->progress, "always") == 0;
    if (wanted) budget.show = show_line;
    return budget;
}

/* Names of files and arguments may be any bytes, JSON may not. */
static void add_valid(JsonBuilder *json, const char *value)
{
    g_autofree char *valid = g_utf8_make_valid(value, -1);
    json_builder_add_string_value(json, valid);
}

void json_string(JsonBuilder *json, const char *key, const char *value)
{
    json_builder_set_member_name(json, key);
    if (value)
        add_valid(json, value);
    else
        json_builder_add_null_value(json);
}

void json_int(JsonBuilder *json, const char *key, int64_t value)
{
    json_builder_set_member_name(json, key);
    json_builder_add_int_value(json, value);
}

void json_bool(JsonBuilder *json, const char *key, bool value)
{
    json_builder_set_member_name(json, key);
    json_builder_add_boolean_value(json, value);
}

void json_null(JsonBuilder *json, const char *key)
{
    json_builder_set_member_name(json, key);
    json_builder_add_null_value(json);
}

static void json_real(JsonBuilder *json, const char *key, double value)
{
    json_builder_set_member_name(json, key);
    json_builder_add_double_value(json, value);
}

/* json-glib has no integers beyond 64 bits: a larger one goes in as a string that begins with a mark nothing else
 * holds, and json_text() takes mark and quotes away. */
#define JSON_MARK "mazurka-large-number"

void json_tokens(JsonBuilder *json, const char *key, Total value)
{
    char digits[TOTAL_DIGITS];
    if (value <= INT64_MAX) {
        json_int(json, key, (int64_t)value);
        return;
    }
    if (!g_object_get_data(G_OBJECT(json), JSON_MARK))
        g_object_set_data_full(G_OBJECT(json), JSON_MARK, g_uuid_string_random(), g_free);
    g_autofree char *marked =
        g_strconcat(g_object_get_data(G_OBJECT(json), JSON_MARK), total_text(value, digits), NULL);
    json_string(json, key, marked);
}

static char *json_text(JsonBuilder *json)
{
    g_autoptr(JsonGenerator) generator = json_generator_new();
    g_autoptr(JsonNode) root = json_builder_get_root(json);
    json_generator_set_root(generator, root);
    char *text = json_generator_to_data(generator, NULL);
    const char *mark = g_object_get_data(G_OBJECT(json), JSON_MARK);
    for (char *at = mark ? strstr(text, mark) : NULL; at; at = strstr(at, mark)) {
        char *digits = at + strlen(mark), *end = strchr(digits, '"');
        memmove(at - 1, digits, (size_t)(end - digits));
        memmove(at - 1 + (end - digits), end + 1, strlen(end));
    }
    return text;
}

static void json_option_FLAG(JsonBuilder *json, const char *name, gboolean value)
{
    if (value) json_bool(json, name, true);
}
static void json_option_STRING(JsonBuilder *json, const char *name, const char *value)
{
    if (value) json_string(json, name, value);
}
#define json_option_INPUT json_option_STRING
#define json_option_OUTPUT json_option_STRING
static void json_option_INTEGER(JsonBuilder *json, const char *name, gint64 value)
{
    if (value) json_int(json, name, value);
}
static void json_option_COUNT(JsonBuilder *json, const char *name, gint64 value)
{
    if (value) json_int(json, name, value);
}
static void json_option_REAL(JsonBuilder *json, const char *name, double value)
{
    if (value != 0) json_real(json, name, value);
}
G_GNUC_UNUSED static void json_option_STRINGS(JsonBuilder *json, const char *name, char **values)
{
    if (!values) return;
    json_builder_set_member_name(json, name);
    json_builder_begin_array(json);
    for (; *values; values++) add_valid(json, *values);
    json_builder_end_array(json);
}

JsonBuilder *command_json_begin(Command *command, const char *net_name)
{
    JsonBuilder *json = json_builder_new();
    json_builder_begin_object(json);
    json_string(json, "net", net_name);
    json_string(json, "command", command->name);
    json_string(json, "version", PACKAGE_VERSION);
    json_builder_set_member_name(json, "options");
    json_builder_begin_object(json);
    const Options *o = &command->options;
#define OPTION(member, name, letter, kind, argument, commands, help) json_option_##kind(json, name, o->member);
#include "cli/options.def"
#undef OPTION
    json_builder_end_object(json);
    return json;
}

void command_json_end(Command *command, JsonBuilder *json)
{
    json_builder_set_member_name(json, "timing");
    json_builder_begin_object(json);
    json_real(json, "wall", budget_now() - command->started);
    json_real(json, "cpu", budget_cpu());
    json_builder_end_object(json);
    json_int(json, "peak_kib", (int64_t)budget_peak_kib());
    json_builder_end_object(json);
    g_autofree char *text = json_text(json);
    command_end_progress();
    puts(text);
    fflush(stdout);
    g_object_unref(json);
}
