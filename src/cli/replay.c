#include "cli/command.h"

#include "base/error.h"
#include "base/visible.h"
#include "lts/replay.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { SHOWN_PLACES = 60 };

typedef struct Replay {
    Command *command;
    const Net *net;
    const char *file;
    VecU32 sequence;
    VecU32 lines; /* where each id stands */
} Replay;

static char *read_all(const char *path, GError **error)
{
    if (strcmp(path, "-") != 0) {
        char *text = NULL;
        return g_file_get_contents(path, &text, NULL, error) ? text : NULL;
    }
    GString *text = g_string_new(NULL);
    char buffer[4096];
    size_t n;
    while ((n = fread(buffer, 1, sizeof buffer, stdin)) > 0) g_string_append_len(text, buffer, (gssize)n);
    if (ferror(stdin)) {
        error_at(error, ERROR_IO, "<stdin>", 0, 0, "cannot be read: %s", g_strerror(errno));
        g_string_free(text, TRUE);
        return NULL;
    }
    return g_string_free(text, FALSE);
}

/* One id per line; blanks around it and empty lines do not matter. */
static int parse(Replay *r, char *text)
{
    uint32_t line = 0;
    for (char *at = text; at;) {
        char *end = strchr(at, '\n');
        if (end) *end++ = 0;
        line++;
        uint32_t t = net_find_transition(r->net, at);
        char *id = g_strstrip(at);
        if (t == NET_NONE && *id) t = net_find_transition(r->net, id);
        if (t != NET_NONE) {
            vec_push(&r->sequence, t);
            vec_push(&r->lines, line);
        } else if (*id) {
            return command_fail("%s:%u: the net has no transition '%s'", r->file, line, id);
        }
        at = end;
    }
    return 0;
}

static int stuck(const Replay *r, const uint64_t *marking, size_t at)
{
    g_autoptr(GString) text = g_string_new(NULL);
    const char *id = net_transition_id(r->net, r->sequence.data[at]);
    if (replay_obstacles(r->net, marking, r->sequence.data[at], text))
        return command_fail("%s:%u: '%s' is not enabled: it waits for %s", r->file, r->lines.data[at], id, text->str);
    return command_fail("%s:%u: '%s' makes a count pass 2^64 - 1", r->file, r->lines.data[at], id);
}

static void print_json(const Replay *r, const uint64_t *marking, bool dead)
{
    JsonBuilder *json = command_json_begin(r->command, r->net->name);
    json_int(json, "firings", (int64_t)r->sequence.len);
    json_bool(json, "dead", dead);
    json_builder_set_member_name(json, "marking");
    json_builder_begin_object(json);
    for (uint32_t p = 0; p < r->net->n_places; p++)
        if (marking[p]) json_tokens(json, net_place_id(r->net, p), marking[p]);
    json_builder_end_object(json);
    command_json_end(r->command, json);
}

static void print_text(const Replay *r, const uint64_t *marking, bool dead)
{
    g_autoptr(GString) text = g_string_new(NULL);
    replay_marking_text(r->net, marking, SHOWN_PLACES, text);
    visible_print(stdout, "%zu firing%s, then %s\n", r->sequence.len, r->sequence.len == 1 ? "" : "s", text->str);
    puts(dead ? "no transition is enabled there: a deadlock" : "some transition is enabled there");
}

static int run(Replay *r)
{
    g_autofree uint64_t *marking = replay_start(r->net);
    size_t done = replay_run(r->net, r->sequence.data, r->sequence.len, marking);
    if (done < r->sequence.len) return stuck(r, marking, done);
    bool dead = replay_is_dead(r->net, marking);
    if (r->command->options.json)
        print_json(r, marking, dead);
    else
        print_text(r, marking, dead);
    return EXIT_HOLDS;
}

int command_replay(Command *command)
{
    if (command->n_arguments != 2) return command_fail("replay: NET and WITNESS are expected");
    if (strcmp(command->arguments[0], "-") == 0 && strcmp(command->arguments[1], "-") == 0)
        return command_fail("replay: only one of NET and WITNESS can be standard input");
    g_autoptr(Net) net = command_read_net(command, command->arguments[0]);
    if (!net) return command->failure;
    Replay r = {.command = command, .net = net, .file = command->arguments[1]};
    GError *error = NULL;
    g_autofree char *text = read_all(r.file, &error);
    if (!text) return command_fail_error(error);
    int code = parse(&r, text);
    if (!code) code = run(&r);
    vec_free(&r.sequence);
    vec_free(&r.lines);
    return code;
}
