#include "unfold/classic/co.h"

#include <assert.h>

/* The end of n items; of none it may be that there is nothing to begin at. */
static const uint32_t *end_of(const uint32_t *from, size_t n)
{
    return n ? from + n : from;
}

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
    for (size_t i = 0; i < co->rows.len; i++) g_free(co->rows.data[i].mask);
    vec_free(&co->rows);
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

static uint32_t list_length(const Co *co, CoPart part)
{
    const CoGroup *g = &co->groups.data[part.group];
    return g->n_older + g->n_newer + (part.group < co->clique ? co->clique : 0);
}

/* Of co->common, whose first entries are of initial groups, keeps those that are concurrent with a part of another
 * initial group: all but the part itself. The entries from *in on are left. */
static uint32_t *keep_clique(const Co *co, CoPart part, const uint32_t **in)
{
    uint32_t *out = co->common.data;
    const uint32_t *end = out + co->common.len;
    for (; *in < end && **in >> co->width < co->clique; ++*in) {
        uint32_t gone = **in >> co->width == part.group ? part.mask : 0;
        if (**in & co->mask & ~gone) *out++ = **in & ~gone;
    }
    return out;
}

/* What is concurrent with the members `mask` of one group. Members of a newer group are concurrent all
 * or not at all: with all members of the mask, or they are not wanted. */
static void common_of_one(Co *co, CoPart part)
{
    assert(part.group < co->groups.len && part.mask);
    const CoGroup *g = &co->groups.data[part.group];
    const uint8_t *full = co->full.data;
    vec_reserve(&co->common, list_length(co, part) + 1);
    uint32_t *out = co->common.data, later = MAX(part.group + 1, co->clique);
    if (part.group < co->clique)
        for (uint32_t h = 0; h < part.group; h++) *out++ = h << co->width | full[h];
    if (g->n_older) memcpy(out, g->older, g->n_older * sizeof *out);
    out += g->n_older;
    uint32_t siblings = full[part.group] & ~part.mask;
    if (siblings) *out++ = part.group << co->width | siblings;
    for (uint32_t h = part.group + 1; h < later; h++) *out++ = h << co->width | full[h];
    const uint32_t keep = ~co->mask, mask = part.mask;
    for (const uint32_t *in = g->newer, *end = end_of(in, g->n_newer); in < end; in++)
        if ((*in & mask) == mask) *out++ = (*in & keep) | full[*in >> co->width];
    co->common.len = (size_t)(out - co->common.data);
}

/* The entry of `group` in a sorted list, 0 when there is none. *hint is tried first and then set: in
 * lists that inherit from each other an entry tends to keep its position. */
static uint32_t find(const uint32_t *list, uint32_t len, uint32_t group, unsigned width, uint32_t *hint)
{
    if (*hint < len && list[*hint] >> width == group) return list[*hint];
    const uint32_t key = group << width, *base = list;
    if (!len) return 0;
    while (len > 1) {
        uint32_t half = len / 2;
        base += base[half] <= (key | ((1u << width) - 1)) ? half : 0;
        len -= half;
    }
    *hint = (uint32_t)(base - list);
    return *base >> width == group ? *base : 0;
}

/* Keeps of co->common what is concurrent with one more part, looking up every entry: an older group in
 * the part's list, a newer one the other way round, as its list of older groups is the shorter one. */
static void keep_by_lookup(Co *co, CoPart part)
{
    assert(part.group < co->groups.len && !(part.mask & ~(uint32_t)co->full.data[part.group]));
    const CoGroup *groups = co->groups.data, *g = &groups[part.group];
    const unsigned width = co->width;
    const uint32_t low = co->mask, mask = part.mask;
    uint32_t *out = co->common.data, hint = 0;
    const uint32_t *in = out, *end = end_of(in, co->common.len);
    if (part.group < co->clique) out = keep_clique(co, part, &in);
    for (; in < end && *in >> width < part.group; in++) {
        uint32_t both = *in & find(g->older, g->n_older, *in >> width, width, &hint) & low;
        hint++;
        if (both) *out++ = (*in & ~low) | both;
    }
    if (in < end && *in >> width == part.group) {
        if (*in & low & ~mask) *out++ = *in & ~mask;
        in++;
    }
    for (hint = 0; in < end; in++) {
        const CoGroup *h = &groups[*in >> width];
        if ((find(h->older, h->n_older, part.group, width, &hint) & mask) == mask) *out++ = *in;
    }
    co->common.len = (size_t)(out - co->common.data);
}

