#include "interpreter.h"

#include "base/vec.h"

#include <assert.h>
#include <string.h>

typedef VEC(int64_t) Values;

typedef enum { RUNNING, IDLE, ENDED, FAULTY } Status;

typedef struct Actor {
    Status status;
    Values history, arguments;
    int fault, fault_line;
    char *place; /* where it rests: "t before line 3" and what else tells its states apart */
    int line;
    bool inside_wait;
} Actor;

/* A plain access of a thread's next step. */
typedef struct Plain {
    int64_t thread, cell;
    bool write;
} Plain;

typedef struct World {
    Values cells;  /* variables */
    Values owners; /* mutexes: thread + 1, 0 free */
    Values waits;  /* per condition and thread: 0, 1 waiting, 2 woken */
    Actor *actors;
} World;

typedef struct Family {
    const Decl *decl;
    int64_t first, n, low, high; /* variables, mutexes, conditions: elements; threads: instances */
    bool created, joined;
    int indices;
} Family;

typedef struct Local {
    const char *name;
    int64_t value, low, high;
} Local;

typedef enum { NORMAL, STOP, BLOCKED, FAULT, END, BREAK, CONTINUE } Flow;

typedef struct Interpreter {
    const Ast *ast;
    VEC(Family) families;
    VEC(Local) constants;
    int64_t n_cells, n_mutexes, n_conditions, n_threads;
    GPtrArray *thread_names;
    Values thread_family;
    VEC(const Decl *) cell_decl; /* per variable */
    GPtrArray *cell_names;
    /* the run under way */
    World *world;
    int64_t me;
    size_t position; /* in the history */
    bool live, acted;
    int atomic;
    VEC(Local) env;
    VEC(const Stmt *) stack;
    Values seen; /* observations since the current statement began */
    const Stmt *stmt;
    VEC(unsigned) choices, options;
    size_t choice;
    int fault, fault_line;
    bool inside_wait;
    VEC(Plain) plain; /* of all steps from the current world */
} Interpreter;

static const char *const fault_texts[] = {"",
                                          "assertion fails",
                                          "value outside its domain",
                                          "no element with this index",
                                          "division by zero or overflow",
                                          "the thread does not hold this mutex",
                                          "nothing to choose from"};

static Family *family(Interpreter *in, const char *name)
{
    for (size_t i = 0; i < in->families.len; i++)
        if (strcmp(in->families.data[i].decl->name, name) == 0) return &in->families.data[i];
    return NULL;
}

static Local *local(Interpreter *in, const char *name)
{
    for (size_t i = in->env.len; i-- > 0;)
        if (strcmp(in->env.data[i].name, name) == 0) return &in->env.data[i];
    for (size_t i = 0; i < in->constants.len; i++)
        if (strcmp(in->constants.data[i].name, name) == 0) return &in->constants.data[i];
    return NULL;
}

static Flow fault(Interpreter *in, int kind)
{
    in->fault = kind;
    in->fault_line = in->stmt->at.line;
    return FAULT;
}

static unsigned pick(Interpreter *in, unsigned n)
{
    size_t k = in->choice++;
    if (k >= in->choices.len) {
        vec_push(&in->choices, 0);
        vec_push(&in->options, n);
    }
    assert(in->options.data[k] == n);
    return in->choices.data[k];
}

/* Fed from the history: true. Otherwise the action must happen now, or the thread rests before it. */
static bool replayed(Interpreter *in, int64_t *value)
{
    Values *history = &in->world->actors[in->me].history;
    if (in->position >= history->len) return false;
    *value = history->data[in->position++];
    vec_push(&in->seen, *value);
    return true;
}

static void happened(Interpreter *in, int64_t value, bool step)
{
    vec_push(&in->world->actors[in->me].history, value);
    in->position++;
    in->acted = true;
    vec_push(&in->seen, value);
    if (step && in->atomic == 0) in->live = false;
}

