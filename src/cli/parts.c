#include "cli/parts.h"

#include "base/error.h"
#include "base/input.h"

#include <json-glib/json-glib.h>
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

char *parts_task(const Net *net, const char *digest, const Indep *indep, uint32_t depth, uint32_t unroll)
{
    g_autoptr(GChecksum) sum = g_checksum_new(G_CHECKSUM_SHA256);
    const uint32_t bounds[] = {depth, unroll, indep->n};
    g_checksum_update(sum, (const guchar *)digest, (gssize)strlen(digest));
    g_checksum_update(sum, (const guchar *)bounds, sizeof bounds);
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
                           ",\"nodes\":%" G_GUINT64_FORMAT ",\"deepest\":%u,\"dead\":%zu,\"parts\":%zu}\n",
                           p->part, p->maximal, p->bound, p->nodes, p->deepest, backlog_len(&p->dead),
                           backlog_len(&p->rest));
    print_runs(&p->dead, "dead", text);
    print_runs(&p->rest, "run", text);
}

/* ---- reading ---- */

static bool take_number(JsonObject *object, const char *key, uint64_t *number)
{
    JsonNode *node = json_object_get_member(object, key);
    if (!node || !JSON_NODE_HOLDS_VALUE(node) || json_node_get_value_type(node) != G_TYPE_INT64) return false;
    gint64 value = json_node_get_int(node);
    *number = (uint64_t)value;
    return value >= 0;
}

static char *take_text(JsonObject *object, const char *key)
{
    JsonNode *node = json_object_get_member(object, key);
    if (!node || !JSON_NODE_HOLDS_VALUE(node) || json_node_get_value_type(node) != G_TYPE_STRING) return NULL;
    return g_strdup(json_node_get_string(node));
}

static JsonObject *parse(JsonParser *parser, const char *line, size_t len)
{
    if (!json_parser_load_from_data(parser, line, (gssize)len, NULL)) return NULL;
    JsonNode *root = json_parser_get_root(parser);
    return root && JSON_NODE_HOLDS_OBJECT(root) ? json_node_get_object(root) : NULL;
}

static bool read_head(Parts *p, JsonObject *object, uint64_t count[2])
{
    uint64_t part, deepest;
    g_autofree char *format = take_text(object, "format");
    p->task = take_text(object, "task");
    p->parent = take_text(object, "parent");
    if (!format || strcmp(format, FORMAT) != 0 || !p->task) return false;
    if (!take_number(object, "part", &part) || !take_number(object, "maximal", &p->maximal) ||
        !take_number(object, "bound", &p->bound) || !take_number(object, "nodes", &p->nodes) ||
        !take_number(object, "deepest", &deepest) || !take_number(object, "dead", &count[0]) ||
        !take_number(object, "parts", &count[1]))
        return false;
    p->part = (uint32_t)MIN(part, UINT32_MAX);
    p->deepest = (uint32_t)MIN(deepest, UINT32_MAX);
    return (p->parent != NULL) == (p->part > 0);
}

static bool read_run(JsonObject *object, const char *key, uint32_t n_transitions, VecU32 *run)
{
    JsonNode *node = json_object_get_member(object, key);
    vec_clear(run);
    if (!node || !JSON_NODE_HOLDS_ARRAY(node)) return false;
    JsonArray *array = json_node_get_array(node);
    for (guint i = 0; i < json_array_get_length(array); i++) {
        JsonNode *item = json_array_get_element(array, i);
        if (!JSON_NODE_HOLDS_VALUE(item) || json_node_get_value_type(item) != G_TYPE_INT64) return false;
        gint64 t = json_node_get_int(item);
        if (t < 0 || t >= n_transitions) return false;
        vec_push(run, (uint32_t)t);
    }
    return true;
}

/* The lines behind the head. */
static bool read_lines(Parts *p, char **line, const uint64_t count[2], uint32_t n_transitions, Budget *budget)
{
    g_autoptr(JsonParser) parser = json_parser_new();
    VecU32 run = {0};
    bool ok = true;
    uint64_t n = 0;
    for (; ok && line[n] && *line[n]; n++) {
        bool dead = n < count[0];
        JsonObject *object = budget_spent(budget) ? NULL : parse(parser, line[n], strlen(line[n]));
        ok = object && read_run(object, dead ? "dead" : "run", n_transitions, &run);
        if (ok) backlog_push(dead ? &p->dead : &p->rest, run.data, run.len);
    }
    vec_free(&run);
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
    g_autoptr(JsonParser) parser = json_parser_new();
    uint64_t count[2];
    JsonObject *head = lines[0] ? parse(parser, lines[0], strlen(lines[0])) : NULL;
    if (!head || !read_head(p, head, count) || !read_lines(p, lines + 1, count, n_transitions, budget))
        g_set_error(error, MAZURKA_ERROR, ERROR_INPUT, "%s: no whole file of explore --split or --part", path);
    else if (strcmp(p->task, task) != 0)
        g_set_error(error, MAZURKA_ERROR, ERROR_INPUT,
                    "%s: of another net, relation or bound: all parts are explored with the same ones", path);
    else
        return true;
    parts_clear(p);
    return false;
}
