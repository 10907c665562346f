#include "unfold/classic/co.h"

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
    void *arrays[] = {co->groups, co->full, co->next, co->end};
    for (size_t i = 0; i < G_N_ELEMENTS(arrays); i++) g_free(arrays[i]);
    for (size_t i = 0; i < co->rows.len; i++) g_free(co->rows.data[i].mask);
    vec_free(&co->rows);
    arena_free(&co->arena);
    g_free(co);
}

uint32_t *co_make_room(Co *co, uint32_t n)
{
    return co->common = arena_room(&co->arena, ((size_t)n + 1) * sizeof *co->common);
}

void co_end_common(Co *co, uint32_t *end)
{
    *end = CO_END;
    co->n_common = (uint32_t)(end - co->common);
}

static uint32_t n_newer(const Co *co, uint32_t g)
{
    return (uint32_t)(co->next[g] - co->groups[g].newer);
}

static uint32_t list_length(const Co *co, CoPart part)
{
    uint32_t n = co->groups[part.group].n_older + n_newer(co, part.group);
    return n + (part.group < co->clique ? co->clique : 0);
}

/* Of co->common, whose first entries are of initial groups, keeps those that are concurrent with a part of another
 * initial group: all but the part itself. The entries from *in on are left. */
static uint32_t *keep_clique(const Co *co, CoPart part, const uint32_t **in)
{
    uint32_t *out = co->common;
    const uint32_t *end = out + co->n_common;
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
    assert(part.group < co->n_groups && part.mask);
    const CoGroup *g = &co->groups[part.group];
    const uint8_t *full = co->full;
    uint32_t *out = co_make_room(co, list_length(co, part) + 1), later = MAX(part.group + 1, co->clique);
    if (part.group < co->clique)
        for (uint32_t h = 0; h < part.group; h++) *out++ = h << co->width | full[h];
    if (g->n_older) memcpy(out, g->older, g->n_older * sizeof *out);
    out += g->n_older;
    uint32_t siblings = full[part.group] & ~part.mask;
    if (siblings) *out++ = part.group << co->width | siblings;
    for (uint32_t h = part.group + 1; h < later; h++) *out++ = h << co->width | full[h];
    const uint32_t keep = ~co->mask, mask = part.mask;
    for (const uint32_t *in = g->newer, *end = co->next[part.group]; in < end; in++)
        if ((*in & mask) == mask) *out++ = (*in & keep) | full[*in >> co->width];
    co_end_common(co, out);
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
    assert(part.group < co->n_groups && !(part.mask & ~(uint32_t)co->full[part.group]));
    const CoGroup *groups = co->groups, *g = &groups[part.group];
    const unsigned width = co->width;
    const uint32_t low = co->mask, mask = part.mask;
    uint32_t *out = co->common, hint = 0;
    const uint32_t *in = out, *end = out + co->n_common;
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
    co_end_common(co, out);
}

/* ---- rows ---- */

enum { ROW_ASKED = UINT32_MAX, ROW_PER_ENTRY = 32, ROW_SHARE = 4, ROW_FREE = 1 << 16 };

static void enter_row(const Co *co, CoRow *row, const uint32_t *list, uint32_t from, uint32_t to)
{
    for (uint32_t i = from; i < to; i++) row->mask[list[i] >> co->width] = (uint8_t)(list[i] & co->mask);
}

static void grow_row(Co *co, CoRow *row)
{
    uint32_t cap = (uint32_t)MIN(co->n_groups * 2, UINT32_MAX);
    row->mask = g_realloc(row->mask, cap);
    memset(row->mask + row->cap, 0, cap - row->cap);
    co->row_bytes += cap - row->cap;
    row->cap = cap;
}

/* The second time that a long list is asked for. */
static bool wants_row(Co *co, CoPart part)
{
    CoGroup *g = &co->groups[part.group];
    if ((uint64_t)list_length(co, part) * ROW_PER_ENTRY < co->n_groups) return false;
    if (co->row_bytes + 2 * co->n_groups > co->arena.bytes / ROW_SHARE + ROW_FREE) return false;
    bool again = g->row == ROW_ASKED;
    g->row = ROW_ASKED;
    return again;
}

static bool has_row(const Co *co, CoPart part)
{
    return co->groups[part.group].row - 1 < co->rows.len;
}

static const uint8_t *row_of(Co *co, CoPart part)
{
    CoGroup *g = &co->groups[part.group];
    if (!has_row(co, part)) {
        CoRow fresh = {0};
        grow_row(co, &fresh);
        enter_row(co, &fresh, g->older, 0, g->n_older);
        vec_push(&co->rows, fresh);
        g->row = (uint32_t)co->rows.len;
    }
    CoRow *row = &co->rows.data[g->row - 1];
    if (row->cap < co->n_groups) grow_row(co, row);
    enter_row(co, row, g->newer, row->done, n_newer(co, part.group));
    row->done = n_newer(co, part.group);
    return row->mask;
}

/* As keep_by_lookup(). */
static void keep_by_row(Co *co, CoPart part)
{
    const uint8_t *row = row_of(co, part);
    const unsigned width = co->width;
    const uint32_t low = co->mask, mask = part.mask;
    uint32_t *out = co->common;
    const uint32_t *in = out, *end = out + co->n_common;
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
    co_end_common(co, out);
}

/* ---- merging ---- */

/* The same by going through the part's whole list beside co->common, for lists that are not much longer. All of these
 * have CO_END behind their last entry, so that nothing counts. */
