#include "program/body.h"

#include <assert.h>
#include <string.h>

#define NOWHERE UINT32_MAX

typedef struct Label {
    const char *name;
    Position at;
    uint32_t pc;
} Label;

typedef struct Loop {
    uint32_t atomic_depth;
    VecU32 breaks, continues;
} Loop;

typedef struct Body {
    Code *code;
    Names *names;
    Thread *thread;
    const Stmt *stmt;
    uint32_t depth; /* of the stack */
    uint32_t atomic_depth;
    Loop *loop;
    VEC(Label) labels, gotos;
} Body;

static uint32_t here(const Body *b)
{
    return (uint32_t)b->thread->code.len;
}

static uint32_t emit(Body *b, Instr instr)
{
    instr.stmt = b->stmt;
    vec_push(&b->thread->code, instr);
    return here(b) - 1;
}

static void pushed(Body *b, int n)
{
    b->depth = (uint32_t)((int)b->depth + n);
    if (b->depth > b->thread->max_stack) b->thread->max_stack = b->depth;
}

static void land(Body *b, uint32_t jump)
{
    b->thread->code.data[jump].target = here(b);
}

static void push_constant(Body *b, int64_t value)
{
    emit(b, (Instr){.op = I_PUSH, .value = value});
    pushed(b, 1);
}

static uint32_t jump_zero(Body *b)
{
    pushed(b, -1);
    return emit(b, (Instr){.op = I_JUMP_ZERO});
}

static void push_slot(Body *b, uint32_t slot)
{
    emit(b, (Instr){.op = I_LOCAL, .cell = slot});
    pushed(b, 1);
}

static void set_slot(Body *b, uint32_t slot)
{
    emit(b, (Instr){.op = I_SET, .cell = slot});
    pushed(b, -1);
}

static void apply(Body *b, Operator op)
{
    emit(b, (Instr){.op = I_BINARY, .value = op});
    pushed(b, -1);
}

static void put_expr(Body *b, const Expr *e);

/* The index of a reference to an array is pushed; the result is false after an error. */
static bool put_index(Body *b, const Expr *reference, const Symbol *symbol)
{
    int64_t index;
    uint32_t size = symbol->size;
    if (reference->kind == EXPR_NAME && size) {
        names_fail(b->names, reference->at, "'%s' is an array and needs an index", reference->name);
    } else if (reference->kind == EXPR_INDEX && !size) {
        names_fail(b->names, reference->at, "'%s' is not an array", reference->name);
    } else if (reference->kind == EXPR_INDEX) {
        if (names_fold(b->names, reference->a, &index) && (index < 0 || index >= size))
            names_fail(b->names, reference->a->at, "the index %" G_GINT64_FORMAT " is outside 0..%u of '%s'", index,
                       size - 1, reference->name);
        put_expr(b, reference->a);
    }
    return !b->names->failed;
}

static void put_read(Body *b, const Expr *e)
{
    const Binding *binding = names_binding(b->names, e->name);
    if (binding && e->kind == EXPR_NAME) {
        push_slot(b, binding->slot);
        return;
    }
    const Symbol *symbol = names_wanted(b->names, e, DECL_VAR, "a value");
    if (!symbol) return;
    uint32_t first = symbol->first, size = symbol->size;
    if (!put_index(b, e, symbol)) return;
    emit(b, (Instr){.op = I_READ, .cell = first, .size = size});
    pushed(b, size ? 0 : 1);
}

static void put_truth(Body *b, const Expr *e)
{
    put_expr(b, e);
    emit(b, (Instr){.op = I_TRUTH});
}

/* a && b is 0 when a is, without looking at b; a || b is 1 when a is not 0. */
static void put_short_circuit(Body *b, const Expr *e)
{
    int64_t left;
    bool is_or = e->kind == EXPR_OR;
    if (names_fold(b->names, e->a, &left)) {
        put_truth(b, e->b); /* the other case was folded */
        return;
    }
    put_expr(b, e->a);
    if (is_or) emit(b, (Instr){.op = I_UNARY, .value = OP_NOT});
    uint32_t skip = jump_zero(b);
    put_truth(b, e->b);
    uint32_t end = emit(b, (Instr){.op = I_JUMP});
    land(b, skip);
    pushed(b, -1);
    push_constant(b, is_or);
    land(b, end);
}

