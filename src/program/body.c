#include "program/body.h"

#include "program/emit.h"

#include <assert.h>
#include <string.h>

#define NOWHERE UINT32_MAX

enum { STATEMENT_WORK = 30, LABEL_WORK = 1 };

static uint32_t new_slot(Body *b, const char *name, Position at, int64_t low, int64_t high, bool read_only)
{
    if (program_names_binding(b->names, name) || program_names_symbol(b->names, name))
        program_names_fail(b->names, at, "'%s' already has a meaning here", name);
    vec_push(&b->thread->slots, ((Slot){name, low, high}));
    uint32_t slot = (uint32_t)b->thread->slots.len - 1;
    vec_push(&b->names->scope, ((Binding){.name = name, .slot = slot, .read_only = read_only}));
    return slot;
}

static void put_var(Body *b, const Stmt *s)
{
    int64_t low, high;
    program_names_domain(b->names, s->domain, s->at, &low, &high);
    if (s->value) {
        emit_check_constant(b, s->value, low, high, s->name);
        emit_expr(b, s->value);
    } else {
        emit_constant(b, low <= 0 && high >= 0 ? 0 : low);
    }
    emit_set(b, new_slot(b, s->name, s->at, low, high, false));
}

static void put_assign(Body *b, const Stmt *s)
{
    const Binding *binding = program_names_binding(b->names, s->target->name);
    if (binding && s->target->kind == EXPR_NAME) {
        uint32_t slot = binding->slot;
        if (binding->read_only) {
            program_names_fail(b->names, s->target->at, "'%s' cannot be assigned to", s->target->name);
            return;
        }
        emit_check_constant(b, s->value, b->thread->slots.data[slot].low, b->thread->slots.data[slot].high,
                            binding->name);
        emit_expr(b, s->value);
        emit_set(b, slot);
        return;
    }
    const Symbol *found = program_names_wanted(b->names, s->target, DECL_VAR, "a variable");
    if (!found) return;
    const Symbol symbol = *found;
    emit_check_constant(b, s->value, symbol.low, symbol.high, symbol.decl->name);
    if (!emit_index(b, s->target, found)) return;
    emit_expr(b, s->value);
    emit_instr(b, (Instr){.op = I_WRITE, .cell = symbol.first, .size = symbol.size});
    emit_pushed(b, symbol.size ? -2 : -1);
}

static void put_stmt(Body *b, const Stmt *s);

static void put_scoped(Body *b, const Stmt *s)
{
    size_t scope = b->names->scope.len;
    if (s) put_stmt(b, s);
    b->names->scope.len = scope;
}

static void put_if(Body *b, const Stmt *s)
{
    int64_t condition;
    if (program_names_fold(b->names, s->value, &condition)) {
        put_scoped(b, condition ? s->body : s->other);
        return;
    }
    emit_expr(b, s->value);
    uint32_t otherwise = emit_jump_zero(b);
    put_scoped(b, s->body);
    if (s->other) {
        uint32_t end = emit_instr(b, (Instr){.op = I_JUMP});
        emit_land(b, otherwise);
        put_scoped(b, s->other);
        emit_land(b, end);
    } else {
        emit_land(b, otherwise);
    }
}

/* Runs the body with a fresh loop; jumps of `continue` land behind it, those of `break` are kept. */
static void put_loop_body(Body *b, const Stmt *s, Loop *loop)
{
    Loop *outer = b->loop;
    *loop = (Loop){.atomic_depth = b->atomic_depth};
    b->loop = loop;
    put_scoped(b, s->body);
    b->loop = outer;
    for (size_t i = 0; i < loop->continues.len; i++) emit_land(b, loop->continues.data[i]);
}

static void end_loop(Body *b, Loop *loop)
{
    for (size_t i = 0; i < loop->breaks.len; i++) emit_land(b, loop->breaks.data[i]);
    vec_free(&loop->breaks);
    vec_free(&loop->continues);
}

static void put_while(Body *b, const Stmt *s)
{
    int64_t condition = 1;
    bool constant = program_names_fold(b->names, s->value, &condition);
    if (!condition) return;
    uint32_t top = emit_here(b), leave = NOWHERE;
    if (!constant) {
        emit_expr(b, s->value);
        leave = emit_jump_zero(b);
    }
    Loop loop;
    put_loop_body(b, s, &loop);
    b->stmt = s;
    emit_instr(b, (Instr){.op = I_JUMP, .target = top});
    if (leave != NOWHERE) emit_land(b, leave);
    end_loop(b, &loop);
}

