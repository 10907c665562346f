#include "net/nupn.h"

#include "base/error.h"
#include "base/vec.h"

#include <string.h>

typedef struct Unit {
    char *id, *places, *subunits; /* lists of ids; NULL when absent */
    XmlPosition position;
} Unit;

struct NupnDraft {
    char *root;
    bool safe;
    XmlPosition position;
    VEC(Unit) units;
};

NupnDraft *nupn_draft_new(const char *root, bool safe, XmlPosition position)
{
    NupnDraft *draft = g_new0(NupnDraft, 1);
    draft->root = g_strdup(root);
    draft->safe = safe;
    draft->position = position;
    return draft;
}

void nupn_draft_free(NupnDraft *draft)
{
    if (!draft) return;
    for (size_t i = 0; i < draft->units.len; i++) {
        g_free(draft->units.data[i].id);
        g_free(draft->units.data[i].places);
        g_free(draft->units.data[i].subunits);
    }
    vec_free(&draft->units);
    g_free(draft->root);
    g_free(draft);
}

void nupn_draft_unit(NupnDraft *draft, const char *id, XmlPosition position)
{
    Unit unit = {.id = g_strdup(id), .position = position};
    vec_push(&draft->units, unit);
}

static void append(char **list, const char *ids)
{
    char *longer = *list ? g_strconcat(*list, " ", ids, NULL) : g_strdup(ids);
    g_free(*list);
    *list = longer;
}

void nupn_draft_places(NupnDraft *draft, const char *ids)
{
    append(&vec_last(&draft->units).places, ids);
}

void nupn_draft_subunits(NupnDraft *draft, const char *ids)
{
    append(&vec_last(&draft->units).subunits, ids);
}

/* The next id of a list; its length is 0 at the end. */
static XmlText next_id(const char **at)
{
    const char *blank = " \t\r\n", *from = *at + strspn(*at, blank);
    size_t len = strcspn(from, blank);
    *at = from + len;
    return (XmlText){from, len};
}

static bool fail(GError **error, const char *format, ...) G_GNUC_PRINTF(2, 3);
static bool fail(GError **error, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    g_autofree char *message = g_strdup_vprintf(format, args);
    va_end(args);
    g_set_error(error, MAZURKA_ERROR, ERROR_INPUT, "NUPN: %s", message);
    return false;
}

static bool resolve_places(const Unit *unit, const PnmlLinks *links, uint8_t *taken, NetUnit *result, GError **error)
{
    VecU32 places = {0};
    const char *at = unit->places ? unit->places : "";
    bool ok = true;
    for (XmlText id = next_id(&at); ok && id.len; id = next_id(&at)) {
        uint32_t p = pnml_link_find(links, id, NET_PLACE, NULL);
        if (p == NET_NONE)
            ok = fail(error, "\"%s\" in unit \"%s\" is no place of the net", error_excerpt(id.data, id.len).text,
                      unit->id);
        else if (taken[p]++)
            ok = fail(error, "the place \"%s\" is in two units", error_excerpt(id.data, id.len).text);
        else
            vec_push(&places, p);
    }
    result->places = places.data;
    result->n_places = (uint32_t)places.len;
    return ok;
}

static bool resolve_subunits(const Unit *unit, GHashTable *by_id, uint8_t *taken, NetUnit *result, GError **error)
{
    VecU32 subunits = {0};
    const char *at = unit->subunits ? unit->subunits : "";
    bool ok = true;
    for (XmlText id = next_id(&at); ok && id.len; id = next_id(&at)) {
        g_autofree char *key = g_strndup(id.data, id.len);
        gpointer found = g_hash_table_lookup(by_id, key);
        uint32_t u = found ? GPOINTER_TO_UINT(found) - 1 : 0;
        if (!found)
            ok = fail(error, "the subunit \"%s\" of unit \"%s\" is not defined", key, unit->id);
        else if (taken[u]++)
            ok = fail(error, "the unit \"%s\" is a subunit of two units", key);
        else
            vec_push(&subunits, u);
    }
    result->subunits = subunits.data;
    result->n_subunits = (uint32_t)subunits.len;
    return ok;
}

/* With one parent each, all units hang below the root iff that many are met from it. */
static bool is_tree(const NetNupn *nupn)
{
    VecU32 stack = {0};
    uint32_t met = 0;
    vec_push(&stack, nupn->root);
    while (stack.len && met <= nupn->n_units) {
        const NetUnit *unit = &nupn->units[vec_pop(&stack)];
        vec_append(&stack, unit->subunits, unit->n_subunits);
        met++;
    }
    vec_free(&stack);
    return met == nupn->n_units;
}

static bool resolve(const NupnDraft *draft, const PnmlLinks *links, uint32_t n_places, NetNupn *nupn, GHashTable *by_id,
                    XmlPosition *position, GError **error)
{
    g_autofree uint8_t *place_taken = g_new0(uint8_t, (size_t)n_places + 1);
    g_autofree uint8_t *unit_taken = g_new0(uint8_t, (size_t)nupn->n_units + 1);
    for (uint32_t i = 0; i < nupn->n_units; i++) {
        *position = draft->units.data[i].position;
        nupn->units[i].id = g_strdup(draft->units.data[i].id);
        if (g_hash_table_contains(by_id, nupn->units[i].id))
            return fail(error, "two units have the id \"%s\"", nupn->units[i].id);
        g_hash_table_insert(by_id, nupn->units[i].id, GUINT_TO_POINTER(i + 1));
    }
    for (uint32_t i = 0; i < nupn->n_units; i++) {
        const Unit *unit = &draft->units.data[i];
        *position = unit->position;
        if (!resolve_places(unit, links, place_taken, &nupn->units[i], error) ||
            !resolve_subunits(unit, by_id, unit_taken, &nupn->units[i], error))
            return false;
    }
    *position = draft->position;
    gpointer root = g_hash_table_lookup(by_id, draft->root);
    if (!root) return fail(error, "the root unit \"%s\" is not defined", draft->root);
    nupn->root = GPOINTER_TO_UINT(root) - 1;
    if (unit_taken[nupn->root] || !is_tree(nupn)) return fail(error, "the units are no tree below \"%s\"", draft->root);
    for (uint32_t p = 0; p < n_places; p++)
        if (!place_taken[p]) return fail(error, "place number %u is in no unit", p + 1);
    return true;
}

NetNupn *nupn_draft_resolve(const NupnDraft *draft, const PnmlLinks *links, uint32_t n_places, XmlPosition *position,
                            GError **error)
{
    NetNupn *nupn = g_new0(NetNupn, 1);
    nupn->n_units = (uint32_t)draft->units.len;
    nupn->units = g_new0(NetUnit, draft->units.len + 1);
    nupn->safe = draft->safe;
    GHashTable *by_id = g_hash_table_new(g_str_hash, g_str_equal);
    bool ok = resolve(draft, links, n_places, nupn, by_id, position, error);
    g_hash_table_unref(by_id);
    if (ok) return nupn;
    net_nupn_free(nupn);
    return NULL;
}
