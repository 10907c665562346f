#include "program/race.h"

#include "base/compare.h"

#include <stdlib.h>

/* Writes before reads, so that a state's first access of a cell is its strongest. */
static int by_cell(const void *a, const void *b)
{
    const Access *x = a, *y = b;
    COMPARE(x->cell, y->cell);
    COMPARE(x->thread, y->thread);
    COMPARE(x->state, y->state);
    COMPARE(y->writes, x->writes);
    COMPARE(x->stmt->at.line, y->stmt->at.line);
    COMPARE(x->stmt->at.column, y->stmt->at.column);
    return 0;
}

static void add_site(const Code *code, const Access *access, const char *id, GHashTable *sites)
{
    RaceSite *site = g_new0(RaceSite, 1);
    const char *cell = code->cells.data[access->cell].name;
    site->cell = access->cell;
    site->writes = access->writes;
    site->text = g_strdup_printf("%s: line %d: %s %s: %s", code->threads.data[access->thread].name,
                                 access->stmt->at.line, site->writes ? "writes" : "reads", cell, access->stmt->text);
    RaceSite *first = g_hash_table_lookup(sites, id);
    if (first) {
        site->next = first->next;
        first->next = site;
    } else {
        g_hash_table_insert(sites, g_strdup(id), site);
    }
}

static void add_term(GString *sum, const char *id)
{
    g_string_append_printf(sum, "%s%s", sum->len ? " + " : "", id);
}

/* A thread is in one state at most, and whoever may write also counts among those that access: there is a race exactly
 * where one may write and two may access. */
static void add_cell(GString *text, const GString *writes, const GString *any, bool several)
{
    if (!several || !writes->len) return;
    g_string_append_printf(text, "%s(%s >= 1 && %s >= 2)", text->len ? " || " : "", writes->str, any->str);
}

static void site_free(void *data)
{
    for (RaceSite *site = data, *next; site; site = next) {
        next = site->next;
        g_free(site->text);
        g_free(site);
    }
}

GHashTable *program_race_sites_new(void)
{
    return g_hash_table_new_full(g_str_hash, g_str_equal, g_free, site_free);
}

char *program_race_expression(const Space *space, uint32_t *const *state_place, const char *const *place_ids,
                              GHashTable *sites)
{
    size_t n = space->accesses.len;
    g_autofree Access *all = g_memdup2(space->accesses.data, n * sizeof *all);
    if (n) qsort(all, n, sizeof *all, by_cell);
    GString *text = g_string_new(NULL);
    g_autoptr(GString) writes = g_string_new(NULL), any = g_string_new(NULL);
    for (size_t from = 0, i = 0; from < n; from = i) {
        g_string_truncate(writes, 0);
        g_string_truncate(any, 0);
        for (; i < n && all[i].cell == all[from].cell; i++) {
            const Access *last = i > from ? &all[i - 1] : NULL;
            bool same_state = last && last->thread == all[i].thread && last->state == all[i].state;
            if (same_state && last->writes == all[i].writes) continue;
            const char *id = place_ids[state_place[all[i].thread][all[i].state]];
            add_site(space->machine.code, &all[i], id, sites);
            if (!same_state) add_term(any, id);
            if (all[i].writes) add_term(writes, id);
        }
        add_cell(text, writes, any, all[i - 1].thread != all[from].thread);
    }
    return g_string_free(text, text->len == 0);
}