/* ---- rows ---- */

enum { ROW_ASKED = UINT32_MAX, ROW_PER_ENTRY = 32, ROW_SHARE = 4, ROW_FREE = 1 << 16 };

static void enter_row(const Co *co, CoRow *row, const uint32_t *list, uint32_t from, uint32_t to)
{
    for (uint32_t i = from; i < to; i++) row->mask[list[i] >> co->width] = (uint8_t)(list[i] & co->mask);
}

static void grow_row(Co *co, CoRow *row)
{
    uint32_t cap = (uint32_t)MIN(co->groups.len * 2, UINT32_MAX);
    row->mask = g_realloc(row->mask, cap);
    memset(row->mask + row->cap, 0, cap - row->cap);
    co->row_bytes += cap - row->cap;
    row->cap = cap;
}

/* The second time that a long list is asked for. */
static bool wants_row(Co *co, CoPart part)
{
    CoGroup *g = &co->groups.data[part.group];
    if ((uint64_t)list_length(co, part) * ROW_PER_ENTRY < co->groups.len) return false;
    if (co->row_bytes + 2 * co->groups.len > co->arena.bytes / ROW_SHARE + ROW_FREE) return false;
    bool again = g->row == ROW_ASKED;
    g->row = ROW_ASKED;
    return again;
}

static bool has_row(const Co *co, CoPart part)
{
    return co->groups.data[part.group].row - 1 < co->rows.len;
}

static const uint8_t *row_of(Co *co, CoPart part)
{
    CoGroup *g = &co->groups.data[part.group];
    if (!has_row(co, part)) {
        CoRow fresh = {0};
        grow_row(co, &fresh);
        enter_row(co, &fresh, g->older, 0, g->n_older);
        vec_push(&co->rows, fresh);
        g->row = (uint32_t)co->rows.len;
    }
    CoRow *row = &co->rows.data[g->row - 1];
    if (row->cap < co->groups.len) grow_row(co, row);
    enter_row(co, row, g->newer, row->done, g->n_newer);
    row->done = g->n_newer;
    return row->mask;
}

/* As keep_by_lookup(). */
static void keep_by_row(Co *co, CoPart part)
{
    const uint8_t *row = row_of(co, part);
    const unsigned width = co->width;
    const uint32_t low = co->mask, mask = part.mask;
    uint32_t *out = co->common.data;
    const uint32_t *in = out, *end = end_of(in, co->common.len);
    if (part.group < co->clique) out = keep_clique(co, part, &in);
    for (; in < end && *in >> width < part.group; in++) {
        uint32_t both = *in & row[*in >> width];
        if (both) *out++ = (*in & ~low) | both;
    }
    if (in < end && *in >> width == part.group) {
        if (*in & low & ~mask) *out++ = *in & ~mask;
        in++;
    }
    for (; in < end; in++)
        if ((row[*in >> width] & mask) == mask) *out++ = *in;
    co->common.len = (size_t)(out - co->common.data);
}

/* ---- scans ---- */

/* The same by going through the part's whole list, for lists about as short as co->common. */
static void keep_by_scan(Co *co, CoPart part)
{
    const CoGroup *g = &co->groups.data[part.group];
    const unsigned width = co->width;
    assert(part.group < co->groups.len && !(part.mask & ~(uint32_t)co->full.data[part.group]));
    const uint32_t stage = next_stage(co), low = co->mask, mask = part.mask;
    uint32_t *seen = co->seen.data;
    for (const uint32_t *in = co->common.data, *end = end_of(in, co->common.len); in < end; in++)
        seen[*in >> width] = stage | (*in & low);
    vec_reserve(&co->common, list_length(co, part) + 1);
    const uint32_t *first = co->common.data;
    bool initial = part.group < co->clique;
    uint32_t *out = initial ? keep_clique(co, part, &first) : co->common.data;
    for (const uint32_t *in = g->older, *end = end_of(in, g->n_older); in < end; in++) {
        uint32_t both = seen[*in >> width] ^ stage;
        if (both <= low && (both & *in)) *out++ = (*in & ~low) | (both & *in);
    }
    uint32_t own = seen[part.group] ^ stage;
    if (!initial && own <= low && (own & ~mask)) *out++ = part.group << width | (own & ~mask);
    for (const uint32_t *in = g->newer, *end = end_of(in, g->n_newer); in < end; in++) {
        uint32_t both = seen[*in >> width] ^ stage;
        if (both <= low && (*in & mask) == mask) *out++ = (*in & ~low) | both;
    }
    co->common.len = (size_t)(out - co->common.data);
}

