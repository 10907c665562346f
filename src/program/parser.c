#include "program/parser.h"

#include "base/error.h"
#include "program/lexer.h"

#include <string.h>

enum { TOKEN_WORK = 20 };

typedef struct Parser {
    Lexer lexer;
    Token token;          /* the next one */
    const char *last_end; /* of the token before */
    Ast *ast;
    int depth;
    bool failed;
    GError **error;
} Parser;

/* After the first failure the parser sees only the end of the file, so every loop ends. */
static void stop(Parser *p)
{
    p->failed = true;
    p->token.kind = TOKEN_END;
    p->lexer.next = p->lexer.end;
}

static void fail_at(Parser *p, Position at, const char *format, ...) G_GNUC_PRINTF(3, 4);
static void fail_at(Parser *p, Position at, const char *format, ...)
{
    if (!p->failed) {
        va_list args;
        va_start(args, format);
        g_autofree char *message = g_strdup_vprintf(format, args);
        va_end(args);
        error_at(p->error, ERROR_INPUT, p->ast->file, at.line, at.column, "%s", message);
    }
    stop(p);
}

static void advance(Parser *p)
{
    if (p->failed) return;
    if (ast_spent(p->ast, TOKEN_WORK, p->error)) {
        stop(p);
        return;
    }
    p->last_end = p->token.text + p->token.len;
    p->token = lexer_next(&p->lexer);
    if (p->token.kind == TOKEN_WRONG) fail_at(p, p->token.at, "%s", p->lexer.message);
}

static bool at(const Parser *p, const char *text)
{
    return lexer_is(&p->token, text);
}

static bool accept(Parser *p, const char *text)
{
    if (!at(p, text)) return false;
    advance(p);
    return true;
}

static void unexpected(Parser *p, const char *wanted)
{
    if (p->failed) return;
    if (p->token.kind == TOKEN_END)
        fail_at(p, p->token.at, "%s is expected, but the program ends here", wanted);
    else
        fail_at(p, p->token.at, "%s is expected before '%.*s'", wanted, (int)MIN(p->token.len, 40), p->token.text);
}

static void expect(Parser *p, const char *text)
{
    if (accept(p, text)) return;
    g_autofree char *quoted = g_strdup_printf("'%s'", text);
    unexpected(p, quoted);
}

static const char *take_name(Parser *p, const char *wanted)
{
    if (p->token.kind != TOKEN_NAME || lexer_is_keyword(&p->token)) {
        unexpected(p, wanted);
        return "";
    }
    char *name = arena_alloc(&p->ast->arena, p->token.len + 1);
    memcpy(name, p->token.text, p->token.len);
    name[p->token.len] = 0;
    advance(p);
    return name;
}

static void *node(Parser *p, size_t size)
{
    return memset(arena_alloc(&p->ast->arena, size), 0, size);
}

static bool enter(Parser *p)
{
    if (++p->depth > AST_MAX_DEPTH) fail_at(p, p->token.at, "this is nested more than %d deep", AST_MAX_DEPTH);
    return !p->failed;
}

static Expr *read_expr(Parser *p);

static Expr *new_expr(Parser *p, ExprKind kind, Position where)
{
    Expr *e = node(p, sizeof *e);
    e->kind = kind;
    e->at = where;
    return e;
}

static Expr *read_reference(Parser *p, const char *wanted)
{
    Expr *e = new_expr(p, EXPR_NAME, p->token.at);
    e->name = take_name(p, wanted);
    if (accept(p, "[")) {
        e->kind = EXPR_INDEX;
        e->a = read_expr(p);
        expect(p, "]");
    }
    return e;
}

static Expr *read_any(Parser *p)
{
    Expr *e = new_expr(p, EXPR_ANY, p->token.at);
    advance(p);
    expect(p, "(");
    e->a = read_expr(p);
    expect(p, "..");
    e->b = read_expr(p);
    expect(p, ")");
    return e;
}

