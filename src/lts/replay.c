#include "lts/replay.h"

#include "base/error.h"

uint64_t *replay_start(const Net *net)
{
    uint64_t *marking = g_new(uint64_t, (size_t)net->n_places + 1);
    memcpy(marking, net->initial, net->n_places * sizeof *marking);
    return marking;
}

size_t replay_run(const Net *net, const uint32_t *sequence, size_t n, uint64_t *marking)
{
    size_t i = 0;
    while (i < n && net_enabled(net, marking, sequence[i]) && net_fire(net, marking, sequence[i])) i++;
    return i;
}

/* The id, and what the file calls it when that is something else. */
static void append_named(const char *id, const char *label, GString *text)
{
    g_string_append(text, id);
    if (strcmp(id, label) != 0) g_string_append_printf(text, " \"%s\"", error_excerpt(label, SIZE_MAX).text);
}

static void append_place(const Net *net, uint32_t p, GString *text)
{
    append_named(net_place_id(net, p), net_place_label(net, p), text);
}

void replay_transition_text(const Net *net, uint32_t t, GString *text)
{
    append_named(net_transition_id(net, t), net_transition_label(net, t), text);
}

static unsigned obstacles_of_kind(const Net *net, const uint64_t *marking, uint32_t t, ArcKind kind, GString *text,
                                  unsigned before)
{
    NetRow row = net_places(net, kind, t);
    unsigned found = 0;
    for (uint32_t i = 0; i < row.len; i++) {
        uint64_t count = marking[row.node[i]], weight = net_weight(row, i);
        if ((count < weight) == (kind == ARC_INHIBIT)) continue;
        if (before + found++) g_string_append(text, ", ");
        append_place(net, row.node[i], text);
        g_string_append_printf(text, " (%" G_GUINT64_FORMAT, count);
        g_string_append_printf(
            text, kind == ARC_INHIBIT ? ", inhibits from %" G_GUINT64_FORMAT ")" : " of %" G_GUINT64_FORMAT ")",
            weight);
    }
    return found;
}

unsigned replay_obstacles(const Net *net, const uint64_t *marking, uint32_t t, GString *text)
{
    unsigned n = obstacles_of_kind(net, marking, t, ARC_PRE, text, 0);
    n += obstacles_of_kind(net, marking, t, ARC_READ, text, n);
    return n + obstacles_of_kind(net, marking, t, ARC_INHIBIT, text, n);
}

void replay_marking_text(const Net *net, const uint64_t *marking, unsigned most, GString *text)
{
    unsigned n = 0;
    for (uint32_t p = 0; p < net->n_places; p++) {
        if (!marking[p] || n++ >= most) continue;
        if (n > 1) g_string_append_c(text, ' ');
        if (marking[p] > 1) g_string_append_printf(text, "%" G_GUINT64_FORMAT "*", marking[p]);
        append_place(net, p, text);
    }
    if (n > most) g_string_append_printf(text, " ... (%u places)", n);
    if (!n) g_string_append(text, "(empty)");
}

bool replay_is_dead(const Net *net, const uint64_t *marking)
{
    for (uint32_t t = 0; t < net->n_transitions; t++)
        if (net_enabled(net, marking, t)) return false;
    return true;
}
