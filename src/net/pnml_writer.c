#include "net/pnml.h"

#include "base/error.h"
#include "net/write.h"

#include <string.h>

typedef struct Writer {
    const Net *net;
    FILE *out;
    GString *id_prefix; /* of page and arcs: no node's id is this and digits */
    GError **error;
    bool failed;
} Writer;

static bool is_xml_character(gunichar c)
{
    return c >= 0x20 ? c != 0xfffe && c != 0xffff : c == '\t' || c == '\n' || c == '\r';
}

static void check_text(Writer *w, const char *text)
{
    if (w->failed) return;
    bool good = g_utf8_validate(text, -1, NULL);
    for (const char *at = text; good && *at; at = g_utf8_next_char(at)) good = is_xml_character(g_utf8_get_char(at));
    if (good) return;
    w->failed = true;
    g_set_error(w->error, MAZURKA_ERROR, ERROR_UNSUPPORTED, "the name \"%s\" has a character that PNML cannot hold",
                error_excerpt(text, SIZE_MAX).text);
}

/* For element content and double-quoted attributes; white space that a parser would normalise is escaped. */
static void put_text(Writer *w, const char *text)
{
    check_text(w, text);
    for (; *text; text++) {
        switch (*text) {
        case '<': fputs("&lt;", w->out); break;
        case '>': fputs("&gt;", w->out); break;
        case '&': fputs("&amp;", w->out); break;
        case '"': fputs("&quot;", w->out); break;
        case '\t':
        case '\n':
        case '\r': fprintf(w->out, "&#%d;", *text); break;
        default: putc(*text, w->out);
        }
    }
}

/* As short as it can be and read as the same number. */
static void put_number(double value, char text[G_ASCII_DTOSTR_BUF_SIZE])
{
    g_ascii_formatd(text, G_ASCII_DTOSTR_BUF_SIZE, "%.15g", value);
    if (g_ascii_strtod(text, NULL) != value) g_ascii_dtostr(text, G_ASCII_DTOSTR_BUF_SIZE, value);
}

static void put_label(Writer *w, const char *id, const char *label)
{
    if (strcmp(id, label) == 0) return;
    size_t n = strlen(label);
    bool blanks = !n || g_ascii_isspace(label[0]) || g_ascii_isspace(label[n - 1]);
    fputs(blanks ? "<name><text xml:space=\"preserve\">" : "<name><text>", w->out);
    put_text(w, label);
    fputs("</text></name>", w->out);
}

static void put_graphics(Writer *w, uint32_t node)
{
    double at[2];
    char x[G_ASCII_DTOSTR_BUF_SIZE], y[G_ASCII_DTOSTR_BUF_SIZE];
    if (!net_position(w->net, node, &at[0], &at[1])) return;
    put_number(at[0], x);
    put_number(at[1], y);
    fprintf(w->out, "<graphics><position x=\"%s\" y=\"%s\"/></graphics>", x, y);
}

static void put_places(Writer *w)
{
    const Net *net = w->net;
    for (uint32_t p = 0; p < net->n_places; p++) {
        fputs("<place id=\"", w->out);
        put_text(w, net_place_id(net, p));
        fputs("\">", w->out);
        put_label(w, net_place_id(net, p), net_place_label(net, p));
        put_graphics(w, p);
        if (net->initial[p])
            fprintf(w->out, "<initialMarking><text>%" G_GUINT64_FORMAT "</text></initialMarking>", net->initial[p]);
        fputs("</place>\n", w->out);
    }
}

static void put_transitions(Writer *w)
{
    const Net *net = w->net;
    for (uint32_t t = 0; t < net->n_transitions; t++) {
        const char *note = net_transition_note(net, t);
        fputs("<transition id=\"", w->out);
        put_text(w, net_transition_id(net, t));
        fputs("\">", w->out);
        put_label(w, net_transition_id(net, t), net_transition_label(net, t));
        put_graphics(w, net->n_places + t);
        if (*note) {
            fputs("<toolspecific tool=\"mazurka\" version=\"1\"><note>", w->out);
            put_text(w, note);
            fputs("</note></toolspecific>", w->out);
        }
        fputs("</transition>\n", w->out);
    }
}

