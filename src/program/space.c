#include "program/space.h"

#include "base/bitset.h"
#include "base/compare.h"
#include "base/error.h"
#include "base/hash.h"

#include <assert.h>
#include <string.h>

enum { MAX_STATES = 1000000, MAX_STEPS = 1000000, STATE_WORK = 5 };

static guint frame_hash(gconstpointer key)
{
    const int64_t *frame = key;
    return (guint)hash_words((const uint64_t *)frame, (size_t)frame[0]);
}

static gboolean frame_equal(gconstpointer a, gconstpointer b)
{
    const int64_t *x = a, *y = b;
    return x[0] == y[0] && memcmp(x, y, (size_t)x[0] * sizeof *x) == 0;
}

static uint32_t state_number(Space *space, uint32_t t, const int64_t *frame, bool *grown)
{
    ThreadStates *states = &space->threads[t];
    guint number = GPOINTER_TO_UINT(g_hash_table_lookup(states->numbers, frame));
    if (number) return number - 1;
    int64_t *copy = arena_copy(&space->arena, frame, (size_t)frame[0] * sizeof *frame);
    vec_push(&states->frames, copy);
    g_hash_table_insert(states->numbers, copy, GUINT_TO_POINTER((guint)states->frames.len));
    *grown = true;
    return (uint32_t)states->frames.len - 1;
}

static guint fault_hash(gconstpointer key)
{
    const FaultPlace *f = key;
    return (guint)hash_words((const uint64_t[]){f->thread, f->fault, (uint64_t)(uintptr_t)f->stmt}, 3);
}

static gboolean fault_equal(gconstpointer a, gconstpointer b)
{
    const FaultPlace *x = a, *y = b;
    return x->thread == y->thread && x->fault == y->fault && x->stmt == y->stmt;
}

static uint32_t fault_number(Space *space, uint32_t t, const Rest *rest)
{
    const FaultPlace place = {t, rest->fault, rest->stmt};
    guint number = GPOINTER_TO_UINT(g_hash_table_lookup(space->fault_numbers, &place));
    if (number) return number - 1;
    vec_push(&space->faults, place);
    g_hash_table_insert(space->fault_numbers, arena_copy(&space->arena, &place, sizeof place),
                        GUINT_TO_POINTER((guint)space->faults.len));
    return (uint32_t)space->faults.len - 1;
}

static SpaceTarget target_of(Space *space, uint32_t t, const Rest *rest, bool *grown)
{
    if (rest->fault) return (SpaceTarget){TARGET_FAULT, t, fault_number(space, t, rest)};
    if (!rest->frame) return (SpaceTarget){TARGET_END, t, 0};
    return (SpaceTarget){TARGET_STATE, t, state_number(space, t, rest->frame, grown)};
}

static void add_value(Cell *cell, int64_t value, bool *grown)
{
    size_t i = code_value_number(cell, value);
    if (i < cell->values.len && (int64_t)cell->values.data[i] == value) return;
    vec_push(&cell->values, 0);
    memmove(cell->values.data + i + 1, cell->values.data + i, (cell->values.len - 1 - i) * sizeof *cell->values.data);
    cell->values.data[i] = (uint64_t)value;
    *grown = true;
}

/* Two steps of one state with the same effect are one: any() into a variable nobody reads. */
static char *effect_key(const Space *space, const Edge *edge)
{
    GString *key = g_string_new(NULL);
    g_string_append_printf(key, "%d %u;", (int)edge->to.kind, edge->to.number);
    for (uint32_t i = 0; i < edge->n_touches; i++) {
        const Touch *t = &space->touches.data[edge->touches + i];
        g_string_append_printf(key, "%u %d %" G_GINT64_FORMAT " %" G_GINT64_FORMAT ";", t->cell, t->written, t->first,
                               t->now);
    }
    for (uint32_t i = 0; i < edge->n_spawns; i++) {
        const SpaceTarget *s = &space->spawns.data[edge->spawns + i];
        g_string_append_printf(key, "%d %u %u;", (int)s->kind, s->thread, s->number);
    }
    return g_string_free(key, FALSE);
}

COMPARE_BY(by_cell, Touch, cell)

/* What a step adds to states and values. */
static SpaceTarget absorb(Space *space, uint32_t t, const Step *step, bool *grown)
{
    for (size_t i = 0; i < step->touches.len; i++)
        if (step->touches.data[i].written)
            add_value(&space->machine.code->cells.data[step->touches.data[i].cell], step->touches.data[i].now, grown);
    for (size_t i = 0; i < step->spawns.len; i++)
        target_of(space, step->spawns.data[i].thread, &step->spawns.data[i].rest, grown);
    return target_of(space, t, &step->rest, grown);
}

