#include "net/net.h"

#include "base/bisect.h"
#include "base/exact.h"
#include "base/hash.h"
#include "net/colours.h"

#include <math.h>
#include <string.h>

static void free_arcs(NetArcs *arcs)
{
    g_free(arcs->start);
    g_free(arcs->node);
    g_free(arcs->weight);
}

void net_nupn_free(NetNupn *nupn)
{
    if (!nupn) return;
    for (uint32_t i = 0; i < nupn->n_units; i++) {
        g_free(nupn->units[i].id);
        g_free(nupn->units[i].places);
        g_free(nupn->units[i].subunits);
    }
    g_free(nupn->units);
    g_free(nupn);
}

void net_free(Net *net)
{
    if (!net) return;
    for (int kind = 0; kind < N_ARC_KINDS; kind++) {
        free_arcs(&net->of_transition[kind]);
        free_arcs(&net->of_place[kind]);
    }
    net_nupn_free(net->nupn);
    net_colours_free(net->colours);
    g_free(net->name);
    g_free(net->initial);
    g_free(net->text);
    g_free(net->place_id);
    g_free(net->place_label);
    g_free(net->transition_id);
    g_free(net->transition_label);
    g_free(net->transition_note);
    g_free(net->position);
    g_free(net->id_table);
    g_free(net->final);
    g_free(net->ignored);
    g_free(net);
}

bool net_position(const Net *net, uint32_t node, double *x, double *y)
{
    if (!net->position || isnan(net->position[2 * (size_t)node])) return false;
    *x = net->position[2 * (size_t)node];
    *y = net->position[2 * (size_t)node + 1];
    return true;
}

const char *net_transition_note(const Net *net, uint32_t t)
{
    return net->transition_note ? net->text + net->transition_note[t] : "";
}

/* Eight bytes a step: ids are hashed twice per arc of a file. */
HASH_WRAPS uint32_t net_hash_id(const char *id, size_t length)
{
    uint64_t h = UINT64_C(0x9e3779b97f4a7c15) ^ length, rest = 0;
    const char *end = id + length;
    for (; end - id > 8; id += 8) {
        uint64_t word;
        memcpy(&word, id, 8);
        h = (h ^ word) * UINT64_C(0xff51afd7ed558ccd);
        h ^= h >> 32;
    }
    if (length >= 8)
        memcpy(&rest, end - 8, 8);
    else
        while (id < end) rest = rest << 8 | (uint8_t)*id++;
    return (uint32_t)hash_mix(h ^ rest);
}

/* Places and transitions share one table of ids: node i < n_places is a place. */
static uint32_t find(const Net *net, const char *id, uint32_t from, uint32_t to)
{
    for (uint32_t slot = net_hash_id(id, strlen(id)) & net->id_mask; net->id_table[slot];
         slot = (slot + 1) & net->id_mask) {
        uint32_t node = net->id_table[slot] - 1;
        if (node < from || node >= to) continue;
        uint32_t offset = node < net->n_places ? net->place_id[node] : net->transition_id[node - net->n_places];
        if (strcmp(net->text + offset, id) == 0) return node - from;
    }
    return NET_NONE;
}

uint32_t net_find_place(const Net *net, const char *id)
{
    return find(net, id, 0, net->n_places);
}

uint32_t net_find_transition(const Net *net, const char *id)
{
    return find(net, id, net->n_places, net->n_places + net->n_transitions);
}

uint64_t net_arc_weight(const Net *net, ArcKind kind, uint32_t t, uint32_t p)
{
    NetRow row = net_places(net, kind, t);
    uint32_t i;
    BISECT(i, 0, row.len, row.node[i] < p);
    return i < row.len && row.node[i] == p ? net_weight(row, i) : 0;
}

uint64_t net_max_weight(const Net *net)
{
    uint64_t max = 0;
    for (int kind = 0; kind < N_ARC_KINDS; kind++) {
        uint32_t n = net_arc_count(net, kind);
        if (n && !net->of_transition[kind].weight) max = MAX(max, 1);
        for (uint32_t i = 0; net->of_transition[kind].weight && i < n; i++)
            max = MAX(max, net->of_transition[kind].weight[i]);
    }
    return max;
}

uint64_t net_arcs_in_file(const Net *net)
{
    uint64_t n = net->n_merged;
    for (int kind = 0; kind < N_ARC_KINDS; kind++) n += net_arc_count(net, kind);
    return n;
}

char *net_summary(const Net *net)
{
    GString *text = g_string_new(NULL);
    uint32_t read = net_arc_count(net, ARC_READ), inhibitor = net_arc_count(net, ARC_INHIBIT);
    g_string_append_printf(text, "%u places, %u transitions, %" G_GUINT64_FORMAT " arcs", net->n_places,
                           net->n_transitions, net_arcs_in_file(net));
    if (read) g_string_append_printf(text, ", %u read", read);
    if (inhibitor) g_string_append_printf(text, ", %u inhibitor", inhibitor);
    if (net->n_merged) g_string_append_printf(text, ", %" G_GUINT64_FORMAT " parallel", net->n_merged);
    if (net->colours)
        g_string_append_printf(text, ", of a coloured net of %u places, %u transitions, %u arcs",
                               net->colours->coloured->n_places, net->colours->coloured->n_transitions,
                               net->colours->n_arcs);
    if (net->ignored) g_string_append_printf(text, "; ignored: %s", net->ignored);
    return g_string_free(text, FALSE);
}

bool net_is_ordinary(const Net *net)
{
    return net_max_weight(net) <= 1 && net_arc_count(net, ARC_INHIBIT) == 0;
}

static bool covers(const Net *net, ArcKind kind, const uint64_t *marking, uint32_t t)
{
    NetRow row = net_places(net, kind, t);
    for (uint32_t i = 0; i < row.len; i++)
        if (marking[row.node[i]] < net_weight(row, i)) return false;
    return true;
}

bool net_enabled(const Net *net, const uint64_t *marking, uint32_t t)
{
    NetRow inhibit = net_places(net, ARC_INHIBIT, t);
    for (uint32_t i = 0; i < inhibit.len; i++)
        if (marking[inhibit.node[i]] >= net_weight(inhibit, i)) return false;
    return covers(net, ARC_PRE, marking, t) && covers(net, ARC_READ, marking, t);
}

bool net_fire(const Net *net, uint64_t *marking, uint32_t t)
{
    NetRow pre = net_places(net, ARC_PRE, t), post = net_places(net, ARC_POST, t);
    uint32_t done = 0;
    for (uint32_t i = 0; i < pre.len; i++) marking[pre.node[i]] -= net_weight(pre, i); /* fits: it is enabled */
    for (uint64_t count; done < post.len; marking[post.node[done++]] = count)
        if (!checked_add(marking[post.node[done]], net_weight(post, done), &count)) break;
    if (done == post.len) return true;
    for (uint32_t i = 0; i < done; i++) marking[post.node[i]] -= net_weight(post, i);  /* fits: undone */
    for (uint32_t i = 0; i < pre.len; i++) marking[pre.node[i]] += net_weight(pre, i); /* fits: undone */
    return false;
}
