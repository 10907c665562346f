#include "net/pnml.h"

#include "base/error.h"
#include "net/builder.h"
#include "net/nupn.h"
#include "net/pnml_final.h"
#include "net/pnml_ignored.h"
#include "net/pnml_link.h"
#include "net/pnml_value.h"

#include <errno.h>
#include <libxml/SAX2.h>
#include <libxml/parser.h>
#include <string.h>

/* Where in the file the parser is: one state per open element. */
typedef enum {
    AT_TOP,
    AT_PNML,
    AT_NET,
    AT_PAGE,
    AT_PLACE,
    AT_TRANSITION,
    AT_ARC,
    AT_REFERENCE_PLACE,
    AT_REFERENCE_TRANSITION,
    AT_NAME,
    AT_MARKING,
    AT_CAPACITY,
    AT_WEIGHT,
    AT_INHIBITOR,
    AT_ARC_TYPE,
    AT_TEXT,
    AT_TOOL, /* a toolspecific element, before it is known whose */
    AT_NUPN,
    AT_UNITS,
    AT_UNIT,
    AT_UNIT_PLACES,
    AT_UNIT_SUBUNITS,
    AT_OWN,
    AT_OWN_FINAL,
    AT_OWN_NOTE,
    AT_FINALS,
    AT_FINAL,
    AT_FINAL_PLACE,
    AT_SORT,
    AT_UNKNOWN, /* skipped with all below */
    AT_QUIET,   /* skipped and not worth counting */
    AT_REFUSED,
} State;

static const struct Rule {
    State in;
    const char *element;
    State to;
    const char *message;
} rules[] = {
#define RULE(in, element, to, message) {AT_##in, element, AT_##to, message},
#include "net/pnml_rules.def"
#undef RULE
};

#define ATTRIBUTES(X) \
    X(id) X(name) X(initialMarking) X(invariant) X(source) X(target) X(type) X(weight) X(inscription) X(ref) X(tool) \
    X(value) X(root) X(safe) X(idref) X(declaration) X(space)
typedef enum {
#define X(attribute) ATTRIBUTE_##attribute,
    ATTRIBUTES(X)
#undef X
    N_ATTRIBUTES
} Attribute;
static const char *const attribute_names[] = {
#define X(attribute) #attribute,
    ATTRIBUTES(X)
#undef X
};

enum {
    MAX_DEPTH = 250,
    MAX_LABEL = 10000000,
    MAX_LIST = 1 << 30, /* bytes of ids in one NUPN unit */
    MAX_TAG = 12000000, /* bytes that the parser may hold back; its own limit is a little below */
    MAX_NAMES = 100000, /* of elements and attributes: the parser's table of them slows down beyond */
};

typedef struct Reader {
    const char *file, *wanted;
    xmlParserCtxt *parser;
    NetBuilder *builder;
    PnmlLinks *links;
    PnmlIgnored *ignored;
    PnmlFinals *finals;
    NupnDraft *nupn;
    GError *error; /* the first */

    State state[MAX_DEPTH + 1];
    int depth;
    uint32_t first_rule[AT_REFUSED + 2]; /* of each state */
    const xmlChar *element[G_N_ELEMENTS(rules)], *attribute[N_ATTRIBUTES]; /* names as the parser interns them */
    const xmlChar *prefix; /* namespace prefix of the root element, which all PNML elements have */
    bool progress;         /* a callback came since the last chunk */

    GPtrArray *net_ids; /* ids of the nets met */
    bool found;         /* the net to be read was met */
    PnmlPosition net_start, second_net;
    uint64_t unknown_in_net;

    /* The open node or arc. */
    uint32_t node;
    PnmlPosition start;
    GString *source, *target;
    PnmlArcType arc_type;
    uint64_t weight;
    char *colour;
    /* The open label. */
    GString *text, *first_text; /* the second only when there were several */
    int texts;
    bool preserve;
} Reader;

