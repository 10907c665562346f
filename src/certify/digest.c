#include "certify/digest.h"

#include "base/compare.h"

#include <stdlib.h>
#include <string.h>

typedef struct Node {
    const char *id;
    uint32_t number;
} Node;

static int by_id(const void *a, const void *b)
{
    return strcmp(((const Node *)a)->id, ((const Node *)b)->id);
}

static Node *sorted_nodes(const Net *net, bool places)
{
    uint32_t n = places ? net->n_places : net->n_transitions;
    Node *nodes = g_new(Node, (size_t)n + 1);
    for (uint32_t i = 0; i < n; i++) nodes[i] = (Node){places ? net_place_id(net, i) : net_transition_id(net, i), i};
    qsort(nodes, n, sizeof *nodes, by_id);
    return nodes;
}

typedef struct Arc {
    uint32_t place; /* by id */
    uint64_t weight;
} Arc;

COMPARE_BY(by_place, Arc, place)

/* The length first, so that no id can look like what follows it. */
static void put_node(GString *out, const char *word, const char *id)
{
    g_string_append_printf(out, "%s %zu %s", word, strlen(id), id);
}

static void put_arcs(GString *out, NetRow row, ArcKind kind, const uint32_t *rank)
{
    static const char *const names[] = {"pre", "post", "read", "inhibit"};
    g_autofree Arc *arcs = g_new(Arc, (size_t)row.len + 1);
    for (uint32_t i = 0; i < row.len; i++) arcs[i] = (Arc){rank[row.node[i]], net_weight(row, i)};
    qsort(arcs, row.len, sizeof *arcs, by_place);
    for (uint32_t i = 0; i < row.len; i++)
        g_string_append_printf(out, " %s %u %" G_GUINT64_FORMAT, names[kind], arcs[i].place, arcs[i].weight);
}

char *digest_of(const Net *net)
{
    g_autoptr(GChecksum) sum = g_checksum_new(G_CHECKSUM_SHA256);
    g_autoptr(GString) line = g_string_new(NULL);
    g_autofree Node *places = sorted_nodes(net, true), *transitions = sorted_nodes(net, false);
    g_autofree uint32_t *rank = g_new(uint32_t, (size_t)net->n_places + 1);
    for (uint32_t i = 0; i < net->n_places; i++) {
        rank[places[i].number] = i;
        g_string_truncate(line, 0);
        put_node(line, "place", places[i].id);
        g_string_append_printf(line, " %" G_GUINT64_FORMAT "\n", net->initial[places[i].number]);
        g_checksum_update(sum, (const guchar *)line->str, (gssize)line->len);
    }
    for (uint32_t i = 0; i < net->n_transitions; i++) {
        g_string_truncate(line, 0);
        put_node(line, "transition", transitions[i].id);
        for (int kind = 0; kind < N_ARC_KINDS; kind++)
            put_arcs(line, net_places(net, kind, transitions[i].number), kind, rank);
        g_string_append_c(line, '\n');
        g_checksum_update(sum, (const guchar *)line->str, (gssize)line->len);
    }
    return g_strdup(g_checksum_get_string(sum));
}
