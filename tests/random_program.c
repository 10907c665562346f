#include "random_program.h"

typedef struct Writer {
    Rng rng;
    GString *text;
    int names;  /* loop variables made so far */
    int locals; /* l0 .. of the current thread */
    int in_atomic, in_loop;
    int budget; /* statements left for the thread */
    bool has_worker, in_worker;
    const char *other; /* a thread that runs from the beginning and may be joined, or NULL */
} Writer;

static unsigned below(Writer *w, unsigned n)
{
    return (unsigned)rng_below(&w->rng, n);
}

static void line(Writer *w, const char *format, ...) G_GNUC_PRINTF(2, 3);
static void line(Writer *w, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    g_string_append_vprintf(w->text, format, args);
    va_end(args);
    g_string_append_c(w->text, '\n');
}

static char *atom(Writer *w)
{
    switch (below(w, 8)) {
    case 0:
    case 1: return g_strdup("x");
    case 2: return g_strdup("y");
    case 3: return w->locals ? g_strdup_printf("a[l%u]", below(w, (unsigned)w->locals)) : g_strdup("a[0]");
    case 4: return g_strdup_printf("a[%u]", below(w, 2));
    case 5:
    case 6:
        if (w->locals) return g_strdup_printf("l%u", below(w, (unsigned)w->locals));
        G_GNUC_FALLTHROUGH;
    default: return g_strdup_printf("%u", below(w, 3));
    }
}

static char *expr(Writer *w, int depth)
{
    if (depth == 0 || rng_chance(&w->rng, 3))
        return rng_chance(&w->rng, 12) ? g_strdup_printf("any(0..%u)", below(w, 2) + 1) : atom(w);
    static const char *const signs[] = {"+", "-", "*", "%", "/", "==", "!=", "<", "<=", ">", ">="};
    g_autofree char *a = expr(w, depth - 1), *b = expr(w, depth - 1);
    switch (below(w, 8)) {
    case 0: return g_strdup_printf("!(%s)", a);
    case 1: return g_strdup_printf("(x < 2 && %s)", b);
    case 2: return g_strdup_printf("(y == 1 || %s)", b);
    case 3: return g_strdup_printf("(x ? %s : %s)", a, b);
    default: return g_strdup_printf("(%s %s %s)", a, signs[below(w, G_N_ELEMENTS(signs))], b);
    }
}

static char *bounded(Writer *w)
{
    g_autofree char *e = expr(w, 2);
    return rng_chance(&w->rng, 5) ? g_steal_pointer(&e) : g_strdup_printf("(%s) %% 3", e);
}

static char *target(Writer *w)
{
    if (w->locals && rng_chance(&w->rng, 3)) return g_strdup_printf("l%u", below(w, (unsigned)w->locals));
    if (rng_chance(&w->rng, 3))
        return w->locals && rng_chance(&w->rng, 2) ? g_strdup_printf("a[l%u]", below(w, (unsigned)w->locals))
                                                   : g_strdup_printf("a[%u]", below(w, 2));
    return g_strdup(rng_chance(&w->rng, 2) ? "x" : "y");
}

static const char *mutex(Writer *w)
{
    static const char *const names[] = {"m", "n[0]", "n[1]", "n[x]"};
    return names[below(w, rng_chance(&w->rng, 4) ? 4 : 2)];
}

static void statement(Writer *w, int depth);

static void block(Writer *w, int depth)
{
    unsigned n = below(w, 3);
    for (unsigned i = 0; i < n && w->budget > 0; i++) statement(w, depth);
}

static void compound(Writer *w, int depth)
{
    g_autofree char *e = expr(w, 2);
    switch (below(w, 6)) {
    case 0:
        line(w, "if (%s) {", e);
        block(w, depth - 1);
        if (rng_chance(&w->rng, 2)) {
            line(w, "} else {");
            block(w, depth - 1);
        }
        break;
    case 1:
        line(w, "while (x < %u && %s) {", below(w, 3), e);
        w->in_loop++;
        block(w, depth - 1);
        w->in_loop--;
        break;
    case 2:
        line(w, "for i%d in %u..%s {", w->names++, below(w, 2), rng_chance(&w->rng, 4) ? "y" : "1");
        w->in_loop++;
        block(w, depth - 1);
        w->in_loop--;
        break;
    case 3:
        line(w, "atomic {");
        w->in_atomic++;
        block(w, depth - 1);
        if (w->in_loop && rng_chance(&w->rng, 3)) line(w, rng_chance(&w->rng, 2) ? "break;" : "continue;");
        w->in_atomic--;
        break;
    case 4:
        line(w, "choose {");
        block(w, depth - 1);
        for (unsigned more = 1 + below(w, 2); more > 0; more--) {
            line(w, "} or {");
            block(w, depth - 1);
        }
        break;
    default: {
        const char *m = mutex(w);
        line(w, "lock(%s);", m);
        block(w, depth - 1);
        line(w, "unlock(%s);", m);
        return;
    }
    }
    line(w, "}");
}

