#include "view/view.h"

#include "base/bitset.h"
#include "base/json_quote.h"
#include "base/output.h"
#include "report/html.h"

#include <assert.h>

/* Beyond it a page cannot count without loss: such numbers are texts there. */
#define EXACT_IN_PAGE (UINT64_C(1) << 53)

struct View {
    char *title, *about, *first;
    GString *net, *prefix, *runs, *trees, *sources, *labels; /* JSON, empty when there is none */
};

View *view_new(const char *title, const char *about)
{
    View *view = g_new0(View, 1);
    view->title = g_strdup(title);
    view->about = g_strdup(about ? about : "");
    view->net = g_string_new(NULL);
    view->prefix = g_string_new(NULL);
    view->runs = g_string_new(NULL);
    view->trees = g_string_new(NULL);
    view->sources = g_string_new(NULL);
    view->labels = g_string_new(NULL);
    return view;
}

void view_free(View *view)
{
    if (!view) return;
    GString *parts[] = {view->net, view->prefix, view->runs, view->trees, view->sources, view->labels};
    for (size_t i = 0; i < G_N_ELEMENTS(parts); i++) g_string_free(parts[i], TRUE);
    g_free(view->title);
    g_free(view->about);
    g_free(view->first);
    g_free(view);
}

void view_first(View *view, const char *tab)
{
    g_free(view->first);
    view->first = g_strdup(tab);
}

/* ---- parts of JSON ---- */

static void add_text(GString *out, const char *key, const char *value)
{
    g_string_append_printf(out, "%s\"%s\":", out->len && out->str[out->len - 1] != '{' ? "," : "", key);
    json_quote(out, value);
}

static void open_array(GString *out, const char *key)
{
    g_string_append_printf(out, ",\n\"%s\":[", key);
}

static void separate(GString *out)
{
    if (out->str[out->len - 1] != '[') g_string_append_c(out, ',');
}

static void add_number(GString *out, uint64_t value)
{
    separate(out);
    g_string_append_printf(out, value < EXACT_IN_PAGE ? "%" G_GUINT64_FORMAT : "\"%" G_GUINT64_FORMAT "\"", value);
}

static void add_numbers(GString *out, const char *key, const uint32_t *value, size_t n)
{
    open_array(out, key);
    for (size_t i = 0; i < n; i++) add_number(out, value[i]);
    g_string_append_c(out, ']');
}

/* A list of objects: begins the next one. */
static void next_object(GString *out)
{
    g_string_append(out, out->len ? ",\n{" : "{");
}

/* One array per row i: value[start[i] .. start[i + 1] - 1]. */
static void add_rows(GString *out, const char *key, const uint32_t *start, const uint32_t *value, size_t n)
{
    open_array(out, key);
    for (size_t i = 0; i < n; i++) {
        separate(out);
        g_string_append_c(out, '[');
        for (uint32_t k = start[i]; k < start[i + 1]; k++) add_number(out, value[k]);
        g_string_append_c(out, ']');
    }
    g_string_append_c(out, ']');
}

/* ---- the net ---- */

static void add_name(GString *out, const char *id, const char *label, const char *note)
{
    separate(out);
    g_string_append_c(out, '[');
    json_quote(out, id);
    g_string_append_c(out, ',');
    json_quote(out, label);
    if (note && *note) {
        g_string_append_c(out, ',');
        json_quote(out, note);
    }
    g_string_append_c(out, ']');
}

static void add_arcs(GString *out, const char *key, const Net *net, ArcKind kind)
{
    open_array(out, key);
    for (uint32_t t = 0; t < net->n_transitions; t++) {
        NetRow row = net_places(net, kind, t);
        separate(out);
        g_string_append_c(out, '[');
        for (uint32_t i = 0; i < row.len; i++) {
            add_number(out, row.node[i]);
            add_number(out, net_weight(row, i));
        }
        g_string_append_c(out, ']');
    }
    g_string_append_c(out, ']');
}