static Flow eval(Interpreter *in, const Expr *e, int64_t *value);

/* The element a reference names. */
static Flow element(Interpreter *in, const Expr *e, int64_t *index)
{
    const Family *f = family(in, e->name);
    *index = f->first;
    if (e->kind == EXPR_NAME) return NORMAL;
    int64_t i;
    Flow flow = eval(in, e->a, &i);
    if (flow != NORMAL) return flow;
    if (i < 0 || i >= f->n) return *index = -1, NORMAL; /* noticed by the action itself */
    *index += i;
    return NORMAL;
}

static void plain_access(Interpreter *in, int64_t cell, bool write)
{
    if (!in->atomic && !in->cell_decl.data[cell]->atomic) vec_push(&in->plain, ((Plain){in->me, cell, write}));
}

static Flow read_cell(Interpreter *in, int64_t cell, int64_t *value)
{
    if (replayed(in, value)) return NORMAL;
    if (!in->live) return STOP;
    if (cell < 0) return fault(in, 3);
    plain_access(in, cell, false);
    *value = in->world->cells.data[cell];
    happened(in, *value, true);
    return NORMAL;
}

static Flow eval_any(Interpreter *in, const Expr *e, int64_t *value)
{
    int64_t low, high;
    Flow flow;
    if ((flow = eval(in, e->a, &low)) != NORMAL || (flow = eval(in, e->b, &high)) != NORMAL) return flow;
    if (replayed(in, value)) return NORMAL;
    if (!in->live) return STOP;
    if (low > high) return fault(in, 6);
    *value = low + (int64_t)pick(in, (unsigned)(high - low + 1));
    happened(in, *value, true);
    return NORMAL;
}

static Flow eval_trylock(Interpreter *in, const Expr *e, int64_t *value)
{
    int64_t mutex;
    Flow flow = element(in, e->a, &mutex);
    if (flow != NORMAL || replayed(in, value)) return flow;
    if (!in->live) return STOP;
    if (mutex < 0) return fault(in, 3);
    *value = in->world->owners.data[mutex] == 0;
    if (*value) in->world->owners.data[mutex] = in->me + 1;
    happened(in, *value, true);
    return NORMAL;
}

static Flow eval(Interpreter *in, const Expr *e, int64_t *value)
{
    Flow flow = NORMAL;
    int64_t a, b = 0;
    switch (e->kind) {
    case EXPR_NUMBER: *value = e->value; return NORMAL;
    case EXPR_NAME:
        if (local(in, e->name)) {
            *value = local(in, e->name)->value;
            return NORMAL;
        }
        return read_cell(in, family(in, e->name)->first, value);
    case EXPR_INDEX: return (flow = element(in, e, &a)) != NORMAL ? flow : read_cell(in, a, value);
    case EXPR_UNARY:
    case EXPR_BINARY:
        if ((flow = eval(in, e->a, &a)) != NORMAL) return flow;
        if (e->kind == EXPR_BINARY && (flow = eval(in, e->b, &b)) != NORMAL) return flow;
        return ast_apply(e->op, a, b, value) ? NORMAL : fault(in, 4);
    case EXPR_AND:
    case EXPR_OR:
        if ((flow = eval(in, e->a, &a)) != NORMAL) return flow;
        if ((a != 0) == (e->kind == EXPR_OR)) return *value = e->kind == EXPR_OR, NORMAL;
        if ((flow = eval(in, e->b, &b)) != NORMAL) return flow;
        return *value = b != 0, NORMAL;
    case EXPR_CONDITIONAL:
        if ((flow = eval(in, e->a, &a)) != NORMAL) return flow;
        return eval(in, a ? e->b : e->c, value);
    case EXPR_ANY: return eval_any(in, e, value);
    case EXPR_TRYLOCK: return eval_trylock(in, e, value);
    }
    return NORMAL;
}

