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