static void add_edge(Space *space, uint32_t t, uint32_t from, Step *step, GHashTable *seen)
{
    bool grown = false;
    Edge edge = {.from = from, .stmt = step->stmt};
    edge.to = absorb(space, t, step, &grown);
    edge.touches = (uint32_t)space->touches.len;
    edge.n_touches = (uint32_t)step->touches.len;
    if (step->touches.len) qsort(step->touches.data, step->touches.len, sizeof(Touch), by_cell);
    vec_append(&space->touches, step->touches.data, step->touches.len);
    edge.spawns = (uint32_t)space->spawns.len;
    edge.n_spawns = (uint32_t)step->spawns.len;
    for (size_t i = 0; i < step->spawns.len; i++)
        vec_push(&space->spawns, target_of(space, step->spawns.data[i].thread, &step->spawns.data[i].rest, &grown));
    assert(!grown);
    char *key = effect_key(space, &edge);
    if (!g_hash_table_add(seen, key)) {
        space->touches.len = edge.touches;
        space->spawns.len = edge.spawns;
        return;
    }
    edge.detail = g_strndup(step->detail->str, step->detail->len);
    vec_push(&space->edges, edge);
}

/* Before edges with the same effect are merged: a read of a variable and an atomic one may be such. */
static void add_access(Space *space, uint32_t t, uint32_t from, const Step *step)
{
    if (step->accessed == NO_ACCESS || space->machine.code->cells.data[step->accessed].atomic) return;
    Access access = {step->accessed, t, from, step->writes, step->stmt};
    const Access *last = space->accesses.len ? &vec_last(&space->accesses) : NULL;
    bool again = last && last->thread == t && last->state == from && last->cell == access.cell &&
                 last->writes == access.writes && last->stmt == access.stmt;
    /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): where cap > 0 there are data */
    if (!again) vec_push(&space->accesses, access);
}

static void clear_edges(Space *space)
{
    for (size_t i = 0; i < space->edges.len; i++) g_free(space->edges.data[i].detail);
    vec_clear(&space->edges);
    vec_clear(&space->touches);
    vec_clear(&space->spawns);
}

static bool within_limits(const Space *space, uint32_t t, GError **error)
{
    const Thread *thread = &space->machine.code->threads.data[t];
    const Decl *decl = space->machine.code->groups.data[thread->group].decl;
    const char *what = space->threads[t].frames.len > MAX_STATES ? "states"
                       : space->work > space->max_work           ? "steps"
                                                                 : NULL;
    if (what)
        error_at(error, ERROR_LIMIT, space->machine.code->ast->file, decl->at.line, decl->at.column,
                 "thread %s has too many %s; do its variables have small domains?", thread->name, what);
    return !what;
}

static size_t count_values(const Code *code, const uint32_t *cells, size_t n)
{
    size_t sum = 0;
    for (size_t i = 0; i < n; i++) sum += code->cells.data[cells[i]].values.len;
    return sum;
}

static bool is_current(const Space *space, uint32_t t, uint32_t state)
{
    const ThreadStates *states = &space->threads[t];
    if (state >= states->bases.len) return false;
    const Basis *basis = &states->bases.data[state];
    return count_values(space->machine.code, basis->cells, basis->n_cells) == basis->n_values;
}

/* Runs the steps of a state for the states and values they add; its basis is from before they were added. */
static bool expand_state(Space *space, uint32_t t, uint32_t state, bool *grown, GError **error)
{
    ThreadStates *states = &space->threads[t];
    Machine *machine = &space->machine;
    Steps steps = {0};
    bool ok = program_machine_step(machine, t, states->frames.data[state], &steps, error);
    size_t n = 0;
    if (machine->looked.len) qsort(machine->looked.data, machine->looked.len, sizeof(uint32_t), compare_u32);
    for (size_t i = 0; i < machine->looked.len; i++)
        if (!n || machine->looked.data[n - 1] != machine->looked.data[i])
            machine->looked.data[n++] = machine->looked.data[i];
    Basis basis = {.n_cells = (uint32_t)n, .n_values = count_values(machine->code, machine->looked.data, n)};
    if (state < states->bases.len && states->bases.data[state].n_cells == n) {
        basis.cells = states->bases.data[state].cells;
        memcpy(basis.cells, machine->looked.data, n * sizeof *basis.cells);
    } else if (n) {
        basis.cells = arena_copy(&space->arena, machine->looked.data, n * sizeof *basis.cells);
    }
    if (state < states->bases.len)
        states->bases.data[state] = basis;
    else
        vec_push(&states->bases, basis);
    space->work += steps.list.len + 1;
    for (size_t i = 0; ok && i < steps.list.len; i++) absorb(space, t, &steps.list.data[i], grown);
    program_machine_steps_free(&steps);
    return ok && within_limits(space, t, error);
}