static bool touches(Interpreter *in, const Expr *e)
{
    if (!e) return false;
    if (e->kind == EXPR_ANY || e->kind == EXPR_TRYLOCK || e->kind == EXPR_INDEX) return true;
    if (e->kind == EXPR_NAME) return !local(in, e->name);
    return touches(in, e->a) || touches(in, e->b) || touches(in, e->c);
}

/* The beginning of something that is one step as a whole. */
static Flow atomic_begin(Interpreter *in)
{
    int64_t ignored;
    in->atomic++;
    if (replayed(in, &ignored)) return NORMAL;
    if (!in->live) {
        in->atomic--;
        return STOP;
    }
    happened(in, 0, true);
    return NORMAL;
}

static void atomic_end(Interpreter *in)
{
    if (--in->atomic == 0 && in->acted) in->live = false;
}

/* A step that observes nothing; NORMAL and *now when it has to be done. */
static Flow plain_step(Interpreter *in, bool *now)
{
    int64_t ignored;
    *now = false;
    if (replayed(in, &ignored)) return NORMAL;
    if (!in->live) return STOP;
    *now = true;
    return NORMAL;
}

static Flow assign(Interpreter *in, const Stmt *s)
{
    int64_t cell = 0, value = 0;
    Flow flow;
    Local *l = s->target->kind == EXPR_NAME ? local(in, s->target->name) : NULL;
    if (l) {
        if ((flow = eval(in, s->value, &value)) != NORMAL) return flow;
        l = local(in, s->target->name);
        if (value < l->low || value > l->high) return fault(in, 2);
        l->value = value;
        return NORMAL;
    }
    if ((flow = element(in, s->target, &cell)) != NORMAL || (flow = eval(in, s->value, &value)) != NORMAL) return flow;
    bool now;
    if ((flow = plain_step(in, &now)) != NORMAL || !now) return flow;
    if (cell < 0) return fault(in, 3);
    plain_access(in, cell, true);
    const Family *f = family(in, s->target->name);
    if (value < f->low || value > f->high) return fault(in, 2);
    in->world->cells.data[cell] = value;
    happened(in, 0, true);
    return NORMAL;
}

static Flow lock_or_unlock(Interpreter *in, const Stmt *s)
{
    int64_t mutex;
    bool now;
    Flow flow = element(in, s->target, &mutex);
    if (flow != NORMAL || (flow = plain_step(in, &now)) != NORMAL || !now) return flow;
    if (mutex < 0) return fault(in, 3);
    int64_t *owner = &in->world->owners.data[mutex];
    if (s->kind == STMT_LOCK && *owner) return BLOCKED;
    if (s->kind == STMT_UNLOCK && *owner != in->me + 1) return fault(in, 5);
    *owner = s->kind == STMT_LOCK ? in->me + 1 : 0;
    happened(in, 0, true);
    return NORMAL;
}

static int64_t *waits(Interpreter *in, int64_t condition, int64_t thread)
{
    return &in->world->waits.data[condition * in->n_threads + thread];
}

static Flow wait_condition(Interpreter *in, const Stmt *s)
{
    int64_t condition, mutex;
    bool now;
    Flow flow;
    if ((flow = element(in, s->target, &condition)) != NORMAL || (flow = element(in, s->value, &mutex)) != NORMAL)
        return flow;
    if ((flow = plain_step(in, &now)) != NORMAL) return flow;
    if (now) {
        if (condition < 0 || mutex < 0) return fault(in, 3);
        if (in->world->owners.data[mutex] != in->me + 1) return fault(in, 5);
        in->world->owners.data[mutex] = 0;
        *waits(in, condition, in->me) = 1;
        happened(in, 0, true);
    }
    in->inside_wait = true;
    if ((flow = plain_step(in, &now)) != NORMAL) return flow;
    in->inside_wait = false;
    if (!now) return NORMAL;
    if (*waits(in, condition, in->me) != 2 || in->world->owners.data[mutex]) return BLOCKED;
    *waits(in, condition, in->me) = 0;
    in->world->owners.data[mutex] = in->me + 1;
    happened(in, 0, true);
    return NORMAL;
}