static void keep_by_merge(Co *co, CoPart part)
{
    const CoGroup *g = &co->groups[part.group];
    assert(part.group < co->n_groups && !(part.mask & ~(uint32_t)co->full[part.group]));
    const uint32_t low = co->mask, mask = part.mask, own = part.group << co->width;
    uint32_t *out = co->common, x, y;
    const uint32_t *in = out, *list = g->older;
    if (part.group < co->clique)
        out = keep_clique(co, part, &in);
    else
        for (; (x = *in) < own; in++) {
            uint32_t key = x & ~low;
            for (y = *list; y < key; y = *++list) continue;
            if ((x ^ y) <= low && (x & y & low)) *out++ = x & (y | ~low);
        }
    if ((*in & ~low) == own) {
        if (*in & low & ~mask) *out++ = *in & ~mask;
        in++;
    }
    if (g->newer) *co->next[part.group] = CO_END;
    for (list = g->newer; list && (x = *in) != CO_END; in++) {
        uint32_t key = x & ~low;
        for (y = *list; y < key; y = *++list) continue;
        if ((x ^ y) <= low && (y & mask) == mask) *out++ = x;
    }
    co_end_common(co, out);
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
        bool is_long = list_length(co, parts[i]) > LOOKUP_WORTH * co->n_common;
        if (has_row(co, parts[i]) || (is_long && wants_row(co, parts[i])))
            keep_by_row(co, parts[i]);
        else if (is_long)
            keep_by_lookup(co, parts[i]);
        else
            keep_by_merge(co, parts[i]);
    }
}

/* The first room for a list of newer groups: seven entries and CO_END. */
enum { FIRST_LOG2 = 3 };

uint32_t *co_grow(Co *co, uint32_t g)
{
    uint32_t *old = co->groups[g].newer, n = n_newer(co, g);
    unsigned log2 = n ? (unsigned)__builtin_ctz(n + 1) + 1 : FIRST_LOG2;
    uint32_t *block = co->spare[log2];
    if (block)
        memcpy(&co->spare[log2], block, sizeof co->spare[log2]);
    else
        block = arena_alloc(&co->arena, sizeof *block << log2);
    if (n) {
        memcpy(block, old, n * sizeof *block);
        memcpy(old, &co->spare[log2 - 1], sizeof co->spare[log2 - 1]);
        co->spare[log2 - 1] = old;
    }
    co->groups[g].newer = block;
    co->end[g] = block + ((size_t)1 << log2) - 1; /* room for CO_END */
    return co->next[g] = block + n;
}

static void grow_groups(Co *co)
{
    co->cap = vec_long_cap(co->cap, (size_t)co->n_groups + 1, sizeof *co->groups);
    co->groups = g_realloc_n(co->groups, co->cap, sizeof *co->groups);
    co->full = g_realloc_n(co->full, co->cap, sizeof *co->full);
    co->next = g_realloc_n(co->next, co->cap, sizeof(uint32_t *));
    co->end = g_realloc_n(co->end, co->cap, sizeof(uint32_t *));
}

static uint32_t push_group(Co *co, CoGroup group, uint32_t n)
{
    uint32_t id = co->n_groups;
    assert(n > 0 && n <= co->width);
    if (G_UNLIKELY(id == co->cap)) grow_groups(co);
    co->groups[id] = group;
    co->full[id] = (uint8_t)((1u << n) - 1);
    co->next[id] = co->end[id] = NULL;
    co->n_groups = id + 1;
    co->n_pairs += group.n_older;
    return id;
}

void co_start(Co *co, uint32_t n)
{
    assert(!co->n_groups);
    for (uint32_t at = 0; at < n; at += co->width) push_group(co, (CoGroup){.first = at}, MIN(n - at, co->width));
    co->clique = co->n_groups;
}

uint32_t co_add(Co *co, uint32_t first, uint32_t n)
{
    /* What is common stands where the arena goes on. */
    co->common = arena_alloc(&co->arena, ((size_t)co->n_common + 1) * sizeof *co->common);
    return push_group(co, (CoGroup){.older = co->common, .n_older = co->n_common, .first = first}, n);
}

uint32_t co_add_sibling(Co *co, uint32_t first, uint32_t n)
{
    uint32_t last = co->n_groups - 1, *before = co->common;
    co->common = arena_alloc(&co->arena, ((size_t)co->n_common + 2) * sizeof *co->common);
    if (co->n_common) memcpy(co->common, before, co->n_common * sizeof *co->common);
    co->common[co->n_common] = last << co->width | co->full[last];
    co_end_common(co, co->common + co->n_common + 1);
    return push_group(co, (CoGroup){.older = co->common, .n_older = co->n_common, .first = first}, n);
}

void co_enter_all(Co *co)
{
    uint32_t own = (co->n_groups - 1) << co->width;
    for (uint32_t i = 0; i < co->n_common; i++)
        co_enter(co, co->common[i] >> co->width, own | (co->common[i] & co->mask));
}

bool co_test(const Co *co, uint32_t c, uint32_t d)
{
    uint32_t older = MIN(c, d), group = MAX(c, d) >> co->width, hint = UINT32_MAX;
    assert(group < co->n_groups && c & co->mask && d & co->mask);
    if (older >> co->width == group) return c != d;
    if (group < co->clique) return true;
    const CoGroup *g = &co->groups[group];
    return find(g->older, g->n_older, older >> co->width, co->width, &hint) & older & co->mask;
}