/* The shortest list is hardly longer than the result, the others often are a hundred times as long. */
enum { LOOKUP_WORTH = 4 };

void co_common(Co *co, const CoPart *parts, uint32_t n_parts)
{
    assert(n_parts > 0);
    uint32_t least = 0;
    for (uint32_t i = 1; i < n_parts; i++)
        if (list_length(co, parts[i]) < list_length(co, parts[least])) least = i;
    common_of_one(co, parts[least]);
    for (uint32_t i = 0; i < n_parts; i++) {
        if (i == least) continue;
        bool is_long = list_length(co, parts[i]) > LOOKUP_WORTH * co->common.len;
        if (has_row(co, parts[i]) || (is_long && wants_row(co, parts[i])))
            keep_by_row(co, parts[i]);
        else if (is_long)
            keep_by_lookup(co, parts[i]);
        else
            keep_by_scan(co, parts[i]);
    }
}

static void grow_newer(Co *co, CoGroup *g)
{
    unsigned log2 = g->newer_cap ? (unsigned)__builtin_ctz(g->newer_cap) + 1 : 2;
    uint32_t *block = co->spare[log2];
    if (block)
        memcpy(&co->spare[log2], block, sizeof co->spare[log2]);
    else
        block = arena_alloc(&co->arena, sizeof *block << log2);
    if (g->newer_cap) {
        memcpy(block, g->newer, g->n_newer * sizeof *block);
        unsigned old = log2 - 1;
        memcpy(g->newer, &co->spare[old], sizeof co->spare[old]);
        co->spare[old] = g->newer;
    }
    g->newer = block;
    g->newer_cap = 1u << log2;
}

static void push_group(Co *co, CoGroup group, uint32_t n)
{
    assert(n <= co->width && co->full.len == co->groups.len && co->seen.len == co->groups.len);
    vec_push(&co->groups, group);
    vec_push(&co->full, (uint8_t)((1u << n) - 1));
    vec_push(&co->seen, 0);
}

void co_start(Co *co, uint32_t n)
{
    assert(!co->groups.len);
    for (uint32_t at = 0; at < n; at += co->width) push_group(co, (CoGroup){.first = at}, MIN(n - at, co->width));
    co->clique = (uint32_t)co->groups.len;
}

static void add_group(Co *co, uint32_t first, uint32_t n)
{
    uint32_t id = (uint32_t)co->groups.len;
    CoGroup group = {.first = first, .n_older = (uint32_t)co->common.len};
    group.older = arena_copy(&co->arena, co->common.data, co->common.len * sizeof *co->common.data);
    push_group(co, group, n);
    CoGroup *groups = co->groups.data;
    const uint32_t entry = id << co->width, low = co->mask;
    const unsigned width = co->width;
    for (const uint32_t *in = co->common.data, *end = end_of(in, co->common.len); in < end; in++) {
        CoGroup *g = &groups[*in >> width];
        assert(*in >> width < id && (*in & low) && (in == co->common.data || in[-1] >> width < *in >> width));
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
    assert(group_c < co->groups.len && group_d < co->groups.len);
    if (group_c == group_d) return c != d;
    if (group_c > group_d) {
        uint32_t swap = group_c;
        group_c = group_d;
        group_d = swap;
        c = d;
    }
    if (group_d < co->clique) return true;
    const CoGroup *g = &co->groups.data[group_d];
    uint32_t hint = UINT32_MAX, member = 1u << (c - co->groups.data[group_c].first);
    return find(g->older, g->n_older, group_c, co->width, &hint) & member;
}