static void fail_at(Reader *r, PnmlPosition at, ErrorCode code, const char *format, ...) G_GNUC_PRINTF(4, 5);
static void fail_at(Reader *r, PnmlPosition at, ErrorCode code, const char *format, ...)
{
    if (r->error) return;
    va_list args;
    va_start(args, format);
    g_autofree char *message = g_strdup_vprintf(format, args);
    va_end(args);
    /* The parser is not stopped here: that would free the attributes under the callback. Callbacks do nothing
     * once there is an error, and no further chunk is read. */
    error_at(&r->error, code, r->file, at.line, at.column, "%s", message);
}

static PnmlPosition here(const Reader *r)
{
    return (PnmlPosition){xmlSAX2GetLineNumber(r->parser), xmlSAX2GetColumnNumber(r->parser)};
}

/* Takes over an error without a position. */
static void fail_with(Reader *r, PnmlPosition at, const char *prefix, GError *error)
{
    fail_at(r, at, (ErrorCode)error->code, "%s%s", prefix, error->message);
    g_error_free(error);
}

static void find_attributes(const Reader *r, int n, const xmlChar **given, PnmlText found[N_ATTRIBUTES])
{
    memset(found, 0, N_ATTRIBUTES * sizeof *found);
    for (int i = 0; i < n; i++, given += 5)
        for (int k = 0; k < N_ATTRIBUTES; k++)
            if (given[0] == r->attribute[k]) {
                found[k] = (PnmlText){(const char *)given[3], (size_t)(given[4] - given[3])};
                break;
            }
}

static char *copy(PnmlText text)
{
    return g_strndup(text.data ? text.data : "", text.len);
}

static bool equals(PnmlText text, const char *word)
{
    return text.data && text.len == strlen(word) && memcmp(text.data, word, text.len) == 0;
}

static bool has_suffix(const char *text, const char *word)
{
    g_autofree char *lower = g_ascii_strdown(text, -1);
    return g_str_has_suffix(lower, word);
}

static State start_net(Reader *r, const PnmlText a[N_ATTRIBUTES])
{
    g_autofree char *id = copy(a[ATTRIBUTE_id]), *type = copy(a[ATTRIBUTE_type]);
    g_ptr_array_add(r->net_ids, g_strdup(id));
    if (r->net_ids->len == 2) r->second_net = here(r);
    if (r->wanted ? strcmp(r->wanted, id) != 0 : r->net_ids->len > 1) return AT_QUIET;
    if (r->found) {
        fail_at(r, here(r), ERROR_INPUT, "two nets have the id \"%s\"", id);
        return AT_QUIET;
    }
    r->found = true;
    static const char *const coloured[] = {"symmetricnet", "highlevelnet", "pt-hlpng", "hlnet", "hlpng", "hlpn",
                                           "colourednet",  "colorednet"};
    for (size_t i = 0; i < G_N_ELEMENTS(coloured); i++)
        if (has_suffix(type, coloured[i]))
            fail_at(r, here(r), ERROR_UNSUPPORTED, "nets of type %s are not supported: this is a coloured net (%s)",
                    coloured[i], type);
    r->net_start = here(r);
    if (*id) net_builder_set_name(r->builder, id);
    return AT_NET;
}

static bool check_new_id(Reader *r, PnmlText id, const char *what)
{
    if (!id.data || !id.len) {
        fail_at(r, here(r), ERROR_INPUT, "this %s has no id", what);
        return false;
    }
    if (net_builder_find(r->builder, id.data, id.len, NET_NODE, NULL) == NET_NONE && !pnml_link_is_reference(r->links, id))
        return true;
    fail_at(r, here(r), ERROR_INPUT, "the id \"%.*s\" is taken by another place or transition", (int)MIN(id.len, 100),
            id.data);
    return false;
}

static bool read_count(Reader *r, const char *what, const char *text, uint64_t empty, uint64_t *count)
{
    GError *error = NULL;
    if (pnml_value_count(text, empty, &r->colour, count, &error)) return true;
    fail_with(r, here(r), what, error);
    return false;
}

