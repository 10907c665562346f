#include "net/pnml.h"

#include "net/pnml_draft.h"

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
};

typedef struct Reader {
    PnmlDraft draft;
    PnmlState state[MAX_DEPTH + 1];
    int depth;
    uint32_t first_rule[AT_REFUSED + 2];                                /* of each state */
    const char *element[G_N_ELEMENTS(rules)], *attribute[N_ATTRIBUTES]; /* names as the parser interns them */
    const char *prefix, *uri; /* namespace of the root element, which all PNML elements have */
    uint64_t unknown_in_net;
} Reader;

static void find_attributes(const Reader *r, const XmlTag *tag, XmlText found[N_ATTRIBUTES])
{
    memset(found, 0, N_ATTRIBUTES * sizeof *found);
    for (int i = 0; i < tag->n_attributes; i++) {
        const char *name, *prefix;
        XmlText value = xml_attribute(tag, i, &name, &prefix);
        for (int k = 0; k < N_ATTRIBUTES; k++)
            if (name == r->attribute[k] && (!prefix || k == ATTRIBUTE_space)) {
                found[k] = value;
                break;
            }
    }
}

static PnmlState follow_rule(Reader *r, PnmlState parent, const XmlTag *tag, const XmlText found[N_ATTRIBUTES])
{
    if (tag->prefix != r->prefix && (!tag->uri || tag->uri != r->uri)) return AT_UNKNOWN;
    PnmlState in = parent == AT_PAGE ? AT_NET : parent;
    for (uint32_t i = r->first_rule[in]; i < r->first_rule[in + 1]; i++)
        if (r->element[i] == tag->name)
            return pnml_draft_enter(&r->draft, parent, rules[i].to, rules[i].message, found);
    return AT_UNKNOWN;
}

/* Drawings and the remarks of tools may stand in any label. */
static bool may_stand_in_label(const char *element)
{
    static const char *const harmless[] = {"graphics", "toolspecific", "offset", "position"};
    for (size_t i = 0; i < G_N_ELEMENTS(harmless); i++)
        if (strcmp(element, harmless[i]) == 0) return true;
    return false;
}

static void meet_unknown(Reader *r, PnmlState parent, const char *element)
{
    bool strict = pnml_draft_is_strict(parent) ? !may_stand_in_label(element)
                                               : parent == AT_TEXT && pnml_draft_is_strict(r->state[r->depth - 1]);
    if (parent == AT_TOP)
        xml_fail(r->draft.xml, xml_here(r->draft.xml), ERROR_INPUT, "the outermost element is <%s>; <pnml> is expected",
                 error_excerpt(element, SIZE_MAX).text);
    else if (strict)
        xml_fail(r->draft.xml, xml_here(r->draft.xml), ERROR_UNSUPPORTED,
                 "<%s> is not understood inside this label; <text> is", error_excerpt(element, SIZE_MAX).text);
    if (parent == AT_PNML) return;
    pnml_ignored_count(r->draft.ignored, element);
    if (parent == AT_NET || parent == AT_PAGE) r->unknown_in_net++;
}

static void on_start(void *data, const XmlTag *tag)
{
    Reader *r = data;
    PnmlState parent = r->state[r->depth];
    if (parent == AT_HANDED) r->draft.handed->handler.start(r->draft.handed->reader, tag);
    if (parent == AT_UNKNOWN || parent == AT_QUIET || parent == AT_HANDED) {
        r->state[++r->depth] = parent;
        return;
    }
    XmlText found[N_ATTRIBUTES];
    find_attributes(r, tag, found);
    if (parent == AT_TOP) {
        r->prefix = tag->prefix;
        r->uri = tag->uri;
    }
    PnmlState to =
        parent == AT_SORT ? pnml_draft_enter_sort(&r->draft, tag->name, found) : follow_rule(r, parent, tag, found);
    if (to == AT_UNKNOWN && (parent == AT_GRAPHICS || parent == AT_POSITION)) to = AT_QUIET; /* colours, fonts */
    if (to == AT_UNKNOWN) meet_unknown(r, parent, tag->name);
    r->state[++r->depth] = to;
}

static void on_end(void *data)
{
    Reader *r = data;
    PnmlState state = r->state[r->depth--], parent = r->state[r->depth];
    if (state == AT_HANDED && parent == AT_HANDED) r->draft.handed->handler.end(r->draft.handed->reader);
    pnml_draft_leave(&r->draft, state, parent, r->depth ? r->state[r->depth - 1] : AT_TOP);
}

