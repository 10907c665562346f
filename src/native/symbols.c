#include "native/symbols.h"

#include <string.h>

typedef struct Place {
    char *function, *line, *path;
} Place;

typedef struct Variable {
    uint64_t address, size;
    char *name;
} Variable;

struct Symbols {
    uint64_t base;
    char *program;
    GHashTable *places;  /* pc -> Place */
    GArray *variables;   /* NULL until one is asked for */
    GHashTable *objects; /* address -> its name */
};

static void place_free(gpointer data)
{
    Place *place = data;
    g_free(place->function);
    g_free(place->line);
    g_free(place->path);
    g_free(place);
}

static gint64 *key_new(uint64_t address)
{
    gint64 *key = g_new(gint64, 1);
    *key = (gint64)address;
    return key;
}

/* ---- functions and lines ---- */

static void add_pc(GArray *pcs, uint64_t pc)
{
    if (pc) g_array_append_val(pcs, pc);
}

static void add_steps(GArray *pcs, const GPtrArray *steps)
{
    for (guint i = 0; i < steps->len; i++)
        if (steps->pdata[i]) add_pc(pcs, ((const NativeStep *)steps->pdata[i])->pc);
}

static GArray *all_pcs(const NativeResult *r)
{
    GArray *pcs = g_array_new(FALSE, FALSE, sizeof(uint64_t));
    add_steps(pcs, r->steps);
    add_steps(pcs, r->tree.step);
    if (r->then) add_pc(pcs, r->then->pc);
    if (r->now) add_pc(pcs, r->now->pc);
    for (guint i = 0; i < r->findings->len; i++) {
        const NativeFinding *finding = r->findings->pdata[i];
        add_steps(pcs, finding->steps);
        for (guint k = 0; k < finding->blocks->len; k++) {
            add_pc(pcs, g_array_index(finding->blocks, NativeBlock, k).allocated);
            add_pc(pcs, g_array_index(finding->blocks, NativeBlock, k).freed);
        }
        for (guint k = 0; k < finding->stacks->len; k++) {
            const NativeStack *stack = finding->stacks->pdata[k];
            add_pc(pcs, stack->held_since);
            if (stack->start) add_pc(pcs, stack->start + 1);
            for (guint n = 0; n < stack->pcs->len; n++) add_pc(pcs, g_array_index(stack->pcs, uint64_t, n));
        }
    }
    return pcs;
}

/* "/long/way/file.c:12 (discriminator 3)" -> "file.c:12" */
static char *short_line(const char *line)
{
    const char *slash = strrchr(line, '/'), *start = slash ? slash + 1 : line;
    const char *end = strstr(start, " (discriminator ");
    return g_strndup(start, end ? (size_t)(end - start) : strlen(start));
}

static void take_places(Symbols *symbols, const GArray *pcs, const char *text)
{
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    guint n = g_strv_length(lines);
    for (guint i = 0; i < pcs->len && 2 * i + 1 < n; i++) {
        Place *place = g_new0(Place, 1);
        place->function = g_strdup(lines[2 * i]);
        place->line = short_line(lines[2 * i + 1]);
        const char *colon = strrchr(lines[2 * i + 1], ':');
        if (colon) place->path = g_strndup(lines[2 * i + 1], (gsize)(colon - lines[2 * i + 1]));
        g_hash_table_insert(symbols->places, key_new(g_array_index(pcs, uint64_t, i)), place);
    }
}

static char *ask(char **argv)
{
    char *text = NULL;
    if (g_spawn_sync(NULL, argv, NULL, G_SPAWN_SEARCH_PATH | G_SPAWN_STDERR_TO_DEV_NULL, NULL, NULL, &text, NULL, NULL,
                     NULL))
        return text;
    g_free(text);
    return NULL;
}