static Flow notify(Interpreter *in, const Stmt *s)
{
    int64_t condition;
    bool now;
    Flow flow = element(in, s->target, &condition);
    if (flow != NORMAL || (flow = plain_step(in, &now)) != NORMAL || !now) return flow;
    if (condition < 0) return fault(in, 3);
    unsigned n = 0, chosen = 0;
    for (int64_t t = 0; t < in->n_threads; t++) n += *waits(in, condition, t) == 1;
    if (s->kind == STMT_SIGNAL && n) chosen = pick(in, n);
    for (int64_t t = 0, k = 0; t < in->n_threads; t++) {
        if (*waits(in, condition, t) != 1) continue;
        if (s->kind == STMT_BROADCAST || k == chosen) *waits(in, condition, t) = 2;
        k++;
    }
    happened(in, 0, true);
    return NORMAL;
}

static Flow create_or_join(Interpreter *in, const Stmt *s)
{
    const Family *f = family(in, s->name);
    int64_t index = 0, instance = f->first, arguments[8];
    size_t n_arguments = 0;
    Flow flow;
    if (s->index && (flow = eval(in, s->index, &index)) != NORMAL) return flow;
    bool inside = !s->index || (index >= f->low && index <= f->high);
    if (s->index) instance += index - f->low;
    for (const Expr *e = s->arguments; e; e = e->next)
        if ((flow = eval(in, e, &arguments[n_arguments++])) != NORMAL) return flow;
    bool now;
    if ((flow = plain_step(in, &now)) != NORMAL || !now) return flow;
    if (!inside) return fault(in, 3);
    Actor *other = &in->world->actors[instance];
    if (s->kind == STMT_CREATE) {
        if (other->status != IDLE) return BLOCKED;
        other->status = RUNNING;
        for (int64_t m = 0; m < in->n_mutexes; m++) /* what its former self left locked, nobody can unlock */
            if (in->world->owners.data[m] == instance + 1) in->world->owners.data[m] = -1;
        vec_clear(&other->history);
        vec_clear(&other->arguments);
        vec_append(&other->arguments, arguments, n_arguments);
    } else {
        if (other->status != ENDED) return BLOCKED;
        other->status = IDLE;
    }
    happened(in, 0, true);
    return NORMAL;
}

static Flow run(Interpreter *in, const Stmt *s);

static Flow run_list(Interpreter *in, const Stmt *s)
{
    size_t env = in->env.len;
    Flow flow = NORMAL;
    for (; s && flow == NORMAL; s = s->next) flow = run(in, s);
    if (flow != STOP) in->env.len = env;
    return flow;
}

static void begin(Interpreter *in, const Stmt *s)
{
    in->stmt = s;
    vec_clear(&in->seen);
}

static Flow run_while(Interpreter *in, const Stmt *s)
{
    for (;;) {
        int64_t condition;
        begin(in, s);
        Flow flow = eval(in, s->value, &condition);
        if (flow != NORMAL) return flow;
        if (!condition) return NORMAL;
        flow = s->body ? run_list(in, s->body) : NORMAL;
        if (flow == BREAK) return NORMAL;
        if (flow != NORMAL && flow != CONTINUE) return flow;
    }
}

static Flow run_for(Interpreter *in, const Stmt *s)
{
    int64_t low, high;
    Flow flow;
    if ((flow = eval(in, s->domain.low, &low)) != NORMAL || (flow = eval(in, s->domain.high, &high)) != NORMAL)
        return flow;
    vec_push(&in->env, ((Local){"(bound)", high, high, high}));
    vec_push(&in->env, ((Local){s->name, low, INT32_MIN, INT32_MAX}));
    size_t env = in->env.len;
    for (int64_t i = low; i <= high; i++) {
        in->env.data[env - 1].value = i;
        begin(in, s);
        flow = run_list(in, s->body);
        if (flow == BREAK) break;
        if (flow != NORMAL && flow != CONTINUE) return flow;
    }
    in->env.len = env - 2;
    return NORMAL;
}

