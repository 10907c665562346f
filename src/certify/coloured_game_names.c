#include "certify/coloured_game.h"

static void append_colour(const Sorts *sorts, uint32_t sort, uint64_t colour, GString *out)
{
    uint32_t leaves[SORT_MAX_LEAVES];
    sort_split(sorts, sort, colour, leaves);
    for (uint32_t i = 0; i < sort_at(sorts, sort)->n_leaves; i++) {
        if (i) g_string_append_c(out, ',');
        sort_append_name(sorts, sort_leaf(sorts, sort, i), leaves[i], out);
    }
}

static void append_bare(const char *id, GString *out)
{
    g_string_append_printf(out, "%s%s", id, g_str_has_suffix(id, ")") ? "()" : "");
}

void coloured_game_name_place(const ColourNet *net, uint32_t place, uint64_t colour, GString *out)
{
    const ColourPlace *p = &net->places.data[place];
    if (p->sort == 0) {
        append_bare(p->id, out);
        return;
    }
    g_string_append_printf(out, "%s(", p->id);
    append_colour(&net->sorts, p->sort, colour, out);
    g_string_append_c(out, ')');
}

static void append_value(const ColourNet *net, const ColourVariable *v, uint64_t colour, GString *out)
{
    bool product = sort_at(&net->sorts, v->sort)->n_leaves > 1;
    if (product) g_string_append_c(out, '<');
    append_colour(&net->sorts, v->sort, colour, out);
    if (product) g_string_append_c(out, '>');
}

void coloured_game_name_binding(const Game *game, uint32_t transition, const uint64_t *binding, GString *out)
{
    const char *id = game->net->transitions.data[transition].id;
    const VecU32 *variables = &game->variables[transition];
    if (!variables->len) {
        append_bare(id, out);
        return;
    }
    g_string_append_printf(out, "%s(", id);
    for (size_t i = 0; i < variables->len; i++) {
        const ColourVariable *v = &game->net->variables.data[variables->data[i]];
        g_string_append_printf(out, "%s%s = ", i ? ", " : "", v->name);
        append_value(game->net, v, binding[variables->data[i]], out);
    }
    g_string_append_c(out, ')');
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
