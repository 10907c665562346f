#include "program/code.h"

#include "base/bisect.h"
#include "base/error.h"
#include "program/body.h"
#include "program/live.h"
#include "program/names.h"

#include <string.h>

enum { MAX_CELLS = 100000, MAX_THREADS = 10000, MAX_DOMAIN = 65536 };

static bool too_many(Names *names, Position at, size_t n, size_t limit, const char *what)
{
    if (n <= limit) return false;
    program_names_fail(names, at, "there are more than %" G_GSIZE_FORMAT " %s", limit, what);
    return true;
}

static uint32_t add_cell(Code *code, Cell cell)
{
    vec_push(&cell.values, (uint64_t)cell.initial);
    vec_push(&code->cells, cell);
    return (uint32_t)code->cells.len - 1;
}

static char *draft_element_name(const char *name, bool is_array, size_t i, const char *open, const char *close)
{
    if (!is_array) return g_strdup(name);
    return g_strdup_printf("%s%s%" G_GSIZE_FORMAT "%s", name, open, i, close);
}

/* The number of elements; 1 and no size for a scalar. */
static size_t array_size(Names *names, Symbol *symbol)
{
    const Decl *d = symbol->decl;
    if (!d->size) return 1;
    int64_t size = program_names_constant(names, d->size, "an array's size");
    if (size < 1 && !names->failed) program_names_fail(names, d->size->at, "an array needs at least one element");
    if (names->failed || too_many(names, d->at, (size_t)size, MAX_CELLS, "elements")) return 0;
    symbol->size = (uint32_t)size;
    return (size_t)size;
}

static int64_t initial_value(Names *names, const Symbol *symbol, size_t i)
{
    const Decl *d = symbol->decl;
    const Expr *e = d->value;
    if (!e) return symbol->low <= 0 && symbol->high >= 0 ? 0 : symbol->low;
    for (size_t k = 0; d->is_list && k < i && e; k++) e = e->next;
    if (!e) {
        program_names_fail(names, d->at, "'%s' has more elements than initial values", d->name);
        return 0;
    }
    int64_t value = program_names_constant(names, e, "an initial value");
    if (!names->failed && (value < symbol->low || value > symbol->high))
        program_names_fail(names, e->at,
                           "the initial value %" G_GINT64_FORMAT " is outside the domain %" G_GINT64_FORMAT
                           "..%" G_GINT64_FORMAT " of '%s'",
                           value, symbol->low, symbol->high, d->name);
    return value;
}

static void declare_var(Code *code, Names *names, const Decl *d)
{
    Symbol *symbol = program_names_declare(names, d);
    if (!symbol) return;
    program_names_domain(names, d->domain, d->at, &symbol->low, &symbol->high);
    if (!names->failed && symbol->high - symbol->low >= MAX_DOMAIN)
        program_names_fail(names, d->at, "the domain of the shared variable '%s' has more than %d values", d->name,
                           MAX_DOMAIN);
    if (d->is_list && !d->size)
        program_names_fail(names, d->at, "'%s' is not an array, but has a list of initial values", d->name);
    size_t n = array_size(names, symbol);
    symbol->first = (uint32_t)code->cells.len;
    for (size_t i = 0; i < n && !names->failed && !too_many(names, d->at, code->cells.len, MAX_CELLS, "cells"); i++)
        add_cell(code, (Cell){.kind = CELL_VAR,
                              .atomic = d->atomic,
                              .name = draft_element_name(d->name, d->size, i, "[", "]"),
                              .id = draft_element_name(d->name, d->size, i, "_", ""),
                              .low = symbol->low,
                              .high = symbol->high,
                              .initial = initial_value(names, symbol, i)});
    size_t listed = 0;
    for (const Expr *e = d->is_list ? d->value : NULL; e; e = e->next) listed++;
    if (listed > n) program_names_fail(names, d->at, "'%s' has fewer elements than initial values", d->name);
}

static void declare_mutex(Code *code, Names *names, const Decl *d)
{
    Symbol *symbol = program_names_declare(names, d);
    if (!symbol) return;
    size_t n = array_size(names, symbol);
    symbol->first = (uint32_t)code->cells.len;
    for (size_t i = 0; i < n && !too_many(names, d->at, code->cells.len, MAX_CELLS, "cells"); i++)
        add_cell(code, (Cell){.kind = CELL_MUTEX,
                              .name = draft_element_name(d->name, d->size, i, "[", "]"),
                              .id = draft_element_name(d->name, d->size, i, "_", ""),
                              .high = 1,
                              .initial = 1,
                              .needed = {false, true}});
}

static void declare_cond(Code *code, Names *names, const Decl *d)
{
    Symbol *symbol = program_names_declare(names, d);
    if (!symbol) return;
    size_t n = array_size(names, symbol);
    symbol->first = (uint32_t)code->conditions.len;
    for (size_t i = 0; i < n && !too_many(names, d->at, code->conditions.len, MAX_CELLS, "condition variables"); i++)
        vec_push(&code->conditions, ((CodeCondition){.name = draft_element_name(d->name, d->size, i, "[", "]"),
                                                     .id = draft_element_name(d->name, d->size, i, "_", "")}));
}

