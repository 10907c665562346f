/* Firing, and firings by their names: what who only expands does without. */
#include "certify/coloured_game.h"

#include "base/bisect.h"

/* ---- tokens ---- */

static const GameToken *find(const GameBag *bag, uint64_t colour)
{
    size_t i;
    BISECT(i, 0, bag->len, bag->data[i].colour < colour);
    return i < bag->len && bag->data[i].colour == colour ? &bag->data[i] : NULL;
}

bool coloured_game_has(const GameBag *bag, const GameBag *part)
{
    for (size_t i = 0; i < part->len; i++) {
        const GameToken *token = find(bag, part->data[i].colour);
        if (!token || token->count < part->data[i].count) return false;
    }
    return true;
}

/* ---- firing ---- */

/* The arcs of one direction, up to the first that fails. */
static bool move(Game *game, const ColourTransition *t, bool output, const GameBag *bags)
{
    uint32_t done = 0;
    bool good = true;
    for (; done < t->n_arcs && good; done++) {
        const ColourArc *arc = &game->net->arcs.data[t->arc + done];
        if (arc->output != output) continue;
        GameBag *marking = &game->marking[arc->place];
        good = output ? coloured_game_put(marking, &bags[done]) : coloured_game_has(marking, &bags[done]);
        if (good && !output) coloured_game_reduce(marking, &bags[done]);
    }
    return good;
}

static void copy_marking(const Game *game, const GameBag *from, GameBag *to)
{
    for (size_t p = 0; p < game->net->places.len; p++) {
        vec_clear(&to[p]);
        vec_append(&to[p], from[p].data, from[p].len);
    }
}

/* With `back` the marking is as before in any case. */
static GameStep fire(Game *game, uint32_t transition, const uint64_t *binding, bool back)
{
    const ColourTransition *t = &game->net->transitions.data[transition];
    if (t->guard != TERM_NONE && !coloured_game_truth(game, t->guard, binding)) return GAME_GUARD;
    GameBag *bags = g_new0(GameBag, t->n_arcs + 1), *before = g_new0(GameBag, game->net->places.len + 1);
    GameStep step = GAME_FIRED;
    copy_marking(game, game->marking, before);
    for (uint32_t i = 0; i < t->n_arcs; i++)
        if (!coloured_game_inscription(game, game->net->arcs.data[t->arc + i].inscription, binding, &bags[i]))
            step = GAME_NUMBERS;
    if (step == GAME_FIRED && !move(game, t, false, bags)) step = GAME_TOKENS;
    if (step == GAME_FIRED && !move(game, t, true, bags)) step = GAME_NUMBERS;
    if (step != GAME_FIRED || back) copy_marking(game, before, game->marking);
    for (uint32_t i = 0; i < t->n_arcs; i++) vec_free(&bags[i]);
    for (size_t p = 0; p < game->net->places.len; p++) vec_free(&before[p]);
    g_free(bags);
    g_free(before);
    return step;
}

GameStep coloured_game_fire(Game *game, uint32_t transition, const uint64_t *binding)
{
    return fire(game, transition, binding, false);
}

bool coloured_game_enabled(Game *game, uint32_t transition, const uint64_t *binding)
{
    return fire(game, transition, binding, true) == GAME_FIRED;
}

/* ---- reading ---- */

static bool skip(const char **at, const char *text)
{
    if (!g_str_has_prefix(*at, text)) return false;
    *at += strlen(text);
    return true;
}

/* The colour of a basic sort whose name stands here. */
static bool read_leaf(const Sorts *sorts, uint32_t basic, const char **at, uint32_t *colour)
{
    g_autoptr(GString) name = g_string_new(NULL);
    size_t len = strcspn(*at, ",>)");
    for (uint64_t i = 0; i < sort_at(sorts, basic)->size; i++) {
        g_string_truncate(name, 0);
        sort_append_name(sorts, basic, (uint32_t)i, name);
        if (name->len != len || strncmp(name->str, *at, len) != 0) continue;
        *colour = (uint32_t)i;
        *at += len;
        return true;
    }
    return false;
}

static bool read_value(const Sorts *sorts, uint32_t sort, const char **at, uint64_t *colour)
{
    uint32_t leaves[SORT_MAX_LEAVES] = {0}, n = sort_at(sorts, sort)->n_leaves;
    if (n > 1 && !skip(at, "<")) return false;
    for (uint32_t i = 0; i < n; i++)
        if ((i && !skip(at, ",")) || !read_leaf(sorts, sort_leaf(sorts, sort, i), at, &leaves[i])) return false;
    *colour = sort_join(sorts, sort, leaves);
    return n == 1 || skip(at, ">");
}

static bool read_as(const Game *game, const char *text, uint32_t transition, uint64_t *binding)
{
    const VecU32 *variables = &game->variables[transition];
    const char *id = game->net->transitions.data[transition].id, *at = text;
    if (!skip(&at, id)) return false;
    if (!variables->len) return strcmp(at, g_str_has_suffix(id, ")") ? "()" : "") == 0;
    for (size_t i = 0; i < variables->len; i++) {
        const ColourVariable *v = &game->net->variables.data[variables->data[i]];
        if (!skip(&at, i ? ", " : "(") || !skip(&at, v->name) || !skip(&at, " = ")) return false;
        if (!read_value(&game->net->sorts, v->sort, &at, &binding[variables->data[i]])) return false;
    }
    return strcmp(at, ")") == 0;
}

bool coloured_game_read_binding(const Game *game, const char *text, uint32_t *transition, uint64_t *binding)
{
    for (*transition = 0; *transition < game->net->transitions.len; ++*transition)
        if (read_as(game, text, *transition, binding)) return true;
    return false;
}
