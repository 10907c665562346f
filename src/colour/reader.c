#include "colour/reader.h"

#include "colour/draft.h"
#include "net/pnml_ignored.h"

#include <string.h>

typedef enum {
    AT_NET,
    AT_PLACE,
    AT_TRANSITION,
    AT_ARC,
    AT_REFERENCE_PLACE,
    AT_REFERENCE_TRANSITION,
    AT_NAME,
    AT_TEXT,
    AT_LABEL,
    AT_LABEL_TEXT,
    AT_STRUCTURE,
    AT_ELEMENT,
    AT_SUBTERM,
    AT_REFUSED,
    AT_QUIET,
    AT_UNKNOWN,
} State;

static const struct {
    State in;
    const char *element;
    State to;
    const char *message;
} rules[] = {
#define RULE(in, element, to, message) {AT_##in, element, AT_##to, message},
#include "colour/reader_rules.def"
#undef RULE
};

static const struct {
    const char *name, *attribute[2];
} elements[] = {
#define ELEMENT(constant, name, first, second) {name, {first, second}},
#include "colour/elements.def"
#undef ELEMENT
};

typedef struct Frame {
    uint8_t state;
    uint32_t element; /* AT_ELEMENT: which */
    uint32_t n_children;
    uint32_t *label; /* AT_LABEL and AT_STRUCTURE: where the element goes; NULL: to the declarations */
} Frame;

struct ColourReader {
    Draft draft;
    PnmlIgnored *ignored;
    VEC(Frame) frames;
    GHashTable *kinds; /* of elements, by name */
    GString *text;     /* of the open <name> */
    uint32_t sort_label, term_label;
    XmlPosition label_at;
    bool label_says; /* something, in its <text> */
    uint32_t depth;  /* of elements that are skipped */
};

ColourReader *colour_reader_open(Xml *xml, const char *name)
{
    ColourReader *r = g_new0(ColourReader, 1);
    r->draft.xml = xml;
    r->draft.net = colour_net_new();
    r->draft.net->name = g_strdup(name);
    r->ignored = pnml_ignored_new();
    r->text = g_string_new(NULL);
    r->kinds = g_hash_table_new(g_str_hash, g_str_equal);
    for (size_t i = 0; i < N_ELEMENTS; i++)
        g_hash_table_insert(r->kinds, (gpointer)elements[i].name, GUINT_TO_POINTER(i + 1));
    vec_push(&r->frames, ((Frame){.state = AT_NET}));
    return r;
}

void colour_reader_free(ColourReader *r)
{
    if (!r) return;
    colour_net_free(r->draft.net);
    vec_free(&r->draft.elements);
    vec_free(&r->draft.nodes);
    vec_free(&r->draft.arcs);
    vec_free(&r->draft.declarations);
    vec_free(&r->draft.sort_of);
    g_clear_pointer(&r->draft.sorts, g_hash_table_unref);
    g_clear_pointer(&r->draft.partitions, g_hash_table_unref);
    g_clear_pointer(&r->draft.operators, g_hash_table_unref);
    g_clear_pointer(&r->draft.variables, g_hash_table_unref);
    pnml_ignored_free(r->ignored);
    vec_free(&r->frames);
    g_hash_table_unref(r->kinds);
    g_string_free(r->text, TRUE);
    g_free(r);
}

static const char *attribute(ColourReader *r, const XmlTag *tag, const char *wanted)
{
    for (int i = 0; *wanted && i < tag->n_attributes; i++) {
        const char *name, *prefix;
        XmlText value = xml_attribute(tag, i, &name, &prefix);
        if (!prefix && strcmp(name, wanted) == 0)
            return g_string_chunk_insert_len(r->draft.net->strings, value.data, (gssize)value.len);
    }
    return NULL;
}

/* ---- nodes and arcs ---- */

