#include "cli/check_run.h"
#include "cli/command.h"

#include "base/error.h"
#include "base/output.h"
#include "base/rng.h"
#include "base/visible.h"
#include "lts/replay.h"
#include "report/source.h"
#include "verify/accepted_ends.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { SHOWN_ENABLED = 40, SHOWN_MARKED = 60 };

/* What happened after one line of input. */
typedef enum { GAME_ON, GAME_FAILED, GAME_OVER } Turn;

typedef struct Game {
    Command *command;
    const Compiled *read;
    const Net *net;
    uint64_t *marking;
    VecU32 run;     /* fired so far */
    VecU32 enabled; /* now, in the order of the net */
    AcceptedEnds ends;
    bool has_ends; /* false: final markings that nobody understands accept nothing */
    Rng rng;
    Budget budget;
    bool quiet; /* --json: nothing is told but the end */
    uint32_t line;
} Game;

/* ---- the game ---- */

static void find_enabled(Game *g)
{
    vec_clear(&g->enabled);
    for (uint32_t t = 0; t < g->net->n_transitions; t++)
        if (net_enabled(g->net, g->marking, t)) vec_push(&g->enabled, t);
}

/* The marking after the first n firings of the run. */
static uint64_t *marking_after(const Game *g, size_t n)
{
    uint64_t *marking = replay_start(g->net);
    replay_run(g->net, g->run.data, n, marking);
    return marking;
}

static void go_to(Game *g, size_t n)
{
    g_free(g->marking);
    g->marking = marking_after(g, n);
    g->run.len = n;
    find_enabled(g);
}

/* ---- what is told ---- */

/* What it is called in the list. */
static const char *shown_name(const Game *g, uint32_t t)
{
    return g->read->is_program ? net_transition_label(g->net, t) : net_transition_id(g->net, t);
}

static void print_name(const Game *g, uint32_t t)
{
    const char *name = shown_name(g, t), *label = net_transition_label(g->net, t);
    visible_print(stdout, "%s", name);
    if (strcmp(name, label) != 0) visible_print(stdout, "  (%s)", label);
}

static void print_enabled(const Game *g)
{
    if (!g->enabled.len)
        visible_print(stdout, "nothing is enabled: %s\n",
                      g->has_ends && accepted_ends_has(&g->ends, g->marking) ? "an accepted end" : "dead");
    for (size_t i = 0; i < g->enabled.len && i < SHOWN_ENABLED; i++) {
        visible_print(stdout, "%4zu  ", i + 1);
        print_name(g, g->enabled.data[i]);
        putchar('\n');
    }
    if (g->enabled.len > SHOWN_ENABLED)
        visible_print(stdout, "      ... and %zu more, by name\n", g->enabled.len - SHOWN_ENABLED);
}

static void print_marking(const Game *g)
{
    if (g->read->is_program) {
        g_autofree char *state = source_state(g->read, g->marking);
        visible_lines(stdout, state);
        putchar('\n');
        return;
    }
    g_autoptr(GString) text = g_string_new(NULL);
    replay_marking_text(g->net, g->marking, SHOWN_MARKED, text);
    visible_print(stdout, "marking: %s\n", text->str);
}

/* What changed since the first n firings. */
static void print_difference(const Game *g, size_t n)
{
    g_autofree uint64_t *before = marking_after(g, n);
    unsigned changed = 0;
    for (uint32_t p = 0; p < g->net->n_places; p++) {
        if (before[p] == g->marking[p]) continue;
        const char *name = g->read->is_program ? net_place_label(g->net, p) : net_place_id(g->net, p);
        uint64_t by = before[p] < g->marking[p] ? g->marking[p] - before[p] : before[p] - g->marking[p];
        visible_print(stdout, "%s%s%s", changed++ ? ", " : "  ", before[p] < g->marking[p] ? "+" : "-", name);
        if (by > 1) visible_print(stdout, " %" G_GUINT64_FORMAT, by);
    }
    puts(changed ? "" : "  nothing changes");
}

static void print_here(const Game *g)
{
    if (g->quiet) return;
    visible_print(stdout, "step %zu\n", g->run.len);
    print_marking(g);
    print_enabled(g);
}

static void print_fired(const Game *g, uint32_t t)
{
    if (g->quiet) return;
    visible_print(stdout, "%4zu: ", g->run.len);
    print_name(g, t);
    putchar('\n');
    print_difference(g, g->run.len - 1);
}

static Turn refuse(const Game *g, const char *format, ...) G_GNUC_PRINTF(2, 3);
static Turn refuse(const Game *g, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    g_autofree char *message = g_strdup_vprintf(format, args);
    va_end(args);
    command_fail("simulate: line %u: %s", g->line, message);
    return GAME_FAILED;
}

/* ---- commands ---- */

static Turn fire(Game *g, uint32_t t)
{
    g_autoptr(GString) text = g_string_new(NULL);
    if (replay_obstacles(g->net, g->marking, t, text))
        return refuse(g, "'%s' is not enabled: it waits for %s", shown_name(g, t), text->str);
    if (!net_fire(g->net, g->marking, t)) return refuse(g, "'%s' makes a count pass 2^64 - 1", shown_name(g, t));
    vec_push(&g->run, t);
    find_enabled(g);
    return GAME_ON;
}