/* The two sides of a wait for x, where it matters that a signal wakes who is there, and only then. */
static void handshake(Writer *w)
{
    line(w, "lock(m);");
    if (rng_chance(&w->rng, 2)) {
        line(w, "%s (x != 1) {", rng_chance(&w->rng, 3) ? "if" : "while");
        line(w, "wait(c, m);");
        line(w, "}");
    } else {
        line(w, "x = 1;");
        line(w, rng_chance(&w->rng, 3) ? "broadcast(c);" : "signal(c);");
    }
    line(w, "unlock(m);");
}

static void synchronise(Writer *w)
{
    if (!w->in_atomic && rng_chance(&w->rng, 3)) {
        handshake(w);
        return;
    }
    g_autofree char *e = expr(w, 2);
    switch (below(w, 9)) {
    case 0: line(w, "lock(%s);", mutex(w)); break;
    case 1: line(w, "unlock(%s);", mutex(w)); break;
    case 2:
        if (w->in_atomic) break;
        line(w, "lock(m);");
        line(w, "wait(%s, m);", rng_chance(&w->rng, 3) ? "d[y]" : "c");
        line(w, "unlock(m);");
        break;
    case 3: line(w, "signal(%s);", rng_chance(&w->rng, 3) ? "d[0]" : "c"); break;
    case 4: line(w, "broadcast(%s);", rng_chance(&w->rng, 3) ? "d[x]" : "c"); break;
    case 5:
        line(w, "if (trylock(%s)) {", mutex(w));
        block(w, 0);
        line(w, "}");
        break;
    case 6:
        if (w->has_worker && !w->in_worker)
            line(w, "create w[%s](%u);", rng_chance(&w->rng, 3) ? "y" : "0", below(w, 3));
        break;
    case 7:
        if (w->other && rng_chance(&w->rng, 2))
            line(w, "join %s;", w->other);
        else if (w->has_worker && !w->in_worker)
            line(w, "join w[%u];", below(w, 2));
        break;
    default: line(w, "await(%s);", e); break;
    }
}

static void statement(Writer *w, int depth)
{
    w->budget--;
    g_autofree char *t = target(w), *e = bounded(w);
    switch (below(w, 10)) {
    case 0:
    case 1:
    case 2: line(w, "%s = %s;", t, e); break;
    case 3: line(w, "%s %s 1;", t, rng_chance(&w->rng, 2) ? "+=" : "-="); break;
    case 4:
    case 5: synchronise(w); break;
    case 6: {
        g_autofree char *a = expr(w, 2);
        line(w, "assert(%s);", a);
        break;
    }
    case 7:
        if (w->in_loop && rng_chance(&w->rng, w->in_atomic ? 1 : 2))
            line(w, rng_chance(&w->rng, 2) ? "break;" : "continue;");
        else
            line(w, rng_chance(&w->rng, 8) ? "exit;" : rng_chance(&w->rng, 8) ? "return;" : "skip;");
        break;
    default:
        if (depth > 0)
            compound(w, depth);
        else
            line(w, "skip;");
    }
}

static void body(Writer *w, int budget)
{
    w->budget = budget;
    w->locals = 0;
    unsigned n = below(w, 3);
    for (unsigned i = 0; i < n; i++) {
        line(w, "var l%u : 0..2 = %u;", i, below(w, 3));
        w->locals++;
    }
    while (w->budget > 0) statement(w, 2 + (int)below(w, 3) / 2);
    line(w, "}");
}

char *random_program(uint64_t seed)
{
    Writer w = {.rng = {seed}, .text = g_string_new(NULL)};
    line(&w, "%svar x : 0..2 = %u;", rng_chance(&w.rng, 4) ? "atomic " : "", below(&w, 3));
    line(&w, "var y : -1..2 = %u;", below(&w, 2));
    line(&w, "var a[2] : 0..2 = %u;", below(&w, 2));
    line(&w, "mutex m;");
    line(&w, "mutex n[2];");
    line(&w, "cond c;");
    line(&w, "cond d[2];");
    w.has_worker = rng_chance(&w.rng, 3);
    if (w.has_worker) {
        line(&w, "thread w(p) for k in 0..1 {");
        w.in_worker = true;
        line(&w, "x = (x + p + k) %% 3;");
        body(&w, 1);
        w.in_worker = false;
    }
    if (rng_chance(&w.rng, 3)) {
        line(&w, "thread r for k in 1..2 {");
        body(&w, 2);
        w.other = "r[2]";
    } else if (rng_chance(&w.rng, 20)) {
        line(&w, "thread e {");
        line(&w, "}");
        w.other = "e";
    } else {
        line(&w, "thread s {");
        body(&w, 3 + (int)below(&w, 2));
        w.other = "s";
    }
    line(&w, "thread t {");
    if (w.has_worker) line(&w, "create w[0](1);");
    body(&w, 3 + (int)below(&w, 2));
    return g_string_free(w.text, FALSE);
}