static Flow run_choose(Interpreter *in, const Stmt *s)
{
    unsigned n = 0;
    for (const Stmt *b = s->body; b; b = b->next) n++;
    int64_t branch;
    if (!replayed(in, &branch)) {
        if (!in->live) return STOP;
        branch = pick(in, n);
        happened(in, branch, false);
    }
    const Stmt *b = s->body;
    while (branch--) b = b->next;
    return run_list(in, b->body);
}

static Flow run_test(Interpreter *in, const Stmt *s)
{
    int64_t value;
    bool one_step = s->kind == STMT_AWAIT || touches(in, s->value);
    Flow flow;
    if (one_step && (flow = atomic_begin(in)) != NORMAL) return flow;
    if ((flow = eval(in, s->value, &value)) != NORMAL) return flow;
    if (!value) return s->kind == STMT_AWAIT ? BLOCKED : fault(in, 1);
    if (one_step) atomic_end(in);
    return NORMAL;
}

static Flow run_atomic(Interpreter *in, const Stmt *s)
{
    Flow flow = atomic_begin(in);
    if (flow != NORMAL) return flow;
    flow = run_list(in, s->body);
    if (flow == NORMAL || flow == BREAK || flow == CONTINUE) atomic_end(in);
    return flow;
}

static Flow run_var(Interpreter *in, const Stmt *s)
{
    int64_t low = INT32_MIN, high = INT32_MAX, value;
    Flow flow;
    if (s->domain.low) {
        eval(in, s->domain.low, &low);
        eval(in, s->domain.high, &high);
    }
    value = low <= 0 && high >= 0 ? 0 : low;
    if (s->value && (flow = eval(in, s->value, &value)) != NORMAL) return flow;
    if (value < low || value > high) return fault(in, 2);
    vec_push(&in->env, ((Local){s->name, value, low, high}));
    return NORMAL;
}

static Flow run_kind(Interpreter *in, const Stmt *s)
{
    int64_t value;
    Flow flow;
    bool now;
    switch (s->kind) {
    case STMT_BLOCK: return run_list(in, s->body);
    case STMT_VAR: return run_var(in, s);
    case STMT_ASSIGN: return assign(in, s);
    case STMT_IF:
        if ((flow = eval(in, s->value, &value)) != NORMAL) return flow;
        return value ? run_list(in, s->body) : s->other ? run_list(in, s->other) : NORMAL;
    case STMT_WHILE: return run_while(in, s);
    case STMT_FOR: return run_for(in, s);
    case STMT_AWAIT:
    case STMT_ASSERT: return run_test(in, s);
    case STMT_LOCK:
    case STMT_UNLOCK: return lock_or_unlock(in, s);
    case STMT_WAIT: return wait_condition(in, s);
    case STMT_SIGNAL:
    case STMT_BROADCAST: return notify(in, s);
    case STMT_CREATE:
    case STMT_JOIN: return create_or_join(in, s);
    case STMT_ATOMIC: return run_atomic(in, s);
    case STMT_CHOOSE: return run_choose(in, s);
    case STMT_SKIP:
    case STMT_EXIT:
        if ((flow = plain_step(in, &now)) != NORMAL) return flow;
        if (now) happened(in, 0, true);
        return s->kind == STMT_EXIT ? END : NORMAL;
    case STMT_RETURN: return END;
    case STMT_BREAK: return BREAK;
    case STMT_CONTINUE: return CONTINUE;
    default: return NORMAL;
    }
}