/* One round over all states, those found on the way included. */
static bool expand_all(Space *space, bool *grown, GError **error)
{
    *grown = false;
    for (uint32_t t = 0; t < space->machine.code->threads.len; t++)
        for (uint32_t s = 0; s < space->threads[t].frames.len; s++)
            if (ast_spent(space->machine.code->ast, STATE_WORK, error) ||
                (!is_current(space, t, s) && !expand_state(space, t, s, grown, error)))
                return false;
    return true;
}

/* Once nothing grows any more: the steps themselves. */
static bool collect_edges(Space *space, GError **error)
{
    for (uint32_t t = 0; t < space->machine.code->threads.len; t++)
        for (uint32_t s = 0; s < space->threads[t].frames.len; s++) {
            Steps steps = {0};
            bool ok = program_machine_step(&space->machine, t, space->threads[t].frames.data[s], &steps, error);
            g_autoptr(GHashTable) seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
            for (size_t i = 0; ok && i < steps.list.len; i++) {
                add_access(space, t, s, &steps.list.data[i]);
                add_edge(space, t, s, &steps.list.data[i], seen);
            }
            space->work += steps.list.len;
            program_machine_steps_free(&steps);
            if (!ok || !within_limits(space, t, error)) return false;
        }
    return true;
}

static bool start_threads(Space *space, GError **error)
{
    Code *code = space->machine.code;
    bool grown = false;
    for (uint32_t t = 0; t < code->threads.len; t++) {
        ThreadStates *states = &space->threads[t];
        states->numbers = g_hash_table_new(frame_hash, frame_equal);
        states->starts = !code->groups.data[code->threads.data[t].group].created;
        if (!states->starts) continue;
        Rest rest = {0};
        if (!program_machine_start(&space->machine, t, NULL, &rest, error)) return false;
        states->first = target_of(space, t, &rest, &grown);
        g_free(rest.frame);
        if (states->first.kind != TARGET_END) continue;
        Cell *done = &code->cells.data[code->threads.data[t].done];
        done->initial = 1;
        add_value(done, 1, &grown);
    }
    return true;
}

static bool check_unlocks(const Space *space, GError **error)
{
    for (size_t i = 0; i < space->faults.len; i++) {
        const FaultPlace *f = &space->faults.data[i];
        if (f->fault != FAULT_UNLOCK || g_hash_table_contains(space->machine.good_unlocks, f->stmt)) continue;
        error_at(error, ERROR_INPUT, space->machine.code->ast->file, f->stmt->at.line, f->stmt->at.column,
                 "thread %s never holds this mutex here", space->machine.code->threads.data[f->thread].name);
        return false;
    }
    return true;
}

Space *space_compute(Code *code, size_t max_work, GError **error)
{
    g_autoptr(Space) space = g_new0(Space, 1);
    uint32_t mutexes = 0;
    for (uint32_t i = 0; i < code->cells.len; i++)
        if (code->cells.data[i].kind == CELL_MUTEX) mutexes = i + 1;
    space->machine = (Machine){.code = code,
                               .held_words = (uint32_t)bitset_words(mutexes),
                               .good_unlocks = g_hash_table_new(NULL, NULL),
                               .max_steps = MAX_STEPS,
                               .survey = true};
    space->fault_numbers = g_hash_table_new(fault_hash, fault_equal);
    space->max_work = max_work;
    space->threads = g_new0(ThreadStates, code->threads.len);
    if (!start_threads(space, error)) return NULL;
    bool grown = true;
    while (grown)
        if (!expand_all(space, &grown, error)) return NULL;
    space->work = 0;
    space->machine.survey = false;
    if (!collect_edges(space, error) || !check_unlocks(space, error)) return NULL;
    return g_steal_pointer(&space);
}

void space_free(Space *space)
{
    if (!space) return;
    clear_edges(space);
    vec_free(&space->edges);
    vec_free(&space->touches);
    vec_free(&space->spawns);
    vec_free(&space->accesses);
    vec_free(&space->faults);
    for (size_t t = 0; space->threads && t < space->machine.code->threads.len; t++) {
        vec_free(&space->threads[t].frames);
        vec_free(&space->threads[t].bases);
        if (space->threads[t].numbers) g_hash_table_unref(space->threads[t].numbers);
    }
    g_free(space->threads);
    g_hash_table_unref(space->machine.good_unlocks);
    g_hash_table_unref(space->fault_numbers);
    vec_free(&space->machine.looked);
    arena_free(&space->arena);
    g_free(space);
}