static void put_conditional(Body *b, const Expr *e)
{
    int64_t condition;
    if (names_fold(b->names, e->a, &condition)) {
        put_expr(b, condition ? e->b : e->c);
        return;
    }
    put_expr(b, e->a);
    uint32_t otherwise = jump_zero(b);
    put_expr(b, e->b);
    uint32_t end = emit(b, (Instr){.op = I_JUMP});
    land(b, otherwise);
    pushed(b, -1);
    put_expr(b, e->c);
    land(b, end);
}

static void put_any(Body *b, const Expr *e)
{
    int64_t low, high;
    if (names_fold(b->names, e->a, &low) && names_fold(b->names, e->b, &high) && low > high)
        names_fail(b->names, e->at, "there is no value in %" G_GINT64_FORMAT "..%" G_GINT64_FORMAT, low, high);
    put_expr(b, e->a);
    put_expr(b, e->b);
    emit(b, (Instr){.op = I_ANY});
    pushed(b, -1);
}

static void put_trylock(Body *b, const Expr *e)
{
    const Symbol *symbol = names_wanted(b->names, e->a, DECL_MUTEX, "a mutex");
    if (!symbol) return;
    Instr instr = {.op = I_TRYLOCK, .cell = symbol->first, .size = symbol->size};
    if (!put_index(b, e->a, symbol)) return;
    emit(b, instr);
    pushed(b, instr.size ? 0 : 1);
}

/* Pushes one value; after an error whatever is convenient. */
static void put_expr(Body *b, const Expr *e)
{
    int64_t value;
    if (b->names->failed) return;
    if (names_fold(b->names, e, &value)) {
        push_constant(b, value);
        return;
    }
    switch (e->kind) {
    case EXPR_NUMBER: break;
    case EXPR_NAME:
    case EXPR_INDEX: put_read(b, e); break;
    case EXPR_UNARY:
        put_expr(b, e->a);
        emit(b, (Instr){.op = I_UNARY, .value = e->op});
        break;
    case EXPR_BINARY:
        put_expr(b, e->a);
        put_expr(b, e->b);
        apply(b, e->op);
        break;
    case EXPR_AND:
    case EXPR_OR: put_short_circuit(b, e); break;
    case EXPR_CONDITIONAL: put_conditional(b, e); break;
    case EXPR_ANY: put_any(b, e); break;
    case EXPR_TRYLOCK: put_trylock(b, e); break;
    }
}

static void check_constant(Body *b, const Expr *value, int64_t low, int64_t high, const char *name)
{
    int64_t constant;
    if (names_fold(b->names, value, &constant) && (constant < low || constant > high))
        names_fail(b->names, value->at,
                   "the value %" G_GINT64_FORMAT " is outside the domain %" G_GINT64_FORMAT "..%" G_GINT64_FORMAT
                   " of '%s'",
                   constant, low, high, name);
}

static uint32_t new_slot(Body *b, const char *name, Position at, int64_t low, int64_t high, bool read_only)
{
    if (names_binding(b->names, name) || names_symbol(b->names, name))
        names_fail(b->names, at, "'%s' already has a meaning here", name);
    vec_push(&b->thread->slots, ((Slot){name, low, high}));
    uint32_t slot = (uint32_t)b->thread->slots.len - 1;
    vec_push(&b->names->scope, ((Binding){.name = name, .slot = slot, .read_only = read_only}));
    return slot;
}

static void put_var(Body *b, const Stmt *s)
{
    int64_t low, high;
    names_domain(b->names, s->domain, s->at, &low, &high);
    if (s->value) {
        check_constant(b, s->value, low, high, s->name);
        put_expr(b, s->value);
    } else {
        push_constant(b, low <= 0 && high >= 0 ? 0 : low);
    }
    set_slot(b, new_slot(b, s->name, s->at, low, high, false));
}