static void start_place(Reader *r, const PnmlText a[N_ATTRIBUTES])
{
    if (!check_new_id(r, a[ATTRIBUTE_id], "place")) return;
    g_autofree char *id = copy(a[ATTRIBUTE_id]), *name = a[ATTRIBUTE_name].data ? copy(a[ATTRIBUTE_name]) : NULL;
    uint64_t tokens = 0;
    if (a[ATTRIBUTE_initialMarking].data) {
        g_autofree char *marking = copy(a[ATTRIBUTE_initialMarking]);
        if (!read_count(r, "initial marking: ", marking, 0, &tokens)) return;
    }
    if (a[ATTRIBUTE_invariant].data && !equals(a[ATTRIBUTE_invariant], "< inf")) {
        g_autofree char *invariant = copy(a[ATTRIBUTE_invariant]);
        fail_at(r, here(r), ERROR_UNSUPPORTED, "time invariants are not supported (\"%s\" of a timed net)", invariant);
        return;
    }
    r->node = net_builder_place(r->builder, id, name, tokens);
}

static void start_transition(Reader *r, const PnmlText a[N_ATTRIBUTES])
{
    if (!check_new_id(r, a[ATTRIBUTE_id], "transition")) return;
    g_autofree char *id = copy(a[ATTRIBUTE_id]), *name = a[ATTRIBUTE_name].data ? copy(a[ATTRIBUTE_name]) : NULL;
    r->node = net_builder_transition(r->builder, id, name);
}

static void start_reference(Reader *r, NetNodeKind kind, const PnmlText a[N_ATTRIBUTES])
{
    if (!check_new_id(r, a[ATTRIBUTE_id], "reference")) return;
    if (!a[ATTRIBUTE_ref].data)
        fail_at(r, here(r), ERROR_INPUT, "this reference has no attribute ref");
    else
        pnml_link_reference(r->links, kind, a[ATTRIBUTE_id], a[ATTRIBUTE_ref], here(r));
}

static void set_arc_type(Reader *r, const char *name)
{
    GError *error = NULL;
    if (!pnml_value_arc_type(name, &r->arc_type, &error)) fail_with(r, here(r), "", error);
}

/* TAPAAL's attribute: a weight, or an age interval. */
static void read_inscription_attribute(Reader *r, PnmlText given)
{
    g_autofree char *text = copy(given);
    if (text[0] != '[' && text[0] != '(')
        read_count(r, "weight: ", text, 1, &r->weight);
    else if (!g_str_has_prefix(text, "[0,inf)") || r->arc_type != PNML_ARC_INHIBIT)
        fail_at(r, here(r), ERROR_UNSUPPORTED, "timed arcs are not supported (age interval %s)", text);
}

static void start_arc(Reader *r, const PnmlText a[N_ATTRIBUTES])
{
    if (!a[ATTRIBUTE_source].data || !a[ATTRIBUTE_target].data) {
        fail_at(r, here(r), ERROR_INPUT, "this arc has no %s", a[ATTRIBUTE_source].data ? "target" : "source");
        return;
    }
    g_string_truncate(r->source, 0);
    g_string_append_len(r->source, a[ATTRIBUTE_source].data, (gssize)a[ATTRIBUTE_source].len);
    g_string_truncate(r->target, 0);
    g_string_append_len(r->target, a[ATTRIBUTE_target].data, (gssize)a[ATTRIBUTE_target].len);
    r->arc_type = PNML_ARC_NORMAL;
    r->weight = 1;
    r->start = here(r);
    if (a[ATTRIBUTE_type].data) {
        g_autofree char *type = copy(a[ATTRIBUTE_type]);
        set_arc_type(r, type);
    }
    if (a[ATTRIBUTE_inscription].data) read_inscription_attribute(r, a[ATTRIBUTE_inscription]);
    if (a[ATTRIBUTE_weight].data) {
        g_autofree char *weight = copy(a[ATTRIBUTE_weight]);
        read_count(r, "weight: ", weight, 1, &r->weight);
    }
}

