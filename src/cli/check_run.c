#include "cli/check_run.h"

#include "base/error.h"
#include "base/output.h"
#include "base/quote.h"
#include "base/visible.h"
#include "lts/indep.h"
#include "lts/replay.h"
#include "report/run_drawing.h"
#include "verify/witness.h"

#include <stdio.h>
#include <string.h>

void check_run_print(const Net *net, const uint32_t *run, const uint64_t *times, size_t n, bool source)
{
    for (size_t i = 0; i < n; i++) {
        if (i == SHOWN_FIRINGS && n > SHOWN_FIRINGS + 1) {
            visible_print(stdout, "  ...  %zu more (--witness FILE has all)\n", n - i);
            break;
        }
        const char *id = net_transition_id(net, run[i]), *label = net_transition_label(net, run[i]);
        const char *note = net_transition_note(net, run[i]);
        if (source) {
            visible_print(stdout, "%4zu  %s\n", i + 1, label);
            continue;
        }
        visible_print(stdout, "%4zu  %s", i + 1, id);
        if (strcmp(id, label) != 0) visible_print(stdout, "  %s", label);
        if (*note) visible_print(stdout, "  (%s)", note);
        if (times && times[i] > 1) visible_print(stdout, "  %" G_GUINT64_FORMAT " times", times[i]);
        putchar('\n');
    }
}

/* How far a transition is from firing: those that have part of what they need are nearer than those that have
 * nothing, then the number of obstacles counts. */
static unsigned farness(const Net *net, const uint64_t *marking, uint32_t t, GString *obstacles)
{
    g_string_truncate(obstacles, 0);
    unsigned missing = replay_obstacles(net, marking, t, obstacles);
    unsigned needed = net_places(net, ARC_PRE, t).len + net_places(net, ARC_READ, t).len;
    return missing < needed ? missing : G_MAXUINT / 2 + MIN(missing, 1000);
}

void check_run_print_blocked(const Net *net, const uint64_t *marking)
{
    g_autoptr(GString) text = g_string_new(NULL);
    unsigned least = G_MAXUINT, n = 0;
    for (uint32_t t = 0; t < net->n_transitions; t++) least = MIN(least, farness(net, marking, t, text));
    for (uint32_t t = 0; t < net->n_transitions; t++) {
        if (farness(net, marking, t, text) != least || n++ >= SHOWN_BLOCKED) continue;
        g_autoptr(GString) name = g_string_new(NULL);
        replay_transition_text(net, t, name);
        visible_print(stdout, "%-9s %s waits for %s\n", n == 1 ? "blocked:" : "", name->str, text->str);
    }
    if (n > SHOWN_BLOCKED) visible_print(stdout, "          ... and %u more\n", n - SHOWN_BLOCKED);
}

uint32_t check_run_find(const Net *net, char *line)
{
    const char *at = line + strspn(line, " \t");
    uint32_t t = NET_NONE;
    g_autoptr(GString) word = g_string_new(NULL);
    const char *end = *at == '"' ? quote_read(at + 1, word) : NULL;
    if (end && !end[1 + strspn(end + 1, " \t\r")]) t = net_find_transition(net, word->str);
    if (t == NET_NONE) t = net_find_transition(net, line);
    return t != NET_NONE ? t : net_find_transition(net, g_strstrip(line));
}

uint32_t check_run_find_times(const Net *net, char *line, uint64_t *times)
{
    g_autoptr(GString) word = g_string_new(NULL);
    const char *at = line + strspn(line, " \t"), *end = *at == '"' ? quote_read(at + 1, word) : NULL;
    g_autofree char *number = end && end[1] == ' ' ? g_strstrip(g_strdup(end + 2)) : NULL;
    *times = 1;
    if (number && g_ascii_string_to_unsigned(number, 10, 1, UINT64_MAX, times, NULL))
        return net_find_transition(net, word->str);
    return check_run_find(net, line);
}

bool check_run_write(const char *path, const Net *net, const uint32_t *run, const uint64_t *times, size_t n,
                     GError **error)
{
    g_autoptr(GString) text = g_string_new(NULL);
    if (times && g_str_has_suffix(path, ".dot")) {
        error_at(error, ERROR_IO, path, 0, 0, "is not written: a run with so many firings cannot be drawn");
        return false;
    }
    if (times) {
        witness_print_times(net, run, times, n, text);
    } else if (g_str_has_suffix(path, ".dot")) {
        g_autoptr(Indep) indep = indep_new(net, RELATION_LOOPS);
        run_drawing_dot(net, indep, run, n, text);
    } else {
        witness_print(net, run, n, text);
    }
    return output_write(path, text->str, text->len, error);
}

uint64_t *check_run_end(const mz_net *net, const mz_answer *answer)
{
    size_t n;
    const uint32_t *run = mz_answer_run(answer, &n);
    g_autofree uint64_t *marking = g_new(uint64_t, (size_t)mz_net_places(net) + 1);
    memcpy(marking, mz_answer_start(answer), mz_net_places(net) * sizeof *marking);
    const uint64_t *times = mz_answer_times(answer);
    size_t done = times ? replay_leaps(api_net_inside(net), run, times, n, marking) : mz_net_fire(net, marking, run, n);
    return done == n ? g_steal_pointer(&marking) : NULL;
}