static Flow run(Interpreter *in, const Stmt *s)
{
    vec_push(&in->stack, s);
    begin(in, s);
    Flow flow = run_kind(in, s);
    if (flow != STOP) in->stack.len--;
    return flow;
}

/* ---- worlds ---- */

static World *world_copy(const Interpreter *in, const World *w)
{
    World *copy = g_new0(World, 1);
    vec_append(&copy->cells, w->cells.data, w->cells.len);
    vec_append(&copy->owners, w->owners.data, w->owners.len);
    vec_append(&copy->waits, w->waits.data, w->waits.len);
    copy->actors = g_memdup2(w->actors, (gsize)in->n_threads * sizeof *w->actors);
    for (int64_t t = 0; t < in->n_threads; t++) {
        Actor *a = &copy->actors[t];
        memset(&a->history, 0, sizeof a->history);
        memset(&a->arguments, 0, sizeof a->arguments);
        vec_append(&a->history, w->actors[t].history.data, w->actors[t].history.len);
        vec_append(&a->arguments, w->actors[t].arguments.data, w->actors[t].arguments.len);
        a->place = g_strdup(w->actors[t].place);
    }
    return copy;
}

static void world_free(const Interpreter *in, World *w)
{
    vec_free(&w->cells);
    vec_free(&w->owners);
    vec_free(&w->waits);
    for (int64_t t = 0; t < in->n_threads; t++) {
        vec_free(&w->actors[t].history);
        vec_free(&w->actors[t].arguments);
        g_free(w->actors[t].place);
    }
    g_free(w->actors);
    g_free(w);
}

/* Runs thread t; with `live` it takes one step if it can. False when it is blocked. */
static bool run_thread(Interpreter *in, World *w, int64_t t, bool live)
{
    in->world = w;
    in->me = t;
    in->position = 0;
    in->live = live;
    in->acted = false;
    in->atomic = 0;
    in->inside_wait = false;
    in->choice = 0;
    vec_clear(&in->env);
    vec_clear(&in->stack);
    const Family *f = &in->families.data[in->thread_family.data[t]];
    if (f->indices) vec_push(&in->env, ((Local){f->decl->replication->name, f->low + t - f->first, 0, 0}));
    Actor *a = &w->actors[t];
    size_t k = 0;
    for (const Binder *b = f->decl->parameters; b; b = b->next)
        vec_push(&in->env, ((Local){b->name, a->arguments.data[k++], INT32_MIN, INT32_MAX}));
    Flow flow = run(in, f->decl->body);
    a = &w->actors[t];
    g_clear_pointer(&a->place, g_free);
    switch (flow) {
    case BLOCKED: return false;
    case FAULT:
        a->status = FAULTY;
        a->fault = in->fault;
        a->fault_line = in->fault_line;
        break;
    case STOP: {
        GString *place = g_string_new(NULL);
        for (size_t i = 0; i < in->stack.len; i++)
            g_string_append_printf(place, "%p ", (const void *)in->stack.data[i]);
        for (size_t i = 0; i < in->env.len; i++)
            g_string_append_printf(place, "%" G_GINT64_FORMAT " ", in->env.data[i].value);
        g_string_append_c(place, ';');
        for (size_t i = 0; i < in->seen.len; i++)
            g_string_append_printf(place, "%" G_GINT64_FORMAT " ", in->seen.data[i]);
        a->place = g_string_free(place, FALSE);
        a->line = in->stmt->at.line;
        a->inside_wait = in->inside_wait;
        break;
    }
    default: a->status = ENDED; break;
    }
    return true;
}

/* A thread that was just created has not been run up to its first rest yet. */
static void settle(Interpreter *in, World *w)
{
    for (int64_t t = 0; t < in->n_threads; t++)
        if (w->actors[t].status == RUNNING && !w->actors[t].place) run_thread(in, w, t, false);
}