static State start_tool(State parent, const PnmlText a[N_ATTRIBUTES])
{
    bool in_net = parent == AT_NET || parent == AT_PAGE;
    if (in_net && equals(a[ATTRIBUTE_tool], "nupn")) return AT_NUPN;
    if ((in_net || parent == AT_TRANSITION) && equals(a[ATTRIBUTE_tool], "mazurka")) return AT_OWN;
    return AT_UNKNOWN;
}

static void start_units(Reader *r, const PnmlText a[N_ATTRIBUTES])
{
    g_autofree char *root = copy(a[ATTRIBUTE_root]);
    if (r->nupn)
        fail_at(r, here(r), ERROR_INPUT, "NUPN: a second structure of units");
    else
        r->nupn = nupn_draft_new(root, equals(a[ATTRIBUTE_safe], "true"), here(r));
}

static void start_unit(Reader *r, const PnmlText a[N_ATTRIBUTES])
{
    g_autofree char *id = copy(a[ATTRIBUTE_id]);
    if (!*id)
        fail_at(r, here(r), ERROR_INPUT, "NUPN: this unit has no id");
    else
        nupn_draft_unit(r->nupn, id, here(r));
}

static bool is_blank(const GString *text)
{
    return strspn(text->str, " \t\r\n") == text->len;
}

static void clear_text(Reader *r)
{
    g_string_truncate(r->text, 0);
    g_string_truncate(r->first_text, 0);
    r->texts = 0;
    r->preserve = false;
}

/* What opening an element does; may change the state it leads to. */
static State enter(Reader *r, State parent, State to, const char *message, const PnmlText a[N_ATTRIBUTES])
{
    switch (to) {
    case AT_NET: return start_net(r, a);
    case AT_PLACE: start_place(r, a); break;
    case AT_TRANSITION: start_transition(r, a); break;
    case AT_ARC: start_arc(r, a); break;
    case AT_REFERENCE_PLACE: start_reference(r, NET_PLACE, a); break;
    case AT_REFERENCE_TRANSITION: start_reference(r, NET_TRANSITION, a); break;
    case AT_INHIBITOR:
        r->arc_type = PNML_ARC_INHIBIT;
        if (parent == AT_ARC) clear_text(r);
        break;
    case AT_ARC_TYPE:
        clear_text(r);
        if (a[ATTRIBUTE_value].data) g_string_append_len(r->text, a[ATTRIBUTE_value].data, (gssize)a[ATTRIBUTE_value].len);
        break;
    case AT_NAME:
    case AT_MARKING:
    case AT_CAPACITY:
    case AT_WEIGHT:
    case AT_UNIT_PLACES:
    case AT_UNIT_SUBUNITS:
    case AT_OWN_FINAL:
    case AT_OWN_NOTE: clear_text(r); break;
    case AT_TEXT:
        /* Some tools write both <text> and <value>. */
        if (r->texts++ && !is_blank(r->text)) g_string_assign(r->first_text, r->text->str);
        g_string_truncate(r->text, 0);
        r->preserve = equals(a[ATTRIBUTE_space], "preserve");
        break;
    case AT_TOOL: return start_tool(parent, a);
    case AT_UNITS: start_units(r, a); break;
    case AT_UNIT: start_unit(r, a); break;
    case AT_FINAL: pnml_final_marking(r->finals); break;
    case AT_FINAL_PLACE: {
        clear_text(r);
        g_autofree char *id = copy(a[ATTRIBUTE_idref]);
        pnml_final_place(r->finals, id, here(r));
        break;
    }
    case AT_REFUSED: fail_at(r, here(r), ERROR_UNSUPPORTED, "%s", message); break;
    default: break;
    }
    return to;
}