static Turn fire_shown(Game *g, uint32_t t)
{
    Turn step = fire(g, t);
    if (step != GAME_ON) return step;
    print_fired(g, t);
    if (!g->quiet) print_enabled(g);
    return GAME_ON;
}

/* The one of this label; of several the only one that is enabled. *many: they cannot be told apart by it. */
static uint32_t find_labelled(const Game *g, const char *label, bool *many)
{
    uint32_t found = NET_NONE;
    bool enabled = false;
    *many = false;
    for (uint32_t t = 0; t < g->net->n_transitions; t++) {
        if (strcmp(net_transition_label(g->net, t), label) != 0) continue;
        bool on = net_enabled(g->net, g->marking, t);
        if (found != NET_NONE && enabled && !on) continue;
        *many = found != NET_NONE && enabled == on;
        found = t;
        enabled = on;
    }
    return found;
}

/* By its id or as the list calls it. */
static Turn find_transition(const Game *g, char *argument, uint32_t *t)
{
    bool many;
    *t = check_run_find(g->net, argument);
    if (*t != NET_NONE) return GAME_ON;
    *t = find_labelled(g, argument, &many);
    if (*t == NET_NONE) return refuse(g, "the net has no transition '%s'; `help` lists the commands", argument);
    if (many) return refuse(g, "several transitions are called '%s'; their numbers tell them apart", argument);
    return GAME_ON;
}

/* A number of the list, or a name. */
static Turn do_fire(Game *g, char *argument)
{
    guint64 number;
    if (g_ascii_string_to_unsigned(argument, 10, 1, UINT32_MAX, &number, NULL)) {
        /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): where there are some, there is an array */
        if (number <= g->enabled.len) return fire_shown(g, g->enabled.data[number - 1]);
        return refuse(g, "only %zu transitions are enabled", g->enabled.len);
    }
    uint32_t t;
    return find_transition(g, argument, &t) == GAME_ON ? fire_shown(g, t) : GAME_FAILED;
}

static bool parse_count(const char *argument, uint64_t usual, uint64_t most, uint64_t *count)
{
    *count = usual;
    return !*argument || g_ascii_string_to_unsigned(argument, 10, 0, most, count, NULL);
}

static Turn do_back(Game *g, char *argument)
{
    uint64_t n;
    if (!parse_count(argument, 1, g->run.len, &n) || n > g->run.len)
        return refuse(g, "back K: K is a number of steps, at most %zu now", g->run.len);
    go_to(g, g->run.len - (size_t)n);
    print_here(g);
    return GAME_ON;
}

static Turn do_goto(Game *g, char *argument)
{
    uint64_t n;
    if (!*argument || !parse_count(argument, 0, g->run.len, &n))
        return refuse(g, "goto K: K is a step from 0 to %zu", g->run.len);
    go_to(g, (size_t)n);
    print_here(g);
    return GAME_ON;
}

static Turn do_reset(Game *g, char *argument)
{
    (void)argument;
    go_to(g, 0);
    print_here(g);
    return GAME_ON;
}

static Turn do_list(Game *g, char *argument)
{
    (void)argument;
    if (!g->quiet) print_enabled(g);
    return GAME_ON;
}

static Turn do_marking(Game *g, char *argument)
{
    (void)argument;
    if (!g->quiet) print_marking(g);
    return GAME_ON;
}

static Turn do_diff(Game *g, char *argument)
{
    uint64_t n;
    if (!parse_count(argument, g->run.len ? g->run.len - 1 : 0, g->run.len, &n))
        return refuse(g, "diff K: K is a step from 0 to %zu", g->run.len);
    if (!g->quiet) print_difference(g, (size_t)n);
    return GAME_ON;
}

static Turn do_why(Game *g, char *argument)
{
    g_autoptr(GString) text = g_string_new(NULL);
    uint32_t t;
    if (find_transition(g, argument, &t) != GAME_ON) return GAME_FAILED;
    bool blocked = replay_obstacles(g->net, g->marking, t, text) > 0;
    if (g->quiet) return GAME_ON;
    if (blocked)
        visible_print(stdout, "%s waits for %s\n", shown_name(g, t), text->str);
    else
        visible_print(stdout, "%s is enabled\n", shown_name(g, t));
    return GAME_ON;
}

static Turn do_random(Game *g, char *argument)
{
    uint64_t n;
    if (!parse_count(argument, 1, UINT32_MAX, &n)) return refuse(g, "random K: K is a number of steps");
    for (uint64_t i = 0; i < n && g->enabled.len && !budget_spent(&g->budget); i++) {
        uint32_t t = g->enabled.data[rng_below(&g->rng, g->enabled.len)];
        if (fire(g, t) != GAME_ON) return GAME_FAILED;
        if (!g->quiet && n <= SHOWN_FIRINGS) print_fired(g, t);
    }
    print_here(g);
    return GAME_ON;
}

