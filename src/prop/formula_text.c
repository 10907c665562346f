#include "prop/formula.h"

#include <string.h>

void formula_put_id(GString *out, const char *id)
{
    bool plain = g_ascii_isalpha(*id) || *id == '_';
    for (const char *c = id; *c; c++) plain &= g_ascii_isalnum(*c) || *c == '_' || *c == '.';
    static const char *const reserved[] = {"true", "false", "deadlock", "fireable", "tokens"};
    for (size_t i = 0; i < G_N_ELEMENTS(reserved); i++) plain &= strcmp(id, reserved[i]) != 0;
    if (plain) {
        g_string_append(out, id);
        return;
    }
    g_string_append_c(out, '"');
    for (; *id; id++) {
        if (*id == '"' || *id == '\\') g_string_append_c(out, '\\');
        g_string_append_c(out, *id);
    }
    g_string_append_c(out, '"');
}

/* The terms of one sign, without it, and the constant unless it is 0 and not alone. */
static void put_side(GString *out, const FormulaStore *s, const FormulaNode *n, bool positive, uint64_t constant)
{
    bool first = true;
    for (uint32_t i = 0; i < n->len; i++) {
        const FormulaTerm *term = &s->terms.data[n->from + i];
        if ((term->coefficient > 0) != positive) continue;
        if (!first) g_string_append(out, " + ");
        int64_t size = positive ? term->coefficient : -term->coefficient;
        if (size != 1) g_string_append_printf(out, "%" G_GINT64_FORMAT "*", size);
        formula_put_id(out, net_place_id(s->net, term->place));
        first = false;
    }
    if (constant || first) g_string_append_printf(out, "%s%" G_GUINT64_FORMAT, first ? "" : " + ", constant);
}

/* Negative coefficients go to the right-hand side; a negative bound to the left. */
static void put_at_most(GString *out, const FormulaStore *s, const FormulaNode *n)
{
    put_side(out, s, n, true, n->bound < 0 ? (uint64_t)-n->bound : 0);
    g_string_append(out, " <= ");
    put_side(out, s, n, false, n->bound > 0 ? (uint64_t)n->bound : 0);
}

static void put_leaf(GString *out, const FormulaStore *s, const FormulaNode *n)
{
    switch ((FormulaKind)n->kind) {
    case FORMULA_FALSE: g_string_append(out, "false"); return;
    case FORMULA_TRUE: g_string_append(out, "true"); return;
    case FORMULA_DEADLOCK: g_string_append(out, "deadlock"); return;
    case FORMULA_ALIVE: g_string_append(out, "!deadlock"); return;
    case FORMULA_AT_MOST: put_at_most(out, s, n); return;
    case FORMULA_FIREABLE:
    case FORMULA_UNFIREABLE:
        g_string_append(out, n->kind == FORMULA_FIREABLE ? "fireable(" : "!fireable(");
        for (uint32_t i = 0; i < n->len; i++) {
            if (i) g_string_append(out, ", ");
            formula_put_id(out, net_transition_id(s->net, s->items.data[n->from + i]));
        }
        g_string_append_c(out, ')');
        return;
    case FORMULA_AND:
    case FORMULA_OR: break;
    }
}

/* A junction being written: its next child. */
typedef struct Frame {
    const FormulaNode *node;
    uint32_t next;
} Frame;

char *formula_text(const FormulaStore *s, FormulaId id)
{
    const FormulaNode *root = formula_node(s, id);
    if (root->visits > FORMULA_MAX_TEXT) return NULL;
    GString *out = g_string_new(NULL);
    VEC(Frame) frames = {0};
    vec_push(&frames, ((Frame){root, 0}));
    while (frames.len) {
        Frame *f = &vec_last(&frames);
        const FormulaNode *n = f->node;
        bool leaf = n->kind != FORMULA_AND && n->kind != FORMULA_OR, inside = frames.len > 1 && !leaf;
        if (leaf) put_leaf(out, s, n);
        if (inside && f->next == 0) g_string_append_c(out, '(');
        if (leaf || f->next == n->len) {
            if (inside) g_string_append_c(out, ')');
            frames.len--;
            continue;
        }
        if (f->next) g_string_append(out, n->kind == FORMULA_AND ? " && " : " || ");
        FormulaId child = s->items.data[n->from + f->next++];
        vec_push(&frames, ((Frame){formula_node(s, child), 0}));
    }
    vec_free(&frames);
    return g_string_free(out, FALSE);
}