/* Return addresses stand behind the call: the byte before belongs to it. */
static void find_places(Symbols *symbols, const char *program, const NativeResult *result)
{
    enum { AT_ONCE = 1000 };
    g_autoptr(GArray) pcs = all_pcs(result);
    for (guint from = 0; from < pcs->len; from += AT_ONCE) {
        g_autoptr(GPtrArray) argv = g_ptr_array_new_with_free_func(g_free);
        g_autoptr(GArray) part = g_array_new(FALSE, FALSE, sizeof(uint64_t));
        g_array_append_vals(part, &g_array_index(pcs, uint64_t, from), MIN(AT_ONCE, pcs->len - from));
        g_ptr_array_add(argv, g_strdup("addr2line"));
        g_ptr_array_add(argv, g_strdup("-fe"));
        g_ptr_array_add(argv, g_strdup(program));
        for (guint i = 0; i < part->len; i++)
            g_ptr_array_add(argv, g_strdup_printf("0x%" G_GINT64_MODIFIER "x",
                                                  g_array_index(part, uint64_t, i) - symbols->base - 1));
        g_ptr_array_add(argv, NULL);
        g_autofree char *text = ask((char **)argv->pdata);
        if (text) take_places(symbols, part, text);
    }
}

/* ---- variables ---- */

static void find_variables(Symbols *symbols)
{
    char *argv[] = {"nm", "-S", "--defined-only", symbols->program, NULL};
    symbols->variables = g_array_new(FALSE, FALSE, sizeof(Variable));
    g_autofree char *text = ask(argv);
    g_auto(GStrv) lines = g_strsplit(text ? text : "", "\n", -1);
    for (char **line = lines; *line; line++) {
        g_auto(GStrv) words = g_strsplit(*line, " ", -1);
        if (g_strv_length(words) != 4 || !strchr("bBdDrRgGsS", *words[2])) continue;
        Variable v = {g_ascii_strtoull(words[0], NULL, 16), g_ascii_strtoull(words[1], NULL, 16), g_strdup(words[3])};
        g_array_append_val(symbols->variables, v);
    }
}

static char *name_object(const Symbols *symbols, uint64_t address)
{
    uint64_t at = address - symbols->base;
    for (guint i = 0; i < symbols->variables->len; i++) {
        const Variable *v = &g_array_index(symbols->variables, Variable, i);
        if (at < v->address || at >= v->address + v->size) continue;
        if (at == v->address) return g_strdup(v->name);
        return g_strdup_printf("%s+%" G_GUINT64_FORMAT, v->name, at - v->address);
    }
    return g_strdup_printf("0x%" G_GINT64_MODIFIER "x", address);
}

/* ---- ---- */

Symbols *symbols_new(const char *program, const NativeResult *result)
{
    Symbols *symbols = g_new0(Symbols, 1);
    symbols->base = result->base;
    symbols->places = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, place_free);
    symbols->objects = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, g_free);
    symbols->program = g_strdup(program);
    find_places(symbols, program, result);
    return symbols;
}

void symbols_free(Symbols *symbols)
{
    for (guint i = 0; symbols->variables && i < symbols->variables->len; i++)
        g_free(g_array_index(symbols->variables, Variable, i).name);
    if (symbols->variables) g_array_unref(symbols->variables);
    g_free(symbols->program);
    g_hash_table_unref(symbols->places);
    g_hash_table_unref(symbols->objects);
    g_free(symbols);
}

const char *symbols_line(Symbols *symbols, uint64_t pc)
{
    gint64 key = (gint64)pc;
    const Place *place = g_hash_table_lookup(symbols->places, &key);
    return place && place->line && !g_str_has_prefix(place->line, "??") ? place->line : "(no line)";
}

const char *symbols_path(Symbols *symbols, uint64_t pc)
{
    gint64 key = (gint64)pc;
    const Place *place = g_hash_table_lookup(symbols->places, &key);
    return place && place->path && !g_str_has_prefix(place->path, "??") ? place->path : NULL;
}

const char *symbols_function(Symbols *symbols, uint64_t pc)
{
    gint64 key = (gint64)pc;
    const Place *place = g_hash_table_lookup(symbols->places, &key);
    return place && place->function && strcmp(place->function, "??") != 0 ? place->function : "(no function)";
}

const char *symbols_object(Symbols *symbols, uint64_t address)
{
    gint64 key = (gint64)address;
    char *name = g_hash_table_lookup(symbols->objects, &key);
    if (name) return name;
    if (!symbols->variables) find_variables(symbols);
    name = name_object(symbols, address);
    g_hash_table_insert(symbols->objects, key_new(address), name);
    return name;
}
