#include "net/pnml_draft.h"

#include <string.h>

void pnml_draft_init(PnmlDraft *draft, const char *file, const char *wanted)
{
    g_autofree char *base = g_path_get_basename(file);
    *draft = (PnmlDraft){.file = file, .wanted = wanted};
    draft->builder = net_builder_new(base);
    draft->links = pnml_link_new(draft->builder);
    draft->ignored = pnml_ignored_new();
    draft->finals = pnml_final_new();
    draft->net_ids = g_ptr_array_new_with_free_func(g_free);
    draft->source = g_string_new(NULL);
    draft->target = g_string_new(NULL);
    pnml_label_init(&draft->label);
}

void pnml_draft_clear(PnmlDraft *draft)
{
    nupn_draft_free(draft->nupn);
    pnml_final_free(draft->finals);
    pnml_ignored_free(draft->ignored);
    pnml_link_free(draft->links);
    net_builder_free(draft->builder);
    g_ptr_array_unref(draft->net_ids);
    g_string_free(draft->source, TRUE);
    g_string_free(draft->target, TRUE);
    pnml_label_clear(&draft->label);
    g_free(draft->colour);
}

void pnml_draft_fail_with(PnmlDraft *draft, XmlPosition at, const char *prefix, GError *error)
{
    xml_fail(draft->xml, at, (ErrorCode)error->code, "%s%s", prefix, error->message);
    g_error_free(error);
}

static char *copy(XmlText text)
{
    return g_strndup(text.data ? text.data : "", text.len);
}

static bool equals(XmlText text, const char *word)
{
    return text.data && text.len == strlen(word) && memcmp(text.data, word, text.len) == 0;
}

static void check_type(PnmlDraft *draft, const char *type)
{
    GError *error = NULL;
    bool known;
    if (!pnml_value_net_type(type, &known, &error))
        pnml_draft_fail_with(draft, xml_here(draft->xml), "", error);
    else if (!known) {
        g_autofree char *note = g_strdup_printf("the unknown net type \"%s\"", error_excerpt(type, SIZE_MAX).text);
        pnml_ignored_note(draft->ignored, note);
    }
}

static PnmlState start_net(PnmlDraft *draft, const XmlText a[N_ATTRIBUTES])
{
    g_autofree char *id = copy(a[ATTRIBUTE_id]), *type = copy(a[ATTRIBUTE_type]);
    if (equals(a[ATTRIBUTE_active], "false")) return AT_QUIET; /* TAPAAL has switched it off */
    g_ptr_array_add(draft->net_ids, g_strdup(id));
    if (draft->net_ids->len == 2) draft->second_net = xml_here(draft->xml);
    if (draft->wanted ? strcmp(draft->wanted, id) != 0 : draft->net_ids->len > 1) return AT_QUIET;
    if (draft->found) {
        xml_fail(draft->xml, xml_here(draft->xml), ERROR_INPUT, "two nets have the id \"%s\"", id);
        return AT_QUIET;
    }
    draft->found = true;
    draft->net_start = xml_here(draft->xml);
    if (draft->handed && pnml_value_is_symmetric(type)) {
        g_autofree char *base = g_path_get_basename(draft->file);
        draft->handed->open(draft->handed, draft->xml, *id ? id : base);
        return AT_HANDED;
    }
    check_type(draft, type);
    if (*id) net_builder_set_name(draft->builder, id);
    return AT_NET;
}

static bool check_new_id(PnmlDraft *draft, XmlText id, const char *what)
{
    if (!id.data || !id.len) {
        xml_fail(draft->xml, xml_here(draft->xml), ERROR_INPUT, "this %s has no id", what);
        return false;
    }
    if (net_builder_find(draft->builder, id.data, id.len, NET_NODE, NULL) == NET_NONE &&
        !pnml_link_is_reference(draft->links, id))
        return true;
    xml_fail(draft->xml, xml_here(draft->xml), ERROR_INPUT, "the id \"%s\" is taken by another place or transition",
             error_excerpt(id.data, id.len).text);
    return false;
}

bool pnml_draft_count(PnmlDraft *draft, const char *what, const char *text, uint64_t empty, uint64_t *count)
{
    GError *error = NULL;
    if (pnml_value_count(text, empty, &draft->colour, count, &error)) return true;
    pnml_draft_fail_with(draft, xml_here(draft->xml), what, error);
    return false;
}

void pnml_draft_capacity(PnmlDraft *draft, const char *text)
{
    uint64_t capacity = 0;
    g_autofree char *colour = NULL;
    GError *error = NULL;
    if (!pnml_value_count(text, 0, &colour, &capacity, &error))
        pnml_draft_fail_with(draft, xml_here(draft->xml), "capacity: ", error);
    else if (capacity)
        xml_fail(draft->xml, xml_here(draft->xml), ERROR_UNSUPPORTED, "places with a capacity are not supported");
}

