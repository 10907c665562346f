#include "program/compile.h"

#include "base/bitset.h"
#include "net/builder.h"
#include "program/parser.h"
#include "program/race.h"
#include "program/space.h"

#include <assert.h>
#include <string.h>

#define NO_PLACE UINT32_MAX

enum { NODE_WORK = 100 };

typedef struct Emitter {
    const Code *code;
    const Space *space;
    NetBuilder *builder;
    GHashTable *ids;        /* of places in use, each owned; value = the number to try next behind it */
    uint32_t *first_value;  /* per cell: where its places start in value_place */
    VecU32 value_place;     /* per cell and value */
    uint32_t **state_place; /* per thread and state */
    uint32_t *fault_place;  /* per fault */
    VecU32 *thread_faults;  /* per thread: places of its faults */
    GPtrArray *place_ids;   /* by index, borrowed from ids */
    VEC(uint8_t) kinds;     /* by index */
} Emitter;

/* The id itself, or with the least number that is free. Numbers once taken stay so. */
static char *unique_id(Emitter *e, const char *id)
{
    void *key, *value;
    if (!g_hash_table_lookup_extended(e->ids, id, &key, &value)) return g_strdup(id);
    guint n = GPOINTER_TO_UINT(value);
    char *unique;
    while (g_hash_table_contains(e->ids, unique = g_strdup_printf("%s_%u", id, n++))) g_free(unique);
    g_hash_table_insert(e->ids, g_strdup(id), GUINT_TO_POINTER(n));
    return unique;
}

static uint32_t add_place(Emitter *e, PlaceKind kind, const char *id, const char *label, uint64_t tokens)
{
    char *unique = unique_id(e, id);
    uint32_t place = net_builder_place(e->builder, unique, label, tokens);
    g_hash_table_insert(e->ids, unique, GUINT_TO_POINTER(2));
    g_ptr_array_add(e->place_ids, unique);
    vec_push(&e->kinds, (uint8_t)kind);
    assert(e->place_ids->len == place + 1);
    return place;
}

static void add_cell_place(Emitter *e, const Cell *cell, int64_t value)
{
    g_autofree char *id = NULL, *label = NULL;
    switch (cell->kind) {
    case CELL_VAR:
        id = g_strdup_printf(value < 0 ? "%s_m%" G_GINT64_FORMAT : "%s_%" G_GINT64_FORMAT, cell->id, ABS(value));
        label = g_strdup_printf("%s = %" G_GINT64_FORMAT, cell->name, value);
        break;
    case CELL_MUTEX:
        id = g_strdup_printf("%s_%s", cell->id, value ? "free" : "held");
        label = g_strdup_printf("%s %s", cell->name, value ? "free" : "held");
        break;
    default:
        id = g_strdup_printf("%s%s", value ? "" : "not_", cell->id);
        label = g_strdup_printf("%s%s", value ? "" : "not: ", cell->name);
        break;
    }
    PlaceKind kind = cell->kind == CELL_VAR     ? PLACE_VALUE
                     : cell->kind == CELL_MUTEX ? PLACE_MUTEX
                     : cell->kind == CELL_DONE  ? PLACE_ENDED
                                                : PLACE_OTHER;
    vec_push(&e->value_place, add_place(e, kind, id, label, value == cell->initial));
}

static void add_cells(Emitter *e)
{
    e->first_value = g_new0(uint32_t, e->code->cells.len);
    for (size_t c = 0; c < e->code->cells.len; c++) {
        const Cell *cell = &e->code->cells.data[c];
        e->first_value[c] = (uint32_t)e->value_place.len;
        /* binary cells get their places whether or not the value can occur: `final` names them */
        if (cell->kind != CELL_VAR) {
            for (int64_t v = 0; v < 2; v++) {
                if (cell->needed[v])
                    add_cell_place(e, cell, v);
                else
                    vec_push(&e->value_place, NO_PLACE);
            }
            continue;
        }
        for (size_t i = 0; i < cell->values.len; i++) add_cell_place(e, cell, (int64_t)cell->values.data[i]);
    }
}

static uint32_t cell_place(const Emitter *e, uint32_t c, int64_t value)
{
    const Cell *cell = &e->code->cells.data[c];
    size_t i = cell->kind == CELL_VAR ? code_value_number(cell, value) : (size_t)value;
    return e->value_place.data[e->first_value[c] + i];
}

