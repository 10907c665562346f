#include "certify/coloured_net.h"

#include "base/error.h"
#include "certify/coloured_bindings.h"
#include "net/builder.h"
#include "net/colours.h"

typedef struct Naive {
    const ColourNet *net;
    Game *game;
    GHashTable **held; /* of each place: colours that it may hold -> number of the expanded place */
    GString *name;
    uint64_t *binding;
    GPtrArray *bindings; /* of one transition, GBytes */
    Budget budget;
    bool changed, failed;
} Naive;

static void hold(Naive *n, uint32_t place, const GameBag *bag)
{
    for (size_t i = 0; i < bag->len; i++) {
        uint64_t colour = bag->data[i].colour;
        if (g_hash_table_contains(n->held[place], &colour)) continue;
        g_hash_table_add(n->held[place], g_memdup2(&colour, sizeof colour));
        n->changed = true;
    }
}

static bool holds(void *data, uint32_t place, const GameBag *bag)
{
    const Naive *n = data;
    for (size_t i = 0; i < bag->len; i++)
        if (!g_hash_table_contains(n->held[place], &bag->data[i].colour)) return false;
    return true;
}

/* What a binding that may fire makes may be held. */
static bool hold_outputs(void *data, uint32_t transition)
{
    Naive *n = data;
    const ColourTransition *t = &n->net->transitions.data[transition];
    for (uint32_t i = 0; i < t->n_arcs; i++) {
        const ColourArc *arc = &n->net->arcs.data[t->arc + i];
        GameBag bag;
        if (!arc->output) continue;
        n->failed |= !coloured_game_inscription(n->game, arc->inscription, n->binding, &bag);
        hold(n, arc->place, &bag);
        vec_free(&bag);
    }
    return !n->failed;
}

/* The colours of a transition's variables; by bytes they are in the order of the numbers. */
static bool collect(void *data, uint32_t transition)
{
    Naive *n = data;
    const VecU32 *variables = &n->game->variables[transition];
    g_autofree uint64_t *values = g_new(uint64_t, variables->len + 1);
    for (size_t i = 0; i < variables->len; i++) values[i] = GUINT64_TO_BE(n->binding[variables->data[i]]);
    g_ptr_array_add(n->bindings, g_bytes_new(values, variables->len * sizeof *values));
    return true;
}

static void each_binding(Naive *n, uint32_t transition, bool (*found)(void *data, uint32_t transition))
{
    ColouredConditions conditions = {n, holds, found};
    coloured_bindings_each(n->game, transition, &conditions, n->binding, &n->budget);
}

/* ---- the net ---- */