static bool read_coordinate(XmlText text, double *value)
{
    g_autofree char *number = copy(text);
    char *end;
    *value = g_ascii_strtod(g_strstrip(number), &end);
    return *number && !*end;
}

/* A drawing changes nothing about the net: what is no position is passed over. */
static bool draw_node(PnmlDraft *draft, NetNodeKind kind, XmlText x, XmlText y)
{
    double at[2];
    if (!x.data || !y.data || !read_coordinate(x, &at[0]) || !read_coordinate(y, &at[1])) return false;
    net_builder_set_position(draft->builder, kind, draft->node, at[0], at[1]);
    return true;
}

static void start_place(PnmlDraft *draft, const XmlText a[N_ATTRIBUTES])
{
    if (!check_new_id(draft, a[ATTRIBUTE_id], "place")) return;
    g_autofree char *id = copy(a[ATTRIBUTE_id]), *name = a[ATTRIBUTE_name].data ? copy(a[ATTRIBUTE_name]) : NULL;
    draft->tokens = 0;
    draft->counted = a[ATTRIBUTE_initialMarking].data != NULL;
    draft->coloured = (XmlPosition){0};
    if (draft->counted) {
        g_autofree char *marking = copy(a[ATTRIBUTE_initialMarking]);
        if (!pnml_draft_count(draft, "initial marking: ", marking, 0, &draft->tokens)) return;
    }
    if (a[ATTRIBUTE_capacity].data) {
        g_autofree char *capacity = copy(a[ATTRIBUTE_capacity]);
        pnml_draft_capacity(draft, capacity);
    }
    if (a[ATTRIBUTE_invariant].data && !equals(a[ATTRIBUTE_invariant], "< inf")) {
        g_autofree char *invariant = copy(a[ATTRIBUTE_invariant]);
        xml_fail(draft->xml, xml_here(draft->xml), ERROR_UNSUPPORTED,
                 "time invariants are not supported (\"%s\" of a timed net)", invariant);
        return;
    }
    draft->node = net_builder_place(draft->builder, id, name, draft->tokens);
    draw_node(draft, NET_PLACE, a[ATTRIBUTE_positionX], a[ATTRIBUTE_positionY]);
}

static void start_transition(PnmlDraft *draft, const XmlText a[N_ATTRIBUTES])
{
    if (!check_new_id(draft, a[ATTRIBUTE_id], "transition")) return;
    g_autofree char *id = copy(a[ATTRIBUTE_id]), *name = a[ATTRIBUTE_name].data ? copy(a[ATTRIBUTE_name]) : NULL;
    if (equals(a[ATTRIBUTE_urgent], "true"))
        xml_fail(draft->xml, xml_here(draft->xml), ERROR_UNSUPPORTED,
                 "urgent transitions (timed nets) are not supported");
    if (a[ATTRIBUTE_player].data && !equals(a[ATTRIBUTE_player], "0"))
        xml_fail(draft->xml, xml_here(draft->xml), ERROR_UNSUPPORTED,
                 "transitions of a second player (games) are not supported");
    pnml_priority_open(&draft->priorities);
    draft->node = net_builder_transition(draft->builder, id, name);
    draw_node(draft, NET_TRANSITION, a[ATTRIBUTE_positionX], a[ATTRIBUTE_positionY]);
}

static void start_reference(PnmlDraft *draft, NetNodeKind kind, const XmlText a[N_ATTRIBUTES])
{
    if (!check_new_id(draft, a[ATTRIBUTE_id], "reference")) return;
    if (!a[ATTRIBUTE_ref].data)
        xml_fail(draft->xml, xml_here(draft->xml), ERROR_INPUT, "this reference has no attribute ref");
    else
        pnml_link_reference(draft->links, kind, a[ATTRIBUTE_id], a[ATTRIBUTE_ref], xml_here(draft->xml));
}

void pnml_draft_arc_type(PnmlDraft *draft, const char *name)
{
    GError *error = NULL;
    PnmlArcType type;
    if (!pnml_value_arc_type(name, &type, &error))
        pnml_draft_fail_with(draft, xml_here(draft->xml), "", error);
    else if (draft->arc_typed && type != draft->arc_type)
        xml_fail(draft->xml, xml_here(draft->xml), ERROR_INPUT, "this arc has two different types");
    else
        draft->arc_type = type;
    draft->arc_typed = true;
}