static Expr *read_primary(Parser *p)
{
    Expr *e = NULL;
    if (p->token.kind == TOKEN_NUMBER || at(p, "true") || at(p, "false")) {
        e = new_expr(p, EXPR_NUMBER, p->token.at);
        e->value = p->token.kind == TOKEN_NUMBER ? p->token.value : at(p, "true");
        advance(p);
    } else if (accept(p, "(")) {
        e = read_expr(p);
        expect(p, ")");
    } else if (at(p, "any")) {
        e = read_any(p);
    } else if (at(p, "trylock")) {
        e = new_expr(p, EXPR_TRYLOCK, p->token.at);
        advance(p);
        expect(p, "(");
        e->a = read_reference(p, "a mutex");
        expect(p, ")");
    } else {
        e = read_reference(p, "an expression");
    }
    return e;
}

static Expr *read_unary(Parser *p)
{
    AstOperator op;
    if (at(p, "-"))
        op = OP_NEGATE;
    else if (at(p, "!"))
        op = OP_NOT;
    else
        return read_primary(p);
    Expr *e = new_expr(p, EXPR_UNARY, p->token.at);
    e->op = op;
    advance(p);
    if (enter(p)) e->a = read_unary(p);
    p->depth--;
    if (!e->a) e->a = e;
    return e;
}

static const struct {
    const char *sign;
    int level;
    ExprKind kind;
    AstOperator op;
} binary[] = {
    {"||", 1, EXPR_OR, 0},
    {"&&", 2, EXPR_AND, 0},
    {"==", 3, EXPR_BINARY, OP_EQUAL},
    {"!=", 3, EXPR_BINARY, OP_UNEQUAL},
    {"<", 4, EXPR_BINARY, OP_LESS},
    {"<=", 4, EXPR_BINARY, OP_LESS_EQUAL},
    {">", 4, EXPR_BINARY, OP_GREATER},
    {">=", 4, EXPR_BINARY, OP_GREATER_EQUAL},
    {"+", 5, EXPR_BINARY, OP_ADD},
    {"-", 5, EXPR_BINARY, OP_SUBTRACT},
    {"*", 6, EXPR_BINARY, OP_MULTIPLY},
    {"/", 6, EXPR_BINARY, OP_DIVIDE},
    {"%", 6, EXPR_BINARY, OP_REMAINDER},
};

/* A left-leaning chain a + b + c is as deep as it is long, so each link counts as a level. */
static Expr *read_binary(Parser *p, int level)
{
    Expr *left = read_unary(p);
    int links = 0;
    for (;;) {
        size_t i = 0;
        while (i < G_N_ELEMENTS(binary) && !(binary[i].level >= level && at(p, binary[i].sign))) i++;
        if (i == G_N_ELEMENTS(binary)) break;
        Expr *e = new_expr(p, binary[i].kind, p->token.at);
        e->op = binary[i].op;
        advance(p);
        links++;
        if (!enter(p)) break;
        e->a = left;
        e->b = read_binary(p, binary[i].level + 1);
        left = e;
    }
    p->depth -= links;
    return left;
}

static Expr *read_expr(Parser *p)
{
    Expr *e = new_expr(p, EXPR_CONDITIONAL, p->token.at);
    if (!enter(p)) return e;
    Expr *first = read_binary(p, 1);
    if (at(p, "?")) {
        e->at = p->token.at;
        advance(p);
        e->a = first;
        e->b = read_expr(p);
        expect(p, ":");
        e->c = read_expr(p);
        first = e;
    }
    p->depth--;
    return first;
}

static Expr *read_list(Parser *p, const char *close)
{
    Expr *first = NULL, **last = &first;
    do {
        *last = read_expr(p);
        last = &(*last)->next;
    } while (accept(p, ","));
    expect(p, close);
    return first;
}