/* Coloured nets are told by their sorts; "dot" is the sort of plain tokens. */
static State enter_sort(Reader *r, const char *element, const PnmlText a[N_ATTRIBUTES])
{
    static const char *const coloured[] = {"finiteenumeration", "cyclicenumeration", "finiteintrange", "productsort",
                                           "partition", "variabledecl", "variable"};
    bool is_coloured = strcmp(element, "usersort") == 0 && !equals(a[ATTRIBUTE_declaration], "dot");
    for (size_t i = 0; i < G_N_ELEMENTS(coloured); i++) is_coloured |= strcmp(element, coloured[i]) == 0;
    if (is_coloured)
        fail_at(r, here(r), ERROR_UNSUPPORTED, "coloured nets are not supported (<%s> declares colours)", element);
    return AT_SORT;
}

static void on_start(void *data, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri, int n_namespaces,
                     const xmlChar **namespaces, int n_attributes, int n_defaulted, const xmlChar **attributes)
{
    (void)uri, (void)n_namespaces, (void)namespaces, (void)n_defaulted;
    Reader *r = data;
    r->progress = true;
    if (r->error) return;
    if (r->depth == MAX_DEPTH) {
        fail_at(r, here(r), ERROR_LIMIT, "elements are nested more than %d deep", MAX_DEPTH);
        return;
    }
    State parent = r->state[r->depth], to = AT_UNKNOWN;
    const char *element = (const char *)name;
    if (parent == AT_UNKNOWN || parent == AT_QUIET) {
        r->state[++r->depth] = parent == AT_QUIET ? AT_QUIET : AT_UNKNOWN;
        return;
    }
    PnmlText found[N_ATTRIBUTES];
    find_attributes(r, n_attributes, attributes, found);
    if (parent == AT_TOP) r->prefix = prefix;
    if (parent == AT_SORT) {
        to = enter_sort(r, element, found);
    } else if (prefix == r->prefix) {
        State in = parent == AT_PAGE ? AT_NET : parent;
        for (uint32_t i = r->first_rule[in]; i < r->first_rule[in + 1]; i++)
            if (r->element[i] == name) {
                to = enter(r, parent, rules[i].to, rules[i].message, found);
                break;
            }
    }
    if (parent == AT_TOP && to != AT_PNML)
        fail_at(r, here(r), ERROR_INPUT, "the outermost element is <%s>; <pnml> is expected", element);
    if (to == AT_UNKNOWN && parent != AT_PNML) {
        pnml_ignored_count(r->ignored, element);
        if (parent == AT_NET || parent == AT_PAGE) r->unknown_in_net++;
    }
    r->state[++r->depth] = to;
}

/* The first text counts; another must be empty or, where it matters, the same. */
static void end_text(Reader *r, State parent)
{
    if (!r->first_text->len) return;
    if (parent != AT_NAME && !is_blank(r->text)) {
        g_autofree char *first = g_strstrip(g_strdup(r->first_text->str)), *second = g_strstrip(g_strdup(r->text->str));
        if (strcmp(first, second) != 0)
            fail_at(r, here(r), ERROR_INPUT, "a label with two different texts, \"%.40s\" and \"%.40s\"", first, second);
    }
    g_string_assign(r->text, r->first_text->str);
}

static void end_name(Reader *r, State parent)
{
    if (!r->texts) return;
    if (!r->preserve) {
        g_strstrip(r->text->str);
        if (!*r->text->str) return;
    }
    if (parent == AT_PLACE)
        net_builder_set_place_label(r->builder, r->node, r->text->str);
    else
        net_builder_set_transition_label(r->builder, r->node, r->text->str);
}

static void end_marking(Reader *r)
{
    uint64_t tokens;
    if (r->texts && read_count(r, "initial marking: ", r->text->str, 0, &tokens))
        net_builder_set_tokens(r->builder, r->node, tokens);
}