static void put_assign(Body *b, const Stmt *s)
{
    const Binding *binding = names_binding(b->names, s->target->name);
    if (binding && s->target->kind == EXPR_NAME) {
        uint32_t slot = binding->slot;
        if (binding->read_only) {
            names_fail(b->names, s->target->at, "'%s' cannot be assigned to", s->target->name);
            return;
        }
        check_constant(b, s->value, b->thread->slots.data[slot].low, b->thread->slots.data[slot].high, binding->name);
        put_expr(b, s->value);
        set_slot(b, slot);
        return;
    }
    const Symbol *found = names_wanted(b->names, s->target, DECL_VAR, "a variable");
    if (!found) return;
    const Symbol symbol = *found;
    check_constant(b, s->value, symbol.low, symbol.high, symbol.decl->name);
    if (!put_index(b, s->target, found)) return;
    put_expr(b, s->value);
    emit(b, (Instr){.op = I_WRITE, .cell = symbol.first, .size = symbol.size});
    pushed(b, symbol.size ? -2 : -1);
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
    if (names_fold(b->names, s->value, &condition)) {
        put_scoped(b, condition ? s->body : s->other);
        return;
    }
    put_expr(b, s->value);
    uint32_t otherwise = jump_zero(b);
    put_scoped(b, s->body);
    if (s->other) {
        uint32_t end = emit(b, (Instr){.op = I_JUMP});
        land(b, otherwise);
        put_scoped(b, s->other);
        land(b, end);
    } else {
        land(b, otherwise);
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
    for (size_t i = 0; i < loop->continues.len; i++) land(b, loop->continues.data[i]);
}

static void end_loop(Body *b, Loop *loop)
{
    for (size_t i = 0; i < loop->breaks.len; i++) land(b, loop->breaks.data[i]);
    vec_free(&loop->breaks);
    vec_free(&loop->continues);
}

static void put_while(Body *b, const Stmt *s)
{
    int64_t condition = 1;
    bool constant = names_fold(b->names, s->value, &condition);
    if (!condition) return;
    uint32_t top = here(b), leave = NOWHERE;
    if (!constant) {
        put_expr(b, s->value);
        leave = jump_zero(b);
    }
    Loop loop;
    put_loop_body(b, s, &loop);
    b->stmt = s;
    emit(b, (Instr){.op = I_JUMP, .target = top});
    if (leave != NOWHERE) land(b, leave);
    end_loop(b, &loop);
}

static void put_for(Body *b, const Stmt *s)
{
    size_t scope = b->names->scope.len;
    int64_t high;
    bool constant = names_fold(b->names, s->domain.high, &high);
    put_expr(b, s->domain.low);
    uint32_t limit = NOWHERE;
    if (!constant) {
        put_expr(b, s->domain.high);
        vec_push(&b->thread->slots, ((Slot){"(bound)", CODE_INT_LOW, CODE_INT_HIGH}));
        limit = (uint32_t)b->thread->slots.len - 1;
        set_slot(b, limit);
    }
    uint32_t slot = new_slot(b, s->name, s->at, CODE_INT_LOW, CODE_INT_HIGH, true);
    set_slot(b, slot);
    uint32_t top = here(b);
    push_slot(b, slot);
    if (constant)
        push_constant(b, high);
    else
        push_slot(b, limit);
    apply(b, OP_LESS_EQUAL);
    uint32_t leave = jump_zero(b);
    Loop loop;
    put_loop_body(b, s, &loop);
    b->stmt = s;
    push_slot(b, slot);
    push_constant(b, 1);
    apply(b, OP_ADD);
    set_slot(b, slot);
    emit(b, (Instr){.op = I_JUMP, .target = top});
    land(b, leave);
    end_loop(b, &loop);
    b->names->scope.len = scope;
}

static void leave_loop(Body *b, const Stmt *s)
{
    if (!b->loop) {
        names_fail(b->names, s->at, "'%s' stands outside any loop", s->text);
        return;
    }
    for (uint32_t i = b->loop->atomic_depth; i < b->atomic_depth; i++) emit(b, (Instr){.op = I_ATOMIC_END});
    uint32_t jump = emit(b, (Instr){.op = I_JUMP});
    if (s->kind == STMT_BREAK)
        vec_push(&b->loop->breaks, jump);
    else
        vec_push(&b->loop->continues, jump);
}

static void put_atomic(Body *b, const Stmt *s)
{
    emit(b, (Instr){.op = I_ATOMIC});
    b->atomic_depth++;
    put_scoped(b, s->body);
    b->atomic_depth--;
    b->stmt = s;
    emit(b, (Instr){.op = I_ATOMIC_END});
}

/* One step that looks at everything its condition names. Without shared names an assertion needs none. */
static void put_test(Body *b, const Stmt *s)
{
    uint32_t start = emit(b, (Instr){.op = I_ATOMIC});
    put_expr(b, s->value);
    bool visible = s->kind == STMT_AWAIT;
    for (uint32_t i = start + 1; i < here(b); i++) visible |= code_is_visible(b->thread->code.data[i].op);
    emit(b, (Instr){.op = s->kind == STMT_AWAIT ? I_BLOCK : I_ASSERT});
    pushed(b, -1);
    if (visible)
        emit(b, (Instr){.op = I_ATOMIC_END});
    else
        b->thread->code.data[start] = (Instr){.op = I_JUMP, .target = start + 1, .stmt = s};
}

static void put_choose(Body *b, const Stmt *s)
{
    uint32_t n = 0;
    for (const Stmt *branch = s->body; branch; branch = branch->next) n++;
    uint32_t first = emit(b, (Instr){.op = I_CHOOSE, .size = n}) + 1;
    for (uint32_t i = 0; i < n; i++) emit(b, (Instr){.op = I_JUMP});
    VecU32 ends = {0};
    uint32_t i = 0;
    for (const Stmt *branch = s->body; branch; branch = branch->next, i++) {
        land(b, first + i);
        put_scoped(b, branch);
        b->stmt = s;
        vec_push(&ends, emit(b, (Instr){.op = I_JUMP}));
    }
    for (size_t k = 0; k < ends.len; k++) land(b, ends.data[k]);
    vec_free(&ends);
}

static void put_mutex(Body *b, const Stmt *s)
{
    const Symbol *symbol = names_wanted(b->names, s->target, DECL_MUTEX, "a mutex");
    if (!symbol) return;
    Instr instr = {.op = s->kind == STMT_LOCK ? I_LOCK : I_UNLOCK, .cell = symbol->first, .size = symbol->size};
    if (!put_index(b, s->target, symbol)) return;
    emit(b, instr);
    if (instr.size) pushed(b, -1);
}

static void put_condition(Body *b, const Stmt *s)
{
    const Symbol *symbol = names_wanted(b->names, s->target, DECL_COND, "a condition variable");
    if (!symbol) return;
    Instr instr = {.op = s->kind == STMT_SIGNAL ? I_SIGNAL : I_BROADCAST, .cell = symbol->first, .size = symbol->size};
    if (!put_index(b, s->target, symbol)) return;
    if (s->kind == STMT_WAIT) {
        if (b->atomic_depth) names_fail(b->names, s->at, "wait takes two steps and cannot stand in an atomic block");
        const Symbol *mutex = names_wanted(b->names, s->value, DECL_MUTEX, "a mutex");
        if (!mutex) return;
        instr.cell2 = mutex->first;
        instr.size2 = mutex->size;
        if (!put_index(b, s->value, mutex)) return;
        instr.op = I_WAIT;
        emit(b, instr);
        instr.op = I_WAKE;
    }
    emit(b, instr);
    pushed(b, -(int)((instr.size != 0) + (instr.size2 != 0)));
}

static uint32_t put_list(Body *b, const Expr *list)
{
    uint32_t n = 0;
    for (; list; list = list->next, n++) put_expr(b, list);
    return n;
}

static void check_index(Body *b, const Stmt *s, const ThreadGroup *group)
{
    const Expr *e = s->index;
    int64_t index;
    for (uint32_t k = 0; e && k < group->n_indices; e = e->next, k++)
        if (names_fold(b->names, e, &index) && (index < group->low[k] || index > group->high[k]))
            names_fail(b->names, e->at, "there is no %s with index %" G_GINT64_FORMAT, s->name, index);
}

static void put_thread_statement(Body *b, const Stmt *s)
{
    Expr reference = {.kind = EXPR_NAME, .at = s->at, .name = s->name};
    const Symbol *symbol = names_wanted(b->names, &reference, DECL_THREAD, "a thread");
    if (!symbol) return;
    const uint32_t g = symbol->first;
    const ThreadGroup *group = &b->code->groups.data[g];
    check_index(b, s, group);
    uint32_t n_indices = put_list(b, s->index), n_arguments = put_list(b, s->arguments);
    if (n_indices != group->n_indices)
        names_fail(b->names, s->at, "'%s' is replicated over %u indices, but %u stand here", s->name, group->n_indices,
                   n_indices);
    bool create = s->kind == STMT_CREATE;
    if (create && n_arguments != group->n_parameters)
        names_fail(b->names, s->at, "'%s' has %u parameters, but %u arguments stand here", s->name, group->n_parameters,
                   n_arguments);
    emit(b, (Instr){.op = create ? I_CREATE : I_JOIN, .cell = g});
    pushed(b, -(int)(n_indices + n_arguments));
}

static void put_label(Body *b, const Stmt *s, bool is_goto)
{
    if (b->atomic_depth) {
        names_fail(b->names, s->at, "%s cannot stand in an atomic block", is_goto ? "goto" : "a label");
        return;
    }
    Label label = {.name = s->name, .at = s->at, .pc = here(b)};
    if (is_goto) {
        emit(b, (Instr){.op = I_JUMP});
        vec_push(&b->gotos, label);
        return;
    }
    for (size_t i = 0; i < b->labels.len; i++)
        if (strcmp(b->labels.data[i].name, s->name) == 0)
            names_fail(b->names, s->at, "the label '%s' stands twice in this thread", s->name);
    vec_push(&b->labels, label);
}

static void put_stmt(Body *b, const Stmt *s)
{
    if (b->names->failed) return;
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
    case STMT_SKIP: emit(b, (Instr){.op = I_SKIP}); break;
    case STMT_EXIT: emit(b, (Instr){.op = I_SKIP}); G_GNUC_FALLTHROUGH;
    case STMT_RETURN: emit(b, (Instr){.op = I_END}); break;
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
        size_t k = 0;
        while (k < b->labels.len && strcmp(b->labels.data[k].name, jump->name) != 0) k++;
        if (k == b->labels.len)
            names_fail(b->names, jump->at, "there is no label '%s' in this thread", jump->name);
        else
            b->thread->code.data[jump->pc].target = b->labels.data[k].pc;
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
        for (size_t fuel = thread->code.len; fuel > 0; fuel--) {
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
        if (names_binding(b->names, binder->name) || names_symbol(b->names, binder->name))
            names_fail(b->names, binder->at, "'%s' already has a meaning here", binder->name);
        vec_push(&b->names->scope, ((Binding){.name = binder->name, .slot = SLOT_CONSTANT, .read_only = true}));
    }
    for (uint32_t k = group->n_indices; k-- > 0;) { /* the last index runs fastest */
        uint64_t extent = (uint64_t)(group->high[k] - group->low[k] + 1);
        b->names->scope.data[k].value = group->low[k] + (int64_t)(rest % extent);
        rest /= extent;
    }
    for (const Binder *binder = group->decl->parameters; binder; binder = binder->next) {
        int64_t low, high;
        names_domain(b->names, binder->domain, binder->at, &low, &high);
        new_slot(b, binder->name, binder->at, low, high, false);
    }
    if (group->n_parameters && !group->created)
        names_fail(b->names, group->decl->at, "'%s' has parameters, but no statement creates it", group->decl->name);
}

void body_generate(Code *code, Names *names, uint32_t t)
{
    Body b = {.code = code, .names = names, .thread = &code->threads.data[t]};
    bind_indices(&b, t);
    b.stmt = code->groups.data[b.thread->group].decl->body;
    put_stmt(&b, b.stmt);
    emit(&b, (Instr){.op = I_END});
    resolve_gotos(&b);
    if (!names->failed) place_labels(&b);
    vec_free(&b.labels);
    vec_free(&b.gotos);
}

void body_mark_threads(Code *code, Names *names, const Stmt *s)
{
    for (; s; s = s->next) {
        Symbol *symbol = s->kind == STMT_CREATE || s->kind == STMT_JOIN ? names_symbol(names, s->name) : NULL;
        if (symbol && symbol->decl->kind == DECL_THREAD) {
            ThreadGroup *group = &code->groups.data[symbol->first];
            *(s->kind == STMT_CREATE ? &group->created : &group->joined) = true;
        }
        body_mark_threads(code, names, s->body);
        body_mark_threads(code, names, s->other);
    }
}