static void declare_constant(Code *code, Names *names, const Decl *d, char **defines)
{
    int64_t value =
        program_names_constant(names, d->value, d->kind == DECL_PARAM ? "a parameter's default" : "a constant's value");
    size_t n = strlen(d->name);
    for (char **define = defines; d->kind == DECL_PARAM && define && *define; define++) {
        if (strncmp(*define, d->name, n) != 0 || (*define)[n] != '=') continue;
        if (!g_ascii_string_to_signed(*define + n + 1, 10, INT32_MIN, INT32_MAX, &value, NULL) && !names->failed) {
            g_set_error(names->error, MAZURKA_ERROR, ERROR_USAGE, "-D %s: an integer is expected after '='", *define);
            names->failed = true;
        }
    }
    Symbol *symbol = program_names_declare(names, d);
    if (symbol) symbol->value = value;
    if (d->kind == DECL_PARAM) vec_push(&code->parameters, value);
}

static void check_defines(Names *names, char **defines)
{
    for (; defines && *defines && !names->failed; defines++) {
        const char *equals = strchr(*defines, '=');
        g_autofree char *name = equals ? g_strndup(*defines, (size_t)(equals - *defines)) : g_strdup(*defines);
        const Symbol *symbol = program_names_symbol(names, name);
        if (equals && symbol && symbol->decl->kind == DECL_PARAM) continue;
        g_autoptr(GString) known = g_string_new(NULL);
        for (const Decl *d = names->ast->decls; d; d = d->next)
            if (d->kind == DECL_PARAM) g_string_append_printf(known, "%s%s", known->len ? ", " : "", d->name);
        if (!equals)
            g_set_error(names->error, MAZURKA_ERROR, ERROR_USAGE, "-D %s: NAME=VALUE is expected", *defines);
        else
            g_set_error(names->error, MAZURKA_ERROR, ERROR_USAGE, "-D %s: %s has no parameter '%s'; %s%s", *defines,
                        names->ast->file, name, known->len ? "it has " : "it has none", known->str);
        names->failed = true;
    }
}

/* "[1,2]" or "_1_2"; negative numbers get an m in ids. */
static char *instance_name(const ThreadGroup *group, const int64_t *index, bool as_id)
{
    GString *name = g_string_new(group->decl->name);
    for (uint32_t k = 0; k < group->n_indices; k++) {
        g_string_append(name, as_id ? (index[k] < 0 ? "_m" : "_") : k ? "," : "[");
        g_string_append_printf(name, "%" G_GINT64_FORMAT, as_id ? ABS(index[k]) : index[k]);
    }
    if (group->n_indices && !as_id) g_string_append_c(name, ']');
    return g_string_free(name, FALSE);
}

static void declare_thread(Code *code, Names *names, const Decl *d)
{
    Symbol *symbol = program_names_declare(names, d);
    if (!symbol) return;
    symbol->first = (uint32_t)code->groups.len;
    ThreadGroup group = {.decl = d, .first = (uint32_t)code->threads.len, .n = 1};
    for (const Binder *b = d->replication; b; b = b->next) group.n_indices++;
    for (const Binder *b = d->parameters; b; b = b->next) group.n_parameters++;
    group.low = g_new0(int64_t, group.n_indices);
    group.high = g_new0(int64_t, group.n_indices);
    uint32_t k = 0;
    for (const Binder *b = d->replication; b; b = b->next, k++) {
        group.low[k] = program_names_constant(names, b->domain.low, "a replication's bound");
        group.high[k] = program_names_constant(names, b->domain.high, "a replication's bound");
        uint64_t n = group.high[k] >= group.low[k] ? (uint64_t)group.high[k] - (uint64_t)group.low[k] : 0;
        if (n >= MAX_THREADS) program_names_fail(names, b->at, "there are more than %d threads", MAX_THREADS);
        n += group.high[k] >= group.low[k];
        group.n = names->failed ? 0 : group.n * (uint32_t)n;
        if (group.n > MAX_THREADS) program_names_fail(names, b->at, "there are more than %d threads", MAX_THREADS);
    }
    g_autofree int64_t *index = g_memdup2(group.low, group.n_indices * sizeof *index);
    for (uint32_t i = 0; i < group.n && !names->failed; i++) {
        vec_push(&code->threads, ((Thread){.name = instance_name(&group, index, false),
                                           .id = instance_name(&group, index, true),
                                           .group = symbol->first}));
        for (k = group.n_indices; k-- > 0 && ++index[k] > group.high[k];) index[k] = group.low[k];
    }
    vec_push(&code->groups, group);
    too_many(names, d->at, code->threads.len, MAX_THREADS, "threads");
}

