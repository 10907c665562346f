#include "net/colours.h"

NetColours *net_colours_new(uint32_t n_places, uint32_t n_transitions, uint32_t n_arcs)
{
    NetColours *colours = g_new0(NetColours, 1);
    colours->first_place = g_new0(uint32_t, (size_t)n_places + 1);
    colours->first_transition = g_new0(uint32_t, (size_t)n_transitions + 1);
    colours->n_arcs = n_arcs;
    return colours;
}

void net_colours_free(NetColours *colours)
{
    if (!colours) return;
    vec_free(&colours->bindings);
    net_free(colours->coloured);
    g_free(colours->first_place);
    g_free(colours->first_transition);
    g_free(colours);
}

bool net_colours_partial(const Net *net)
{
    return net->colours && net->colours->partial;
}

const Net *net_colours_asked(const Net *net)
{
    return net->colours ? net->colours->coloured : net;
}

static NetRange range_of(const uint32_t *first, uint32_t i)
{
    return first ? (NetRange){first[i], first[i + 1]} : (NetRange){i, i + 1};
}

NetRange net_colours_asked_places(const Net *net, uint32_t i)
{
    return range_of(net->colours ? net->colours->first_place : NULL, i);
}

NetRange net_colours_asked_transitions(const Net *net, uint32_t i)
{
    return range_of(net->colours ? net->colours->first_transition : NULL, i);
}

static bool own_names(const Net *net)
{
    return !net->colours || !net->colours->merged;
}

bool net_colours_named_places(const Net *net, const char *id, NetRange *range)
{
    uint32_t coloured = net->colours ? net_find_place(net->colours->coloured, id) : NET_NONE;
    uint32_t own = coloured == NET_NONE && own_names(net) ? net_find_place(net, id) : NET_NONE;
    if (coloured != NET_NONE)
        *range = net_colours_asked_places(net, coloured);
    else if (own != NET_NONE)
        *range = (NetRange){own, own + 1};
    return coloured != NET_NONE || own != NET_NONE;
}

bool net_colours_named_transitions(const Net *net, const char *id, NetRange *range)
{
    uint32_t coloured = net->colours ? net_find_transition(net->colours->coloured, id) : NET_NONE;
    uint32_t own = coloured == NET_NONE && own_names(net) ? net_find_transition(net, id) : NET_NONE;
    if (coloured != NET_NONE)
        *range = net_colours_asked_transitions(net, coloured);
    else if (own != NET_NONE)
        *range = (NetRange){own, own + 1};
    return coloured != NET_NONE || own != NET_NONE;
}