static void end_capacity(Reader *r)
{
    uint64_t capacity = 0;
    char *colour = NULL;
    GError *error = NULL;
    if (!pnml_value_count(r->text->str, 0, &colour, &capacity, &error))
        fail_with(r, here(r), "capacity: ", error);
    else if (capacity)
        fail_at(r, here(r), ERROR_UNSUPPORTED, "places with a capacity are not supported");
    g_free(colour);
}

static void end_weight(Reader *r)
{
    if (r->texts) read_count(r, "weight: ", r->text->str, 1, &r->weight);
}

static void end_arc(Reader *r)
{
    GError *error = NULL;
    if (!r->weight) {
        fail_at(r, r->start, ERROR_INPUT, "this arc has weight 0");
        return;
    }
    PnmlText source = {r->source->str, r->source->len}, target = {r->target->str, r->target->len};
    if (!pnml_link_arc(r->links, source, target, r->arc_type, r->weight, r->start, &error))
        fail_with(r, r->start, "", error);
}

static void end_final_place(Reader *r)
{
    uint64_t tokens;
    if (read_count(r, "final marking: ", r->text->str, 0, &tokens)) pnml_final_tokens(r->finals, tokens);
}

static void on_end(void *data, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri)
{
    (void)name, (void)prefix, (void)uri;
    Reader *r = data;
    r->progress = true;
    if (r->error) return;
    State state = r->state[r->depth--], parent = r->state[r->depth];
    switch (state) {
    case AT_ARC: end_arc(r); break;
    case AT_TEXT: end_text(r, parent); break;
    case AT_NAME: end_name(r, parent); break;
    case AT_MARKING: end_marking(r); break;
    case AT_CAPACITY: end_capacity(r); break;
    case AT_WEIGHT: end_weight(r); break;
    case AT_INHIBITOR:
        if (parent == AT_ARC) end_weight(r);
        break;
    case AT_ARC_TYPE: set_arc_type(r, r->text->str); break;
    case AT_UNIT_PLACES: nupn_draft_places(r->nupn, r->text->str); break;
    case AT_UNIT_SUBUNITS: nupn_draft_subunits(r->nupn, r->text->str); break;
    case AT_OWN_FINAL: net_builder_set_final(r->builder, r->text->str); break;
    case AT_OWN_NOTE:
        if (r->state[r->depth - 1] == AT_TRANSITION) net_builder_set_note(r->builder, r->node, r->text->str);
        break;
    case AT_FINAL_PLACE: end_final_place(r); break;
    default: break;
    }
}

static void on_text(void *data, const xmlChar *text, int len)
{
    Reader *r = data;
    r->progress = true;
    State state = r->state[r->depth];
    bool list = state == AT_UNIT_PLACES || state == AT_UNIT_SUBUNITS;
    if (r->error || (state != AT_TEXT && state != AT_OWN_FINAL && state != AT_OWN_NOTE && !list)) return;
    if (r->text->len + (size_t)len > (list ? MAX_LIST : MAX_LABEL))
        fail_at(r, here(r), ERROR_LIMIT, "this text is longer than %d bytes", list ? MAX_LIST : MAX_LABEL);
    else
        g_string_append_len(r->text, (const char *)text, len);
}

static void on_comment(void *data, const xmlChar *text)
{
    (void)text;
    ((Reader *)data)->progress = true;
}

static void on_entity(void *data, const xmlChar *name, int type, const xmlChar *public_id, const xmlChar *system_id,
                      xmlChar *content)
{
    (void)type, (void)public_id, (void)system_id, (void)content;
    Reader *r = data;
    fail_at(r, here(r), ERROR_UNSUPPORTED, "entity declarations are refused (\"%.100s\")", (const char *)name);
}

