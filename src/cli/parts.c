#include "cli/parts.h"

#include "base/error.h"
#include "base/input.h"
#include "base/json_read.h"

#include <string.h>

#define FORMAT "mazurka parts 1"

void parts_clear(Parts *p)
{
    g_free(p->task);
    g_free(p->parent);
    g_free(p->name);
    backlog_clear(&p->dead);
    backlog_clear(&p->rest);
    *p = (Parts){0};
}

char *parts_task(const Net *net, const char *digest, const Indep *indep, const DporOptions *bounds)
{
    g_autoptr(GChecksum) sum = g_checksum_new(G_CHECKSUM_SHA256);
    const uint32_t numbers[] = {bounds->depth, bounds->unroll, bounds->spins != NULL, indep->n};
    g_checksum_update(sum, (const guchar *)digest, (gssize)strlen(digest));
    g_checksum_update(sum, (const guchar *)numbers, sizeof numbers);
    for (uint32_t t = 0; t < net->n_transitions; t++) { /* runs number them in the order of the file */
        const char *id = net_transition_id(net, t);
        g_checksum_update(sum, (const guchar *)id, (gssize)strlen(id) + 1);
        uint32_t n = indep->start[t + 1] - indep->start[t];
        g_checksum_update(sum, (const guchar *)&n, sizeof n);
        g_checksum_update(sum, (const guchar *)(indep->dependent + indep->start[t]), (gssize)(n * sizeof n));
    }
    return g_strdup(g_checksum_get_string(sum));
}

/* ---- writing ---- */

static void print_runs(const Backlog *runs, const char *key, GString *text)
{
    for (size_t i = 0; i < backlog_len(runs); i++) {
        size_t n;
        const uint32_t *run = backlog_run(runs, i, &n);
        g_string_append_printf(text, "{\"%s\":[", key);
        for (size_t k = 0; k < n; k++) g_string_append_printf(text, k ? ",%u" : "%u", run[k]);
        g_string_append(text, "]}\n");
    }
}

void parts_print(const Parts *p, GString *text)
{
    g_string_append_printf(text, "{\"format\":\"" FORMAT "\",\"task\":\"%s\",\"parent\":", p->task);
    g_string_append_printf(text, p->parent ? "\"%s\"" : "null", p->parent);
    g_string_append_printf(text,
                           ",\"part\":%u,\"maximal\":%" G_GUINT64_FORMAT ",\"bound\":%" G_GUINT64_FORMAT
                           ",\"waiting\":%" G_GUINT64_FORMAT ",\"stuck\":%" G_GUINT64_FORMAT
                           ",\"cut\":%" G_GUINT64_FORMAT ",\"nodes\":%" G_GUINT64_FORMAT
                           ",\"deepest\":%u,\"dead\":%zu,\"parts\":%zu}\n",
                           p->part, p->maximal, p->bound, p->waiting, p->stuck, p->cut, p->nodes, p->deepest,
                           backlog_len(&p->dead), backlog_len(&p->rest));
    print_runs(&p->dead, "dead", text);
    print_runs(&p->rest, "run", text);
}

/* ---- reading ---- */

static bool take_number(const JsonTree *tree, const char *key, uint64_t *number)
{
    const JsonItem *node = json_read_kind(tree, tree->nodes.data, key, JSON_INTEGER);
    *number = node ? (uint64_t)node->integer : 0;
    return node && node->integer >= 0;
}

static bool read_head(Parts *p, const JsonTree *head, uint64_t count[2])
{
    uint64_t part, deepest;
    const char *format = json_read_text(head, head->nodes.data, "format");
    p->task = g_strdup(json_read_text(head, head->nodes.data, "task"));
    p->parent = g_strdup(json_read_text(head, head->nodes.data, "parent"));
    if (!format || strcmp(format, FORMAT) != 0 || !p->task) return false;
    if (!take_number(head, "part", &part) || !take_number(head, "maximal", &p->maximal) ||
        !take_number(head, "bound", &p->bound) || !take_number(head, "waiting", &p->waiting) ||
        !take_number(head, "stuck", &p->stuck) || !take_number(head, "cut", &p->cut) ||
        !take_number(head, "nodes", &p->nodes) || !take_number(head, "deepest", &deepest) ||
        !take_number(head, "dead", &count[0]) || !take_number(head, "parts", &count[1]))
        return false;
    p->part = (uint32_t)MIN(part, UINT32_MAX);
    p->deepest = (uint32_t)MIN(deepest, UINT32_MAX);
    return (p->parent != NULL) == (p->part > 0);
}

static bool read_run(const JsonTree *tree, const char *key, uint32_t n_transitions, VecU32 *run)
{
    const JsonItem *list = json_read_kind(tree, tree->nodes.data, key, JSON_LIST);
    vec_clear(run);
    if (!list) return false;
    for (JSON_EACH(t, list)) {
        if (t->kind != JSON_INTEGER || t->integer < 0 || t->integer >= n_transitions) return false;
        vec_push(run, (uint32_t)t->integer);
    }
    return true;
}

/* The lines behind the head. */
static bool read_lines(Parts *p, char **line, const uint64_t count[2], uint32_t n_transitions, Budget *budget)
{
    JsonTree tree = {0};
    VecU32 run = {0};
    bool ok = true;
    uint64_t n = 0;
    for (; ok && line[n] && *line[n]; n++) {
        bool dead = n < count[0];
        ok = json_read(&tree, line[n], strlen(line[n]), budget) &&
             read_run(&tree, dead ? "dead" : "run", n_transitions, &run);
        if (ok) backlog_push(dead ? &p->dead : &p->rest, run.data, run.len);
    }
    vec_free(&run);
    json_read_free(&tree);
    return ok && n == count[0] + count[1] && count[0] <= n && line[n] && !line[n + 1];
}

bool parts_read(Parts *p, const char *path, const char *task, uint32_t n_transitions, Budget *budget, GError **error)
{
    *p = (Parts){0};
    size_t len;
    g_autofree char *text = input_read_file(path, INPUT_LARGE, budget, &len, error);
    if (!text) return false;
    p->name = g_compute_checksum_for_data(G_CHECKSUM_SHA256, (const guchar *)text, len);
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    JsonTree head = {0};
    uint64_t count[2];
    bool ok = lines[0] && json_read(&head, lines[0], strlen(lines[0]), budget) && read_head(p, &head, count) &&
              read_lines(p, lines + 1, count, n_transitions, budget);
    json_read_free(&head);
    if (!ok && budget_ended(budget))
        g_set_error(error, MAZURKA_ERROR, ERROR_SPENT, "%s: not read to its end: %s", path, budget_text(budget));
    else if (!ok)
        g_set_error(error, MAZURKA_ERROR, ERROR_INPUT, "%s: no whole file of explore --split or --part", path);
    else if (strcmp(p->task, task) != 0)
        g_set_error(error, MAZURKA_ERROR, ERROR_INPUT,
                    "%s: of another net, relation or bound: all parts are explored with the same ones", path);
    else
        return true;
    parts_clear(p);
    return false;
}