/* "t[1] before line 12: lock(b), i = 2, holds a" */
static char *state_label(const Emitter *e, uint32_t t, const int64_t *frame)
{
    const Thread *thread = &e->code->threads.data[t];
    const Instr *instr = &thread->code.data[program_machine_pc(frame)];
    const Stmt *stmt = instr->stmt;
    GString *text = g_string_new(NULL);
    g_string_append_printf(text, "%s %s line %d: %s", thread->name, instr->op == I_WAKE ? "inside" : "before",
                           stmt->at.line, stmt->text);
    const uint64_t *live = thread->live + (size_t)program_machine_pc(frame) * thread->live_words;
    for (uint32_t i = 0; i < thread->slots.len; i++)
        if (bitset_get(live, i))
            g_string_append_printf(text, ", %s = %" G_GINT64_FORMAT, thread->slots.data[i].name,
                                   program_machine_slot(&e->space->machine, t, frame, i));
    bool first = true;
    const uint64_t *held = program_machine_held(&e->space->machine, t, frame);
    for (BITSET_EACH(c, held, e->space->machine.held_words)) {
        g_string_append_printf(text, "%s%s", first ? ", holds " : " ", e->code->cells.data[c].name);
        first = false;
    }
    return g_string_free(text, FALSE);
}

static bool add_states(Emitter *e, uint32_t t, GError **error)
{
    const Thread *thread = &e->code->threads.data[t];
    const ThreadStates *states = &e->space->threads[t];
    e->state_place[t] = g_new(uint32_t, states->frames.len + 1);
    for (uint32_t s = 0; s < states->frames.len; s++) {
        if (ast_spent(e->code->ast, NODE_WORK, error)) return false;
        const int64_t *frame = states->frames.data[s];
        uint32_t pc = program_machine_pc(frame);
        const Instr *instr = &thread->code.data[pc];
        g_autofree char *id = thread->label.data[pc] ? g_strdup_printf("%s_%s", thread->id, thread->label.data[pc])
                                                     : g_strdup_printf("%s_L%d", thread->id, instr->stmt->at.line);
        g_autofree char *label = state_label(e, t, frame);
        bool first = states->starts && states->first.kind == TARGET_STATE && states->first.number == s;
        e->state_place[t][s] = add_place(e, PLACE_STATE, id, label, first);
    }
    return true;
}

static const char *fault_text(Fault fault)
{
    static const char *const texts[] = {"",
                                        "assertion fails",
                                        "value outside its domain",
                                        "no element with this index",
                                        "division by zero or overflow",
                                        "the thread does not hold this mutex",
                                        "nothing to choose from"};
    return texts[fault];
}

static const char *fault_word(Fault fault)
{
    static const char *const words[] = {"", "assert", "range", "index", "arithmetic", "unlock", "any"};
    return words[fault];
}

static void add_faults(Emitter *e)
{
    e->fault_place = g_new(uint32_t, e->space->faults.len + 1);
    for (uint32_t i = 0; i < e->space->faults.len; i++) {
        const FaultPlace *f = &e->space->faults.data[i];
        const Thread *thread = &e->code->threads.data[f->thread];
        const SpaceTarget *first = &e->space->threads[f->thread].first;
        g_autofree char *id =
            g_strdup_printf(COMPILE_ERROR_PREFIX "%s_L%d_%s", fault_word(f->fault), f->stmt->at.line, thread->id);
        g_autofree char *label =
            g_strdup_printf("%s: line %d: %s: %s", thread->name, f->stmt->at.line, fault_text(f->fault), f->stmt->text);
        bool at_once = e->space->threads[f->thread].starts && first->kind == TARGET_FAULT && first->number == i;
        e->fault_place[i] = add_place(e, PLACE_ERROR, id, label, at_once);
        vec_push(&e->thread_faults[f->thread], e->fault_place[i]);
    }
}

/* NO_PLACE for an end: the thread's `done` cell stands for it. */
static uint32_t target_place(const Emitter *e, const SpaceTarget *target)
{
    if (target->kind == TARGET_END) return NO_PLACE;
    return target->kind == TARGET_STATE ? e->state_place[target->thread][target->number]
                                        : e->fault_place[target->number];
}

static void arc(Emitter *e, ArcKind kind, uint32_t place, uint32_t transition)
{
    if (place != NO_PLACE) net_builder_arc(e->builder, kind, place, transition, 1);
}