static void add_positions(GString *out, const Net *net)
{
    open_array(out, "positions");
    for (uint32_t node = 0; node < net->n_places + net->n_transitions; node++) {
        double x, y;
        char text[2][G_ASCII_DTOSTR_BUF_SIZE];
        separate(out);
        if (net_position(net, node, &x, &y))
            g_string_append_printf(out, "%s,%s", g_ascii_formatd(text[0], sizeof text[0], "%.6g", x),
                                   g_ascii_formatd(text[1], sizeof text[1], "%.6g", y));
        else
            g_string_append(out, "null,null");
    }
    g_string_append_c(out, ']');
}

static void add_place_kinds(GString *out, const Compiled *read)
{
    static const char *const words[] = {[PLACE_VALUE] = "value", [PLACE_MUTEX] = "mutex", [PLACE_STATE] = "state",
                                        [PLACE_ERROR] = "error", [PLACE_ENDED] = "ended", [PLACE_OTHER] = "other"};
    open_array(out, "placeKinds");
    for (uint32_t p = 0; p < read->net->n_places; p++) {
        separate(out);
        g_string_append_printf(out, "\"%s\"", words[read->place_kind[p]]);
    }
    g_string_append_c(out, ']');
}

void view_add_net(View *view, const Compiled *read, const char *file, const char *source)
{
    const Net *net = read->net;
    GString *out = view->net;
    assert(!out->len);
    g_string_append_c(out, '{');
    add_text(out, "name", net->name);
    open_array(out, "places");
    for (uint32_t p = 0; p < net->n_places; p++) add_name(out, net_place_id(net, p), net_place_label(net, p), NULL);
    g_string_append_c(out, ']');
    open_array(out, "transitions");
    for (uint32_t t = 0; t < net->n_transitions; t++)
        add_name(out, net_transition_id(net, t), net_transition_label(net, t), net_transition_note(net, t));
    g_string_append_c(out, ']');
    open_array(out, "initial");
    for (uint32_t p = 0; p < net->n_places; p++) add_number(out, net->initial[p]);
    g_string_append_c(out, ']');
    static const char *const kinds[N_ARC_KINDS] = {"pre", "post", "read", "inhibit"};
    for (ArcKind kind = 0; kind < N_ARC_KINDS; kind++) add_arcs(out, kinds[kind], net, kind);
    if (net->position) add_positions(out, net);
    if (read->is_program) add_place_kinds(out, read);
    g_string_append_c(out, '}');
    if (source) view_add_source(view, file, source);
}

void view_add_source(View *view, const char *file, const char *text)
{
    next_object(view->sources);
    add_text(view->sources, "file", file);
    add_text(view->sources, "text", text);
    g_string_append_c(view->sources, '}');
}

/* ---- a prefix ---- */

/* -1: none; -2: the initial marking. */
static void add_links(GString *out, const char *key, const uint32_t *value, size_t n)
{
    open_array(out, key);
    for (size_t i = 0; i < n; i++) {
        separate(out);
        g_string_append_printf(out, "%" G_GINT64_FORMAT,
                               value[i] == PREFIX_NONE     ? (int64_t)-1
                               : value[i] == PREFIX_BOTTOM ? (int64_t)-2
                                                           : (int64_t)value[i]);
    }
    g_string_append_c(out, ']');
}

static void add_histories(GString *out, const PrefixHistories *h)
{
    g_string_append(out, ",\n\"histories\":{\"n\":");
    g_string_append_printf(out, "%u", h->n);
    add_numbers(out, "event", h->event, h->n);
    add_links(out, "companion", h->companion, h->n);
    add_numbers(out, "size", h->size, h->n);
    add_rows(out, "causes", h->cause_start, h->cause, h->n);
    g_string_append_c(out, '}');
}

