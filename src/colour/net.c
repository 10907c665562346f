#include "colour/net.h"

enum { STRING_BLOCK = 4096 };

ColourNet *colour_net_new(void)
{
    ColourNet *net = g_new0(ColourNet, 1);
    net->strings = g_string_chunk_new(STRING_BLOCK);
    sorts_init(&net->sorts);
    return net;
}

void colour_net_free(ColourNet *net)
{
    if (!net) return;
    g_free(net->name);
    g_free(net->ignored);
    g_string_chunk_free(net->strings);
    sorts_clear(&net->sorts);
    vec_free(&net->variables);
    vec_free(&net->places);
    vec_free(&net->transitions);
    vec_free(&net->arcs);
    vec_free(&net->terms);
    g_free(net);
}