static void put_for(Body *b, const Stmt *s)
{
    size_t scope = b->names->scope.len;
    int64_t high;
    bool constant = program_names_fold(b->names, s->domain.high, &high);
    emit_expr(b, s->domain.low);
    uint32_t limit = NOWHERE;
    if (!constant) {
        emit_expr(b, s->domain.high);
        vec_push(&b->thread->slots, ((Slot){"(bound)", CODE_INT_LOW, CODE_INT_HIGH}));
        limit = (uint32_t)b->thread->slots.len - 1;
        emit_set(b, limit);
    }
    uint32_t slot = new_slot(b, s->name, s->at, CODE_INT_LOW, CODE_INT_HIGH, true);
    emit_set(b, slot);
    uint32_t top = emit_here(b);
    emit_slot(b, slot);
    if (constant)
        emit_constant(b, high);
    else
        emit_slot(b, limit);
    emit_binary(b, OP_LESS_EQUAL);
    uint32_t leave = emit_jump_zero(b);
    Loop loop;
    put_loop_body(b, s, &loop);
    b->stmt = s;
    emit_slot(b, slot);
    emit_constant(b, 1);
    emit_binary(b, OP_ADD);
    emit_set(b, slot);
    emit_instr(b, (Instr){.op = I_JUMP, .target = top});
    emit_land(b, leave);
    end_loop(b, &loop);
    b->names->scope.len = scope;
}

static void leave_loop(Body *b, const Stmt *s)
{
    if (!b->loop) {
        program_names_fail(b->names, s->at, "'%s' stands outside any loop", s->text);
        return;
    }
    for (uint32_t i = b->loop->atomic_depth; i < b->atomic_depth; i++) emit_instr(b, (Instr){.op = I_ATOMIC_END});
    uint32_t jump = emit_instr(b, (Instr){.op = I_JUMP});
    if (s->kind == STMT_BREAK)
        vec_push(&b->loop->breaks, jump);
    else
        vec_push(&b->loop->continues, jump);
}

static void put_atomic(Body *b, const Stmt *s)
{
    emit_instr(b, (Instr){.op = I_ATOMIC});
    b->atomic_depth++;
    put_scoped(b, s->body);
    b->atomic_depth--;
    b->stmt = s;
    emit_instr(b, (Instr){.op = I_ATOMIC_END});
}

/* One step that looks at everything its condition names. Without shared names an assertion needs none. */
static void put_test(Body *b, const Stmt *s)
{
    uint32_t start = emit_instr(b, (Instr){.op = I_ATOMIC});
    emit_expr(b, s->value);
    bool visible = s->kind == STMT_AWAIT;
    for (uint32_t i = start + 1; i < emit_here(b); i++) visible |= code_is_visible(b->thread->code.data[i].op);
    emit_instr(b, (Instr){.op = s->kind == STMT_AWAIT ? I_BLOCK : I_ASSERT});
    emit_pushed(b, -1);
    if (visible)
        emit_instr(b, (Instr){.op = I_ATOMIC_END});
    else
        b->thread->code.data[start] = (Instr){.op = I_JUMP, .target = start + 1, .stmt = s};
}

static void put_choose(Body *b, const Stmt *s)
{
    uint32_t n = 0;
    for (const Stmt *branch = s->body; branch; branch = branch->next) n++;
    uint32_t first = emit_instr(b, (Instr){.op = I_CHOOSE, .size = n}) + 1;
    for (uint32_t i = 0; i < n; i++) emit_instr(b, (Instr){.op = I_JUMP});
    VecU32 ends = {0};
    uint32_t i = 0;
    for (const Stmt *branch = s->body; branch; branch = branch->next, i++) {
        emit_land(b, first + i);
        put_scoped(b, branch);
        b->stmt = s;
        vec_push(&ends, emit_instr(b, (Instr){.op = I_JUMP}));
    }
    for (size_t k = 0; k < ends.len; k++) emit_land(b, ends.data[k]);
    vec_free(&ends);
}

static void put_mutex(Body *b, const Stmt *s)
{
    const Symbol *symbol = program_names_wanted(b->names, s->target, DECL_MUTEX, "a mutex");
    if (!symbol) return;
    Instr instr = {.op = s->kind == STMT_LOCK ? I_LOCK : I_UNLOCK, .cell = symbol->first, .size = symbol->size};
    if (!emit_index(b, s->target, symbol)) return;
    emit_instr(b, instr);
    if (instr.size) emit_pushed(b, -1);
}

