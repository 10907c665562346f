#include "net/pnml.h"

#include "net/pnml_draft.h"

#include <errno.h>
#include <string.h>

static const struct Rule {
    PnmlState in;
    const char *element;
    PnmlState to;
    const char *message;
} rules[] = {
#define RULE(in, element, to, message) {AT_##in, element, AT_##to, message},
#include "net/pnml_rules.def"
#undef RULE
};

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
    PnmlDraft draft;
    PnmlState state[MAX_DEPTH + 1];
    int depth;
    uint32_t first_rule[AT_REFUSED + 2];                                   /* of each state */
    const xmlChar *element[G_N_ELEMENTS(rules)], *attribute[N_ATTRIBUTES]; /* names as the parser interns them */
    const xmlChar *prefix; /* namespace prefix of the root element, which all PNML elements have */
    bool progress;         /* a callback came since the last chunk */
    uint64_t unknown_in_net;
} Reader;

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

static void on_start(void *data, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri, int n_namespaces,
                     const xmlChar **namespaces, int n_attributes, int n_defaulted, const xmlChar **attributes)
{
    (void)uri, (void)n_namespaces, (void)namespaces, (void)n_defaulted;
    Reader *r = data;
    r->progress = true;
    if (r->draft.error) return;
    if (r->depth == MAX_DEPTH) {
        pnml_draft_fail(&r->draft, pnml_draft_here(&r->draft), ERROR_LIMIT, "elements are nested more than %d deep",
                        MAX_DEPTH);
        return;
    }
    PnmlState parent = r->state[r->depth], to = AT_UNKNOWN;
    const char *element = (const char *)name;
    if (parent == AT_UNKNOWN || parent == AT_QUIET) {
        r->state[++r->depth] = parent == AT_QUIET ? AT_QUIET : AT_UNKNOWN;
        return;
    }
    PnmlText found[N_ATTRIBUTES];
    find_attributes(r, n_attributes, attributes, found);
    if (parent == AT_TOP) r->prefix = prefix;
    if (parent == AT_SORT) {
        to = pnml_draft_enter_sort(&r->draft, element, found);
    } else if (prefix == r->prefix) {
        PnmlState in = parent == AT_PAGE ? AT_NET : parent;
        for (uint32_t i = r->first_rule[in]; i < r->first_rule[in + 1]; i++)
            if (r->element[i] == name) {
                to = pnml_draft_enter(&r->draft, parent, rules[i].to, rules[i].message, found);
                break;
            }
    }
    if (parent == AT_TOP && to != AT_PNML)
        pnml_draft_fail(&r->draft, pnml_draft_here(&r->draft), ERROR_INPUT,
                        "the outermost element is <%s>; <pnml> is expected", element);
    if (to == AT_UNKNOWN && parent != AT_PNML) {
        pnml_ignored_count(r->draft.ignored, element);
        if (parent == AT_NET || parent == AT_PAGE) r->unknown_in_net++;
    }
    r->state[++r->depth] = to;
}

static void on_end(void *data, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri)
{
    (void)name, (void)prefix, (void)uri;
    Reader *r = data;
    r->progress = true;
    if (r->draft.error) return;
    PnmlState state = r->state[r->depth--], parent = r->state[r->depth];
    pnml_draft_leave(&r->draft, state, parent, r->depth ? r->state[r->depth - 1] : AT_TOP);
}

static void on_text(void *data, const xmlChar *text, int len)
{
    Reader *r = data;
    r->progress = true;
    PnmlState state = r->state[r->depth];
    bool list = state == AT_UNIT_PLACES || state == AT_UNIT_SUBUNITS;
    if (r->draft.error || (state != AT_TEXT && state != AT_OWN_FINAL && state != AT_OWN_NOTE && !list)) return;
    if (r->draft.text->len + (size_t)len > (list ? MAX_LIST : MAX_LABEL))
        pnml_draft_fail(&r->draft, pnml_draft_here(&r->draft), ERROR_LIMIT, "this text is longer than %d bytes",
                        list ? MAX_LIST : MAX_LABEL);
    else
        g_string_append_len(r->draft.text, (const char *)text, len);
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
    pnml_draft_fail(&r->draft, pnml_draft_here(&r->draft), ERROR_UNSUPPORTED,
                    "entity declarations are refused (\"%.100s\")", (const char *)name);
}

static void on_error(void *data, xmlErrorPtr error)
{
    Reader *r = data;
    /* Undeclared prefixes and the like do not stop anyone from reading a net. */
    if (error->domain == XML_FROM_NAMESPACE || error->level < XML_ERR_ERROR || r->draft.error) return;
    g_autofree char *message = g_utf8_make_valid(error->message ? error->message : "unknown XML error", -1);
    g_strstrip(g_strdelimit(message, "\n", ' '));
    PnmlPosition at = {error->line, error->int2};
    if (at.line <= 0) at = pnml_draft_here(&r->draft);
    if (strstr(message, "Huge input lookup"))
        pnml_draft_fail(&r->draft, at, ERROR_LIMIT, "a tag, attribute or comment is longer than 10 MB");
    else if (error->code == XML_ERR_DOCUMENT_END && r->depth)
        pnml_draft_fail(&r->draft, at, ERROR_INPUT, "XML: the file ends while %d elements are still open", r->depth);
    else
        pnml_draft_fail(&r->draft, at, ERROR_INPUT, "XML: %s", message);
}

