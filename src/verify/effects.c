#include "verify/effects.h"

#include "base/compare.h"
#include "base/hash.h"

#include <stdlib.h>

typedef struct Column {
    uint64_t key;
    uint32_t transition;
} Column;

COMPARE_BY_BOTH(compare_columns, Column, key, transition)

void effects_of(const Net *net, uint32_t t, VecTerm *effect)
{
    NetRow pre = net_places(net, ARC_PRE, t), post = net_places(net, ARC_POST, t);
    uint32_t i = 0, j = 0;
    vec_clear(effect);
    while (i < pre.len || j < post.len) {
        uint32_t p = i < pre.len ? pre.node[i] : NET_NONE, q = j < post.len ? post.node[j] : NET_NONE;
        FormulaTerm term = {MIN(p, q), 0};
        if (p <= q) term.coefficient -= (int64_t)net_weight(pre, i++);  /* fits: effects_fit() */
        if (q <= p) term.coefficient += (int64_t)net_weight(post, j++); /* fits */
        if (term.coefficient) vec_push(effect, term);
    }
}

static uint64_t effect_key(const VecTerm *effect)
{
    uint64_t key = 0;
    for (size_t i = 0; i < effect->len; i++)
        key = hash_mix(key ^ hash_mix(effect->data[i].place) ^ (uint64_t)effect->data[i].coefficient);
    return key;
}

static bool same_effect(const VecTerm *a, const VecTerm *b)
{
    if (a->len != b->len) return false;
    for (size_t i = 0; i < a->len; i++)
        if (a->data[i].place != b->data[i].place || a->data[i].coefficient != b->data[i].coefficient) return false;
    return true;
}

bool effects_fit(const Net *net)
{
    const uint64_t most = (uint64_t)1 << 62;
    for (uint32_t p = 0; p < net->n_places; p++)
        if (net->initial[p] >= most) return false;
    return net_max_weight(net) < most;
}

void effects_init(Effects *c, const Net *net)
{
    if (!effects_fit(net)) {
        *c = (Effects){.class_of = g_new(uint32_t, net->n_transitions + 1)};
        for (uint32_t t = 0; t < net->n_transitions; t++) c->class_of[t] = NET_NONE;
        return;
    }
    VEC(Column) effects = {0};
    VecTerm effect = {0}, other = {0};
    VecU32 first = {0};
    c->class_of = g_new(uint32_t, net->n_transitions + 1);
    for (uint32_t t = 0; t < net->n_transitions; t++) {
        effects_of(net, t, &effect);
        c->class_of[t] = NET_NONE;
        if (effect.len) vec_push(&effects, ((Column){effect_key(&effect), t}));
    }
    if (effects.len) qsort(effects.data, effects.len, sizeof *effects.data, compare_columns);
    for (size_t i = 0; i < effects.len; i++) {
        uint32_t t = effects.data[i].transition;
        effects_of(net, t, &effect);
        if (i && effects.data[i].key == effects.data[i - 1].key) {
            uint32_t class = c->class_of[effects.data[i - 1].transition];
            effects_of(net, first.data[class], &other);
            if (same_effect(&effect, &other)) {
                c->class_of[t] = class;
                continue;
            }
        }
        c->class_of[t] = (uint32_t)first.len;
        vec_push(&first, t);
    }
    c->first = first.data;
    c->n = (uint32_t)first.len;
    vec_free(&effects);
    vec_free(&effect);
    vec_free(&other);
}

void effects_clear(Effects *c)
{
    g_free(c->class_of);
    g_free(c->first);
    *c = (Effects){0};
}

typedef struct Row {
    VEC(SmtTerm) variables;
    VEC(int64_t) coefficients;
} Row;

void effects_tokens(const Effects *c, const Net *net, Smt *smt, const SmtTerm *fired, SmtTerm *tokens)
{
    Row *rows = g_new0(Row, net->n_places + 1);
    VecTerm effect = {0};
    for (uint32_t k = 0; k < c->n; k++) {
        effects_of(net, c->first[k], &effect);
        for (size_t i = 0; i < effect.len; i++) {
            vec_push(&rows[effect.data[i].place].variables, fired[k]);
            vec_push(&rows[effect.data[i].place].coefficients, effect.data[i].coefficient);
        }
    }
    for (uint32_t p = 0; p < net->n_places; p++) {
        tokens[p] = smt_sum(smt, rows[p].variables.data, rows[p].coefficients.data, rows[p].variables.len,
                            (int64_t)net->initial[p]);
        vec_free(&rows[p].variables);
        vec_free(&rows[p].coefficients);
    }
    vec_free(&effect);
    g_free(rows);
}
