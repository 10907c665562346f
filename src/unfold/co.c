#include "unfold/co.h"

#include <assert.h>

Co *co_new(uint32_t max_post)
{
    Co *co = g_new0(Co, 1);
    co->width = CLAMP(max_post, 2, CO_MAX_WIDTH);
    co->mask = (1u << co->width) - 1;
    return co;
}

void co_free(Co *co)
{
    if (!co) return;
    vec_free(&co->groups);
    vec_free(&co->full);
    vec_free(&co->common);
    vec_free(&co->seen);
    arena_free(&co->arena);
    g_free(co);
}

static uint32_t next_stage(Co *co)
{
    co->stage += 1u << co->width;
    if (co->stage == 0) {
        memset(co->seen.data, 0, co->seen.len * sizeof *co->seen.data);
        co->stage = 1u << co->width;
    }
    return co->stage;
}

/* What is concurrent with the members `mask` of one group. Members of a newer group are concurrent all
 * or not at all: with all members of the mask, or they are not wanted. */
static void common_of_one(Co *co, CoPart part)
{
    const CoGroup *g = &co->groups.data[part.group];
    vec_reserve(&co->common, g->n_older + g->n_newer + 1);
    uint32_t *out = co->common.data;
    if (g->n_older) memcpy(out, g->older, g->n_older * sizeof *out);
    out += g->n_older;
    uint32_t siblings = co->full.data[part.group] & ~part.mask;
    if (siblings) *out++ = part.group << co->width | siblings;
    const uint8_t *full = co->full.data;
    const uint32_t keep = ~co->mask, mask = part.mask;
    for (const uint32_t *in = g->newer, *end = in + g->n_newer; in < end; in++)
        if ((*in & mask) == mask) *out++ = (*in & keep) | full[*in >> co->width];
    co->common.len = (size_t)(out - co->common.data);
}

/* seen[h] = stage | mask for every entry of the first list. */
static void mark_first(Co *co, CoPart part, uint32_t stage)
{
    const CoGroup *g = &co->groups.data[part.group];
    uint32_t *seen = co->seen.data;
    const unsigned width = co->width;
    const uint32_t low = co->mask, mask = part.mask, all = stage | low;
    for (const uint32_t *in = g->older, *end = in + g->n_older; in < end; in++) seen[*in >> width] = stage | (*in & low);
    seen[part.group] = stage | (co->full.data[part.group] & ~mask);
    for (const uint32_t *in = g->newer, *end = in + g->n_newer; in < end; in++)
        if ((*in & mask) == mask) seen[*in >> width] = all;
}

/* Moves what is also in this list from one stage to the next. */
static void mark_next(Co *co, CoPart part, uint32_t stage, uint32_t next)
{
    const CoGroup *g = &co->groups.data[part.group];
    uint32_t *seen = co->seen.data;
    const unsigned width = co->width;
    const uint32_t low = co->mask, mask = part.mask;
    for (const uint32_t *in = g->older, *end = in + g->n_older; in < end; in++) {
        uint32_t both = seen[*in >> width] ^ stage;
        if (both <= low) seen[*in >> width] = next | (both & *in);
    }
    uint32_t own = seen[part.group] ^ stage;
    if (own <= low) seen[part.group] = next | (own & co->full.data[part.group] & ~mask);
    for (const uint32_t *in = g->newer, *end = in + g->n_newer; in < end; in++) {
        uint32_t both = seen[*in >> width] ^ stage;
        if (both <= low && (*in & mask) == mask) seen[*in >> width] = next | both;
    }
}

static void collect_last(Co *co, CoPart part, uint32_t stage)
{
    const CoGroup *g = &co->groups.data[part.group];
    vec_reserve(&co->common, g->n_older + g->n_newer + 1);
    uint32_t *out = co->common.data;
    const uint32_t *seen = co->seen.data;
    const uint8_t *full = co->full.data;
    const unsigned width = co->width;
    const uint32_t low = co->mask, mask = part.mask;
    for (const uint32_t *in = g->older, *end = in + g->n_older; in < end; in++) {
        uint32_t both = seen[*in >> width] ^ stage;
        if (both <= low && (both & *in)) *out++ = (*in & ~low) | (both & *in);
    }
    uint32_t own = seen[part.group] ^ stage;
    if (own <= low && (own & full[part.group] & ~mask))
        *out++ = part.group << width | (own & full[part.group] & ~mask);
    for (const uint32_t *in = g->newer, *end = in + g->n_newer; in < end; in++) {
        if ((*in & mask) != mask) continue;
        uint32_t both = seen[*in >> width] ^ stage;
        if (both <= low && (both & full[*in >> width])) *out++ = (*in & ~low) | (both & full[*in >> width]);
    }
    co->common.len = (size_t)(out - co->common.data);
}