static char *world_text(const Interpreter *in, const World *w, bool whole)
{
    GString *text = g_string_new(NULL);
    for (int64_t i = 0; i < in->n_cells; i++)
        g_string_append_printf(text, "%s = %" G_GINT64_FORMAT "\n", (char *)in->cell_names->pdata[i], w->cells.data[i]);
    for (int64_t t = 0; t < in->n_threads; t++) {
        const Actor *a = &w->actors[t];
        const char *name = in->thread_names->pdata[t];
        if (a->status == ENDED) g_string_append_printf(text, "%s ended\n", name);
        if (a->status == IDLE) g_string_append_printf(text, "%s idle\n", name);
        if (a->status == FAULTY)
            g_string_append_printf(text, "%s: line %d: %s\n", name, a->fault_line, fault_texts[a->fault]);
        if (a->status == RUNNING)
            g_string_append_printf(text, "%s %s line %d\n", name, a->inside_wait ? "inside" : "before", a->line);
        if (whole) g_string_append_printf(text, "%s\n", a->status == RUNNING ? a->place : "");
    }
    for (size_t i = 0; whole && i < w->owners.len; i++) g_string_append_printf(text, "%d ", (int)w->owners.data[i]);
    for (size_t i = 0; whole && i < w->waits.len; i++) g_string_append_printf(text, "%d ", (int)w->waits.data[i]);
    return g_string_free(text, FALSE);
}

/* ---- declarations ---- */

static int64_t constant(Interpreter *in, const Expr *e, int64_t otherwise)
{
    int64_t value = otherwise;
    if (e) eval(in, e, &value);
    return value;
}

static void mark(Interpreter *in, const Stmt *s)
{
    for (; s; s = s->next) {
        if (s->kind == STMT_CREATE) family(in, s->name)->created = true;
        if (s->kind == STMT_JOIN) family(in, s->name)->joined = true;
        mark(in, s->body);
        mark(in, s->other);
    }
}

static void declare(Interpreter *in, const Decl *d, World *w)
{
    Family f = {.decl = d, .n = constant(in, d->size, 1)};
    if (d->kind <= DECL_CONST) {
        vec_push(&in->constants, ((Local){d->name, constant(in, d->value, 0), 0, 0}));
        return;
    }
    if (d->kind == DECL_VAR) {
        f.first = in->n_cells;
        f.low = constant(in, d->domain.low, 0);
        f.high = constant(in, d->domain.high, 0);
        for (int64_t i = 0; i < f.n; i++) {
            vec_push(&in->cell_decl, d);
            vec_push(&w->cells, constant(in, d->value, f.low <= 0 && f.high >= 0 ? 0 : f.low));
            g_ptr_array_add(in->cell_names, d->size ? g_strdup_printf("%s[%d]", d->name, (int)i) : g_strdup(d->name));
        }
        in->n_cells += f.n;
    } else if (d->kind == DECL_MUTEX) {
        f.first = in->n_mutexes;
        in->n_mutexes += f.n;
    } else if (d->kind == DECL_COND) {
        f.first = in->n_conditions;
        in->n_conditions += f.n;
    } else {
        f.first = in->n_threads;
        f.indices = d->replication != NULL;
        if (f.indices) {
            f.low = constant(in, d->replication->domain.low, 0);
            f.high = constant(in, d->replication->domain.high, 0);
            f.n = f.high - f.low + 1;
        }
        for (int64_t i = 0; i < f.n; i++) {
            g_ptr_array_add(in->thread_names,
                            f.indices ? g_strdup_printf("%s[%d]", d->name, (int)(f.low + i)) : g_strdup(d->name));
            vec_push(&in->thread_family, (int64_t)in->families.len);
        }
        in->n_threads += f.n;
    }
    vec_push(&in->families, f);
}

