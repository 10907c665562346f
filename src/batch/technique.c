#include "batch/technique.h"

#include <string.h>

uint32_t techniques_of_engine(const char *engine)
{
    static const struct {
        const char *engine;
        uint32_t techniques;
    } table[] = {
        {"explicit", TECHNIQUE_EXPLICIT | TECHNIQUE_STATE_COMPRESSION},
        {"walk", TECHNIQUE_EXPLICIT | TECHNIQUE_RANDOM_WALK},
        {"survey", TECHNIQUE_EXPLICIT | TECHNIQUE_RANDOM_WALK},
        {"stubborn", TECHNIQUE_EXPLICIT | TECHNIQUE_STUBBORN_SETS},
        {"best", TECHNIQUE_EXPLICIT | TECHNIQUE_STUBBORN_SETS},
        {"unfold", TECHNIQUE_NET_UNFOLDING | TECHNIQUE_SAT_SMT},
        {"explore", TECHNIQUE_NET_UNFOLDING | TECHNIQUE_STUBBORN_SETS},
        {"equation", TECHNIQUE_LINEAR_EQUATIONS | TECHNIQUE_TOPOLOGICAL | TECHNIQUE_SAT_SMT},
        {"cover", TECHNIQUE_EXPLICIT | TECHNIQUE_COVERABILITY_GRAPH},
        {"structure", TECHNIQUE_TOPOLOGICAL | TECHNIQUE_STRUCTURAL_REDUCTION},
        {"reduce", TECHNIQUE_STRUCTURAL_REDUCTION},
        {"pdr", TECHNIQUE_SAT_SMT | TECHNIQUE_K_INDUCTION},
        {"initial", TECHNIQUE_INITIAL_STATE},
        {"prefix", TECHNIQUE_NET_UNFOLDING},
    };
    for (size_t i = 0; engine && i < G_N_ELEMENTS(table); i++)
        if (strcmp(table[i].engine, engine) == 0) return table[i].techniques;
    return TECHNIQUE_STRUCTURAL_REDUCTION | TECHNIQUE_SEQUENTIAL_PROCESSING;
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
