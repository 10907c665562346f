/* What closing an element adds to the draft. */
#include "net/pnml_draft.h"

static void end_name(PnmlDraft *draft, PnmlState parent)
{
    GString *text = draft->label.text;
    if (!draft->label.texts) return;
    if (!draft->label.preserve) {
        g_strstrip(text->str);
        if (!*text->str) return;
    }
    if (parent == AT_PLACE)
        net_builder_set_place_label(draft->builder, draft->node, text->str);
    else
        net_builder_set_transition_label(draft->builder, draft->node, text->str);
}

/* The number that a label says, which must be the one that was given before. */
static void end_count(PnmlDraft *draft, const char *what, uint64_t empty, uint64_t *count)
{
    uint64_t value;
    if (!draft->label.texts || !pnml_draft_count(draft, what, draft->label.text->str, empty, &value)) return;
    if (draft->counted && value != *count)
        xml_fail(draft->xml, xml_here(draft->xml), ERROR_INPUT,
                 "%s%" G_GUINT64_FORMAT " here, %" G_GUINT64_FORMAT " before", what, value, *count);
    *count = value;
    draft->counted = true;
}

static void end_marking(PnmlDraft *draft)
{
    end_count(draft, "initial marking: ", 0, &draft->tokens);
    net_builder_set_tokens(draft->builder, draft->node, draft->tokens);
}

static void end_weight(PnmlDraft *draft)
{
    end_count(draft, "weight: ", 1, &draft->weight);
}

/* Files of coloured nets that use no colour have the plain label too. */
static void check_coloured(PnmlDraft *draft, const char *label)
{
    if (draft->coloured.line && !draft->counted)
        xml_fail(draft->xml, draft->coloured, ERROR_UNSUPPORTED,
                 "coloured labels without a plain <%s> are not supported", label);
}

static void end_arc(PnmlDraft *draft)
{
    GError *error = NULL;
    check_coloured(draft, "inscription");
    if (!draft->weight) {
        xml_fail(draft->xml, draft->start, ERROR_INPUT, "this arc has weight 0");
        return;
    }
    XmlText source = {draft->source->str, draft->source->len}, target = {draft->target->str, draft->target->len};
    if (!pnml_link_arc(draft->links, source, target, draft->arc_type, draft->weight, draft->start, &error))
        pnml_draft_fail_with(draft, draft->start, "", error);
}

static void end_transition(PnmlDraft *draft)
{
    GError *error = NULL;
    if (!pnml_priority_close(&draft->priorities, &error)) pnml_draft_fail_with(draft, xml_here(draft->xml), "", error);
}

static void end_priority(PnmlDraft *draft, PnmlState state)
{
    GError *error = NULL;
    const char *text = draft->label.text->str;
    if (!(state == AT_TIMED ? pnml_priority_timed : pnml_priority_set)(&draft->priorities, text, &error))
        pnml_draft_fail_with(draft, xml_here(draft->xml), "", error);
}

static void end_final_place(PnmlDraft *draft)
{
    uint64_t tokens;
    if (pnml_draft_count(draft, "final marking: ", draft->label.text->str, 0, &tokens))
        pnml_final_tokens(draft->finals, tokens);
}

static bool close_text(PnmlDraft *draft, PnmlState state, PnmlState parent)
{
    GError *error = NULL;
    bool ok = true;
    if (state == AT_TEXT)
        ok = pnml_label_close_text(&draft->label, pnml_draft_is_strict(parent), &error);
    else if (state == AT_NAME || (pnml_draft_is_strict(state) && !(state == AT_INHIBITOR && parent == AT_WEIGHT)))
        ok = pnml_label_close(&draft->label, state != AT_NAME, &error);
    if (!ok) pnml_draft_fail_with(draft, xml_here(draft->xml), "", error);
    return ok;
}

void pnml_draft_leave(PnmlDraft *draft, PnmlState state, PnmlState parent, PnmlState grandparent)
{
    if (!close_text(draft, state, parent)) return;
    const char *text = draft->label.text->str;
    switch (state) {
    case AT_PLACE: check_coloured(draft, "initialMarking"); break;
    case AT_TRANSITION: end_transition(draft); break;
    case AT_ARC: end_arc(draft); break;
    case AT_NAME: end_name(draft, parent); break;
    case AT_MARKING: end_marking(draft); break;
    case AT_CAPACITY: pnml_draft_capacity(draft, text); break;
    case AT_WEIGHT: end_weight(draft); break;
    case AT_INHIBITOR:
        if (parent == AT_ARC) end_weight(draft);
        break;
    case AT_ARC_TYPE: pnml_draft_arc_type(draft, text); break;
    case AT_TIMED:
    case AT_PRIORITY: end_priority(draft, state); break;
    case AT_UNIT_PLACES: nupn_draft_places(draft->nupn, text); break;
    case AT_UNIT_SUBUNITS: nupn_draft_subunits(draft->nupn, text); break;
    case AT_OWN_FINAL: net_builder_set_final(draft->builder, text); break;
    case AT_OWN_NOTE:
        if (grandparent == AT_TRANSITION) net_builder_set_note(draft->builder, draft->node, text);
        break;
    case AT_FINAL_PLACE: end_final_place(draft); break;
    case AT_GRAPHICS:
        if (!draft->drawn) pnml_ignored_count(draft->ignored, xml_intern(draft->xml, "graphics"));
        break;
    default: break;
    }
}
