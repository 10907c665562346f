#include "cli/replay_coloured.h"

#include "base/quote.h"
#include "base/visible.h"
#include "certify/coloured_bindings.h"

#include <stdio.h>
#include <string.h>

enum { SHOWN_TOKENS = 60 };

typedef struct Replay {
    Command *command;
    const ColourNet *net;
    Game *game;
    uint64_t *binding;
    const char *file;
    uint64_t firings;
    bool enabled; /* something is */
} Replay;

/* What a line says, quoted or bare. */
static const char *firing_of(char *line, GString *word)
{
    char *at = g_strstrip(line);
    g_string_truncate(word, 0);
    const char *end = *at == '"' ? quote_read(at + 1, word) : NULL;
    return end && !end[1] ? word->str : at;
}

static int stuck(const Replay *r, uint32_t line, const char *firing, GameStep step)
{
    const char *why = step == GAME_GUARD    ? "is not enabled: its guard does not hold"
                      : step == GAME_TOKENS ? "is not enabled: tokens that it takes are not there"
                                            : "makes a count pass 2^64 - 1";
    return command_fail("%s:%u: '%s' %s", r->file, line, firing, why);
}

static int run(Replay *r, char *text)
{
    g_autoptr(GString) word = g_string_new(NULL);
    uint32_t line = 0, transition;
    for (char *at = text; at;) {
        char *end = strchr(at, '\n');
        if (end) *end++ = 0;
        const char *firing = firing_of(at, word);
        line++;
        at = end;
        if (!*firing) continue;
        if (!coloured_game_read_binding(r->game, firing, &transition, r->binding))
            return command_fail("%s:%u: the net has no firing '%s'", r->file, line, firing);
        GameStep step = coloured_game_fire(r->game, transition, r->binding);
        if (step != GAME_FIRED) return stuck(r, line, firing, step);
        r->firings++;
    }
    return 0;
}

typedef enum { DEAD_NO, DEAD_YES, DEAD_UNKNOWN } Dead;

static bool holds(void *data, uint32_t place, const GameBag *bag)
{
    const Replay *r = data;
    return coloured_game_has(&r->game->marking[place], bag);
}

static bool found(void *data, uint32_t transition)
{
    Replay *r = data;
    r->enabled = coloured_game_enabled(r->game, transition, r->binding);
    return !r->enabled;
}

/* As long as the budget lasts. */
static Dead is_dead(Replay *r, Budget *budget)
{
    ColouredConditions conditions = {r, holds, found};
    for (uint32_t t = 0; t < r->net->transitions.len; t++)
        if (!coloured_bindings_each(r->game, t, &conditions, r->binding, budget))
            return r->enabled ? DEAD_NO : DEAD_UNKNOWN;
    return DEAD_YES;
}

static void print_text(const Replay *r, Dead dead)
{
    static const char *const answers[] = {"some transition is enabled there",
                                          "no transition is enabled there: a deadlock",
                                          "whether a transition is enabled there is not known: a limit came first"};
    g_autoptr(GString) text = g_string_new(NULL);
    uint64_t n = 0;
    for (uint32_t p = 0; p < r->net->places.len; p++)
        for (size_t i = 0; i < r->game->marking[p].len; i++) {
            const GameToken *token = &r->game->marking[p].data[i];
            if (n++ >= SHOWN_TOKENS) continue;
            if (text->len) g_string_append_c(text, ' ');
            if (token->count > 1) g_string_append_printf(text, "%" G_GUINT64_FORMAT "*", token->count);
            coloured_game_name_place(r->net, p, token->colour, text);
        }
    if (n > SHOWN_TOKENS) g_string_append_printf(text, " ... (%" G_GUINT64_FORMAT " places)", n);
    visible_print(stdout, "%" G_GUINT64_FORMAT " firing%s, then %s\n", r->firings, r->firings == 1 ? "" : "s",
                  n ? text->str : "(empty)");
    visible_print(stdout, "%s\n", answers[dead]);
}

static void print_json(const Replay *r, Dead dead)
{
    g_autoptr(GString) name = g_string_new(NULL);
    GString *json = command_json_begin(r->command, r->net->name);
    json_int(json, "firings", (int64_t)r->firings);
    if (dead == DEAD_UNKNOWN)
        json_null(json, "dead");
    else
        json_bool(json, "dead", dead == DEAD_YES);
    json_open(json, "marking", '{');
    for (uint32_t p = 0; p < r->net->places.len; p++)
        for (size_t i = 0; i < r->game->marking[p].len; i++) {
            g_string_truncate(name, 0);
            coloured_game_name_place(r->net, p, r->game->marking[p].data[i].colour, name);
            json_tokens(json, name->str, r->game->marking[p].data[i].count);
        }
    json_close(json, '}');
    command_json_end(r->command, json);
}

int replay_coloured(Command *command, const ColourNet *net, const char *file, char *text)
{
    g_autoptr(Game) game = coloured_game_new(net);
    if (!game) return command_fail("%s: an initial count passes 2^64 - 1", command->arguments[0]);
    g_autofree uint64_t *binding = g_new0(uint64_t, net->variables.len + 1);
    Replay r = {.command = command, .net = net, .game = game, .binding = binding, .file = file};
    int code = run(&r, text);
    if (code) return code;
    Budget budget = command_budget(command);
    Dead dead = is_dead(&r, &budget);
    command_end_progress();
    if (command->options.json)
        print_json(&r, dead);
    else
        print_text(&r, dead);
    return dead == DEAD_UNKNOWN ? EXIT_UNKNOWN : EXIT_HOLDS;
}