static void add_touch(Emitter *e, const Touch *touch, uint32_t transition)
{
    uint32_t first = cell_place(e, touch->cell, touch->first);
    if (!touch->written) {
        arc(e, ARC_READ, first, transition);
        return;
    }
    arc(e, ARC_PRE, first, transition);
    arc(e, ARC_POST, cell_place(e, touch->cell, touch->now), transition);
}

static void add_edge(Emitter *e, const Edge *edge, uint32_t number)
{
    const Thread *thread = &e->code->threads.data[edge->to.thread];
    const Stmt *stmt = edge->stmt;
    g_autofree char *id = g_strdup_printf("%s_L%d_t%u", thread->id, stmt->at.line, number);
    g_autofree char *label = g_strdup_printf("%s: line %d: %s%s%s%s", thread->name, stmt->at.line, stmt->text,
                                             *edge->detail ? " [" : "", edge->detail, *edge->detail ? "]" : "");
    g_autofree char *note = g_strdup_printf("%s:%d:%d", e->code->ast->file, stmt->at.line, stmt->at.column);
    uint32_t transition = net_builder_transition(e->builder, id, label);
    net_builder_set_note(e->builder, transition, note);
    arc(e, ARC_PRE, e->state_place[edge->to.thread][edge->from], transition);
    arc(e, ARC_POST, target_place(e, &edge->to), transition);
    for (uint32_t i = 0; i < edge->n_touches; i++) add_touch(e, &e->space->touches.data[edge->touches + i], transition);
    for (uint32_t i = 0; i < edge->n_spawns; i++)
        arc(e, ARC_POST, target_place(e, &e->space->spawns.data[edge->spawns + i]), transition);
}

/* Nobody is left who might want to go on. */
static void set_final(Emitter *e)
{
    g_autoptr(GString) text = g_string_new(e->code->threads.len ? NULL : "true");
    for (size_t t = 0; t < e->code->threads.len; t++) {
        const Thread *thread = &e->code->threads.data[t];
        uint32_t idle = cell_place(e, thread->idle, 1), done = cell_place(e, thread->done, 1);
        g_string_append_printf(text, "%s%s", text->len ? " && " : "", (char *)e->place_ids->pdata[done]);
        if (idle != NO_PLACE) g_string_append_printf(text, " + %s", (char *)e->place_ids->pdata[idle]);
        for (size_t i = 0; i < e->thread_faults[t].len; i++)
            g_string_append_printf(text, " + %s", (char *)e->place_ids->pdata[e->thread_faults[t].data[i]]);
        g_string_append(text, " >= 1");
    }
    net_builder_set_final(e->builder, text->str);
}

typedef VEC(NetUnit) Units;

/* A unit holds places of which exactly one is marked; empty lists make none. */
static void add_unit(Units *units, const char *id, const VecU32 *places)
{
    if (!places->len) return;
    NetUnit unit = {.id = g_strdup_printf("unit_%u_%s", (unsigned)units->len, id), .n_places = (uint32_t)places->len};
    unit.places = g_memdup2(places->data, places->len * sizeof *places->data);
    vec_push(units, unit);
}

/* Threads and cells are units: a thread is in one state, a cell has one value. */
static void set_units(Emitter *e)
{
    Units units = {0};
    VecU32 places = {0};
    for (uint32_t c = 0; c < e->code->cells.len; c++) {
        const Cell *cell = &e->code->cells.data[c];
        if (cell->kind == CELL_IDLE || cell->kind == CELL_DONE) continue; /* of the thread's unit */
        vec_clear(&places);
        size_t n = cell->kind == CELL_VAR ? cell->values.len : 2;
        for (size_t i = 0; i < n; i++)
            if (e->value_place.data[e->first_value[c] + i] != NO_PLACE)
                vec_push(&places, e->value_place.data[e->first_value[c] + i]);
        add_unit(&units, cell->id, &places);
    }
    for (uint32_t t = 0; t < e->code->threads.len; t++) {
        const Thread *thread = &e->code->threads.data[t];
        vec_clear(&places);
        uint32_t idle = cell_place(e, thread->idle, 1);
        if (idle != NO_PLACE) vec_push(&places, idle);
        vec_push(&places, cell_place(e, thread->done, 1));
        vec_append(&places, e->state_place[t], e->space->threads[t].frames.len);
        vec_append(&places, e->thread_faults[t].data, e->thread_faults[t].len);
        add_unit(&units, thread->id, &places);
    }
    vec_free(&places);
    NetUnit root = {.id = g_strdup("units"), .n_subunits = (uint32_t)units.len};
    root.subunits = g_new(uint32_t, units.len + 1);
    for (uint32_t i = 0; i < units.len; i++) root.subunits[i] = i;
    vec_push(&units, root);
    NetNupn *nupn = g_new0(NetNupn, 1);
    *nupn =
        (NetNupn){.units = units.data, .n_units = (uint32_t)units.len, .root = (uint32_t)units.len - 1, .safe = true};
    net_builder_set_nupn(e->builder, nupn);
}