static gint by_colour(gconstpointer a, gconstpointer b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static void build_places(Naive *n, uint32_t place, NetBuilder *builder)
{
    GList *colours = g_list_sort(g_hash_table_get_keys(n->held[place]), by_colour);
    const GameBag *initial = &n->game->marking[place];
    for (GList *item = colours; item; item = item->next) {
        uint64_t colour = *(const uint64_t *)item->data, count = 0;
        for (size_t i = 0; i < initial->len; i++)
            if (initial->data[i].colour == colour) count = initial->data[i].count;
        g_string_truncate(n->name, 0);
        coloured_game_name_place(n->net, place, colour, n->name);
        uint32_t number = net_builder_place(builder, n->name->str, NULL, count);
        g_hash_table_insert(n->held[place], g_memdup2(&colour, sizeof colour), GUINT_TO_POINTER(number));
    }
    g_list_free(colours);
}

static void build_arcs(Naive *n, const ColourArc *arc, uint32_t transition, NetBuilder *builder)
{
    GameBag bag;
    n->failed |= !coloured_game_inscription(n->game, arc->inscription, n->binding, &bag);
    for (size_t i = 0; i < bag.len && !n->failed; i++) {
        uint32_t place = GPOINTER_TO_UINT(g_hash_table_lookup(n->held[arc->place], &bag.data[i].colour));
        net_builder_arc(builder, arc->output ? ARC_POST : ARC_PRE, place, transition, bag.data[i].count);
    }
    vec_free(&bag);
}

static int compare_bindings(gconstpointer a, gconstpointer b)
{
    return g_bytes_compare(*(GBytes *const *)a, *(GBytes *const *)b);
}

static void build_transitions(Naive *n, uint32_t transition, NetBuilder *builder)
{
    const ColourTransition *t = &n->net->transitions.data[transition];
    const VecU32 *variables = &n->game->variables[transition];
    g_ptr_array_set_size(n->bindings, 0);
    each_binding(n, transition, collect);
    g_ptr_array_sort(n->bindings, compare_bindings);
    for (guint k = 0; k < n->bindings->len; k++) {
        const uint64_t *values = g_bytes_get_data(n->bindings->pdata[k], NULL);
        for (size_t i = 0; i < variables->len; i++) n->binding[variables->data[i]] = GUINT64_FROM_BE(values[i]);
        g_string_truncate(n->name, 0);
        coloured_game_name_binding(n->game, transition, n->binding, n->name);
        uint32_t node = net_builder_transition(builder, n->name->str, NULL);
        for (uint32_t i = 0; i < t->n_arcs; i++) build_arcs(n, &n->net->arcs.data[t->arc + i], node, builder);
    }
}

static Net *build_coloured(const ColourNet *net, GError **error)
{
    g_autoptr(NetBuilder) builder = net_builder_new(net->name);
    for (size_t p = 0; p < net->places.len; p++) net_builder_place(builder, net->places.data[p].id, NULL, 0);
    for (size_t t = 0; t < net->transitions.len; t++)
        net_builder_transition(builder, net->transitions.data[t].id, NULL);
    return net_builder_finish(builder, error);
}

static Net *build(Naive *n, GError **error)
{
    g_autoptr(NetBuilder) builder = net_builder_new(n->net->name);
    uint32_t places = (uint32_t)n->net->places.len, transitions = (uint32_t)n->net->transitions.len;
    NetColours *colours = net_colours_new(places, transitions, (uint32_t)n->net->arcs.len);
    for (uint32_t p = 0; p < places; p++) {
        build_places(n, p, builder);
        colours->first_place[p + 1] = net_builder_n_places(builder);
    }
    for (uint32_t t = 0; t < transitions && !n->failed; t++) {
        build_transitions(n, t, builder);
        colours->first_transition[t + 1] = net_builder_n_transitions(builder);
    }
    colours->coloured = n->failed ? NULL : build_coloured(n->net, error);
    Net *net = colours->coloured ? net_builder_finish(builder, error) : NULL;
    if (net)
        net->colours = colours;
    else
        net_colours_free(colours);
    return net;
}

Net *coloured_net_expand(const ColourNet *net, GError **error)
{
    Naive n = {.net = net, .game = coloured_game_new(net), .name = g_string_new(NULL), .changed = true};
    n.held = g_new0(GHashTable *, net->places.len + 1);
    n.bindings = g_ptr_array_new_with_free_func((GDestroyNotify)g_bytes_unref);
    n.binding = g_new0(uint64_t, net->variables.len + 1);
    n.budget = budget_unlimited();
    n.failed = !n.game;
    for (size_t p = 0; p < net->places.len; p++)
        n.held[p] = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    for (uint32_t p = 0; p < net->places.len && !n.failed; p++) hold(&n, p, &n.game->marking[p]);
    while (n.changed && !n.failed) {
        n.changed = false;
        for (uint32_t t = 0; t < net->transitions.len && !n.failed; t++) each_binding(&n, t, hold_outputs);
    }
    Net *result = n.failed ? NULL : build(&n, error);
    if (n.failed) g_set_error(error, MAZURKA_ERROR, ERROR_LIMIT, "a count passes 2^64 - 1");
    for (size_t p = 0; p < net->places.len; p++) g_hash_table_unref(n.held[p]);
    g_free(n.held);
    g_ptr_array_unref(n.bindings);
    g_free(n.binding);
    g_string_free(n.name, TRUE);
    coloured_game_free(n.game);
    return result;
}