static void put_condition(Body *b, const Stmt *s)
{
    const Symbol *symbol = program_names_wanted(b->names, s->target, DECL_COND, "a condition variable");
    if (!symbol) return;
    Instr instr = {.op = s->kind == STMT_SIGNAL ? I_SIGNAL : I_BROADCAST, .cell = symbol->first, .size = symbol->size};
    if (!emit_index(b, s->target, symbol)) return;
    if (s->kind == STMT_WAIT) {
        if (b->atomic_depth)
            program_names_fail(b->names, s->at, "wait takes two steps and cannot stand in an atomic block");
        const Symbol *mutex = program_names_wanted(b->names, s->value, DECL_MUTEX, "a mutex");
        if (!mutex) return;
        instr.cell2 = mutex->first;
        instr.size2 = mutex->size;
        if (!emit_index(b, s->value, mutex)) return;
        instr.op = I_WAIT;
        emit_instr(b, instr);
        instr.op = I_WAKE;
    }
    emit_instr(b, instr);
    emit_pushed(b, -(int)((instr.size != 0) + (instr.size2 != 0)));
}

static uint32_t put_list(Body *b, const Expr *list)
{
    uint32_t n = 0;
    for (; list; list = list->next, n++) emit_expr(b, list);
    return n;
}

static void check_index(Body *b, const Stmt *s, const ThreadGroup *group)
{
    const Expr *e = s->index;
    int64_t index;
    for (uint32_t k = 0; e && k < group->n_indices; e = e->next, k++)
        if (program_names_fold(b->names, e, &index) && (index < group->low[k] || index > group->high[k]))
            program_names_fail(b->names, e->at, "there is no %s with index %" G_GINT64_FORMAT, s->name, index);
}

static void put_thread_statement(Body *b, const Stmt *s)
{
    Expr reference = {.kind = EXPR_NAME, .at = s->at, .name = s->name};
    const Symbol *symbol = program_names_wanted(b->names, &reference, DECL_THREAD, "a thread");
    if (!symbol) return;
    const uint32_t g = symbol->first;
    const ThreadGroup *group = &b->code->groups.data[g];
    check_index(b, s, group);
    uint32_t n_indices = put_list(b, s->index), n_arguments = put_list(b, s->arguments);
    if (n_indices != group->n_indices)
        program_names_fail(b->names, s->at, "'%s' is replicated over %u indices, but %u stand here", s->name,
                           group->n_indices, n_indices);
    bool create = s->kind == STMT_CREATE;
    if (create && n_arguments != group->n_parameters)
        program_names_fail(b->names, s->at, "'%s' has %u parameters, but %u arguments stand here", s->name,
                           group->n_parameters, n_arguments);
    emit_instr(b, (Instr){.op = create ? I_CREATE : I_JOIN, .cell = g});
    emit_pushed(b, -(int)(n_indices + n_arguments));
}

static void put_label(Body *b, const Stmt *s, bool is_goto)
{
    if (b->atomic_depth) {
        program_names_fail(b->names, s->at, "%s cannot stand in an atomic block", is_goto ? "goto" : "a label");
        return;
    }
    Label label = {.name = s->name, .at = s->at, .pc = emit_here(b)};
    if (is_goto) {
        emit_instr(b, (Instr){.op = I_JUMP});
        vec_push(&b->gotos, label);
        return;
    }
    vec_push(&b->labels, label);
    if (!g_hash_table_insert(b->label_numbers, (char *)s->name, GSIZE_TO_POINTER(b->labels.len)))
        program_names_fail(b->names, s->at, "the label '%s' stands twice in this thread", s->name);
}

static void put_stmt(Body *b, const Stmt *s)
{
    if (program_names_spent(b->names, STATEMENT_WORK)) return;
    b->stmt = s;
    switch (s->kind) {
    case STMT_BLOCK: {
        size_t scope = b->names->scope.len;
        for (const Stmt *each = s->body; each; each = each->next) put_stmt(b, each);
        b->names->scope.len = scope;
        break;
    }
    case STMT_VAR: put_var(b, s); break;
    case STMT_ASSIGN: put_assign(b, s); break;
    case STMT_IF: put_if(b, s); break;
    case STMT_WHILE: put_while(b, s); break;
    case STMT_FOR: put_for(b, s); break;
    case STMT_AWAIT:
    case STMT_ASSERT: put_test(b, s); break;
    case STMT_LOCK:
    case STMT_UNLOCK: put_mutex(b, s); break;
    case STMT_WAIT:
    case STMT_SIGNAL:
    case STMT_BROADCAST: put_condition(b, s); break;
    case STMT_CREATE:
    case STMT_JOIN: put_thread_statement(b, s); break;
    case STMT_ATOMIC: put_atomic(b, s); break;
    case STMT_CHOOSE: put_choose(b, s); break;
    case STMT_SKIP: emit_instr(b, (Instr){.op = I_SKIP}); break;
    case STMT_EXIT: emit_instr(b, (Instr){.op = I_SKIP}); G_GNUC_FALLTHROUGH;
    case STMT_RETURN: emit_instr(b, (Instr){.op = I_END}); break;
    case STMT_BREAK:
    case STMT_CONTINUE: leave_loop(b, s); break;
    case STMT_GOTO: put_label(b, s, true); break;
    case STMT_LABEL: put_label(b, s, false); break;
    }
    assert(b->names->failed || b->depth == 0);
}