static Expr *number(Parser *p, int64_t value)
{
    Expr *e = new_expr(p, EXPR_NUMBER, p->token.at);
    e->value = value;
    return e;
}

static Domain read_range(Parser *p)
{
    Domain domain = {.low = read_expr(p)};
    expect(p, "..");
    domain.high = read_expr(p);
    return domain;
}

static Domain read_domain(Parser *p)
{
    if (accept(p, "bool")) return (Domain){number(p, 0), number(p, 1)};
    if (accept(p, "int")) return (Domain){NULL, NULL};
    return read_range(p);
}

static Stmt *read_stmt(Parser *p);

static Stmt *read_block(Parser *p)
{
    Stmt *block = node(p, sizeof *block), **last = &block->body;
    block->kind = STMT_BLOCK;
    block->at = p->token.at;
    block->text = "";
    expect(p, "{");
    while (!p->failed && !at(p, "}")) {
        if (p->token.kind == TOKEN_END) {
            unexpected(p, "'}'");
            break;
        }
        *last = read_stmt(p);
        last = &(*last)->next;
    }
    expect(p, "}");
    return block;
}

/* The source between two places on one line, shortened. */
static const char *one_line(Parser *p, const char *from, const char *to)
{
    enum { LONGEST = 64 };
    GString *text = g_string_new(NULL);
    bool space = false;
    for (; from < to; from++) {
        if (g_ascii_isspace(*from)) {
            space = text->len > 0;
            continue;
        }
        if (space) g_string_append_c(text, ' ');
        space = false;
        g_string_append_c(text, (guchar)*from < 32 || (guchar)*from > 126 ? '?' : *from);
    }
    if (text->len && text->str[text->len - 1] == ';') g_string_truncate(text, text->len - 1);
    if (text->len > LONGEST) {
        g_string_truncate(text, LONGEST - 3);
        g_string_append(text, "...");
    }
    const char *copy = arena_copy(&p->ast->arena, text->str, text->len + 1);
    g_string_free(text, TRUE);
    return copy;
}

static Expr *read_condition(Parser *p)
{
    expect(p, "(");
    Expr *e = read_expr(p);
    expect(p, ")");
    return e;
}

static void read_if(Parser *p, Stmt *s, const char *from)
{
    s->value = read_condition(p);
    s->text = one_line(p, from, p->last_end);
    s->body = read_stmt(p);
    if (accept(p, "else")) s->other = read_stmt(p);
}

static void read_while(Parser *p, Stmt *s, const char *from)
{
    s->value = read_condition(p);
    s->text = one_line(p, from, p->last_end);
    if (!accept(p, ";")) s->body = read_stmt(p);
}

static void read_for(Parser *p, Stmt *s, const char *from)
{
    bool bracket = accept(p, "(");
    s->name = take_name(p, "the loop's variable");
    expect(p, "in");
    s->domain = read_range(p);
    if (bracket) expect(p, ")");
    s->text = one_line(p, from, p->last_end);
    s->body = read_stmt(p);
}

static void read_choose(Parser *p, Stmt *s)
{
    Stmt **last = &s->body;
    do {
        *last = read_block(p);
        last = &(*last)->next;
    } while (accept(p, "or"));
}

static void read_thread_reference(Parser *p, Stmt *s)
{
    s->name = take_name(p, "a thread");
    if (accept(p, "[")) s->index = read_list(p, "]");
    if (s->kind == STMT_CREATE && accept(p, "(") && !accept(p, ")")) s->arguments = read_list(p, ")");
}

static void read_synchronisation(Parser *p, Stmt *s)
{
    expect(p, "(");
    s->target = read_reference(p, s->kind == STMT_LOCK || s->kind == STMT_UNLOCK ? "a mutex" : "a condition variable");
    if (s->kind == STMT_WAIT) {
        expect(p, ",");
        s->value = read_reference(p, "a mutex");
    }
    expect(p, ")");
}

