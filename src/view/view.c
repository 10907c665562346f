#include "base/output.h"
#include "report/html.h"
#include "view/pieces.h"
#include "view/view_internal.h"

#include <assert.h>

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

/* ---- the net ---- */

static void add_name(GString *out, const char *id, const char *label, const char *note)
{
    json_separate(out);
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
    pieces_open(out, key);
    for (uint32_t t = 0; t < net->n_transitions; t++) {
        NetRow row = net_places(net, kind, t);
        json_separate(out);
        g_string_append_c(out, '[');
        for (uint32_t i = 0; i < row.len; i++) {
            pieces_number(out, row.node[i]);
            pieces_number(out, net_weight(row, i));
        }
        g_string_append_c(out, ']');
    }
    g_string_append_c(out, ']');
}

static void add_positions(GString *out, const Net *net)
{
    pieces_open(out, "positions");
    for (uint32_t node = 0; node < net->n_places + net->n_transitions; node++) {
        double x, y;
        char text[2][G_ASCII_DTOSTR_BUF_SIZE];
        json_separate(out);
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
    pieces_open(out, "placeKinds");
    for (uint32_t p = 0; p < read->net->n_places; p++) {
        json_separate(out);
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
    json_string(out, "name", net->name);
    pieces_open(out, "places");
    for (uint32_t p = 0; p < net->n_places; p++) add_name(out, net_place_id(net, p), net_place_label(net, p), NULL);
    g_string_append_c(out, ']');
    pieces_open(out, "transitions");
    for (uint32_t t = 0; t < net->n_transitions; t++)
        add_name(out, net_transition_id(net, t), net_transition_label(net, t), net_transition_note(net, t));
    g_string_append_c(out, ']');
    pieces_open(out, "initial");
    for (uint32_t p = 0; p < net->n_places; p++) pieces_number(out, net->initial[p]);
    g_string_append_c(out, ']');
    static const char *const kinds[N_ARC_KINDS] = {"pre", "post", "read", "inhibit"};
    for (ArcKind kind = 0; kind < N_ARC_KINDS; kind++) add_arcs(out, kinds[kind], net, kind);
    if (net->position) add_positions(out, net);
    if (read->is_program) add_place_kinds(out, read);
    g_string_append_c(out, '}');
    if (source) view_add_source(view, file, source);
}

/* ---- a prefix ---- */

static void add_histories(GString *out, const PrefixHistories *h)
{
    g_string_append(out, ",\n\"histories\":{\"n\":");
    g_string_append_printf(out, "%u", h->n);
    pieces_numbers(out, "event", h->event, h->n);
    pieces_links(out, "companion", h->companion, h->n);
    pieces_numbers(out, "size", h->size, h->n);
    pieces_rows(out, "causes", h->cause_start, h->cause, h->n);
    g_string_append_c(out, '}');
}

void view_add_prefix(View *view, const Prefix *prefix, const Indep *indep, uint32_t around)
{
    GString *out = view->prefix;
    uint32_t n = prefix->n_events;
    assert(!out->len && (prefix->has_conditions || indep));
    g_string_append_c(out, '{');
    json_string(out, "relation", relation_name(prefix->relation));
    json_string(out, "order", order_name(prefix->order));
    json_string(out, "end", prefix->end == ENDING_COMPLETE ? "complete" : ending_text(prefix->end));
    g_string_append_printf(out, ",\"events\":%u,\"cutoffs\":%u,\"around\":%d,\"goal\":%d", prefix_count(prefix),
                           prefix_count_cutoffs(prefix), around < n ? (int)around : -1,
                           prefix->end == ENDING_GOAL ? (int)prefix->goal_event : -1);
    pieces_numbers(out, "transition", prefix->event_transition, n);
    pieces_links(out, "companion", prefix->event_companion, n);
    pieces_numbers(out, "size", prefix->event_size, n);
    pieces_numbers(out, "depth", prefix->event_depth, n);
    if (prefix->has_conditions) {
        pieces_rows(out, "pre", prefix->pre_start, prefix->pre, n);
        if (prefix->read_start) pieces_rows(out, "read", prefix->read_start, prefix->read, n);
        pieces_numbers(out, "post", prefix->post_start, (size_t)n + 1);
        pieces_numbers(out, "place", prefix->condition_place, prefix->n_conditions);
        pieces_links(out, "producer", prefix->condition_event, prefix->n_conditions);
    } else {
        pieces_rows(out, "causes", prefix->cause_start, prefix->cause, n);
        pieces_rows(out, "dependent", indep->start, indep->dependent, indep->n);
    }
    if (prefix->histories.n) add_histories(out, &prefix->histories);
    g_string_append_c(out, '}');
}

/* ---- the page ---- */

static void add_part(GString *out, const char *key, const GString *part, bool list)
{
    if (part->len) g_string_append_printf(out, list ? ",\n\"%s\":[%s]" : ",\n\"%s\":%s", key, part->str);
}

bool view_write(const View *view, const char *path, GError **error)
{
    g_autoptr(GString) data = g_string_new("{"), page = g_string_new(NULL);
    json_string(data, "title", view->title);
    json_string(data, "about", view->about);
    json_string(data, "version", PACKAGE_VERSION);
    json_string(data, "first", view->first ? view->first : "");
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