static Turn do_run(Game *g, char *argument)
{
    (void)argument;
    if (!g->quiet) check_run_print(g->net, g->run.data, NULL, g->run.len, g->read->is_program);
    return GAME_ON;
}

static Turn do_save(Game *g, char *argument)
{
    GError *error = NULL;
    g_autoptr(Outputs) files = outputs_new();
    if (!*argument) return refuse(g, "save FILE: where the firing sequence goes");
    outputs_add_input(files, g->command->arguments[0]);
    if (!outputs_add(files, argument, &error) ||
        !check_run_write(argument, g->net, g->run.data, NULL, g->run.len, &error)) {
        Turn step = refuse(g, "%s", error->message);
        g_error_free(error);
        return step;
    }
    if (!g->quiet) visible_print(stdout, "%s: %zu firing%s\n", argument, g->run.len, g->run.len == 1 ? "" : "s");
    return GAME_ON;
}

static Turn do_quit(Game *g, char *argument)
{
    (void)g, (void)argument;
    return GAME_OVER;
}

static Turn do_help(Game *g, char *argument);

static const struct {
    const char *word, *argument, *help;
    Turn (*run)(Game *g, char *argument);
} words[] = {{"list", "", "what is enabled, by number", do_list},
             {"fire", "N|NAME", "fire it; N or NAME alone do the same", do_fire},
             {"why", "NAME", "what keeps it from firing", do_why},
             {"back", "[K]", "undo K firings, or one", do_back},
             {"goto", "K", "back to the marking after K firings", do_goto},
             {"reset", "", "back to the initial marking", do_reset},
             {"random", "[K]", "K random firings, or one", do_random},
             {"marking", "", "where the net is", do_marking},
             {"diff", "[K]", "what changed since step K, or by the last firing", do_diff},
             {"run", "", "what was fired", do_run},
             {"save", "FILE", "the firing sequence, for `mazurka replay`; .dot: its partial order", do_save},
             {"help", "", "this list", do_help},
             {"quit", "", "end; so does the end of the input", do_quit}};

static Turn do_help(Game *g, char *argument)
{
    (void)argument;
    for (size_t i = 0; i < G_N_ELEMENTS(words) && !g->quiet; i++)
        visible_print(stdout, "  %-8s %-7s %s\n", words[i].word, words[i].argument, words[i].help);
    return GAME_ON;
}

static Turn obey(Game *g, char *line)
{
    g_strstrip(line);
    if (!*line || *line == '#') return GAME_ON;
    size_t length = strcspn(line, " \t");
    char *argument = line + length + strspn(line + length, " \t");
    /* a transition of that name is meant where there is one */
    bool is_name = net_find_transition(g->net, line) != NET_NONE;
    for (size_t i = 0; i < G_N_ELEMENTS(words) && !is_name; i++)
        if (strlen(words[i].word) == length && strncmp(line, words[i].word, length) == 0)
            return words[i].run(g, argument);
    return do_fire(g, line);
}

static void print_json(const Game *g)
{
    GString *json = command_json_begin(g->command, g->net->name);
    json_int(json, "firings", (int64_t)g->run.len);
    command_json_run(json, "run", g->net, g->run.data, g->run.len);
    command_json_run(json, "enabled", g->net, g->enabled.data, g->enabled.len);
    json_bool(json, "dead", !g->enabled.len);
    json_open(json, "marking", '{');
    for (uint32_t p = 0; p < g->net->n_places; p++)
        if (g->marking[p]) json_tokens(json, net_place_id(g->net, p), g->marking[p]);
    json_close(json, '}');
    command_json_end(g->command, json);
}

/* At a terminal a mistake is told and the game goes on; in a script it is the end. */
static int play(Game *g)
{
    bool asked = isatty(STDIN_FILENO) && !g->quiet;
    char *line = NULL;
    size_t room = 0;
    Turn step = GAME_ON;
    while (step != GAME_OVER && !(step == GAME_FAILED && !asked)) {
        if (asked) fputs("> ", stdout);
        fflush(stdout);
        if (getline(&line, &room, stdin) < 0) break;
        g->line++;
        step = obey(g, line);
    }
    free(line);
    if (step == GAME_FAILED && !asked) return EXIT_USAGE;
    if (g->quiet) print_json(g);
    return EXIT_HOLDS;
}

int command_simulate(Command *command)
{
    if (command->n_arguments != 1) return command_fail("simulate: exactly one NET or PROGRAM is expected");
    if (strcmp(command->arguments[0], "-") == 0)
        return command_fail("simulate: standard input has the commands; the net comes from a file");
    g_autoptr(Compiled) read = command_read(command, command->arguments[0]);
    if (!read) return command->failure;
    Game game = {.command = command,
                 .read = read,
                 .net = read->net,
                 .rng = {(uint64_t)command->options.seed},
                 .budget = command_budget(command),
                 .quiet = command->options.json};
    game.has_ends = accepted_ends_init(&game.ends, read->net, NULL);
    go_to(&game, 0);
    print_here(&game);
    int code = play(&game);
    if (game.has_ends) accepted_ends_clear(&game.ends);
    g_free(game.marking);
    vec_free(&game.run);
    vec_free(&game.enabled);
    return code;
}
