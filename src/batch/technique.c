#include "batch/technique.h"

#include <string.h>

enum {
#define TECHNIQUE(name) name = TECHNIQUE_##name,
#include "batch/techniques.def"
#undef TECHNIQUE
};

static const struct {
    const char *name;
    uint32_t techniques;
} ways[] = {
#define ENGINE(name, kind, techniques, help) {#name, techniques},
#include "verify/engines.def"
#undef ENGINE
    /* ways to an answer that are no engines */
    {"survey", EXPLICIT | RANDOM_WALK},
    {"cover", EXPLICIT | COVERABILITY_GRAPH},
    {"structure", TOPOLOGICAL | STRUCTURAL_REDUCTION},
    {"reduce", STRUCTURAL_REDUCTION},
    {"initial", INITIAL_STATE},
    {"prefix", NET_UNFOLDING},
    {"freechoice", TOPOLOGICAL},
    {"downhill", TOPOLOGICAL | STRUCTURAL_REDUCTION},
};

uint32_t techniques_of_engine(const char *engine)
{
    for (size_t i = 0; engine && i < G_N_ELEMENTS(ways); i++)
        if (ways[i].techniques && strcmp(ways[i].name, engine) == 0) return ways[i].techniques;
    return STRUCTURAL_REDUCTION | SEQUENTIAL_PROCESSING;
}

void techniques_print(uint32_t techniques, GString *out)
{
    static const char *const names[] = {
#define TECHNIQUE(name) #name,
#include "batch/techniques.def"
#undef TECHNIQUE
    };
    const char *between = "";
    for (unsigned i = 0; i < N_TECHNIQUES; i++) {
        if (!(techniques >> i & 1)) continue;
        g_string_append_printf(out, "%s%s", between, names[i]);
        between = " ";
    }
}