static void read_var(Parser *p, Stmt *s)
{
    s->name = take_name(p, "a variable's name");
    if (accept(p, ":")) s->domain = read_domain(p);
    if (accept(p, "=")) s->value = read_expr(p);
}

static void read_assignment(Parser *p, Stmt *s)
{
    s->target = read_reference(p, "a statement");
    Expr *sum = new_expr(p, EXPR_BINARY, p->token.at);
    sum->a = s->target;
    if (at(p, "+=") || at(p, "-=") || at(p, "++") || at(p, "--")) {
        bool by_one = p->token.text[1] != '=';
        sum->op = p->token.text[0] == '+' ? OP_ADD : OP_SUBTRACT;
        advance(p);
        sum->b = by_one ? number(p, 1) : read_expr(p);
        s->value = sum;
    } else {
        expect(p, "=");
        s->value = read_expr(p);
    }
}

static const struct {
    const char *word;
    StmtKind kind;
} words[] = {
    {"var", STMT_VAR},     {"if", STMT_IF},         {"while", STMT_WHILE},         {"for", STMT_FOR},
    {"await", STMT_AWAIT}, {"assert", STMT_ASSERT}, {"lock", STMT_LOCK},           {"unlock", STMT_UNLOCK},
    {"wait", STMT_WAIT},   {"signal", STMT_SIGNAL}, {"broadcast", STMT_BROADCAST}, {"create", STMT_CREATE},
    {"join", STMT_JOIN},   {"atomic", STMT_ATOMIC}, {"choose", STMT_CHOOSE},       {"skip", STMT_SKIP},
    {"exit", STMT_EXIT},   {"return", STMT_RETURN}, {"break", STMT_BREAK},         {"continue", STMT_CONTINUE},
    {"goto", STMT_GOTO},
};

/* True when the statement ends with a semicolon. */
static bool read_rest(Parser *p, Stmt *s, const char *from)
{
    switch (s->kind) {
    case STMT_VAR: return read_var(p, s), true;
    case STMT_IF: return read_if(p, s, from), false;
    case STMT_WHILE: return read_while(p, s, from), false;
    case STMT_FOR: return read_for(p, s, from), false;
    case STMT_AWAIT:
    case STMT_ASSERT: return s->value = read_condition(p), true;
    case STMT_LOCK:
    case STMT_UNLOCK:
    case STMT_WAIT:
    case STMT_SIGNAL:
    case STMT_BROADCAST: return read_synchronisation(p, s), true;
    case STMT_CREATE:
    case STMT_JOIN: return read_thread_reference(p, s), true;
    case STMT_ATOMIC: return s->body = read_block(p), false;
    case STMT_CHOOSE: return read_choose(p, s), false;
    case STMT_GOTO: return s->name = take_name(p, "a label"), true;
    default: return true;
    }
}

/* NAME ':' is a label; any other name starts an assignment. */
static bool at_label(Parser *p)
{
    if (p->token.kind != TOKEN_NAME || lexer_is_keyword(&p->token)) return false;
    Lexer ahead = p->lexer;
    Token next = lexer_next(&ahead);
    return lexer_is(&next, ":");
}

static Stmt *read_stmt(Parser *p)
{
    Stmt *s = node(p, sizeof *s);
    s->at = p->token.at;
    s->text = "";
    if (!enter(p)) return s;
    const char *from = p->token.text;
    bool semicolon = true;
    size_t i = 0;
    while (i < G_N_ELEMENTS(words) && !at(p, words[i].word)) i++;
    if (at(p, "{")) {
        s = read_block(p);
        semicolon = false;
    } else if (at_label(p)) {
        s->kind = STMT_LABEL;
        s->name = take_name(p, "a label");
        advance(p);
        semicolon = false;
    } else if (i < G_N_ELEMENTS(words)) {
        s->kind = words[i].kind;
        advance(p);
        semicolon = read_rest(p, s, from);
    } else {
        s->kind = STMT_ASSIGN;
        read_assignment(p, s);
    }
    if (semicolon) expect(p, ";");
    if (!*s->text && !p->failed) s->text = one_line(p, from, p->last_end);
    p->depth--;
    return s;
}

