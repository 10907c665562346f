#include "net/pnml_final.h"

#include "base/error.h"
#include "base/vec.h"

#include <string.h>

typedef struct Entry {
    char *id;
    uint64_t tokens;
    uint32_t marking;
    XmlPosition position;
} Entry;

struct PnmlFinals {
    uint32_t n_markings;
    VEC(Entry) entries;
};

PnmlFinals *pnml_final_new(void)
{
    return g_new0(PnmlFinals, 1);
}

void pnml_final_free(PnmlFinals *finals)
{
    if (!finals) return;
    for (size_t i = 0; i < finals->entries.len; i++) g_free(finals->entries.data[i].id);
    vec_free(&finals->entries);
    g_free(finals);
}

void pnml_final_marking(PnmlFinals *finals)
{
    finals->n_markings++;
}

void pnml_final_place(PnmlFinals *finals, const char *id, XmlPosition position)
{
    Entry entry = {g_strdup(id), 0, finals->n_markings, position};
    vec_push(&finals->entries, entry);
}

void pnml_final_tokens(PnmlFinals *finals, uint64_t tokens)
{
    vec_last(&finals->entries).tokens = tokens;
}

static void append_id(GString *text, const char *id)
{
    g_string_append_c(text, '"');
    for (; *id; id++) {
        if (*id == '"' || *id == '\\') g_string_append_c(text, '\\');
        g_string_append_c(text, *id);
    }
    g_string_append_c(text, '"');
}

/* "(a >= 2 && a <= 2 && b + c <= 0)": the listed places exactly, the sum of the others zero. */
static void append_marking(GString *text, NetBuilder *builder, const uint64_t *tokens)
{
    GString *empty = g_string_new(NULL);
    size_t start = text->len;
    for (uint32_t p = 0; p < net_builder_n_places(builder); p++) {
        const char *id = net_builder_place_id(builder, p);
        if (!tokens[p]) {
            if (empty->len) g_string_append(empty, " + ");
            append_id(empty, id);
            continue;
        }
        for (int i = 0; i < 2; i++) {
            if (text->len > start) g_string_append(text, " && ");
            append_id(text, id);
            g_string_append_printf(text, " %s %" G_GUINT64_FORMAT, i ? "<=" : ">=", tokens[p]);
        }
    }
    if (empty->len) g_string_append_printf(text, "%s%s <= 0", text->len > start ? " && " : "", empty->str);
    g_string_free(empty, TRUE);
}

bool pnml_final_resolve(const PnmlFinals *finals, NetBuilder *builder, const PnmlLinks *links, XmlPosition *position,
                        GError **error)
{
    if (!finals->n_markings || !net_builder_n_places(builder)) return true;
    g_autofree uint64_t *tokens = g_new(uint64_t, net_builder_n_places(builder));
    g_autoptr(GString) text = g_string_new(NULL);
    size_t i = 0;
    for (uint32_t m = 1; m <= finals->n_markings; m++) {
        memset(tokens, 0, net_builder_n_places(builder) * sizeof *tokens);
        for (; i < finals->entries.len && finals->entries.data[i].marking == m; i++) {
            const Entry *entry = &finals->entries.data[i];
            uint32_t p = pnml_link_find(links, (XmlText){entry->id, strlen(entry->id)}, NET_PLACE, NULL);
            if (p == NET_NONE) {
                *position = entry->position;
                g_set_error(error, MAZURKA_ERROR, ERROR_INPUT, "final marking: \"%s\" is no place of the net",
                            error_excerpt(entry->id, SIZE_MAX).text);
                return false;
            }
            tokens[p] = entry->tokens;
        }
        g_string_append(text, m > 1 ? " || (" : "(");
        append_marking(text, builder, tokens);
        g_string_append_c(text, ')');
    }
    net_builder_set_final(builder, text->str);
    return true;
}
