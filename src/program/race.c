#include "program/race.h"

#include <string.h>

/* The states of one thread before a plain access of one cell: sums of place ids. */
typedef struct Access {
    uint32_t cell, thread;
    GString *any, *writes;
} Access;

typedef VEC(Access) Accesses;

static void add(GString *sum, const char *id)
{
    g_string_append_printf(sum, "%s%s", sum->len ? " + " : "", id);
}

static Access *access_of(Accesses *accesses, uint32_t cell, uint32_t thread)
{
    for (size_t i = accesses->len; i-- > 0;)
        if (accesses->data[i].cell == cell && accesses->data[i].thread == thread) return &accesses->data[i];
    vec_push(accesses, ((Access){cell, thread, g_string_new(NULL), g_string_new(NULL)}));
    return &vec_last(accesses);
}

static void collect(const Space *space, uint32_t t, const uint32_t *places, const char *const *ids, GHashTable *sites,
                    Accesses *accesses)
{
    const Code *code = space->machine.code;
    const Thread *thread = &code->threads.data[t];
    for (uint32_t s = 0; s < space->threads[t].frames.len; s++) {
        const int64_t *frame = space->threads[t].frames.data[s];
        uint32_t cell = machine_accessed(&space->machine, t, frame);
        if (cell == UINT32_MAX || code->cells.data[cell].atomic) continue;
        const Instr *instr = &thread->code.data[machine_pc(frame)];
        Access *access = access_of(accesses, cell, t);
        const char *id = ids[places[s]];
        add(access->any, id);
        if (instr->op == I_WRITE) add(access->writes, id);
        RaceSite *site = g_new(RaceSite, 1);
        *site = (RaceSite){.cell = cell, .writes = instr->op == I_WRITE};
        site->text = g_strdup_printf("%s: line %d: %s %s: %s", thread->name, instr->stmt->at.line,
                                     site->writes ? "writes" : "reads", code->cells.data[cell].name, instr->stmt->text);
        g_hash_table_insert(sites, g_strdup(id), site);
    }
}

static void add_pair(GString *text, const GString *writes, const GString *other)
{
    if (!writes->len || !other->len) return;
    g_string_append_printf(text, "%s(%s >= 1 && %s >= 1)", text->len ? " || " : "", writes->str, other->str);
}

static void site_free(void *site)
{
    g_free(((RaceSite *)site)->text);
    g_free(site);
}

GHashTable *race_sites_new(void)
{
    return g_hash_table_new_full(g_str_hash, g_str_equal, g_free, site_free);
}

char *race_expression(const Space *space, uint32_t *const *state_place, const char *const *place_ids, GHashTable *sites)
{
    Accesses accesses = {0};
    for (uint32_t t = 0; t < space->machine.code->threads.len; t++)
        collect(space, t, state_place[t], place_ids, sites, &accesses);
    GString *text = g_string_new(NULL);
    for (size_t i = 0; i < accesses.len; i++)
        for (size_t k = 0; k < i; k++) {
            const Access *a = &accesses.data[i], *b = &accesses.data[k];
            if (a->cell != b->cell || a->thread == b->thread) continue;
            add_pair(text, a->writes, b->any);
            add_pair(text, b->writes, a->any);
        }
    for (size_t i = 0; i < accesses.len; i++) {
        g_string_free(accesses.data[i].any, TRUE);
        g_string_free(accesses.data[i].writes, TRUE);
    }
    vec_free(&accesses);
    return g_string_free(text, text->len == 0);
}
