#include "certify/bound.h"

#include "base/compare.h"
#include "certify/wide.h"

#include <stdlib.h>
#include <string.h>

static VecU32 copy(const VecU32 *list)
{
    VecU32 result = {0};
    if (list) vec_append(&result, list->data, list->len);
    return result;
}

BoundClaim bound_claim(const VecU32 *places, bool infinite, uint64_t value, const VecU32 *run)
{
    BoundClaim bound = {.claimed = true, .infinite = infinite, .places = copy(places)};
    if (bound.places.len) qsort(bound.places.data, bound.places.len, sizeof *bound.places.data, compare_u32);
    if (infinite) return bound;
    bound.value = value;
    bound.run = copy(run);
    return bound;
}

void bound_clear(BoundClaim *bound)
{
    vec_free(&bound->places);
    vec_free(&bound->run);
    *bound = (BoundClaim){0};
}

bool bound_same_sum(const BoundClaim *a, const BoundClaim *b)
{
    size_t n = a->places.len;
    return n == b->places.len && (!n || memcmp(a->places.data, b->places.data, n * sizeof *a->places.data) == 0);
}

/* ---- the lines ---- */

bool bound_parse_list(const char *text, uint32_t limit, VecU32 *list)
{
    while (*text) {
        if (*text != ' ' || !g_ascii_isdigit(text[1])) return false;
        char *end;
        uint64_t number = g_ascii_strtoull(text + 1, &end, 10);
        if (number >= limit) return false;
        vec_push(list, (uint32_t)number);
        text = end;
    }
    return true;
}

bool bound_parse_value(const char *text, bool *infinite, uint64_t *value)
{
    *infinite = strcmp(text, "inf") == 0;
    if (*infinite) return true;
    if (!g_ascii_isdigit(*text)) return false;
    char *end;
    *value = g_ascii_strtoull(text, &end, 10);
    return !*end && *value <= BOUND_MOST;
}

bool bound_parse(BoundClaim *bound, const char *text, uint32_t n_places)
{
    size_t word = strcspn(text, " ");
    g_autofree char *value = g_strndup(text, word);
    bound->claimed = true;
    if (!bound_parse_value(value, &bound->infinite, &bound->value)) return false;
    if (!bound_parse_list(text + word, n_places, &bound->places)) return false;
    for (size_t i = 1; i < bound->places.len; i++)
        if (bound->places.data[i - 1] > bound->places.data[i]) return false;
    return true;
}

/* ---- what it means ---- */

bool bound_goal(const BoundClaim *bound, FormulaStore *store, FormulaId *goal, GError **error)
{
    g_autofree FormulaTerm *terms = g_new(FormulaTerm, bound->places.len + 1);
    for (size_t i = 0; i < bound->places.len; i++) terms[i] = (FormulaTerm){bound->places.data[i], -1};
    return formula_at_most(store, terms, bound->places.len, -(int64_t)bound->value - 1, goal, error);
}

uint64_t *bound_fire(const Net *net, const VecU32 *run, char **problem)
{
    uint64_t *marking = g_new(uint64_t, (size_t)net->n_places + 1);
    memcpy(marking, net->initial, net->n_places * sizeof *marking);
    for (size_t i = 0; i < run->len && !*problem; i++)
        if (run->data[i] >= net->n_transitions || !net_enabled(net, marking, run->data[i]) ||
            !net_fire(net, marking, run->data[i]))
            *problem = g_strdup_printf("firing %zu of the run is not possible", i + 1);
    return marking;
}

bool bound_reached(const BoundClaim *bound, const Net *net, char **problem)
{
    g_autofree uint64_t *marking = bound_fire(net, &bound->run, problem);
    if (*problem) return false;
    Wide sum = wide_of(0);
    for (size_t i = 0; i < bound->places.len; i++) wide_add(&sum, marking[bound->places.data[i]]);
    if (wide_at_most(wide_of((Int128)bound->value), sum)) return true;
    *problem = g_strdup("the run does not reach the bound");
    return false;
}

char *bound_sum_text(const BoundClaim *bound, const Net *net)
{
    GString *text = g_string_new(bound->places.len ? NULL : "0");
    for (size_t i = 0; i < bound->places.len; i++) {
        if (i) g_string_append(text, " + ");
        formula_put_id(text, net_place_id(net, bound->places.data[i]));
    }
    return g_string_free(text, FALSE);
}