static void start_node(ColourReader *r, const XmlTag *tag, bool is_transition, bool is_reference)
{
    DraftNode node = {.is_transition = is_transition, .sort = TERM_NONE, .term = TERM_NONE};
    node.id = attribute(r, tag, "id");
    node.at = xml_here(r->draft.xml);
    if (is_reference) node.reference = attribute(r, tag, "ref");
    if (!node.id || !*node.id)
        draft_fail(&r->draft, node.at, ERROR_INPUT, "this %s has no id",
                   is_reference    ? "reference"
                   : is_transition ? "transition"
                                   : "place");
    else if (is_reference && !node.reference)
        draft_fail(&r->draft, node.at, ERROR_INPUT, "this reference has no attribute ref");
    vec_push(&r->draft.nodes, node);
}

static void start_arc(ColourReader *r, const XmlTag *tag)
{
    DraftArc arc = {.term = TERM_NONE, .at = xml_here(r->draft.xml)};
    arc.source = attribute(r, tag, "source");
    arc.target = attribute(r, tag, "target");
    const char *type = attribute(r, tag, "type");
    if (!arc.source || !arc.target)
        draft_fail(&r->draft, arc.at, ERROR_INPUT, "this arc has no %s", arc.source ? "target" : "source");
    else if (type && strcmp(type, "normal") != 0)
        draft_fail(&r->draft, arc.at, ERROR_UNSUPPORTED, "coloured %s arcs are not supported",
                   error_excerpt(type, SIZE_MAX).text);
    vec_push(&r->draft.arcs, arc);
}

/* ---- labels ---- */

static void start_label(ColourReader *r, const XmlTag *tag, Frame *frame)
{
    r->sort_label = r->term_label = TERM_NONE;
    r->label_at = xml_here(r->draft.xml);
    r->label_says = false;
    if (strcmp(tag->name, "declaration") == 0) return;
    frame->label = strcmp(tag->name, "type") == 0 ? &r->sort_label : &r->term_label;
}

static void start_element(ColourReader *r, const XmlTag *tag, Frame *frame)
{
    uint32_t kind = GPOINTER_TO_UINT(g_hash_table_lookup(r->kinds, tag->name));
    Element element = {.at = xml_here(r->draft.xml), .size = 1};
    if (!kind) {
        draft_fail(&r->draft, element.at, ERROR_UNSUPPORTED, "<%s> is not supported in coloured nets",
                   error_excerpt(tag->name, SIZE_MAX).text);
        return;
    }
    element.kind = (uint8_t)(kind - 1);
    for (int i = 0; i < 2; i++) element.text[i] = attribute(r, tag, elements[kind - 1].attribute[i]);
    frame->element = (uint32_t)r->draft.elements.len;
    vec_push(&r->draft.elements, element);
}

/* An element closes: it is one more child of the element around it, of the subterm, or of the label. */
static void end_element(ColourReader *r, const Frame *frame)
{
    Draft *draft = &r->draft;
    Element *element = &draft->elements.data[frame->element];
    element->size = (uint32_t)(draft->elements.len - frame->element);
    Frame *outer = &vec_last(&r->frames);
    if (outer->state == AT_ELEMENT) draft->elements.data[outer->element].n_children++;
    if (outer->state != AT_STRUCTURE) {
        outer->n_children++;
    } else if (!outer->label) {
        vec_push(&draft->declarations, frame->element);
    } else if (*outer->label != TERM_NONE) {
        draft_fail(draft, element->at, ERROR_INPUT, "a second <%s> in one <structure>",
                   draft_element_name(element->kind));
    } else {
        *outer->label = frame->element;
    }
}

static void end_subterm(ColourReader *r, const Frame *frame)
{
    Frame *outer = &vec_last(&r->frames);
    if (frame->n_children != 1)
        draft_fail(&r->draft, xml_here(r->draft.xml), ERROR_INPUT, "a <subterm> holds %u terms; one is expected",
                   frame->n_children);
    if (outer->state == AT_ELEMENT) r->draft.elements.data[outer->element].n_children++;
    outer->n_children++;
}

static void end_label(ColourReader *r, const Frame *frame, State node)
{
    Draft *draft = &r->draft;
    if (!frame->label) return;
    if (*frame->label == TERM_NONE) { /* as good as no label, if its <text> says nothing either */
        if (r->label_says)
            draft_fail(draft, r->label_at, ERROR_UNSUPPORTED, "this label has no <structure> with a term in it");
        return;
    }
    uint32_t *to = node == AT_ARC                   ? &vec_last(&draft->arcs).term
                   : frame->label == &r->sort_label ? &vec_last(&draft->nodes).sort
                                                    : &vec_last(&draft->nodes).term;
    if (*to != TERM_NONE) draft_fail(draft, r->label_at, ERROR_INPUT, "a second label of this kind");
    *to = *frame->label;
}

