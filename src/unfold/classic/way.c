#include "unfold/classic/way.h"

#include "base/exact.h"
#include "unfold/classic/extension.h"
#include "unfold/classic/trial.h"

#include <assert.h>

/* Instructions, about. */
enum {
    LIST_ENTRY = 50,  /* to find one that is concurrent, and to enter the event into its list */
    MATRIX_WORD = 15, /* of 64 members: to find and copy it */
    MATRIX_TURN = 27, /* to make columns of it, for each condition */
    MATRIX_TRY = 8,   /* to look at one condition on a place that matters */
    TRIAL_TRY = 64 * LIST_ENTRY,
    MOVE_ENTRY = 30, /* from one way to another, */
    MOVE = 1 << 19,  /* and what may be lost by it */
};

enum {
    LONG = 256,                      /* trying out is no way where lists are shorter, */
    PATIENCE = LIST_ENTRY * 1 << 14, /* and not before they have cost so much */
    ENTRY_BYTES = 8,
    SMALL_BYTES = 1 << 18,
};

/* ---- from lists to bits and back ---- */

/* The conditions of the event that a condition is of. */
static uint32_t family_of(const Process *process, uint32_t condition, uint32_t *n)
{
    uint32_t e = process->producer[condition], first = e == PREFIX_BOTTOM ? 0 : process->post_start[e];
    *n = process->post_start[e == PREFIX_BOTTOM ? 0 : e + 1] - first;
    return first;
}

static void set_members(ClassicEngine *engine, uint32_t from, uint32_t first, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) engine->entry.data[first + i] = from + i;
}

/* Sets matrix->common to a list of older groups, whose conditions are members already. */
static void read_list(ClassicEngine *engine, const uint32_t *list, uint32_t n)
{
    const Co *co = engine->co;
    matrix_clear_common(engine->matrix);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t first = co->groups[list[i] >> co->width].first;
        for (uint32_t mask = list[i] & co->mask; mask; mask &= mask - 1)
            bitset_set(engine->matrix->common, engine->entry.data[first + (uint32_t)__builtin_ctz(mask)]);
    }
}

/* Moving is long where there is much to move. */
static bool may_go_on(ClassicEngine *engine, uint32_t n)
{
    if (budget_charge(engine->schedule.budget, n / 4 + 1))
        schedule_stop(&engine->schedule, budget_ending(engine->schedule.budget));
    return !engine->schedule.stopped;
}

static void to_matrix(ClassicEngine *engine)
{
    Co *co = engine->co;
    Matrix *matrix = engine->matrix = matrix_new();
    uint32_t n = engine->process.post_start[0];
    set_members(engine, 0, 0, n);
    matrix_start(matrix, n);
    for (uint32_t g = co->clique; g < co->n_groups && may_go_on(engine, co->groups[g].n_older); g++) {
        uint32_t first = family_of(&engine->process, co->groups[g].first, &n);
        if (first != co->groups[g].first) continue; /* of the same event as the group before */
        read_list(engine, co->groups[g].older, co->groups[g].n_older);
        set_members(engine, matrix->n, first, n);
        matrix_add(matrix, first, n);
    }
    co_free(co);
    engine->co = NULL;
    vec_free(&engine->group_places);
    trial_list_places(engine);
}

/* Sets co->common to the members of a row that are older than its own family, which are in groups already. */
static void read_row(ClassicEngine *engine, const uint64_t *row, uint32_t n)
{
    Co *co = engine->co;
    const VecU32 *condition = &engine->matrix->condition;
    uint32_t *out = co_make_room(co, n);
    for (BITSET_EACH(member, row, bitset_words(n))) {
        if (member >= n) break;
        uint32_t entry = engine->entry.data[condition->data[member]];
        if (out > co->common && out[-1] >> co->width == entry >> co->width)
            out[-1] |= entry;
        else
            *out++ = entry;
    }
    co_end_common(co, out);
}

static void to_lists(ClassicEngine *engine)
{
    Matrix *matrix = engine->matrix;
    engine->co = co_new(engine->safe->max_post);
    trial_drop_places(engine);
    memset(engine->n_on_place, 0, engine->safe->n_places * sizeof *engine->n_on_place);
    for (uint32_t member = 0, n; member < matrix->n && may_go_on(engine, matrix->n / 64); member += n) {
        uint32_t first = family_of(&engine->process, matrix->condition.data[member], &n);
        assert(first == matrix->condition.data[member]);
        if (engine->process.producer[first] != PREFIX_BOTTOM) read_row(engine, matrix->row.data[member], member);
        extension_enter(engine, first, n);
    }
    matrix_free(matrix);
    engine->matrix = NULL;
}

