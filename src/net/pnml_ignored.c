#include "net/pnml_ignored.h"

#include "base/vec.h"

#include <stdlib.h>

typedef struct Count {
    const char *interned;
    char *name;
    uint64_t n;
} Count;

enum { MAX_NAMES = 24, MAX_NAME = 40 };

struct PnmlIgnored {
    VEC(Count) counts;
    uint64_t others;
    char *notes; /* or NULL */
};

PnmlIgnored *pnml_ignored_new(void)
{
    return g_new0(PnmlIgnored, 1);
}

void pnml_ignored_free(PnmlIgnored *ignored)
{
    if (!ignored) return;
    for (size_t i = 0; i < ignored->counts.len; i++) g_free(ignored->counts.data[i].name);
    vec_free(&ignored->counts);
    g_free(ignored->notes);
    g_free(ignored);
}

void pnml_ignored_count(PnmlIgnored *ignored, const char *element)
{
    for (size_t i = 0; i < ignored->counts.len; i++)
        if (ignored->counts.data[i].interned == element) {
            ignored->counts.data[i].n++;
            return;
        }
    if (ignored->counts.len == MAX_NAMES || strlen(element) > MAX_NAME) {
        ignored->others++;
        return;
    }
    Count count = {element, g_strdup(element), 1};
    vec_push(&ignored->counts, count);
}

void pnml_ignored_note(PnmlIgnored *ignored, const char *text)
{
    char *notes = ignored->notes ? g_strdup_printf("%s, %s", ignored->notes, text) : g_strdup(text);
    g_free(ignored->notes);
    ignored->notes = notes;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const Count *)a)->name, ((const Count *)b)->name);
}

char *pnml_ignored_text(const PnmlIgnored *ignored)
{
    if (!ignored->counts.len && !ignored->others && !ignored->notes) return NULL;
    GString *text = g_string_new(NULL);
    Count *sorted = g_memdup2(ignored->counts.data, ignored->counts.len * sizeof *sorted);
    if (sorted) qsort(sorted, ignored->counts.len, sizeof *sorted, by_name);
    for (size_t i = 0; i < ignored->counts.len; i++)
        /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): where counts.len > 0 there is a copy */
        g_string_append_printf(text, "%s%" G_GUINT64_FORMAT " %s", i ? ", " : "", sorted[i].n, sorted[i].name);
    if (ignored->others)
        g_string_append_printf(text, "%s%" G_GUINT64_FORMAT " others", text->len ? ", " : "", ignored->others);
    if (ignored->notes) g_string_append_printf(text, "%s%s", text->len ? ", " : "", ignored->notes);
    g_free(sorted);
    return g_string_free(text, FALSE);
}
