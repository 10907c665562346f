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

static uint64_t weight_at(const Net *net, ArcKind kind, uint32_t t, uint32_t p)
{
    NetRow row = net_places(net, kind, t);
    uint32_t from = 0, to = row.len;
    while (from < to) {
        uint32_t middle = from + (to - from) / 2;
        if (row.node[middle] < p)
            from = middle + 1;
        else
            to = middle;
    }
    return from < row.len && row.node[from] == p ? net_weight(row, from) : 0;
}

/* How often as far as p is concerned: what it loses or gains each time leaves enough for the last firing, is below
 * what inhibits it, and fits. */
static uint64_t times_at(const Net *net, uint64_t count, uint32_t t, uint32_t p, uint64_t most)
{
    uint64_t taken = weight_at(net, ARC_PRE, t, p), made = weight_at(net, ARC_POST, t, p);
    uint64_t read = weight_at(net, ARC_READ, t, p), need = MAX(taken, read);
    uint64_t inhibit = weight_at(net, ARC_INHIBIT, t, p);
    if (count < need || (inhibit && count >= inhibit)) return 0;
    if (taken > made) return MIN(most - 1, (count - need) / (taken - made)) + 1; /* fits: most is not 0 */
    if (made == taken) return most;
    uint64_t gain = made - taken, times = MIN(most, (UINT64_MAX - count) / gain);
    return inhibit && times ? MIN(times - 1, (inhibit - 1 - count) / gain) + 1 : times; /* fits: times is not 0 */
}

uint64_t replay_times(const Net *net, const uint64_t *marking, uint32_t t, uint64_t most)
{
    for (ArcKind kind = 0; kind < N_ARC_KINDS; kind++) {
        NetRow row = net_places(net, kind, t);
        for (uint32_t i = 0; i < row.len && most; i++) most = times_at(net, marking[row.node[i]], t, row.node[i], most);
    }
    return most;
}

/* Each place once: where it both loses and gains, with the difference. It can be done so often. */
static void leap(const Net *net, uint32_t t, uint64_t times, uint64_t *marking)
{
    NetRow pre = net_places(net, ARC_PRE, t), post = net_places(net, ARC_POST, t);
    for (uint32_t i = 0; i < pre.len; i++) {
        uint64_t taken = net_weight(pre, i), made = weight_at(net, ARC_POST, t, pre.node[i]);
        if (taken > made) marking[pre.node[i]] -= (taken - made) * times; /* fits: it can be done so often */
    }
    for (uint32_t i = 0; i < post.len; i++) {
        uint64_t made = net_weight(post, i), taken = weight_at(net, ARC_PRE, t, post.node[i]);
        if (made > taken) marking[post.node[i]] += (made - taken) * times; /* fits: it can be done so often */
    }
}

size_t replay_leaps(const Net *net, const uint32_t *sequence, const uint64_t *times, size_t n, uint64_t *marking)
{
    size_t i = 0;
    for (; i < n && replay_times(net, marking, sequence[i], times[i]) == times[i]; i++)
        leap(net, sequence[i], times[i], marking);
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