static char *errors_text(const Emitter *e)
{
    if (!e->space->faults.len) return NULL;
    GString *text = g_string_new(NULL);
    for (size_t i = 0; i < e->space->faults.len; i++)
        g_string_append_printf(text, "%s%s", i ? " + " : "", (char *)e->place_ids->pdata[e->fault_place[i]]);
    g_string_append(text, " >= 1");
    return g_string_free(text, FALSE);
}

static bool add_nodes(Emitter *e, GError **error)
{
    add_cells(e);
    for (uint32_t t = 0; t < e->code->threads.len; t++)
        if (!add_states(e, t, error)) return false;
    add_faults(e);
    for (uint32_t i = 0; i < e->space->edges.len; i++) {
        if (ast_spent(e->code->ast, NODE_WORK, error)) return false;
        add_edge(e, &e->space->edges.data[i], i);
    }
    set_final(e);
    set_units(e);
    return true;
}

static Compiled *finish(Emitter *e, GError **error)
{
    g_autoptr(Compiled) compiled = g_new0(Compiled, 1);
    compiled->is_program = true;
    compiled->errors = errors_text(e);
    compiled->race_sites = program_race_sites_new();
    compiled->races = program_race_expression(e->space, e->state_place, (const char *const *)e->place_ids->pdata,
                                              compiled->race_sites);
    compiled->net = net_builder_finish(e->builder, error);
    compiled->place_kind = g_steal_pointer(&e->kinds.data);
    return compiled->net ? g_steal_pointer(&compiled) : NULL;
}

static Compiled *emit_net(const Code *code, const Space *space, const char *name, GError **error)
{
    Emitter e = {.code = code, .space = space, .builder = net_builder_new(name)};
    e.ids = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    e.place_ids = g_ptr_array_new();
    e.state_place = g_new0(uint32_t *, code->threads.len);
    e.thread_faults = g_new0(VecU32, code->threads.len);
    Compiled *compiled = add_nodes(&e, error) ? finish(&e, error) : NULL;
    net_builder_free(e.builder);
    for (uint32_t t = 0; t < code->threads.len; t++) {
        g_free(e.state_place[t]);
        vec_free(&e.thread_faults[t]);
    }
    g_free(e.state_place);
    g_free(e.thread_faults);
    g_free(e.fault_place);
    g_free(e.first_value);
    vec_free(&e.value_place);
    vec_free(&e.kinds);
    g_ptr_array_unref(e.place_ids);
    g_hash_table_unref(e.ids);
    return compiled;
}

Compiled *compile_program(const char *text, size_t len, const char *file, char **defines, GError **error)
{
    return compile_limited(text, len, file, defines, SPACE_MAX_WORK, NULL, error);
}

Compiled *compile_limited(const char *text, size_t len, const char *file, char **defines, size_t max_work,
                          Budget *budget, GError **error)
{
    g_autoptr(Ast) ast = parser_read(text, len, file, budget, error);
    if (!ast) return NULL;
    g_autoptr(Code) code = code_generate(ast, defines, error);
    if (!code) return NULL;
    g_autoptr(Space) space = space_compute(code, max_work, error);
    if (!space) return NULL;
    g_autofree char *base = g_path_get_basename(file);
    if (g_str_has_suffix(base, ".mzk")) base[strlen(base) - 4] = 0;
    return emit_net(code, space, base, error);
}

void compile_free(Compiled *compiled)
{
    if (!compiled) return;
    net_free(compiled->net);
    g_free(compiled->place_kind);
    g_free(compiled->errors);
    g_free(compiled->races);
    if (compiled->race_sites) g_hash_table_unref(compiled->race_sites);
    g_free(compiled);
}