static void on_text(void *data, const char *text, size_t len)
{
    Reader *r = data;
    PnmlState state = r->state[r->depth];
    if (state == AT_HANDED) r->draft.handed->handler.text(r->draft.handed->reader, text, len);
    size_t most = state == AT_UNIT_PLACES || state == AT_UNIT_SUBUNITS ? MAX_LIST : MAX_LABEL;
    GString *to = pnml_draft_text(&r->draft, state);
    if (to && to->len + len > most)
        xml_fail(r->draft.xml, xml_here(r->draft.xml), ERROR_LIMIT, "this text is longer than %zu bytes", most);
    else if (to)
        g_string_append_len(to, text, (gssize)len);
}

static void intern_names(Reader *r)
{
    PnmlState state = AT_TOP;
    for (uint32_t i = 0; i < G_N_ELEMENTS(rules); i++) {
        r->element[i] = xml_intern(r->draft.xml, rules[i].element);
        for (; state < rules[i].in; state++) r->first_rule[state + 1] = i;
    }
    for (; state <= AT_REFUSED; state++) r->first_rule[state + 1] = G_N_ELEMENTS(rules);
    for (int k = 0; k < N_ATTRIBUTES; k++) r->attribute[k] = xml_intern(r->draft.xml, attribute_names[k]);
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
    XmlPosition end = xml_here(r->draft.xml);
    if (!r->draft.net_ids->len)
        xml_fail(r->draft.xml, end, ERROR_INPUT, "this PNML file holds no net");
    else if (!r->draft.found)
        xml_fail(r->draft.xml, end, ERROR_INPUT, "there is no net \"%s\" here, only: %s", r->draft.wanted, list);
    else if (!r->draft.wanted && r->draft.net_ids->len > 1)
        xml_fail(r->draft.xml, r->draft.second_net, ERROR_INPUT,
                 "the file holds %u nets (%s); choose one with --net ID", r->draft.net_ids->len, list);
    else if (r->unknown_in_net && !net_builder_n_places(r->draft.builder) &&
             !net_builder_n_transitions(r->draft.builder))
        xml_fail(r->draft.xml, r->draft.net_start, ERROR_INPUT,
                 "the net has no place and no transition, only unknown elements");
}

bool pnml_begins(const char *head, size_t len)
{
    if (len >= 2 && (memcmp(head, "\xff\xfe", 2) == 0 || memcmp(head, "\xfe\xff", 2) == 0)) return true;
    /* UTF-16 without a mark, or white space (an error that the XML parser explains best) */
    size_t at = 0;
    while (at < len && (!head[at] || strchr(" \t\r\n", head[at]))) at++;
    return at < len && head[at] == '<';
}

/* The net of the draft, unless it was handed to another reader. */
static Net *finish(PnmlDraft *draft, GError **problem)
{
    if (draft->handed && draft->handed->reader) {
        draft->handed->finish(draft->handed);
        *problem = xml_take_error(draft->xml);
        return NULL;
    }
    pnml_draft_resolve(draft);
    *problem = xml_take_error(draft->xml);
    if (*problem) return NULL;
    Net *net = net_builder_finish(draft->builder, problem);
    if (!net) g_prefix_error(problem, "%s: ", draft->file);
    return net;
}

Net *pnml_read(Input *input, const char *net_id, GError **error)
{
    return pnml_read_coloured(input, net_id, NULL, error);
}

Net *pnml_read_coloured(Input *input, const char *net_id, PnmlColoured *coloured, GError **error)
{
    static const XmlHandler handler = {on_start, on_end, on_text};
    Reader r = {0};
    g_autoptr(Xml) xml = xml_new(input, MAX_DEPTH, &handler, &r, error);
    if (!xml) return NULL;
    PnmlDraft *draft = &r.draft;
    pnml_draft_init(draft, input_name(input), net_id);
    draft->xml = xml;
    draft->handed = coloured;
    intern_names(&r);
    if (xml_parse(xml)) check_choice(&r);
    GError *problem = xml_take_error(xml);
    Net *net = problem ? NULL : finish(draft, &problem);
    pnml_draft_clear(draft);
    if (problem) g_propagate_error(error, problem);
    return net;
}