static World *first_world(Interpreter *in)
{
    World *w = g_new0(World, 1);
    for (const Decl *d = in->ast->decls; d; d = d->next) declare(in, d, w);
    for (size_t i = 0; i < in->families.len; i++)
        if (in->families.data[i].decl->kind == DECL_THREAD) mark(in, in->families.data[i].decl->body);
    for (int64_t i = 0; i < in->n_mutexes; i++) vec_push(&w->owners, 0);
    for (int64_t i = 0; i < in->n_conditions * in->n_threads; i++) vec_push(&w->waits, 0);
    w->actors = g_new0(Actor, in->n_threads);
    for (int64_t t = 0; t < in->n_threads; t++)
        w->actors[t].status = in->families.data[in->thread_family.data[t]].created ? IDLE : RUNNING;
    settle(in, w);
    return w;
}

/* Nobody waits: those that failed have stopped for good. */
static bool accepted(const Interpreter *in, const World *w)
{
    for (int64_t t = 0; t < in->n_threads; t++)
        if (w->actors[t].status == RUNNING) return false;
    return true;
}

static bool races(const Interpreter *in)
{
    for (size_t i = 0; i < in->plain.len; i++)
        for (size_t k = 0; k < i; k++) {
            const Plain *a = &in->plain.data[i], *b = &in->plain.data[k];
            if (a->thread != b->thread && a->cell == b->cell && (a->write || b->write)) return true;
        }
    return false;
}

/* The next list of choices, like an odometer; false after the last. */
static bool next_choices(Interpreter *in)
{
    while (in->choices.len) {
        if (++vec_last(&in->choices) < vec_last(&in->options)) return true;
        in->choices.len--;
        in->options.len--;
    }
    return false;
}

Interpreted *interpreter_run(const Ast *ast, unsigned limit)
{
    Interpreter in = {.ast = ast};
    in.thread_names = g_ptr_array_new_with_free_func(g_free);
    in.cell_names = g_ptr_array_new_with_free_func(g_free);
    Interpreted *result = g_new0(Interpreted, 1);
    result->states = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    result->dead = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    g_autoptr(GHashTable) known = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    g_autoptr(GPtrArray) todo = g_ptr_array_new();
    World *first = first_world(&in);
    g_hash_table_add(known, world_text(&in, first, true));
    g_ptr_array_add(todo, first);
    guint done = 0;
    for (; done < todo->len && todo->len <= limit; done++) {
        World *w = todo->pdata[done];
        g_hash_table_add(result->states, world_text(&in, w, false));
        vec_clear(&in.plain);
        bool dead = true;
        for (int64_t t = 0; t < in.n_threads; t++) {
            if (w->actors[t].status != RUNNING) continue;
            vec_clear(&in.choices);
            vec_clear(&in.options);
            do {
                World *next = world_copy(&in, w);
                if (run_thread(&in, next, t, true)) {
                    dead = false;
                    settle(&in, next);
                    char *key = world_text(&in, next, true);
                    if (g_hash_table_add(known, key)) {
                        g_ptr_array_add(todo, next);
                        continue;
                    }
                }
                world_free(&in, next);
            } while (next_choices(&in));
        }
        result->race |= races(&in);
        if (dead && !accepted(&in, w)) g_hash_table_add(result->dead, world_text(&in, w, false));
    }
    result->complete = done == todo->len;
    for (guint i = 0; i < todo->len; i++) world_free(&in, todo->pdata[i]);
    vec_free(&in.families);
    vec_free(&in.constants);
    vec_free(&in.thread_family);
    vec_free(&in.cell_decl);
    vec_free(&in.env);
    vec_free(&in.stack);
    vec_free(&in.seen);
    vec_free(&in.plain);
    vec_free(&in.choices);
    vec_free(&in.options);
    g_ptr_array_unref(in.thread_names);
    g_ptr_array_unref(in.cell_names);
    return result;
}

void interpreter_free(Interpreted *result)
{
    g_hash_table_unref(result->states);
    g_hash_table_unref(result->dead);
    g_free(result);
}
