/* Random state formulas with an evaluator of their own (nothing of src/prop): the text goes to the program, the
 * tree is evaluated here. */
#pragma once
#include "base/rng.h"
#include "net/net.h"

typedef struct RandomFormula RandomFormula;
struct RandomFormula {
    enum { RF_AND, RF_OR, RF_NOT, RF_SUM, RF_FIREABLE, RF_DEADLOCK } kind;
    RandomFormula *left, *right;
    uint32_t a, b; /* places or transitions */
    int factor;    /* a + factor * b OP bound */
    int bound, op;
};

static const char *const rf_ops[] = {"<=", ">=", "<", ">", "==", "!="};

static inline RandomFormula *rf_new(Rng *rng, const Net *net, int depth)
{
    RandomFormula *f = g_new0(RandomFormula, 1);
    unsigned dice = (unsigned)rng_below(rng, 10);
    if (depth && dice < 6) {
        f->kind = dice < 3 ? RF_AND : dice < 5 ? RF_OR : RF_NOT;
        f->left = rf_new(rng, net, depth - 1);
        if (f->kind != RF_NOT) f->right = rf_new(rng, net, depth - 1);
    } else if (dice < 9 - 1) {
        f->kind = RF_SUM;
        f->a = (uint32_t)rng_below(rng, net->n_places);
        f->b = (uint32_t)rng_below(rng, net->n_places);
        f->factor = (int)rng_below(rng, 5) - 2;
        f->bound = (int)rng_below(rng, 6) - 1;
        f->op = (int)rng_below(rng, G_N_ELEMENTS(rf_ops));
    } else if (dice == 9) {
        f->kind = RF_DEADLOCK;
    } else {
        f->kind = RF_FIREABLE;
        f->a = (uint32_t)rng_below(rng, net->n_transitions);
        f->b = (uint32_t)rng_below(rng, net->n_transitions);
    }
    return f;
}

static inline void rf_free(RandomFormula *f)
{
    if (!f) return;
    rf_free(f->left);
    rf_free(f->right);
    g_free(f);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RandomFormula, rf_free)

static inline void rf_text(const RandomFormula *f, const Net *net, GString *text)
{
    switch (f->kind) {
    case RF_NOT:
        g_string_append(text, "!(");
        rf_text(f->left, net, text);
        g_string_append_c(text, ')');
        break;
    case RF_AND:
    case RF_OR:
        g_string_append_c(text, '(');
        rf_text(f->left, net, text);
        g_string_append(text, f->kind == RF_AND ? ") && (" : ") || (");
        rf_text(f->right, net, text);
        g_string_append_c(text, ')');
        break;
    case RF_SUM:
        g_string_append_printf(text, "%s %c %d*%s %s ", net_place_id(net, f->a), f->factor < 0 ? '-' : '+',
                               ABS(f->factor), net_place_id(net, f->b), rf_ops[f->op]);
        g_string_append_printf(text, "%d", f->bound);
        break;
    case RF_FIREABLE:
        g_string_append_printf(text, "fireable(%s, %s)", net_transition_id(net, f->a), net_transition_id(net, f->b));
        break;
    case RF_DEADLOCK: g_string_append(text, "deadlock"); break;
    }
}

static inline bool rf_holds(const RandomFormula *f, const Net *net, const uint64_t *m)
{
    __int128 sum; /* of any counts */
    switch (f->kind) {
    case RF_NOT: return !rf_holds(f->left, net, m);
    case RF_AND: return rf_holds(f->left, net, m) && rf_holds(f->right, net, m);
    case RF_OR: return rf_holds(f->left, net, m) || rf_holds(f->right, net, m);
    case RF_FIREABLE: return net_enabled(net, m, f->a) || net_enabled(net, m, f->b);
    case RF_DEADLOCK:
        for (uint32_t t = 0; t < net->n_transitions; t++)
            if (net_enabled(net, m, t)) return false;
        return true;
    case RF_SUM:
        sum = (__int128)m[f->a] + (__int128)f->factor * m[f->b];
        switch (f->op) {
        case 0: return sum <= f->bound;
        case 1: return sum >= f->bound;
        case 2: return sum < f->bound;
        case 3: return sum > f->bound;
        case 4: return sum == f->bound;
        default: return sum != f->bound;
        }
    }
    return false;
}
