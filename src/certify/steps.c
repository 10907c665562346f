#include "certify/steps.h"

#include "certify/bound.h"

static const char *const names[] = {
#define STEP(constant, name, nodes) #name,
#include "certify/steps.def"
#undef STEP
};

void steps_clear(NetSteps *steps)
{
    vec_free(&steps->list);
    vec_free(&steps->nodes);
}

void steps_begin(NetSteps *steps, StepKind kind)
{
    vec_push(&steps->list, ((NetStep){kind, steps->nodes.len}));
}

void steps_text(const NetSteps *steps, size_t i, GString *out)
{
    size_t n;
    const uint32_t *nodes = steps_nodes(steps, i, &n);
    g_string_append(out, names[steps->list.data[i].kind]);
    for (size_t k = 0; k < n; k++) g_string_append_printf(out, " %u", nodes[k]);
}

bool steps_parse(NetSteps *steps, const char *line)
{
    for (int kind = 0; kind < N_STEP_KINDS; kind++) {
        const char *at = line;
        if (!g_str_has_prefix(line, names[kind])) continue;
        at += strlen(names[kind]);
        if (*at && *at != ' ') continue;
        steps_begin(steps, (StepKind)kind);
        return bound_parse_list(at, UINT32_MAX, &steps->nodes);
    }
    return false;
}