void view_add_prefix(View *view, const Prefix *prefix, const Indep *indep, uint32_t around)
{
    GString *out = view->prefix;
    uint32_t n = prefix->n_events;
    assert(!out->len && (prefix->has_conditions || indep));
    g_string_append_c(out, '{');
    add_text(out, "relation", relation_name(prefix->relation));
    add_text(out, "order", order_name(prefix->order));
    add_text(out, "end", prefix->end == ENDING_COMPLETE ? "complete" : ending_text(prefix->end));
    g_string_append_printf(out, ",\"events\":%u,\"cutoffs\":%u,\"around\":%d,\"goal\":%d", prefix_count(prefix),
                           prefix_count_cutoffs(prefix), around < n ? (int)around : -1,
                           prefix->end == ENDING_GOAL ? (int)prefix->goal_event : -1);
    add_numbers(out, "transition", prefix->event_transition, n);
    add_links(out, "companion", prefix->event_companion, n);
    add_numbers(out, "size", prefix->event_size, n);
    add_numbers(out, "depth", prefix->event_depth, n);
    if (prefix->has_conditions) {
        add_rows(out, "pre", prefix->pre_start, prefix->pre, n);
        if (prefix->read_start) add_rows(out, "read", prefix->read_start, prefix->read, n);
        add_numbers(out, "post", prefix->post_start, (size_t)n + 1);
        add_numbers(out, "place", prefix->condition_place, prefix->n_conditions);
        add_links(out, "producer", prefix->condition_event, prefix->n_conditions);
    } else {
        add_rows(out, "causes", prefix->cause_start, prefix->cause, n);
        add_rows(out, "dependent", indep->start, indep->dependent, indep->n);
    }
    if (prefix->histories.n) add_histories(out, &prefix->histories);
    g_string_append_c(out, '}');
}

/* ---- runs and trees ---- */

/* The firings that each one needs directly: it depends on them, and on nothing in between that does. */
static void add_causes(GString *out, const Indep *indep, const uint32_t *run, size_t n)
{
    size_t words = bitset_words(n);
    g_autofree uint64_t *below = g_new0(uint64_t, n * words + 1);
    open_array(out, "causes");
    for (size_t i = 0; i < n; i++) {
        uint64_t *own = below + i * words;
        separate(out);
        g_string_append_c(out, '[');
        for (size_t k = i; k-- > 0;) {
            if (bitset_get(own, k) || !indep_dependent(indep, run[i], run[k])) continue;
            add_number(out, k);
            bitset_or(own, below + k * words, words);
            bitset_set(own, k);
        }
        g_string_append_c(out, ']');
    }
    g_string_append_c(out, ']');
}

void view_add_run(View *view, const char *words, const Net *net, const Indep *indep, const uint32_t *run, size_t n)
{
    GString *out = view->runs;
    assert(indep->n == net->n_transitions);
    next_object(out);
    add_text(out, "words", words);
    add_numbers(out, "run", run, n);
    add_causes(out, indep, run, n);
    g_string_append_c(out, '}');
}

static void add_line(GString *out, const ViewLine *at)
{
    if (!at->line) return;
    add_text(out, "file", at->file);
    g_string_append_printf(out, ",\"line\":%u", at->line);
}

static void add_step(GString *out, const ViewStep *step)
{
    separate(out);
    g_string_append_c(out, '{');
    add_text(out, "thread", step->thread);
    add_text(out, "words", step->words);
    add_text(out, "operation", step->operation);
    if (step->object) add_text(out, "object", step->object);
    if (step->starts) add_text(out, "starts", step->starts);
    add_line(out, &step->at);
    /* a text: more than a page can count without loss */
    if (step->valued) g_string_append_printf(out, ",\"value\":\"%" G_GINT64_FORMAT "\"", step->value);
    if (step->write) g_string_append(out, ",\"write\":true");
    g_string_append_c(out, '}');
}

