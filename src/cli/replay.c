#include "cli/check_run.h"
#include "cli/native.h"
#include "cli/replay_coloured.h"

#include "base/exact.h"
#include "base/input.h"
#include "base/visible.h"
#include "lts/replay.h"
#include "verify/accepted_ends.h"

#include <stdio.h>
#include <string.h>

typedef struct Replay {
    Command *command;
    const Net *net;
    const char *file;
    VecU32 sequence;
    VecU64 times; /* how often each is fired in a row */
    VecU32 lines; /* where each id stands */
} Replay;

/* One id per line, quoted ids with a number perhaps; empty lines do not matter. */
static int parse(Replay *r, char *text)
{
    uint32_t line = 0;
    for (char *at = text; at;) {
        char *end = strchr(at, '\n');
        if (end) *end++ = 0;
        line++;
        uint64_t times;
        uint32_t t = check_run_find_times(r->net, at, &times);
        if (t != NET_NONE) {
            vec_push(&r->sequence, t);
            vec_push(&r->times, times);
            vec_push(&r->lines, line);
        } else if (*at) {
            return command_fail("%s:%u: the net has no transition '%s'", r->file, line, at);
        }
        at = end;
    }
    return 0;
}

/* Fires it as often as it can be, which is not often enough. */
static int stuck(const Replay *r, uint64_t *marking, size_t at)
{
    g_autoptr(GString) text = g_string_new(NULL), fired = g_string_new(NULL);
    uint32_t t = r->sequence.data[at];
    uint64_t wanted = r->times.data[at], done = replay_times(r->net, marking, t, wanted);
    const char *id = net_transition_id(r->net, t);
    replay_leaps(r->net, &t, &done, 1, marking);
    if (wanted > 1) g_string_printf(fired, " (%" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT " times)", done, wanted);
    if (replay_obstacles(r->net, marking, t, text))
        return command_fail("%s:%u: '%s' is not enabled%s: it waits for %s", r->file, r->lines.data[at], id, fired->str,
                            text->str);
    return command_fail("%s:%u: '%s' makes a count pass 2^64 - 1%s", r->file, r->lines.data[at], id, fired->str);
}

/* In all, as often as the lines say. */
static Total firings(const Replay *r)
{
    Total all = 0;
    for (size_t i = 0; i < r->times.len; i++) all += r->times.data[i];
    return all;
}

/* A dead marking where the net may end, as `check --deadlock` sees it. */
static bool is_accepted(const Replay *r, const uint64_t *marking)
{
    AcceptedEnds ends;
    if (!accepted_ends_init(&ends, r->net, NULL)) return false;
    bool accepted = accepted_ends_has(&ends, marking);
    accepted_ends_clear(&ends);
    return accepted;
}

static void print_json(const Replay *r, const uint64_t *marking, bool dead)
{
    GString *json = command_json_begin(r->command, r->net->name);
    json_tokens(json, "firings", firings(r));
    json_bool(json, "dead", dead);
    json_bool(json, "final", dead && is_accepted(r, marking));
    json_open(json, "marking", '{');
    for (uint32_t p = 0; p < r->net->n_places; p++)
        if (marking[p]) json_tokens(json, net_place_id(r->net, p), marking[p]);
    json_close(json, '}');
    command_json_end(r->command, json);
}

static void print_text(const Replay *r, const uint64_t *marking, bool dead)
{
    g_autoptr(GString) text = g_string_new(NULL);
    replay_marking_text(r->net, marking, 60, text);
    Total all = firings(r);
    char digits[TOTAL_DIGITS];
    visible_print(stdout, "%s firing%s, then %s\n", exact_text(all, digits), all == 1 ? "" : "s", text->str);
    puts(!dead                     ? "some transition is enabled there"
         : is_accepted(r, marking) ? "no transition is enabled there: an accepted end"
                                   : "no transition is enabled there: a deadlock");
}

static int run(Replay *r)
{
    g_autofree uint64_t *marking = replay_start(r->net);
    size_t done = replay_leaps(r->net, r->sequence.data, r->times.data, r->sequence.len, marking);
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
    if (cli_native_wants(command)) return cli_native_replay(command);
    if (command->n_arguments != 2) return command_fail("replay: NET and WITNESS are expected");
    if (strcmp(command->arguments[0], "-") == 0 && strcmp(command->arguments[1], "-") == 0)
        return command_fail("replay: only one of NET and WITNESS can be standard input");
    g_autoptr(ColourNet) coloured = NULL;
    g_autoptr(Compiled) read = command_read_coloured(command, command->arguments[0], &coloured);
    if (!read) return command->failure;
    Replay r = {.command = command, .net = read->net, .file = command->arguments[1]};
    GError *error = NULL;
    size_t len;
    Budget budget = command_budget(command);
    g_autofree char *text = input_read_file(r.file, INPUT_LARGE, &budget, &len, &error);
    if (!text) return command_fail_reading(command, error);
    if (strlen(text) != len) return command_fail("%s: this is no text: it has a zero byte", r.file);
    if (coloured) return replay_coloured(command, coloured, r.file, text);
    int code = parse(&r, text);
    if (!code) code = run(&r);
    vec_free(&r.sequence);
    vec_free(&r.times);
    vec_free(&r.lines);
    return code;
}
