#include "verify/engine.h"

#include <string.h>

/* Every engine begins with tables as long as the net, which are made at one go. */
static bool has_room(const Net *net, Budget *budget)
{
    enum { BYTES = 112 }; /* for a node or an arc */
    uint64_t items = (uint64_t)net->n_places + net->n_transitions;
    for (ArcKind kind = 0; kind < N_ARC_KINDS; kind++) items += net_arc_count(net, kind);
    return budget_allows(budget, items * BYTES);
}

#define ENGINE(name, kind, techniques, help)                                                                           \
    static void run_##name(const Query *query, const EngineOptions *options, Budget *budget, Result *result)           \
    {                                                                                                                  \
        if (ENGINE_##kind != ENGINE_MIXED) result->engine = #name;                                                     \
        if (ENGINE_##kind == ENGINE_MIXED || has_room(query->net, budget))                                             \
            engine_##name(query, options, budget, result);                                                             \
        else                                                                                                           \
            result_stopped(result, budget);                                                                            \
    }
#include "verify/engines.def"
#undef ENGINE

static const Engine engines[] = {
#define ENGINE(name, kind, techniques, help) {#name, ENGINE_##kind, run_##name},
#include "verify/engines.def"
#undef ENGINE
};

const Engine *engine_find(const char *name)
{
    for (size_t i = 0; i < G_N_ELEMENTS(engines); i++)
        if (strcmp(engines[i].name, name) == 0) return &engines[i];
    return NULL;
}

const Engine *engine_at(size_t i)
{
    return i < G_N_ELEMENTS(engines) ? &engines[i] : NULL;
}

bool engine_known(const char *names, char **odd)
{
    g_auto(GStrv) words = g_strsplit(names, ",", -1);
    if (engine_find(names)) return true;
    for (char **word = words; *word; word++) {
        const Engine *engine = engine_find(*word);
        if (engine && engine->kind != ENGINE_MIXED) continue;
        *odd = g_strdup(*word);
        return false;
    }
    *odd = words[0] ? NULL : g_strdup("");
    return words[0] != NULL;
}

char *engine_names(void)
{
    GString *text = g_string_new(NULL);
    for (size_t i = 0; i < G_N_ELEMENTS(engines); i++)
        g_string_append_printf(text, "%s%s", i ? ", " : "", engines[i].name);
    return g_string_free(text, FALSE);
}

void engine_say(const EngineOptions *options, const char *format, ...)
{
    if (!options->log) return;
    va_list args;
    va_start(args, format);
    g_autofree char *line = g_strdup_vprintf(format, args);
    va_end(args);
    options->log(line, options->log_data);
}

void engine_run(const Engine *engine, const Query *query, const EngineOptions *options, Budget *budget, Result *result)
{
    double start = budget_now();
    engine->run(query, options, budget, result);
    engine_say_end(options, engine->name, result, budget_now() - start);
}

void engine_say_end(const EngineOptions *options, const char *name, const Result *result, double seconds)
{
    engine_say(options, "%s: %s in %.2f s%s%s", name, result_answer_text(result->answer), seconds,
               result->reason ? ": " : "", result->reason ? result->reason : "");
}