void view_add_story(View *view, const ViewStory *story)
{
    GString *out = view->runs;
    next_object(out);
    add_text(out, "words", story->words);
    open_array(out, "steps");
    for (size_t i = 0; i < story->n; i++) add_step(out, &story->step[i]);
    g_string_append_c(out, ']');
    open_array(out, "causes");
    for (size_t i = 0; i < story->n; i++) {
        separate(out);
        g_string_append_c(out, '[');
        for (size_t k = 0; k < story->step[i].causes.len; k++) add_number(out, story->step[i].causes.data[k]);
        g_string_append_c(out, ']');
    }
    g_string_append_c(out, ']');
    open_array(out, "ends");
    for (size_t i = 0; i < story->n_ends; i++) {
        separate(out);
        g_string_append_c(out, '{');
        add_text(out, "thread", story->end[i].thread);
        add_text(out, "words", story->end[i].words);
        add_line(out, &story->end[i].at);
        g_string_append_c(out, '}');
    }
    g_string_append(out, "],\n\"values\":{");
    for (size_t i = 0; i < story->n_values; i++) {
        g_string_append(out, i ? "," : "");
        json_quote(out, story->value[i].object);
        g_string_append_printf(out, ":\"%" G_GINT64_FORMAT "\"", story->value[i].value);
    }
    g_string_append(out, "}}");
}

void view_add_labels(View *view, char *const *names)
{
    for (; *names; names++) {
        if (view->labels->len) g_string_append_c(view->labels, ',');
        json_quote(view->labels, *names);
    }
}

void view_add_tree(View *view, const ViewTree *given)
{
    static const char *const kinds[] = {"maximal", "cutoff", "blocked", "bound", "", "deadlock", "failure"};
    GString *out = view->trees;
    const RunTree *tree = given->tree;
    next_object(out);
    add_text(out, "algorithm", given->algorithm);
    add_text(out, "reason", given->reason ? given->reason : "");
    g_string_append_printf(out,
                           ",\"events\":%" G_GINT64_FORMAT ",\"nodes\":%" G_GINT64_FORMAT
                           ",\"deadlocks\":%" G_GINT64_FORMAT,
                           given->events, given->nodes, given->deadlocks);
    g_string_append_printf(out, ",\"leftOut\":%" G_GUINT64_FORMAT ",\"leaves\":{", tree->left_out);
    for (int kind = 0; kind < N_LEAF_KINDS; kind++)
        g_string_append_printf(out, "%s\"%s\":%" G_GUINT64_FORMAT, kind ? "," : "", kinds[kind], tree->leaves[kind]);
    g_string_append_c(out, '}');
    add_links(out, "parent", tree->parent.data, tree->parent.len);
    add_numbers(out, "label", tree->label.data, tree->label.len);
    open_array(out, "kind");
    for (size_t i = 0; i < tree->kind.len; i++) {
        separate(out);
        g_string_append_printf(out, "\"%s\"", kinds[tree->kind.data[i]]);
    }
    g_string_append(out, "]}");
}

/* ---- the page ---- */

static void add_part(GString *out, const char *key, const GString *part, bool list)
{
    if (part->len) g_string_append_printf(out, list ? ",\n\"%s\":[%s]" : ",\n\"%s\":%s", key, part->str);
}

bool view_write(const View *view, const char *path, GError **error)
{
    g_autoptr(GString) data = g_string_new("{"), page = g_string_new(NULL);
    add_text(data, "title", view->title);
    add_text(data, "about", view->about);
    add_text(data, "version", PACKAGE_VERSION);
    add_text(data, "first", view->first ? view->first : "");
    add_part(data, "net", view->net, false);
    add_part(data, "sources", view->sources, true);
    add_part(data, "prefix", view->prefix, false);
    add_part(data, "runs", view->runs, true);
    add_part(data, "trees", view->trees, true);
    add_part(data, "labels", view->labels, true);
    g_string_append_c(data, '}');
    g_autofree char *title = g_strdup_printf("%s – mazurka", view->title);
    html_page(page, HTML_VIEW, title, NULL, data->str);
    return output_write(path, page->str, page->len, error);
}
