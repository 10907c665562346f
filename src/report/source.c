#include "report/source.h"

#include "base/visible.h"

static void add_places(const Compiled *program, const uint64_t *marking, PlaceKind kind, const char *separator,
                       GString *text)
{
    size_t before = text->len;
    for (uint32_t p = 0; p < program->net->n_places; p++) {
        if (!marking[p] || program->place_kind[p] != kind) continue;
        if (text->len > before) g_string_append(text, separator);
        visible_append(text, net_place_label(program->net, p));
    }
}

char *source_state(const Compiled *program, const uint64_t *marking)
{
    GString *text = g_string_new("values:   ");
    size_t before = text->len;
    add_places(program, marking, PLACE_VALUE, ", ", text);
    if (text->len == before) g_string_truncate(text, 0);
    static const PlaceKind kinds[] = {PLACE_STATE, PLACE_ERROR, PLACE_ENDED};
    const char *lead = "threads:  ";
    for (size_t i = 0; i < G_N_ELEMENTS(kinds); i++) {
        g_autoptr(GString) part = g_string_new(NULL);
        add_places(program, marking, kinds[i], kinds[i] == PLACE_ENDED ? ", " : "\n          ", part);
        if (!part->len) continue;
        if (text->len) g_string_append_c(text, '\n');
        g_string_append_printf(text, "%s%s", lead, part->str);
        lead = "          ";
    }
    return g_string_free(text, FALSE);
}

char *source_error(const Compiled *program, const uint64_t *marking)
{
    for (uint32_t p = 0; p < program->net->n_places; p++)
        if (marking[p] && program->place_kind[p] == PLACE_ERROR) return g_strdup(net_place_label(program->net, p));
    return NULL;
}

static const RaceSite *site_at(const Compiled *program, const uint64_t *marking, uint32_t p)
{
    return marking[p] ? g_hash_table_lookup(program->race_sites, net_place_id(program->net, p)) : NULL;
}

/* A thread marks one state place at a time, so two sites are of two threads. */
char **source_race(const Compiled *program, const uint64_t *marking)
{
    for (uint32_t p = 0; p < program->net->n_places; p++) {
        const RaceSite *sites = site_at(program, marking, p);
        for (uint32_t q = p + 1; sites && q < program->net->n_places; q++)
            for (const RaceSite *a = sites; a; a = a->next)
                for (const RaceSite *b = site_at(program, marking, q); b; b = b->next)
                    if (a->cell == b->cell && (a->writes || b->writes))
                        return g_strdupv((char *[]){a->text, b->text, NULL});
    }
    return NULL;
}