static Binder *read_binder(Parser *p, const char *wanted)
{
    Binder *b = node(p, sizeof *b);
    b->at = p->token.at;
    b->name = take_name(p, wanted);
    return b;
}

static void read_thread(Parser *p, Decl *d)
{
    Binder **last = &d->parameters;
    if (accept(p, "(") && !accept(p, ")")) {
        do {
            *last = read_binder(p, "a parameter's name");
            if (accept(p, ":")) (*last)->domain = read_domain(p);
            last = &(*last)->next;
        } while (accept(p, ","));
        expect(p, ")");
    }
    last = &d->replication;
    if (accept(p, "for")) {
        do {
            *last = read_binder(p, "the name of a replication index");
            expect(p, "in");
            (*last)->domain = read_range(p);
            last = &(*last)->next;
        } while (accept(p, ","));
    }
    d->body = read_block(p);
}

/* The part common to all names of one declaration follows the last of them. */
static Decl **read_names(Parser *p, Decl *first)
{
    Decl *d = first;
    for (;;) {
        d->at = p->token.at;
        d->name = take_name(p, "a name");
        if (first->kind >= DECL_VAR && accept(p, "[")) {
            d->size = read_expr(p);
            expect(p, "]");
        }
        if (first->kind < DECL_VAR || !accept(p, ",")) break;
        d->next = node(p, sizeof *d);
        d = d->next;
    }
    Domain domain = {NULL, NULL};
    Expr *value = NULL;
    bool is_list = false;
    if (first->kind == DECL_VAR) {
        expect(p, ":");
        domain = read_domain(p);
    }
    if (first->kind < DECL_VAR) {
        expect(p, "=");
        value = read_expr(p);
    } else if (first->kind == DECL_VAR && accept(p, "=")) {
        is_list = accept(p, "[");
        value = is_list ? read_list(p, "]") : read_expr(p);
    }
    for (Decl *each = first; each; each = each->next) {
        each->kind = first->kind;
        each->atomic = first->atomic;
        each->domain = domain;
        each->value = value;
        each->is_list = is_list;
    }
    expect(p, ";");
    return &d->next;
}

static Decl **read_decl(Parser *p, Decl **where)
{
    static const char *const kinds[] = {"param", "const", "var", "mutex", "cond", "thread"};
    Decl *d = *where = node(p, sizeof *d);
    d->atomic = accept(p, "atomic");
    size_t i = 0;
    while (i < G_N_ELEMENTS(kinds) && !at(p, kinds[i])) i++;
    if (i == G_N_ELEMENTS(kinds) || (d->atomic && i != DECL_VAR)) {
        unexpected(p, d->atomic ? "'var'" : "param, const, var, mutex, cond or thread");
        return &d->next;
    }
    d->kind = (DeclKind)i;
    advance(p);
    if (d->kind != DECL_THREAD) return read_names(p, d);
    d->at = p->token.at;
    d->name = take_name(p, "a thread's name");
    read_thread(p, d);
    return &d->next;
}

Ast *parser_read(const char *text, size_t len, const char *file, Budget *budget, GError **error)
{
    g_autoptr(Ast) ast = g_new0(Ast, 1);
    ast->file = g_strdup(file);
    ast->budget = budget;
    Parser p = {.lexer = lexer_new(text, len), .ast = ast, .error = error};
    p.token.text = text;
    advance(&p);
    Decl **last = &ast->decls;
    while (!p.failed && p.token.kind != TOKEN_END) last = read_decl(&p, last);
    if (!p.failed && !ast->decls) fail_at(&p, (Position){1, 1}, "there is no program here");
    return p.failed ? NULL : g_steal_pointer(&ast);
}