static void on_error(void *data, xmlErrorPtr error)
{
    Reader *r = data;
    /* Undeclared prefixes and the like do not stop anyone from reading a net. */
    if (error->domain == XML_FROM_NAMESPACE || error->level < XML_ERR_ERROR || r->error) return;
    g_autofree char *message = g_utf8_make_valid(error->message ? error->message : "unknown XML error", -1);
    g_strstrip(g_strdelimit(message, "\n", ' '));
    PnmlPosition at = {error->line, error->int2};
    if (at.line <= 0) at = here(r);
    if (strstr(message, "Huge input lookup"))
        fail_at(r, at, ERROR_LIMIT, "a tag, attribute or comment is longer than 10 MB");
    else if (error->code == XML_ERR_DOCUMENT_END && r->depth)
        fail_at(r, at, ERROR_INPUT, "XML: the file ends while %d elements are still open", r->depth);
    else
        fail_at(r, at, ERROR_INPUT, "XML: %s", message);
}

static void intern_names(Reader *r)
{
    xmlDict *dict = r->parser->dict;
    State state = AT_TOP;
    for (uint32_t i = 0; i < G_N_ELEMENTS(rules); i++) {
        r->element[i] = xmlDictLookup(dict, (const xmlChar *)rules[i].element, -1);
        for (; state < rules[i].in; state++) r->first_rule[state + 1] = i;
    }
    for (; state <= AT_REFUSED; state++) r->first_rule[state + 1] = G_N_ELEMENTS(rules);
    for (int k = 0; k < N_ATTRIBUTES; k++) r->attribute[k] = xmlDictLookup(dict, (const xmlChar *)attribute_names[k], -1);
}

static bool open_parser(Reader *r, const char *first, int n)
{
    xmlSAXHandler sax = {.initialized = XML_SAX2_MAGIC,
                         .startElementNs = on_start,
                         .endElementNs = on_end,
                         .characters = on_text,
                         .cdataBlock = on_text,
                         .comment = on_comment,
                         .entityDecl = on_entity,
                         .serror = on_error};
    r->parser = xmlCreatePushParserCtxt(&sax, r, first, n, NULL);
    if (!r->parser) {
        error_at(&r->error, ERROR_IO, r->file, 0, 0, "no memory for an XML parser");
        return false;
    }
    /* Without NOENT an attribute's &amp; would arrive as &#38; */
    xmlCtxtUseOptions(r->parser, XML_PARSE_NONET | XML_PARSE_NOENT);
    intern_names(r);
    return true;
}

static void parse(Reader *r, PnmlFetch fetch, void *source)
{
    enum { CHUNK = 1 << 14 };
    g_autofree char *chunk = g_malloc(CHUNK);
    gssize n = 0, more;
    while (n < 4 && (more = fetch(source, chunk + n, CHUNK - (size_t)n)) != 0) {
        if (more < 0) break;
        n += more;
    }
    /* The parser guesses the encoding from the first four bytes. */
    int head = (int)MIN(n, 4);
    if (!open_parser(r, chunk, head)) return;
    size_t held_back = 0;
    if (n > head) xmlParseChunk(r->parser, chunk + head, (int)(n - head), 0);
    while (!r->error && (n = fetch(source, chunk, CHUNK)) > 0) {
        r->progress = false;
        xmlParseChunk(r->parser, chunk, (int)n, 0);
        held_back = r->progress ? 0 : held_back + (size_t)n;
        if (held_back > MAX_TAG)
            fail_at(r, here(r), ERROR_LIMIT, "a tag or comment is longer than %d bytes", MAX_TAG);
        if (xmlDictSize(r->parser->dict) > MAX_NAMES)
            fail_at(r, here(r), ERROR_LIMIT, "elements and attributes have more than %d different names", MAX_NAMES);
    }
    if (n < 0) fail_at(r, (PnmlPosition){0}, ERROR_IO, "cannot be read: %s", g_strerror(errno));
    if (!r->error) xmlParseChunk(r->parser, NULL, 0, 1);
    if (!r->error && !r->parser->wellFormed) fail_at(r, here(r), ERROR_INPUT, "this is not well-formed XML");
}