static void declare_all(Code *code, Names *names, char **defines)
{
    for (const Decl *d = names->ast->decls; d && !names->failed; d = d->next) switch (d->kind) {
        case DECL_PARAM:
        case DECL_CONST: declare_constant(code, names, d, defines); break;
        case DECL_VAR: declare_var(code, names, d); break;
        case DECL_MUTEX: declare_mutex(code, names, d); break;
        case DECL_COND: declare_cond(code, names, d); break;
        case DECL_THREAD: declare_thread(code, names, d); break;
        }
    check_defines(names, defines);
    if (!names->failed && !code->groups.len)
        /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): the parser refuses a program without declarations */
        program_names_fail(names, names->ast->decls->at, "the program has no threads");
}

/* Idle and done cells, once it is known which groups are created and joined. */
static void add_thread_cells(Code *code)
{
    for (size_t t = 0; t < code->threads.len; t++) {
        Thread *thread = &code->threads.data[t];
        bool created = code->groups.data[thread->group].created;
        thread->idle = add_cell(code, (Cell){.kind = CELL_IDLE,
                                             .name = g_strdup_printf("%s idle", thread->name),
                                             .id = g_strdup_printf("%s_idle", thread->id),
                                             .high = 1,
                                             .initial = created,
                                             .needed = {false, created || code->groups.data[thread->group].joined}});
        thread->done = add_cell(code, (Cell){.kind = CELL_DONE,
                                             .name = g_strdup_printf("%s ended", thread->name),
                                             .id = g_strdup_printf("%s_end", thread->id),
                                             .high = 1,
                                             .needed = {false, true}});
    }
}

static void add_condition_cells(Code *code, uint32_t condition, uint32_t t)
{
    CodeCondition *c = &code->conditions.data[condition];
    for (size_t i = 0; i < c->thread.len; i++)
        if (c->thread.data[i] == t) return;
    const Thread *thread = &code->threads.data[t];
    vec_push(&c->thread, t);
    for (int woken = 0; woken < 2; woken++) {
        uint32_t cell = add_cell(
            code, (Cell){.kind = woken ? CELL_WOKEN : CELL_WAITING,
                         .name = g_strdup_printf("%s %s %s", thread->name, woken ? "woken from" : "waits on", c->name),
                         .id = g_strdup_printf("%s_%s_%s", thread->id, woken ? "woken" : "waits", c->id),
                         .high = 1});
        vec_push(woken ? &c->woken : &c->waiting, cell);
    }
}

static void add_waiters(Code *code)
{
    for (uint32_t t = 0; t < code->threads.len; t++) {
        const Thread *thread = &code->threads.data[t];
        for (size_t i = 0; i < thread->code.len; i++) {
            const Instr *instr = &thread->code.data[i];
            if (instr->op != I_WAIT) continue;
            for (uint32_t k = 0; k < MAX(instr->size, 1); k++) add_condition_cells(code, instr->cell + k, t);
        }
    }
}

size_t code_value_number(const Cell *cell, int64_t value)
{
    size_t i;
    BISECT(i, 0, cell->values.len, (int64_t)cell->values.data[i] < value);
    return i;
}

Code *code_generate(const Ast *ast, char **defines, GError **error)
{
    g_autoptr(Code) code = g_new0(Code, 1);
    code->ast = ast;
    Names names = {.ast = ast, .error = error};
    names.symbols = g_hash_table_new(g_str_hash, g_str_equal);
    declare_all(code, &names, defines);
    for (size_t g = 0; g < code->groups.len && !names.failed; g++)
        body_mark_threads(code, &names, code->groups.data[g].decl->body);
    for (uint32_t t = 0; t < code->threads.len && !names.failed; t++) body_generate(code, &names, t);
    g_hash_table_unref(names.symbols);
    vec_free(&names.table);
    vec_free(&names.scope);
    if (names.failed) return NULL;
    add_thread_cells(code);
    add_waiters(code);
    for (size_t t = 0; t < code->threads.len; t++)
        if (!program_live_compute(ast, &code->threads.data[t], error)) return NULL;
    return g_steal_pointer(&code);
}

void code_free(Code *code)
{
    if (!code) return;
    for (size_t i = 0; i < code->cells.len; i++) {
        g_free(code->cells.data[i].name);
        g_free(code->cells.data[i].id);
        vec_free(&code->cells.data[i].values);
    }
    vec_free(&code->cells);
    for (size_t i = 0; i < code->conditions.len; i++) {
        g_free(code->conditions.data[i].name);
        g_free(code->conditions.data[i].id);
        vec_free(&code->conditions.data[i].thread);
        vec_free(&code->conditions.data[i].waiting);
        vec_free(&code->conditions.data[i].woken);
    }
    vec_free(&code->conditions);
    for (size_t i = 0; i < code->groups.len; i++) {
        g_free(code->groups.data[i].low);
        g_free(code->groups.data[i].high);
    }
    vec_free(&code->groups);
    for (size_t i = 0; i < code->threads.len; i++) {
        Thread *thread = &code->threads.data[i];
        g_free(thread->name);
        g_free(thread->id);
        vec_free(&thread->code);
        vec_free(&thread->slots);
        vec_free(&thread->label);
        g_free(thread->live);
    }
    vec_free(&code->threads);
    vec_free(&code->parameters);
    g_free(code);
}