static void end_name(ColourReader *r)
{
    g_strstrip(r->text->str);
    if (*r->text->str) vec_last(&r->draft.nodes).label = g_string_chunk_insert(r->draft.net->strings, r->text->str);
}

/* ---- the parser's calls ---- */

static State follow_rule(ColourReader *r, State in, const XmlTag *tag)
{
    for (size_t i = 0; i < G_N_ELEMENTS(rules); i++) {
        if (rules[i].in != in || strcmp(rules[i].element, tag->name) != 0) continue;
        if (rules[i].to == AT_REFUSED)
            draft_fail(&r->draft, xml_here(r->draft.xml), ERROR_UNSUPPORTED, "%s", rules[i].message);
        return rules[i].to;
    }
    if (in == AT_ELEMENT || in == AT_SUBTERM || in == AT_STRUCTURE)
        return strcmp(tag->name, "subterm") == 0 && in == AT_ELEMENT ? AT_SUBTERM : AT_ELEMENT;
    pnml_ignored_count(r->ignored, tag->name);
    return AT_UNKNOWN;
}

static void on_start(void *data, const XmlTag *tag)
{
    ColourReader *r = data;
    State parent = vec_last(&r->frames).state;
    if (parent == AT_UNKNOWN || parent == AT_QUIET) {
        r->depth++;
        return;
    }
    Frame frame = {.state = (uint8_t)follow_rule(r, parent, tag), .label = vec_last(&r->frames).label};
    switch (frame.state) {
    case AT_PLACE:
    case AT_TRANSITION: start_node(r, tag, frame.state == AT_TRANSITION, false); break;
    case AT_REFERENCE_PLACE:
    case AT_REFERENCE_TRANSITION: start_node(r, tag, frame.state == AT_REFERENCE_TRANSITION, true); break;
    case AT_ARC: start_arc(r, tag); break;
    case AT_LABEL: start_label(r, tag, &frame); break;
    case AT_TEXT: g_string_truncate(r->text, 0); break;
    case AT_ELEMENT: start_element(r, tag, &frame); break;
    default: break;
    }
    vec_push(&r->frames, frame);
}

static void on_end(void *data)
{
    ColourReader *r = data;
    if (r->depth) {
        r->depth--;
        return;
    }
    Frame frame = vec_pop(&r->frames);
    if (xml_failed(r->draft.xml)) return;
    switch (frame.state) {
    case AT_ELEMENT: end_element(r, &frame); break;
    case AT_SUBTERM: end_subterm(r, &frame); break;
    case AT_LABEL: end_label(r, &frame, vec_last(&r->frames).state); break;
    case AT_TEXT: end_name(r); break;
    default: break;
    }
}

enum { MAX_NAME = 1000000 };

static void on_text(void *data, const char *text, size_t len)
{
    ColourReader *r = data;
    State state = r->depth ? AT_UNKNOWN : vec_last(&r->frames).state;
    for (size_t i = 0; i < len && state == AT_LABEL_TEXT; i++) r->label_says |= !g_ascii_isspace(text[i]);
    if (state != AT_TEXT) return;
    if (r->text->len + len > MAX_NAME)
        draft_fail(&r->draft, xml_here(r->draft.xml), ERROR_LIMIT, "this name is longer than %d bytes", MAX_NAME);
    else
        g_string_append_len(r->text, text, (gssize)len);
}

const XmlHandler colour_reader_handler = {on_start, on_end, on_text};

ColourNet *colour_reader_finish(ColourReader *r)
{
    if (xml_failed(r->draft.xml)) return NULL;
    declare_all(&r->draft);
    if (!xml_failed(r->draft.xml)) link_nodes(&r->draft);
    if (xml_failed(r->draft.xml)) return NULL;
    r->draft.net->ignored = pnml_ignored_text(r->ignored);
    return g_steal_pointer(&r->draft.net);
}
