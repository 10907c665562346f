#include "net/gen.h"

#include "base/nearest.h"
#include "base/error.h"
#include "base/input.h"
#include "base/vec.h"
#include "net/builder.h"
#include "net/families.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

static const GenFamily families[] = {
#define FAMILY(function, name, help, ...) {name, help, {__VA_ARGS__}, family_##function},
#include "net/families.def"
#undef FAMILY
};

const GenFamily *gen_families(size_t *n)
{
    *n = G_N_ELEMENTS(families);
    return families;
}

static const GenFamily *find_family(const char *name)
{
    for (size_t i = 0; i < G_N_ELEMENTS(families); i++)
        if (strcmp(families[i].name, name) == 0) return &families[i];
    return NULL;
}

/* ---- random families ---- */

static Net *random_machines(const GenCall *call, bool acyclic)
{
    Rng rng = {call->seed};
    GenRandom options = {
        .components = (uint32_t)call->values[0],
        .states = (uint32_t)call->values[1],
        .transitions = (uint32_t)call->values[2],
        .acyclic = acyclic,
        .reads = true,
        .loops = true,
        .sinks = true,
    };
    return gen_random_safe(&rng, &options);
}

Net *family_random_safe(const GenCall *call)
{
    return random_machines(call, call->seed % 2 == 0);
}

Net *family_random_cyclic(const GenCall *call)
{
    return random_machines(call, false);
}

Net *family_random_acyclic(const GenCall *call)
{
    return random_machines(call, true);
}

static Net *random_counts(const GenCall *call, bool inhibitors)
{
    Rng rng = {call->seed};
    GenRandom options = {
        .places = (uint32_t)call->values[0],
        .transitions = (uint32_t)call->values[1],
        .tokens = (uint32_t)call->values[2],
        .weight = (uint32_t)call->values[3],
        .reads = true,
        .loops = true,
        .sinks = true,
        .inhibitors = inhibitors,
    };
    return gen_random_bounded(&rng, &options);
}

Net *family_random_bounded(const GenCall *call)
{
    return random_counts(call, false);
}

Net *family_random_inhibitor(const GenCall *call)
{
    return random_counts(call, true);
}

Net *family_dense(const GenCall *call)
{
    Rng rng = {call->seed};
    uint32_t n = (uint32_t)call->values[0], places = n / 10, inputs = (uint32_t)call->values[1] / 2;
    uint32_t outputs = (uint32_t)call->values[1] - inputs;
    NetBuilder *builder = net_builder_new("dense");
    char id[24];
    for (uint32_t p = 0; p < places; p++) {
        g_snprintf(id, sizeof id, "p%u", p);
        net_builder_place(builder, id, NULL, inputs);
    }
    for (uint32_t t = 0; t < n; t++) {
        g_snprintf(id, sizeof id, "t%u", t);
        net_builder_transition(builder, id, NULL);
        for (uint32_t k = 0; k < inputs; k++)
            net_builder_arc(builder, ARC_PRE, (uint32_t)rng_below(&rng, places), t, 1);
        for (uint32_t k = 0; k < outputs; k++)
            net_builder_arc(builder, ARC_POST, (uint32_t)rng_below(&rng, places), t, 1);
    }
    Net *net = net_builder_finish(builder, NULL);
    assert(net);
    net_builder_free(builder);
    return net;
}

/* ---- arguments ---- */

static bool dimacs_line(const char *path, unsigned line, char *text, GenCall *call, VecU32 *literals, GError **error)
{
    g_auto(GStrv) words = g_strsplit_set(text, " \t\r", 0);
    for (char **word = words; *word; word++) {
        if (!**word) continue;
        char *end;
        gint64 literal = g_ascii_strtoll(*word, &end, 10);
        if (*end || ABS(literal) > (gint64)call->n_variables) {
            error_at(error, ERROR_INPUT, path, (int)line, 0, "'%s' is no literal of %u variables", *word,
                     call->n_variables);
            return false;
        }
        vec_push(literals, (uint32_t)(int32_t)literal);
        call->n_clauses += literal == 0;
    }
    return true;
}