void co_common(Co *co, const CoPart *parts, uint32_t n_parts)
{
    assert(n_parts > 0);
    if (n_parts == 1) {
        common_of_one(co, parts[0]);
        return;
    }
    uint32_t stage = next_stage(co);
    mark_first(co, parts[0], stage);
    for (uint32_t i = 1; i + 1 < n_parts; i++) {
        uint32_t before = stage;
        stage = next_stage(co);
        if (stage < before) {
            /* The stages wrapped around and all marks are gone: start over. */
            co_common(co, parts, n_parts);
            return;
        }
        mark_next(co, parts[i], before, stage);
    }
    collect_last(co, parts[n_parts - 1], stage);
}

static void grow_newer(Co *co, CoGroup *g)
{
    unsigned log2 = g->newer_cap ? (unsigned)__builtin_ctz(g->newer_cap) + 1 : 2;
    uint32_t *block = co->spare[log2];
    if (block)
        memcpy(&co->spare[log2], block, sizeof block);
    else
        block = arena_alloc(&co->arena, sizeof *block << log2);
    if (g->newer_cap) {
        memcpy(block, g->newer, g->n_newer * sizeof *block);
        unsigned old = log2 - 1;
        memcpy(g->newer, &co->spare[old], sizeof block);
        co->spare[old] = g->newer;
    }
    g->newer = block;
    g->newer_cap = 1u << log2;
}

static void add_group(Co *co, uint32_t first, uint32_t n)
{
    uint32_t id = (uint32_t)co->groups.len, full = (1u << n) - 1;
    CoGroup group = {.first = first, .n_older = (uint32_t)co->common.len};
    group.older = arena_copy(&co->arena, co->common.data, co->common.len * sizeof *co->common.data);
    vec_push(&co->groups, group);
    vec_push(&co->full, (uint8_t)full);
    vec_push(&co->seen, 0);
    CoGroup *groups = co->groups.data;
    const uint32_t entry = id << co->width, low = co->mask;
    const unsigned width = co->width;
    for (const uint32_t *in = co->common.data, *end = in + co->common.len; in < end; in++) {
        CoGroup *g = &groups[*in >> width];
        if (G_UNLIKELY(g->n_newer == g->newer_cap)) grow_newer(co, g);
        g->newer[g->n_newer++] = entry | (*in & low);
    }
}

uint32_t co_add(Co *co, uint32_t first, uint32_t n)
{
    assert(n > 0);
    uint32_t id = (uint32_t)co->groups.len;
    for (uint32_t at = 0; at < n; at += co->width) {
        uint32_t part = MIN(n - at, co->width);
        add_group(co, first + at, part);
        /* The next group of the same event is concurrent with this one. */
        if (at + part < n) vec_push(&co->common, (uint32_t)(co->groups.len - 1) << co->width | ((1u << part) - 1));
    }
    return id;
}

bool co_test(const Co *co, uint32_t c, uint32_t group_c, uint32_t d, uint32_t group_d)
{
    if (group_c == group_d) return c != d;
    if (group_c > group_d) {
        uint32_t swap = group_c;
        group_c = group_d;
        group_d = swap;
        c = d;
    }
    const CoGroup *g = &co->groups.data[group_d];
    uint32_t wanted = group_c << co->width | 1u << (c - co->groups.data[group_c].first);
    const uint32_t *list = g->older;
    uint32_t len = g->n_older, key = group_c << co->width;
    /* The last entry not above the largest one of the group. */
    uint32_t top = key | co->mask;
    while (len > 0) {
        uint32_t half = len / 2;
        if (list[half] <= top) {
            if (list[half] >= key) return (list[half] & wanted) == wanted;
            list += half + 1;
            len -= half + 1;
        } else {
            len = half;
        }
    }
    return false;
}