/* ---- what pays ---- */

typedef enum { LISTS, MATRIX, TRYING } Kind;

static Kind other_kept(Kind kind)
{
    return kind == LISTS ? MATRIX : LISTS;
}

/* How many conditions stand on the places that matter to the consumers of the event's conditions. */
static uint32_t near_conditions(const ClassicEngine *engine, uint32_t n)
{
    const SafeNet *safe = engine->safe;
    const uint32_t *on_place = engine->n_on_place;
    uint32_t near = 1;
    for (uint32_t c = engine->condition; c < engine->condition + n; c++) {
        uint32_t p = engine->process.place[c];
        near += on_place[p];
        for (uint32_t w = safe->watch_start[p]; w < safe->watch_start[p + 1]; w++)
            if (safe->watch[w].place != NET_NONE) near += on_place[safe->watch[w].place];
    }
    return near;
}

/* What the event costs each way, with so many concurrent groups, and so many members of the relation. */
typedef struct Costs {
    uint64_t by[3];
} Costs;

static Costs estimate(const ClassicEngine *engine, uint32_t n, uint64_t groups, uint64_t members)
{
    uint64_t near = near_conditions(engine, n);
    return (Costs){{[LISTS] = LIST_ENTRY * groups,
                    [MATRIX] = members / 64 * (MATRIX_WORD + MATRIX_TURN * n) + MATRIX_TRY * near,
                    [TRYING] = TRIAL_TRY * near}};
}

/* Is it time to go from the kind that there is to the other one of the two that are kept? */
static bool is_gain(ClassicWay *way, const Costs *costs, Kind from, uint64_t members)
{
    uint64_t bytes = members * members / 8, of_lists = ENTRY_BYTES * way->pairs;
    uint64_t here = costs->by[from], there = costs->by[other_kept(from)];
    if (here > there)
        way->gain = exact_capped_add(way->gain, WAY_EVERY * (here - there));
    else
        way->gain -= MIN(way->gain, WAY_EVERY * (there - here));
    if (from == LISTS && bytes > of_lists + SMALL_BYTES) return false;
    if (from == MATRIX && bytes > 4 * (of_lists + SMALL_BYTES)) return true;
    return way->gain > MOVE + MOVE_ENTRY * way->pairs;
}

static Kind judge(ClassicEngine *engine, Kind from, uint32_t n)
{
    ClassicWay *way = &engine->way;
    const Process *process = &engine->process;
    uint64_t groups, members, events = process->n_events, conditions = process->n_conditions;
    if (from == LISTS) {
        groups = engine->co->n_common;
        members = engine->co->n_groups * conditions / events;
        way->pairs = engine->co->n_pairs;
    } else {
        members = engine->matrix->n;
        groups = bitset_count(engine->matrix->common, bitset_words(members)) * events / conditions;
        way->pairs += WAY_EVERY * groups;
    }
    Costs costs = estimate(engine, n, groups, members);
    if (groups >= LONG) {
        way->kept = exact_capped_add(way->kept, WAY_EVERY * costs.by[from]);
        way->tried = exact_capped_add(way->tried, WAY_EVERY * costs.by[TRYING]);
        if (way->kept > exact_capped_add(way->tried, PATIENCE)) return TRYING;
    }
    return is_gain(way, &costs, from, members) ? other_kept(from) : from;
}

static Kind choose(ClassicEngine *engine, Kind from, uint32_t n)
{
    if (engine->lean) return engine->event >= engine->lean - 1 ? TRYING : from;
    if (engine->dense) return engine->event / engine->dense % 2 ? MATRIX : LISTS;
    return judge(engine, from, n);
}

void way_choose(ClassicEngine *engine, const uint32_t *preset, uint32_t n_pre, uint32_t n)
{
    Kind from = engine->matrix ? MATRIX : LISTS, to = choose(engine, from, n);
    if (to == from) return;
    engine->way.gain = 0;
    if (to == TRYING) {
        trial_begin(engine);
        return;
    }
    if (to == MATRIX)
        to_matrix(engine);
    else
        to_lists(engine);
    if (!engine->schedule.stopped) extension_common(engine, preset, n_pre);
}