static void resolve_gotos(Body *b)
{
    for (size_t i = 0; i < b->gotos.len; i++) {
        const Label *jump = &b->gotos.data[i];
        size_t k = GPOINTER_TO_SIZE(g_hash_table_lookup(b->label_numbers, jump->name));
        if (!k)
            program_names_fail(b->names, jump->at, "there is no label '%s' in this thread", jump->name);
        else
            b->thread->code.data[jump->pc].target = b->labels.data[k - 1].pc;
    }
}

/* A label names the step that comes next on the straight way from it. */
static void place_labels(Body *b)
{
    Thread *thread = b->thread;
    vec_reserve(&thread->label, thread->code.len);
    thread->label.len = thread->code.len;
    memset(thread->label.data, 0, thread->code.len * sizeof *thread->label.data);
    for (size_t i = 0; i < b->labels.len; i++) {
        uint32_t pc = b->labels.data[i].pc;
        for (size_t fuel = thread->code.len; fuel > 0 && !program_names_spent(b->names, LABEL_WORK); fuel--) {
            const Instr *instr = &thread->code.data[pc];
            if (code_is_visible(instr->op)) thread->label.data[pc] = b->labels.data[i].name;
            if (code_is_visible(instr->op) || instr->op == I_JUMP_ZERO || instr->op == I_END) break;
            pc = instr->op == I_JUMP ? instr->target : pc + 1;
        }
    }
}

static void bind_indices(Body *b, uint32_t t)
{
    const ThreadGroup *group = &b->code->groups.data[b->thread->group];
    uint64_t rest = t - group->first;
    b->names->scope.len = 0;
    for (const Binder *binder = group->decl->replication; binder; binder = binder->next) {
        if (program_names_binding(b->names, binder->name) || program_names_symbol(b->names, binder->name))
            program_names_fail(b->names, binder->at, "'%s' already has a meaning here", binder->name);
        vec_push(&b->names->scope, ((Binding){.name = binder->name, .slot = SLOT_CONSTANT, .read_only = true}));
    }
    for (uint32_t k = group->n_indices; k-- > 0;) { /* the last index runs fastest */
        uint64_t extent = (uint64_t)(group->high[k] - group->low[k] + 1);
        b->names->scope.data[k].value = group->low[k] + (int64_t)(rest % extent);
        rest /= extent;
    }
    for (const Binder *binder = group->decl->parameters; binder; binder = binder->next) {
        int64_t low, high;
        program_names_domain(b->names, binder->domain, binder->at, &low, &high);
        new_slot(b, binder->name, binder->at, low, high, false);
    }
    if (group->n_parameters && !group->created)
        program_names_fail(b->names, group->decl->at, "'%s' has parameters, but no statement creates it",
                           group->decl->name);
}

void body_generate(Code *code, Names *names, uint32_t t)
{
    Body b = {.code = code,
              .names = names,
              .thread = &code->threads.data[t],
              .label_numbers = g_hash_table_new(g_str_hash, g_str_equal)};
    bind_indices(&b, t);
    b.stmt = code->groups.data[b.thread->group].decl->body;
    put_stmt(&b, b.stmt);
    emit_instr(&b, (Instr){.op = I_END});
    resolve_gotos(&b);
    if (!names->failed) place_labels(&b);
    g_hash_table_unref(b.label_numbers);
    vec_free(&b.labels);
    vec_free(&b.gotos);
}

void body_mark_threads(Code *code, Names *names, const Stmt *s)
{
    for (; s; s = s->next) {
        Symbol *symbol = s->kind == STMT_CREATE || s->kind == STMT_JOIN ? program_names_symbol(names, s->name) : NULL;
        if (symbol && symbol->decl->kind == DECL_THREAD) {
            ThreadGroup *group = &code->groups.data[symbol->first];
            *(s->kind == STMT_CREATE ? &group->created : &group->joined) = true;
        }
        body_mark_threads(code, names, s->body);
        body_mark_threads(code, names, s->other);
    }
}