static char *list_nets(const Reader *r)
{
    enum { LISTED = 20 };
    GString *list = g_string_new(NULL);
    for (guint i = 0; i < MIN(r->net_ids->len, LISTED); i++)
        g_string_append_printf(list, "%s%s", i ? ", " : "", (char *)g_ptr_array_index(r->net_ids, i));
    if (r->net_ids->len > LISTED) g_string_append(list, ", ...");
    return g_string_free(list, FALSE);
}

static void check_choice(Reader *r)
{
    g_autofree char *list = list_nets(r);
    PnmlPosition end = here(r);
    if (!r->net_ids->len)
        fail_at(r, end, ERROR_INPUT, "this PNML file holds no net");
    else if (!r->found)
        fail_at(r, end, ERROR_INPUT, "there is no net \"%s\" here, only: %s", r->wanted, list);
    else if (!r->wanted && r->net_ids->len > 1)
        fail_at(r, r->second_net, ERROR_INPUT, "the file holds %u nets (%s); choose one with --net ID", r->net_ids->len, list);
    else if (r->unknown_in_net && !net_builder_n_places(r->builder) && !net_builder_n_transitions(r->builder))
        fail_at(r, r->net_start, ERROR_INPUT, "the net has no place and no transition, only unknown elements");
}

static void resolve(Reader *r)
{
    PnmlPosition at = {0};
    GError *error = NULL;
    if (!pnml_link_finish(r->links, &at, &error)) {
        fail_with(r, at, "", error);
        return;
    }
    uint32_t n_places = net_builder_n_places(r->builder);
    if (r->nupn) {
        NetNupn *nupn = nupn_draft_resolve(r->nupn, r->links, n_places, &at, &error);
        if (!nupn) {
            fail_with(r, at, "", error);
            return;
        }
        net_builder_set_nupn(r->builder, nupn);
    }
    if (!pnml_final_resolve(r->finals, r->builder, r->links, &at, &error)) {
        fail_with(r, at, "", error);
        return;
    }
    g_autofree char *ignored = pnml_ignored_text(r->ignored);
    if (ignored) net_builder_set_ignored(r->builder, ignored);
}

Net *pnml_read(PnmlFetch fetch, void *source, const char *file, const char *net_id, GError **error)
{
    g_autofree char *base = g_path_get_basename(file);
    Reader r = {.file = file, .wanted = net_id};
    r.builder = net_builder_new(base);
    r.links = pnml_link_new(r.builder);
    r.ignored = pnml_ignored_new();
    r.finals = pnml_final_new();
    r.net_ids = g_ptr_array_new_with_free_func(g_free);
    r.source = g_string_new(NULL);
    r.target = g_string_new(NULL);
    r.text = g_string_new(NULL);
    r.first_text = g_string_new(NULL);
    /* Errors of the decoder do not come through the parser's handler and would be printed; both are per thread. */
    xmlStructuredErrorFunc handler = xmlStructuredError;
    void *handler_data = xmlStructuredErrorContext;
    xmlSetStructuredErrorFunc(&r, on_error);
    parse(&r, fetch, source);
    xmlSetStructuredErrorFunc(handler_data, handler);
    if (!r.error) check_choice(&r);
    if (!r.error) resolve(&r);
    Net *net = NULL;
    if (!r.error) {
        net = net_builder_finish(r.builder, &r.error);
        if (!net) g_prefix_error(&r.error, "%s: ", file);
    }
    if (r.error) g_propagate_error(error, r.error);
    if (r.parser) {
        if (r.parser->myDoc) xmlFreeDoc(r.parser->myDoc);
        xmlFreeParserCtxt(r.parser);
    }
    nupn_draft_free(r.nupn);
    pnml_final_free(r.finals);
    pnml_ignored_free(r.ignored);
    pnml_link_free(r.links);
    net_builder_free(r.builder);
    g_ptr_array_unref(r.net_ids);
    g_string_free(r.source, TRUE);
    g_string_free(r.target, TRUE);
    g_string_free(r.text, TRUE);
    g_string_free(r.first_text, TRUE);
    g_free(r.colour);
    return net;
}
