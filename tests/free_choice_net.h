/* Random free-choice nets, about half of them live and bounded: grown from a place and a transition in a circle by
 * steps that keep that, and then often spoilt by a few steps that need not. Weights 1, no inhibitor arcs; read arcs now
 * and then, which are arcs there and back. */
#pragma once
#include "base/rng.h"
#include "net/builder.h"

#include <stdio.h>

enum { FC_MOST = 24 };

typedef struct FreeChoiceDraft {
    uint32_t places, transitions;
    bool pre[FC_MOST][FC_MOST], post[FC_MOST][FC_MOST]; /* place, transition */
    uint64_t tokens[FC_MOST];
} FreeChoiceDraft;

/* p becomes p -> t -> q, and q stands where p stood before its consumers. */
static inline void fc_lengthen(FreeChoiceDraft *d, uint32_t p)
{
    uint32_t q = d->places++, t = d->transitions++;
    for (uint32_t u = 0; u < t; u++) {
        d->pre[q][u] = d->pre[p][u];
        d->pre[p][u] = false;
    }
    d->pre[p][t] = d->post[q][t] = true;
}

static inline void fc_double_transition(FreeChoiceDraft *d, uint32_t t)
{
    uint32_t u = d->transitions++;
    for (uint32_t p = 0; p < d->places; p++) {
        d->pre[p][u] = d->pre[p][t];
        d->post[p][u] = d->post[p][t];
    }
}

static inline void fc_double_place(FreeChoiceDraft *d, uint32_t p)
{
    uint32_t q = d->places++;
    for (uint32_t t = 0; t < d->transitions; t++) {
        d->pre[q][t] = d->pre[p][t];
        d->post[q][t] = d->post[p][t];
    }
    d->tokens[q] = d->tokens[p];
}

/* A loop at p: taken and put back by one more transition with the same inputs. */
static inline void fc_loop(FreeChoiceDraft *d, uint32_t p)
{
    uint32_t t = d->transitions++, like = 0;
    while (like < t && !d->pre[p][like]) like++;
    for (uint32_t q = 0; q < d->places; q++) d->pre[q][t] = d->post[q][t] = like < t ? d->pre[q][like] : q == p;
}

/* Only places from `first` on change. */
static inline void fc_grow(FreeChoiceDraft *d, Rng *rng, uint32_t first)
{
    uint32_t p = first + (uint32_t)rng_below(rng, d->places - first), t = (uint32_t)rng_below(rng, d->transitions);
    switch (rng_below(rng, 8)) {
    case 0: fc_double_transition(d, t); break;
    case 1: fc_double_place(d, p); break;
    case 2:
        if (rng_chance(rng, 3)) fc_loop(d, p);
        break;
    case 3: d->tokens[p] += !first && rng_chance(rng, 3); break;
    default: fc_lengthen(d, p); break;
    }
}

/* Keeps it free-choice at most by luck, and seldom live. */
static inline void fc_spoil(FreeChoiceDraft *d, Rng *rng)
{
    uint32_t p = (uint32_t)rng_below(rng, d->places), t = (uint32_t)rng_below(rng, d->transitions);
    switch (rng_below(rng, 5)) {
    case 0: d->tokens[p] = 0; break;
    case 1: d->post[p][t] = !d->post[p][t]; break;
    case 2: d->pre[p][t] = !d->pre[p][t]; break;
    case 3:
        for (uint32_t q = 0; q < d->places; q++)
            if (d->post[q][t] && rng_chance(rng, 2)) {
                d->post[q][t] = false;
                d->post[p][t] = true;
            }
        break;
    default: d->tokens[p]++; break;
    }
}

static inline Net *fc_finish(const FreeChoiceDraft *d, Rng *rng)
{
    g_autoptr(NetBuilder) b = net_builder_new("choice");
    char name[16];
    for (uint32_t p = 0; p < d->places; p++) {
        g_snprintf(name, sizeof name, "p%u", p);
        net_builder_place(b, name, NULL, d->tokens[p]);
    }
    for (uint32_t t = 0; t < d->transitions; t++) {
        g_snprintf(name, sizeof name, "t%u", t);
        net_builder_transition(b, name, NULL);
        for (uint32_t p = 0; p < d->places; p++) {
            bool read = d->pre[p][t] && d->post[p][t] && rng_chance(rng, 2);
            if (read) net_builder_arc(b, ARC_READ, p, t, 1);
            if (!read && d->pre[p][t]) net_builder_arc(b, ARC_PRE, p, t, 1);
            if (!read && d->post[p][t]) net_builder_arc(b, ARC_POST, p, t, 1);
        }
    }
    return net_builder_finish(b, NULL);
}

static inline void fc_draft(FreeChoiceDraft *d, Rng *rng, uint32_t most_steps)
{
    uint32_t steps = (uint32_t)rng_below(rng, most_steps + 1);
    *d = (FreeChoiceDraft){.places = 1, .transitions = 1, .tokens = {1}};
    d->pre[0][0] = d->post[0][0] = true;
    for (uint32_t i = 0; i < steps; i++) fc_grow(d, rng, 0);
}

/* A sound workflow net from place 0 to place 1. */
static inline void fc_workflow_draft(FreeChoiceDraft *d, Rng *rng, uint32_t most_steps)
{
    uint32_t steps = (uint32_t)rng_below(rng, most_steps + 1);
    *d = (FreeChoiceDraft){.places = 3, .transitions = 2, .tokens = {1}};
    d->pre[0][0] = d->post[2][0] = d->pre[2][1] = d->post[1][1] = true;
    for (uint32_t i = 0; i < steps; i++) fc_grow(d, rng, 2);
}

static inline Net *free_choice_net(Rng *rng)
{
    FreeChoiceDraft d;
    fc_draft(&d, rng, 8);
    uint32_t spoilt = rng_chance(rng, 2) ? 0 : 1 + (uint32_t)rng_below(rng, 2);
    for (uint32_t i = 0; i < spoilt; i++) fc_spoil(&d, rng);
    return fc_finish(&d, rng);
}

static inline Net *free_choice_workflow(Rng *rng)
{
    FreeChoiceDraft d;
    fc_workflow_draft(&d, rng, 6);
    if (rng_chance(rng, 2)) fc_spoil(&d, rng);
    return fc_finish(&d, rng);
}