/* TAPAAL's attribute: a weight, or an age interval, behind which a transport arc has the number of its pair. */
static void read_inscription_attribute(PnmlDraft *draft, XmlText given, bool aged)
{
    static const char any_age[] = "[0,inf)";
    g_autofree char *text = copy(given);
    const char *behind = g_str_has_prefix(text, any_age) ? text + strlen(any_age) : NULL;
    if (text[0] != '[' && text[0] != '(' && !aged)
        pnml_draft_count(draft, "weight: ", text, 1, &draft->weight);
    else if (!behind || (*behind && *behind != ':') || (!aged && draft->arc_type != PNML_ARC_INHIBIT))
        xml_fail(draft->xml, xml_here(draft->xml), ERROR_UNSUPPORTED, "timed arcs are not supported (age interval %s)",
                 error_excerpt(text, SIZE_MAX).text);
}

/* TAPAAL's timed and transport arcs are normal ones where tokens may have any age. */
static bool is_aged(XmlText type)
{
    return equals(type, "timed") || equals(type, "transport");
}

static void start_arc(PnmlDraft *draft, const XmlText a[N_ATTRIBUTES])
{
    if (!a[ATTRIBUTE_source].data || !a[ATTRIBUTE_target].data) {
        xml_fail(draft->xml, xml_here(draft->xml), ERROR_INPUT, "this arc has no %s",
                 a[ATTRIBUTE_source].data ? "target" : "source");
        return;
    }
    g_string_truncate(draft->source, 0);
    g_string_append_len(draft->source, a[ATTRIBUTE_source].data, (gssize)a[ATTRIBUTE_source].len);
    g_string_truncate(draft->target, 0);
    g_string_append_len(draft->target, a[ATTRIBUTE_target].data, (gssize)a[ATTRIBUTE_target].len);
    bool aged = is_aged(a[ATTRIBUTE_type]);
    draft->arc_type = PNML_ARC_NORMAL;
    draft->weight = 1;
    draft->arc_typed = draft->counted = false;
    draft->coloured = (XmlPosition){0};
    draft->start = xml_here(draft->xml);
    if (a[ATTRIBUTE_type].data) {
        g_autofree char *type = copy(a[ATTRIBUTE_type]);
        pnml_draft_arc_type(draft, aged ? "normal" : type);
    }
    if (aged || a[ATTRIBUTE_inscription].data) read_inscription_attribute(draft, a[ATTRIBUTE_inscription], aged);
    if (a[ATTRIBUTE_weight].data) {
        g_autofree char *weight = copy(a[ATTRIBUTE_weight]);
        pnml_draft_count(draft, "weight: ", weight, 1, &draft->weight);
        draft->counted = true;
    }
}

static PnmlState start_tool(PnmlState parent, const XmlText a[N_ATTRIBUTES])
{
    bool in_net = parent == AT_NET || parent == AT_PAGE;
    if (in_net && equals(a[ATTRIBUTE_tool], "nupn")) return AT_NUPN;
    if ((in_net || parent == AT_TRANSITION) && equals(a[ATTRIBUTE_tool], "mazurka")) return AT_OWN;
    return AT_UNKNOWN;
}

static void start_units(PnmlDraft *draft, const XmlText a[N_ATTRIBUTES])
{
    g_autofree char *root = copy(a[ATTRIBUTE_root]);
    if (draft->nupn)
        xml_fail(draft->xml, xml_here(draft->xml), ERROR_INPUT, "NUPN: a second structure of units");
    else
        draft->nupn = nupn_draft_new(root, equals(a[ATTRIBUTE_safe], "true"), xml_here(draft->xml));
}

static void start_unit(PnmlDraft *draft, const XmlText a[N_ATTRIBUTES])
{
    g_autofree char *id = copy(a[ATTRIBUTE_id]);
    if (!*id)
        xml_fail(draft->xml, xml_here(draft->xml), ERROR_INPUT, "NUPN: this unit has no id");
    else
        nupn_draft_unit(draft->nupn, id, xml_here(draft->xml));
}

bool pnml_draft_is_strict(PnmlState state)
{
    switch (state) {
    case AT_MARKING:
    case AT_CAPACITY:
    case AT_WEIGHT:
    case AT_INHIBITOR:
    case AT_ARC_TYPE:
    case AT_TIMED:
    case AT_PRIORITY:
    case AT_FINAL_PLACE: return true;
    default: return false;
    }
}

GString *pnml_draft_text(PnmlDraft *draft, PnmlState state)
{
    switch (state) {
    case AT_TEXT:
    case AT_UNIT_PLACES:
    case AT_UNIT_SUBUNITS:
    case AT_OWN_FINAL:
    case AT_OWN_NOTE: return draft->label.text;
    default: return state == AT_NAME || pnml_draft_is_strict(state) ? draft->label.direct : NULL;
    }
}