static void intern_names(Reader *r)
{
    xmlDict *dict = r->draft.parser->dict;
    PnmlState state = AT_TOP;
    for (uint32_t i = 0; i < G_N_ELEMENTS(rules); i++) {
        r->element[i] = xmlDictLookup(dict, (const xmlChar *)rules[i].element, -1);
        for (; state < rules[i].in; state++) r->first_rule[state + 1] = i;
    }
    for (; state <= AT_REFUSED; state++) r->first_rule[state + 1] = G_N_ELEMENTS(rules);
    for (int k = 0; k < N_ATTRIBUTES; k++)
        r->attribute[k] = xmlDictLookup(dict, (const xmlChar *)attribute_names[k], -1);
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
    r->draft.parser = xmlCreatePushParserCtxt(&sax, r, first, n, NULL);
    if (!r->draft.parser) {
        error_at(&r->draft.error, ERROR_IO, r->draft.file, 0, 0, "no memory for an XML parser");
        return false;
    }
    /* Without NOENT an attribute's &amp; would arrive as &#38; */
    xmlCtxtUseOptions(r->draft.parser, XML_PARSE_NONET | XML_PARSE_NOENT);
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
    if (n > head) xmlParseChunk(r->draft.parser, chunk + head, (int)(n - head), 0);
    while (!r->draft.error && (n = fetch(source, chunk, CHUNK)) > 0) {
        r->progress = false;
        xmlParseChunk(r->draft.parser, chunk, (int)n, 0);
        held_back = r->progress ? 0 : held_back + (size_t)n;
        if (held_back > MAX_TAG)
            pnml_draft_fail(&r->draft, pnml_draft_here(&r->draft), ERROR_LIMIT,
                            "a tag or comment is longer than %d bytes", MAX_TAG);
        if (xmlDictSize(r->draft.parser->dict) > MAX_NAMES)
            pnml_draft_fail(&r->draft, pnml_draft_here(&r->draft), ERROR_LIMIT,
                            "elements and attributes have more than %d different names", MAX_NAMES);
    }
    if (n < 0) pnml_draft_fail(&r->draft, (PnmlPosition){0}, ERROR_IO, "cannot be read: %s", g_strerror(errno));
    if (!r->draft.error) xmlParseChunk(r->draft.parser, NULL, 0, 1);
    if (!r->draft.error && !r->draft.parser->wellFormed)
        pnml_draft_fail(&r->draft, pnml_draft_here(&r->draft), ERROR_INPUT, "this is not well-formed XML");
}

static char *list_nets(const Reader *r)
{
    enum { LISTED = 20 };
    GString *list = g_string_new(NULL);
    for (guint i = 0; i < MIN(r->draft.net_ids->len, LISTED); i++)
        g_string_append_printf(list, "%s%s", i ? ", " : "", (char *)g_ptr_array_index(r->draft.net_ids, i));
    if (r->draft.net_ids->len > LISTED) g_string_append(list, ", ...");
    return g_string_free(list, FALSE);
}

static void check_choice(Reader *r)
{
    g_autofree char *list = list_nets(r);
    PnmlPosition end = pnml_draft_here(&r->draft);
    if (!r->draft.net_ids->len)
        pnml_draft_fail(&r->draft, end, ERROR_INPUT, "this PNML file holds no net");
    else if (!r->draft.found)
        pnml_draft_fail(&r->draft, end, ERROR_INPUT, "there is no net \"%s\" here, only: %s", r->draft.wanted, list);
    else if (!r->draft.wanted && r->draft.net_ids->len > 1)
        pnml_draft_fail(&r->draft, r->draft.second_net, ERROR_INPUT,
                        "the file holds %u nets (%s); choose one with --net ID", r->draft.net_ids->len, list);
    else if (r->unknown_in_net && !net_builder_n_places(r->draft.builder) &&
             !net_builder_n_transitions(r->draft.builder))
        pnml_draft_fail(&r->draft, r->draft.net_start, ERROR_INPUT,
                        "the net has no place and no transition, only unknown elements");
}

Net *pnml_read(PnmlFetch fetch, void *source, const char *file, const char *net_id, GError **error)
{
    Reader r = {0};
    PnmlDraft *draft = &r.draft;
    pnml_draft_init(draft, file, net_id);
    /* Errors of the decoder do not come through the parser's handler and would be printed; both are per thread. */
    xmlStructuredErrorFunc handler = xmlStructuredError;
    void *handler_data = xmlStructuredErrorContext;
    xmlSetStructuredErrorFunc(&r, on_error);
    parse(&r, fetch, source);
    xmlSetStructuredErrorFunc(handler_data, handler);
    if (!draft->error) check_choice(&r);
    if (!draft->error) pnml_draft_resolve(draft);
    Net *net = NULL;
    if (!draft->error) {
        net = net_builder_finish(draft->builder, &draft->error);
        if (!net) g_prefix_error(&draft->error, "%s: ", file);
    }
    if (draft->error) g_propagate_error(error, draft->error);
    if (draft->parser) {
        if (draft->parser->myDoc) xmlFreeDoc(draft->parser->myDoc);
        xmlFreeParserCtxt(draft->parser);
    }
    pnml_draft_clear(draft);
    return net;
}
