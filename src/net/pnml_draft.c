#include "net/pnml_draft.h"

#include <libxml/SAX2.h>
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
    draft->text = g_string_new(NULL);
    draft->first_text = g_string_new(NULL);
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
    g_string_free(draft->text, TRUE);
    g_string_free(draft->first_text, TRUE);
    g_free(draft->colour);
}

void pnml_draft_fail(PnmlDraft *draft, PnmlPosition at, ErrorCode code, const char *format, ...)
{
    if (draft->error) return;
    va_list args;
    va_start(args, format);
    g_autofree char *message = g_strdup_vprintf(format, args);
    va_end(args);
    /* The parser is not stopped here: that would free the attributes under the callback. Callbacks do nothing
     * once there is an error, and no further chunk is read. */
    error_at(&draft->error, code, draft->file, at.line, at.column, "%s", message);
}

PnmlPosition pnml_draft_here(const PnmlDraft *draft)
{
    return (PnmlPosition){xmlSAX2GetLineNumber(draft->parser), xmlSAX2GetColumnNumber(draft->parser)};
}

void pnml_draft_fail_with(PnmlDraft *draft, PnmlPosition at, const char *prefix, GError *error)
{
    pnml_draft_fail(draft, at, (ErrorCode)error->code, "%s%s", prefix, error->message);
    g_error_free(error);
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

static PnmlState start_net(PnmlDraft *draft, const PnmlText a[N_ATTRIBUTES])
{
    g_autofree char *id = copy(a[ATTRIBUTE_id]), *type = copy(a[ATTRIBUTE_type]);
    g_ptr_array_add(draft->net_ids, g_strdup(id));
    if (draft->net_ids->len == 2) draft->second_net = pnml_draft_here(draft);
    if (draft->wanted ? strcmp(draft->wanted, id) != 0 : draft->net_ids->len > 1) return AT_QUIET;
    if (draft->found) {
        pnml_draft_fail(draft, pnml_draft_here(draft), ERROR_INPUT, "two nets have the id \"%s\"", id);
        return AT_QUIET;
    }
    draft->found = true;
    static const char *const coloured[] = {"symmetricnet", "highlevelnet", "pt-hlpng",    "hlnet",
                                           "hlpng",        "hlpn",         "colourednet", "colorednet"};
    for (size_t i = 0; i < G_N_ELEMENTS(coloured); i++)
        if (has_suffix(type, coloured[i]))
            pnml_draft_fail(draft, pnml_draft_here(draft), ERROR_UNSUPPORTED,
                            "nets of type %s are not supported: this is a coloured net (%s)", coloured[i], type);
    draft->net_start = pnml_draft_here(draft);
    if (*id) net_builder_set_name(draft->builder, id);
    return AT_NET;
}

static bool check_new_id(PnmlDraft *draft, PnmlText id, const char *what)
{
    if (!id.data || !id.len) {
        pnml_draft_fail(draft, pnml_draft_here(draft), ERROR_INPUT, "this %s has no id", what);
        return false;
    }
    if (net_builder_find(draft->builder, id.data, id.len, NET_NODE, NULL) == NET_NONE &&
        !pnml_link_is_reference(draft->links, id))
        return true;
    pnml_draft_fail(draft, pnml_draft_here(draft), ERROR_INPUT,
                    "the id \"%.*s\" is taken by another place or transition", (int)MIN(id.len, 100), id.data);
    return false;
}

static bool read_count(PnmlDraft *draft, const char *what, const char *text, uint64_t empty, uint64_t *count)
{
    GError *error = NULL;
    if (pnml_value_count(text, empty, &draft->colour, count, &error)) return true;
    pnml_draft_fail_with(draft, pnml_draft_here(draft), what, error);
    return false;
}

static void start_place(PnmlDraft *draft, const PnmlText a[N_ATTRIBUTES])
{
    if (!check_new_id(draft, a[ATTRIBUTE_id], "place")) return;
    g_autofree char *id = copy(a[ATTRIBUTE_id]), *name = a[ATTRIBUTE_name].data ? copy(a[ATTRIBUTE_name]) : NULL;
    uint64_t tokens = 0;
    if (a[ATTRIBUTE_initialMarking].data) {
        g_autofree char *marking = copy(a[ATTRIBUTE_initialMarking]);
        if (!read_count(draft, "initial marking: ", marking, 0, &tokens)) return;
    }
    if (a[ATTRIBUTE_invariant].data && !equals(a[ATTRIBUTE_invariant], "< inf")) {
        g_autofree char *invariant = copy(a[ATTRIBUTE_invariant]);
        pnml_draft_fail(draft, pnml_draft_here(draft), ERROR_UNSUPPORTED,
                        "time invariants are not supported (\"%s\" of a timed net)", invariant);
        return;
    }
    draft->node = net_builder_place(draft->builder, id, name, tokens);
}

static void start_transition(PnmlDraft *draft, const PnmlText a[N_ATTRIBUTES])
{
    if (!check_new_id(draft, a[ATTRIBUTE_id], "transition")) return;
    g_autofree char *id = copy(a[ATTRIBUTE_id]), *name = a[ATTRIBUTE_name].data ? copy(a[ATTRIBUTE_name]) : NULL;
    draft->node = net_builder_transition(draft->builder, id, name);
}

static void start_reference(PnmlDraft *draft, NetNodeKind kind, const PnmlText a[N_ATTRIBUTES])
{
    if (!check_new_id(draft, a[ATTRIBUTE_id], "reference")) return;
    if (!a[ATTRIBUTE_ref].data)
        pnml_draft_fail(draft, pnml_draft_here(draft), ERROR_INPUT, "this reference has no attribute ref");
    else
        pnml_link_reference(draft->links, kind, a[ATTRIBUTE_id], a[ATTRIBUTE_ref], pnml_draft_here(draft));
}

static void set_arc_type(PnmlDraft *draft, const char *name)
{
    GError *error = NULL;
    if (!pnml_value_arc_type(name, &draft->arc_type, &error))
        pnml_draft_fail_with(draft, pnml_draft_here(draft), "", error);
}

/* TAPAAL's attribute: a weight, or an age interval. */
static void read_inscription_attribute(PnmlDraft *draft, PnmlText given)
{
    g_autofree char *text = copy(given);
    if (text[0] != '[' && text[0] != '(')
        read_count(draft, "weight: ", text, 1, &draft->weight);
    else if (!g_str_has_prefix(text, "[0,inf)") || draft->arc_type != PNML_ARC_INHIBIT)
        pnml_draft_fail(draft, pnml_draft_here(draft), ERROR_UNSUPPORTED,
                        "timed arcs are not supported (age interval %s)", text);
}

static void start_arc(PnmlDraft *draft, const PnmlText a[N_ATTRIBUTES])
{
    if (!a[ATTRIBUTE_source].data || !a[ATTRIBUTE_target].data) {
        pnml_draft_fail(draft, pnml_draft_here(draft), ERROR_INPUT, "this arc has no %s",
                        a[ATTRIBUTE_source].data ? "target" : "source");
        return;
    }
    g_string_truncate(draft->source, 0);
    g_string_append_len(draft->source, a[ATTRIBUTE_source].data, (gssize)a[ATTRIBUTE_source].len);
    g_string_truncate(draft->target, 0);
    g_string_append_len(draft->target, a[ATTRIBUTE_target].data, (gssize)a[ATTRIBUTE_target].len);
    draft->arc_type = PNML_ARC_NORMAL;
    draft->weight = 1;
    draft->start = pnml_draft_here(draft);
    if (a[ATTRIBUTE_type].data) {
        g_autofree char *type = copy(a[ATTRIBUTE_type]);
        set_arc_type(draft, type);
    }
    if (a[ATTRIBUTE_inscription].data) read_inscription_attribute(draft, a[ATTRIBUTE_inscription]);
    if (a[ATTRIBUTE_weight].data) {
        g_autofree char *weight = copy(a[ATTRIBUTE_weight]);
        read_count(draft, "weight: ", weight, 1, &draft->weight);
    }
}

static PnmlState start_tool(PnmlState parent, const PnmlText a[N_ATTRIBUTES])
{
    bool in_net = parent == AT_NET || parent == AT_PAGE;
    if (in_net && equals(a[ATTRIBUTE_tool], "nupn")) return AT_NUPN;
    if ((in_net || parent == AT_TRANSITION) && equals(a[ATTRIBUTE_tool], "mazurka")) return AT_OWN;
    return AT_UNKNOWN;
}

static void start_units(PnmlDraft *draft, const PnmlText a[N_ATTRIBUTES])
{
    g_autofree char *root = copy(a[ATTRIBUTE_root]);
    if (draft->nupn)
        pnml_draft_fail(draft, pnml_draft_here(draft), ERROR_INPUT, "NUPN: a second structure of units");
    else
        draft->nupn = nupn_draft_new(root, equals(a[ATTRIBUTE_safe], "true"), pnml_draft_here(draft));
}

static void start_unit(PnmlDraft *draft, const PnmlText a[N_ATTRIBUTES])
{
    g_autofree char *id = copy(a[ATTRIBUTE_id]);
    if (!*id)
        pnml_draft_fail(draft, pnml_draft_here(draft), ERROR_INPUT, "NUPN: this unit has no id");
    else
        nupn_draft_unit(draft->nupn, id, pnml_draft_here(draft));
}

static bool is_blank(const GString *text)
{
    return strspn(text->str, " \t\r\n") == text->len;
}

static void clear_text(PnmlDraft *draft)
{
    g_string_truncate(draft->text, 0);
    g_string_truncate(draft->first_text, 0);
    draft->texts = 0;
    draft->preserve = false;
}

PnmlState pnml_draft_enter(PnmlDraft *draft, PnmlState parent, PnmlState to, const char *message,
                           const PnmlText a[N_ATTRIBUTES])
{
    switch (to) {
    case AT_NET: return start_net(draft, a);
    case AT_PLACE: start_place(draft, a); break;
    case AT_TRANSITION: start_transition(draft, a); break;
    case AT_ARC: start_arc(draft, a); break;
    case AT_REFERENCE_PLACE: start_reference(draft, NET_PLACE, a); break;
    case AT_REFERENCE_TRANSITION: start_reference(draft, NET_TRANSITION, a); break;
    case AT_INHIBITOR:
        draft->arc_type = PNML_ARC_INHIBIT;
        if (parent == AT_ARC) clear_text(draft);
        break;
    case AT_ARC_TYPE:
        clear_text(draft);
        if (a[ATTRIBUTE_value].data)
            g_string_append_len(draft->text, a[ATTRIBUTE_value].data, (gssize)a[ATTRIBUTE_value].len);
        break;
    case AT_NAME:
    case AT_MARKING:
    case AT_CAPACITY:
    case AT_WEIGHT:
    case AT_UNIT_PLACES:
    case AT_UNIT_SUBUNITS:
    case AT_OWN_FINAL:
    case AT_OWN_NOTE: clear_text(draft); break;
    case AT_TEXT:
        /* Some tools write both <text> and <value>. */
        if (draft->texts++ && !is_blank(draft->text)) g_string_assign(draft->first_text, draft->text->str);
        g_string_truncate(draft->text, 0);
        draft->preserve = equals(a[ATTRIBUTE_space], "preserve");
        break;
    case AT_TOOL: return start_tool(parent, a);
    case AT_UNITS: start_units(draft, a); break;
    case AT_UNIT: start_unit(draft, a); break;
    case AT_FINAL: pnml_final_marking(draft->finals); break;
    case AT_FINAL_PLACE: {
        clear_text(draft);
        g_autofree char *id = copy(a[ATTRIBUTE_idref]);
        pnml_final_place(draft->finals, id, pnml_draft_here(draft));
        break;
    }
    case AT_REFUSED: pnml_draft_fail(draft, pnml_draft_here(draft), ERROR_UNSUPPORTED, "%s", message); break;
    default: break;
    }
    return to;
}

PnmlState pnml_draft_enter_sort(PnmlDraft *draft, const char *element, const PnmlText a[N_ATTRIBUTES])
{
    static const char *const coloured[] = {"finiteenumeration", "cyclicenumeration", "finiteintrange", "productsort",
                                           "partition",         "variabledecl",      "variable"};
    bool is_coloured = strcmp(element, "usersort") == 0 && !equals(a[ATTRIBUTE_declaration], "dot");
    for (size_t i = 0; i < G_N_ELEMENTS(coloured); i++) is_coloured |= strcmp(element, coloured[i]) == 0;
    if (is_coloured)
        pnml_draft_fail(draft, pnml_draft_here(draft), ERROR_UNSUPPORTED,
                        "coloured nets are not supported (<%s> declares colours)", element);
    return AT_SORT;
}

/* The first text counts; another must be empty or, where it matters, the same. */
static void end_text(PnmlDraft *draft, PnmlState parent)
{
    if (!draft->first_text->len) return;
    if (parent != AT_NAME && !is_blank(draft->text)) {
        g_autofree char *first = g_strstrip(g_strdup(draft->first_text->str)),
                        *second = g_strstrip(g_strdup(draft->text->str));
        if (strcmp(first, second) != 0)
            pnml_draft_fail(draft, pnml_draft_here(draft), ERROR_INPUT,
                            "a label with two different texts, \"%.40s\" and \"%.40s\"", first, second);
    }
    g_string_assign(draft->text, draft->first_text->str);
}

static void end_name(PnmlDraft *draft, PnmlState parent)
{
    if (!draft->texts) return;
    if (!draft->preserve) {
        g_strstrip(draft->text->str);
        if (!*draft->text->str) return;
    }
    if (parent == AT_PLACE)
        net_builder_set_place_label(draft->builder, draft->node, draft->text->str);
    else
        net_builder_set_transition_label(draft->builder, draft->node, draft->text->str);
}

static void end_marking(PnmlDraft *draft)
{
    uint64_t tokens;
    if (draft->texts && read_count(draft, "initial marking: ", draft->text->str, 0, &tokens))
        net_builder_set_tokens(draft->builder, draft->node, tokens);
}

static void end_capacity(PnmlDraft *draft)
{
    uint64_t capacity = 0;
    char *colour = NULL;
    GError *error = NULL;
    if (!pnml_value_count(draft->text->str, 0, &colour, &capacity, &error))
        pnml_draft_fail_with(draft, pnml_draft_here(draft), "capacity: ", error);
    else if (capacity)
        pnml_draft_fail(draft, pnml_draft_here(draft), ERROR_UNSUPPORTED, "places with a capacity are not supported");
    g_free(colour);
}

static void end_weight(PnmlDraft *draft)
{
    if (draft->texts) read_count(draft, "weight: ", draft->text->str, 1, &draft->weight);
}

static void end_arc(PnmlDraft *draft)
{
    GError *error = NULL;
    if (!draft->weight) {
        pnml_draft_fail(draft, draft->start, ERROR_INPUT, "this arc has weight 0");
        return;
    }
    PnmlText source = {draft->source->str, draft->source->len}, target = {draft->target->str, draft->target->len};
    if (!pnml_link_arc(draft->links, source, target, draft->arc_type, draft->weight, draft->start, &error))
        pnml_draft_fail_with(draft, draft->start, "", error);
}

static void end_final_place(PnmlDraft *draft)
{
    uint64_t tokens;
    if (read_count(draft, "final marking: ", draft->text->str, 0, &tokens)) pnml_final_tokens(draft->finals, tokens);
}

void pnml_draft_leave(PnmlDraft *draft, PnmlState state, PnmlState parent, PnmlState grandparent)
{
    switch (state) {
    case AT_ARC: end_arc(draft); break;
    case AT_TEXT: end_text(draft, parent); break;
    case AT_NAME: end_name(draft, parent); break;
    case AT_MARKING: end_marking(draft); break;
    case AT_CAPACITY: end_capacity(draft); break;
    case AT_WEIGHT: end_weight(draft); break;
    case AT_INHIBITOR:
        if (parent == AT_ARC) end_weight(draft);
        break;
    case AT_ARC_TYPE: set_arc_type(draft, draft->text->str); break;
    case AT_UNIT_PLACES: nupn_draft_places(draft->nupn, draft->text->str); break;
    case AT_UNIT_SUBUNITS: nupn_draft_subunits(draft->nupn, draft->text->str); break;
    case AT_OWN_FINAL: net_builder_set_final(draft->builder, draft->text->str); break;
    case AT_OWN_NOTE:
        if (grandparent == AT_TRANSITION) net_builder_set_note(draft->builder, draft->node, draft->text->str);
        break;
    case AT_FINAL_PLACE: end_final_place(draft); break;
    default: break;
    }
}

void pnml_draft_resolve(PnmlDraft *draft)
{
    PnmlPosition at = {0};
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