PnmlState pnml_draft_enter(PnmlDraft *draft, PnmlState parent, PnmlState to, const char *message,
                           const XmlText a[N_ATTRIBUTES])
{
    switch (to) {
    case AT_NET: return start_net(draft, a);
    case AT_PLACE: start_place(draft, a); break;
    case AT_TRANSITION: start_transition(draft, a); break;
    case AT_ARC: start_arc(draft, a); break;
    case AT_REFERENCE_PLACE: start_reference(draft, NET_PLACE, a); break;
    case AT_REFERENCE_TRANSITION: start_reference(draft, NET_TRANSITION, a); break;
    case AT_INHIBITOR:
        pnml_draft_arc_type(draft, "inhibitor");
        if (parent == AT_ARC) pnml_label_open(&draft->label, a[ATTRIBUTE_value]);
        break;
    case AT_NAME:
    case AT_MARKING:
    case AT_CAPACITY:
    case AT_WEIGHT:
    case AT_ARC_TYPE:
    case AT_TIMED:
    case AT_PRIORITY:
    case AT_UNIT_PLACES:
    case AT_UNIT_SUBUNITS:
    case AT_OWN_FINAL:
    case AT_OWN_NOTE: pnml_label_open(&draft->label, a[ATTRIBUTE_value]); break;
    case AT_TEXT: pnml_label_open_text(&draft->label, equals(a[ATTRIBUTE_space], "preserve")); break;
    case AT_COLOURED: draft->coloured = xml_here(draft->xml); return AT_SORT;
    case AT_GRAPHICS:
        draft->drawn = false;
        draft->drawn_kind = parent == AT_PLACE ? NET_PLACE : NET_TRANSITION;
        break;
    case AT_POSITION: draft->drawn |= draw_node(draft, draft->drawn_kind, a[ATTRIBUTE_x], a[ATTRIBUTE_y]); break;
    case AT_TOOL: return start_tool(parent, a);
    case AT_UNITS: start_units(draft, a); break;
    case AT_UNIT: start_unit(draft, a); break;
    case AT_FEATURE:
        if (equals(a[ATTRIBUTE_isGame], "true") || equals(a[ATTRIBUTE_isStochastic], "true"))
            xml_fail(draft->xml, xml_here(draft->xml), ERROR_UNSUPPORTED, "%s (TAPAAL) are not supported",
                     equals(a[ATTRIBUTE_isGame], "true") ? "games" : "stochastic nets");
        break;
    case AT_FINAL: pnml_final_marking(draft->finals); break;
    case AT_FINAL_PLACE: {
        pnml_label_open(&draft->label, a[ATTRIBUTE_value]);
        g_autofree char *id = copy(a[ATTRIBUTE_idref]);
        pnml_final_place(draft->finals, id, xml_here(draft->xml));
        break;
    }
    case AT_REFUSED: xml_fail(draft->xml, xml_here(draft->xml), ERROR_UNSUPPORTED, "%s", message); break;
    default: break;
    }
    return to;
}

PnmlState pnml_draft_enter_sort(PnmlDraft *draft, const char *element, const XmlText a[N_ATTRIBUTES])
{
    static const char *const coloured[] = {"finiteenumeration", "cyclicenumeration", "finiteintrange", "productsort",
                                           "partition",         "variabledecl",      "variable"};
    bool is_coloured = strcmp(element, "usersort") == 0 && !equals(a[ATTRIBUTE_declaration], "dot");
    for (size_t i = 0; i < G_N_ELEMENTS(coloured); i++) is_coloured |= strcmp(element, coloured[i]) == 0;
    if (is_coloured)
        xml_fail(draft->xml, xml_here(draft->xml), ERROR_UNSUPPORTED,
                 "a net of this type has no colours, but <%s> declares some: coloured nets have the type symmetricnet",
                 element);
    return AT_SORT;
}

void pnml_draft_resolve(PnmlDraft *draft)
{
    XmlPosition at = {0};
    GError *error = NULL;
    if (!pnml_link_finish(draft->links, &at, &error)) {
        pnml_draft_fail_with(draft, at, "", error);
        return;
    }
    uint32_t n_places = net_builder_n_places(draft->builder);
    if (draft->nupn) {
        NetNupn *nupn = nupn_draft_resolve(draft->nupn, draft->links, n_places, &at, &error);
        if (!nupn) {
            pnml_draft_fail_with(draft, at, "", error);
            return;
        }
        net_builder_set_nupn(draft->builder, nupn);
    }
    if (!pnml_final_resolve(draft->finals, draft->builder, draft->links, &at, &error)) {
        pnml_draft_fail_with(draft, at, "", error);
        return;
    }
    g_autofree char *ignored = pnml_ignored_text(draft->ignored);
    if (ignored) net_builder_set_ignored(draft->builder, ignored);
}