static void put_arcs(Writer *w)
{
    static const char *const type[N_ARC_KINDS] = {[ARC_READ] = "<arctype><text>read</text></arctype>",
                                                  [ARC_INHIBIT] = "<arctype><text>inhibitor</text></arctype>"};
    const Net *net = w->net;
    uint64_t number = 0;
    for (uint32_t t = 0; t < net->n_transitions; t++)
        for (ArcKind kind = 0; kind < N_ARC_KINDS; kind++) {
            NetRow row = net_places(net, kind, t);
            for (uint32_t i = 0; i < row.len; i++) {
                const char *place = net_place_id(net, row.node[i]), *transition = net_transition_id(net, t);
                fprintf(w->out, "<arc id=\"%s%" G_GUINT64_FORMAT "\" source=\"", w->id_prefix->str, ++number);
                put_text(w, kind == ARC_POST ? transition : place);
                fputs("\" target=\"", w->out);
                put_text(w, kind == ARC_POST ? place : transition);
                uint64_t weight = net_weight(row, i);
                fputs(weight == 1 && !type[kind] ? "\"/>\n" : "\">", w->out);
                if (weight != 1)
                    fprintf(w->out, "<inscription><text>%" G_GUINT64_FORMAT "</text></inscription>", weight);
                if (type[kind]) fputs(type[kind], w->out);
                if (weight != 1 || type[kind]) fputs("</arc>\n", w->out);
            }
        }
}

/* Ids with blanks could not be told apart in a list. */
static void put_listed(Writer *w, const char *id, bool first)
{
    if (!*id || strpbrk(id, " \t\r\n")) {
        if (!w->failed)
            g_set_error(w->error, MAZURKA_ERROR, ERROR_UNSUPPORTED, "NUPN cannot name \"%s\": it has white space",
                        error_excerpt(id, SIZE_MAX).text);
        w->failed = true;
    }
    if (!first) putc(' ', w->out);
    put_text(w, id);
}

static void put_nupn(Writer *w)
{
    const NetNupn *nupn = w->net->nupn;
    fprintf(w->out, "<toolspecific tool=\"nupn\" version=\"1.1\">\n<structure units=\"%u\" root=\"", nupn->n_units);
    put_text(w, nupn->units[nupn->root].id);
    fprintf(w->out, "\" safe=\"%s\">\n", nupn->safe ? "true" : "false");
    for (uint32_t u = 0; u < nupn->n_units; u++) {
        const NetUnit *unit = &nupn->units[u];
        fputs("<unit id=\"", w->out);
        put_text(w, unit->id);
        fputs("\"><places>", w->out);
        for (uint32_t i = 0; i < unit->n_places; i++) put_listed(w, net_place_id(w->net, unit->places[i]), i == 0);
        fputs("</places><subunits>", w->out);
        for (uint32_t i = 0; i < unit->n_subunits; i++) put_listed(w, nupn->units[unit->subunits[i]].id, i == 0);
        fputs("</subunits></unit>\n", w->out);
    }
    fputs("</structure>\n</toolspecific>\n", w->out);
}

static void put_net(Writer *w)
{
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<pnml "
          "xmlns=\"http://www.pnml.org/version-2009/grammar/pnml\">\n<net id=\"",
          w->out);
    put_text(w, w->net->name && *w->net->name ? w->net->name : "net");
    fprintf(w->out, "\" type=\"http://www.pnml.org/version-2009/grammar/ptnet\">\n<page id=\"%s0\">\n",
            w->id_prefix->str);
    put_places(w);
    put_transitions(w);
    put_arcs(w);
    if (w->net->nupn) put_nupn(w);
    fputs("</page>\n", w->out);
    if (w->net->final) {
        fputs("<toolspecific tool=\"mazurka\" version=\"1\"><final>", w->out);
        put_text(w, w->net->final);
        fputs("</final></toolspecific>\n", w->out);
    }
    fputs("</net>\n</pnml>\n", w->out);
}

static bool is_taken(const char *id, const GString *prefix)
{
    if (!g_str_has_prefix(id, prefix->str)) return false;
    const char *rest = id + prefix->len;
    return *rest && strspn(rest, "0123456789") == strlen(rest);
}

/* Longer until it has passed by all ids in a row. */
static void choose_prefix(Writer *w)
{
    const Net *net = w->net;
    w->id_prefix = g_string_new("arc");
    uint32_t n = net->n_places + net->n_transitions;
    for (uint32_t good = 0, node = 0; good < n; node = node + 1 < n ? node + 1 : 0, good++) {
        const char *id = net_node_id(net, node);
        if (!is_taken(id, w->id_prefix)) continue;
        g_string_append_c(w->id_prefix, '-');
        good = 0;
    }
}

static bool holds_ids(const Net *net, GError **error)
{
    for (uint32_t t = 0; t < net->n_transitions; t++)
        if (net_find_place(net, net_transition_id(net, t)) != NET_NONE)
            return net_write_refuse(error, FORMAT_pnml, "a place and a transition of one id, \"%s\"",
                                    error_excerpt(net_transition_id(net, t), SIZE_MAX).text);
    return true;
}

bool pnml_write(const Net *net, FILE *out, GError **error)
{
    if (!holds_ids(net, error)) return false;
    Writer w = {.net = net, .out = out, .error = error};
    choose_prefix(&w);
    put_net(&w);
    g_string_free(w.id_prefix, TRUE);
    if (w.failed) return false;
    return net_write_end(out, error);
}