/* "p cnf VARIABLES CLAUSES", then numbers; each clause ends with 0. */
static bool read_dimacs(const char *path, GenCall *call, GError **error)
{
    g_autofree char *text = input_read_file(path, INPUT_LARGE, NULL, NULL, error);
    if (!text) return false;
    g_auto(GStrv) lines = g_strsplit(text, "\n", 0);
    VecU32 literals = {0};
    bool header = false, ok = true;
    for (unsigned i = 0; ok && lines[i] && lines[i][0] != '%'; i++) {
        unsigned variables = 0, clauses = 0;
        if (lines[i][0] == 'c') continue;
        if (sscanf(lines[i], "p cnf %u %u", &variables, &clauses) == 2 && variables <= 100000) {
            call->n_variables = variables;
            header = true;
        } else if (!header && *g_strstrip(lines[i])) {
            error_at(error, ERROR_INPUT, path, (int)i + 1, 0, "'p cnf VARIABLES CLAUSES' is expected first");
            ok = false;
        } else {
            ok = dimacs_line(path, i + 1, lines[i], call, &literals, error);
        }
    }
    if (ok && !header) {
        error_at(error, ERROR_INPUT, path, 0, 0, "no 'p cnf' line");
        ok = false;
    }
    if (ok && literals.len && vec_last(&literals) != 0) {
        vec_push(&literals, 0);
        call->n_clauses++;
    }
    vec_push(&literals, 0);
    if (ok)
        call->literals = (int32_t *)literals.data;
    else
        vec_free(&literals);
    return ok;
}

static bool read_value(const GenFamily *family, const GenParameter *parameter, const char *text, uint64_t *value,
                       GError **error)
{
    GError *why = NULL;
    if (g_ascii_string_to_unsigned(text, 10, parameter->least, parameter->most, value, &why)) return true;
    g_set_error(error, MAZURKA_ERROR, ERROR_USAGE,
                "%s: %s is a number from %" G_GUINT64_FORMAT " to %" G_GUINT64_FORMAT ", not '%s'", family->name,
                parameter->name, parameter->least, parameter->most, text);
    g_error_free(why);
    return false;
}

static bool read_arguments(const GenFamily *family, char *const *arguments, GenCall *call, GError **error)
{
    for (int i = 0; i < GEN_MAX_PARAMETERS; i++) call->values[i] = family->parameters[i].usual;
    if (family->make == family_sat && *arguments && !g_ascii_isdigit(**arguments))
        return read_dimacs(*arguments, call, error);
    for (int i = 0; arguments[i]; i++) {
        if (i == GEN_MAX_PARAMETERS || !family->parameters[i].name) {
            g_set_error(error, MAZURKA_ERROR, ERROR_USAGE, "%s takes %d number%s", family->name, i, i == 1 ? "" : "s");
            return false;
        }
        if (!read_value(family, &family->parameters[i], arguments[i], &call->values[i], error)) return false;
    }
    return true;
}

Net *gen_net(const char *name, char *const *arguments, uint64_t seed, GError **error)
{
    const GenFamily *family = find_family(name);
    if (!family) {
        Nearest nearest = {0};
        for (size_t i = 0; i < G_N_ELEMENTS(families); i++) nearest_offer(&nearest, name, families[i].name);
        g_autofree char *hint = nearest_hint(&nearest, name);
        g_set_error(error, MAZURKA_ERROR, ERROR_USAGE, "there is no family '%s'%s `mazurka gen --list` names them",
                    name, *hint ? hint : ";");
        return NULL;
    }
    GenCall call = {.seed = seed};
    Net *net = read_arguments(family, arguments, &call, error) ? family->make(&call) : NULL;
    g_free(call.literals);
    return net;
}

Net *gen_net_of_size(const char *family, uint64_t n)
{
    g_autofree char *text = g_strdup_printf("%" G_GUINT64_FORMAT, n);
    char *arguments[] = {text, NULL};
    Net *net = gen_net(family, arguments, 0, NULL);
    assert(net);
    return net;
}
