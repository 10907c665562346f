#include "home/workflow.h"

#include "base/error.h"
#include "home/home.h"

typedef struct Ends {
    uint32_t source, sink, n_sources, n_sinks; /* the first ones */
    bool *is_sink;
} Ends;

/* Isolated places are neither. */
static Ends find_ends(const Net *net)
{
    Ends e = {.source = NET_NONE, .sink = NET_NONE, .is_sink = g_new0(bool, (size_t)net->n_places + 1)};
    for (uint32_t p = net->n_places; p-- > 0;) {
        bool filled = net_transitions(net, ARC_POST, p).len, emptied = net_transitions(net, ARC_PRE, p).len;
        if (!filled && emptied) e.source = p, e.n_sources++;
        if (filled && !emptied) e.sink = p, e.n_sinks++;
        e.is_sink[p] = filled && !emptied;
    }
    return e;
}

static FormulaId at_most(FormulaStore *formulas, const FormulaTerm *terms, size_t n, int64_t bound)
{
    FormulaId id = FORMULA_ID_FALSE;
    bool fits = formula_at_most(formulas, terms, n, bound, &id, NULL);
    g_assert(fits);
    return id;
}

/* At most `most` tokens on all sinks, or on all other places, together; factor -1: at least -most. */
static FormulaId tokens_on(Workflow *w, const Ends *ends, bool sinks, int64_t factor, int64_t most)
{
    VEC(FormulaTerm) terms = {0};
    for (uint32_t p = 0; p < w->net.n_places; p++)
        if (ends->is_sink[p] == sinks) vec_push(&terms, ((FormulaTerm){p, factor}));
    FormulaId id = at_most(w->formulas, terms.data, terms.len, most);
    vec_free(&terms);
    return id;
}

/* The formula without what says that a place has few tokens. */
static FormulaId without_upper_bounds(FormulaStore *formulas, FormulaId id)
{
    FormulaNode node = *formula_node(formulas, id);
    if (node.kind == FORMULA_AT_MOST) {
        for (uint32_t i = 0; i < node.len; i++)
            if (formulas->terms.data[node.from + i].coefficient < 0) return id;
        return FORMULA_ID_TRUE;
    }
    if (node.kind != FORMULA_AND && node.kind != FORMULA_OR) return id;
    g_autofree FormulaId *children = g_new(FormulaId, node.len);
    for (uint32_t i = 0; i < node.len; i++)
        children[i] = without_upper_bounds(formulas, formulas->items.data[node.from + i]);
    return node.kind == FORMULA_AND ? formula_and(formulas, children, node.len)
                                    : formula_or(formulas, children, node.len);
}

/* A token from the only source to the only sink, if that is what it is about. */
static void set_ends(Workflow *w, const Ends *ends, uint64_t k)
{
    w->ends[0] = w->ends[1] = NET_NONE;
    if (ends->n_sources != 1 || ends->n_sinks != 1 || k != 1) return;
    for (uint32_t p = 0; p < w->net.n_places; p++)
        if (w->initial[p] != (p == ends->source)) return;
    FormulaId parts[] = {tokens_on(w, ends, true, -1, -1), tokens_on(w, ends, false, 1, 0),
                         tokens_on(w, ends, true, 1, 1)};
    if (formula_and(w->formulas, parts, G_N_ELEMENTS(parts)) != w->done) return;
    w->ends[0] = ends->source;
    w->ends[1] = ends->sink;
}

static bool set_goals(Workflow *w, const Ends *ends, uint64_t k, const char *final, GError **error)
{
    if (w->net.final || final) {
        if (!question_accepted(w->formulas, final, &w->done, error)) return false;
        if (formula_is_shared(w->formulas, w->done)) {
            g_set_error(error, MAZURKA_ERROR, ERROR_USAGE, "the final markings are too large a formula");
            return false;
        }
        w->covered = without_upper_bounds(w->formulas, w->done);
        w->exact = !final;
        w->ended = w->done;
        return true;
    }
    if (!ends->n_sinks) {
        g_set_error(error, MAZURKA_ERROR, ERROR_USAGE,
                    "this is no workflow net: it has no sink (a place that is filled and never emptied), and no final "
                    "marking is named (--final)");
        return false;
    }
    w->several_sinks = ends->n_sinks > 1;
    w->exact = !w->several_sinks;
    int64_t tokens = w->several_sinks ? 1 : (int64_t)k;
    FormulaId parts[] = {tokens_on(w, ends, true, -1, -tokens), tokens_on(w, ends, false, 1, 0),
                         w->several_sinks ? FORMULA_ID_TRUE : tokens_on(w, ends, true, 1, tokens)};
    w->done = formula_and(w->formulas, parts, G_N_ELEMENTS(parts));
    w->covered = w->several_sinks ? w->done : parts[0];
    FormulaId only_sinks[] = {tokens_on(w, ends, true, -1, -1), parts[1]};
    w->ended = formula_and(w->formulas, only_sinks, G_N_ELEMENTS(only_sinks));
    return true;
}

/* Without --sound=K the file's initial marking stays, if it has one. */
static bool set_initial(Workflow *w, const Ends *ends, uint64_t k, GError **error)
{
    bool marked = false;
    for (uint32_t p = 0; p < w->net.n_places; p++) marked |= w->initial[p] > 0;
    if (marked && k <= 1) return true;
    if (ends->n_sources != 1) {
        g_set_error(error, MAZURKA_ERROR, ERROR_USAGE,
                    "this is no workflow net: %u places are filled by nothing, one is expected", ends->n_sources);
        return false;
    }
    memset(w->initial, 0, w->net.n_places * sizeof *w->initial);
    w->initial[ends->source] = k;
    return true;
}

bool workflow_init(Workflow *w, const Net *net, uint64_t k, const char *final, GError **error)
{
    Ends ends = find_ends(net);
    *w = (Workflow){.initial = g_new0(uint64_t, (size_t)net->n_places + 1)};
    memcpy(w->initial, net->initial, net->n_places * sizeof *w->initial);
    w->net = home_net_from(net, w->initial);
    w->formulas = formula_store_new(&w->net);
    bool ok = set_initial(w, &ends, k, error) && set_goals(w, &ends, MAX(k, 1), final, error);
    if (ok) set_ends(w, &ends, MAX(k, 1));
    g_free(ends.is_sink);
    if (!ok) workflow_clear(w);
    return ok;
}

void workflow_clear(Workflow *w)
{
    formula_store_free(w->formulas);
    g_free(w->initial);
    *w = (Workflow){0};
}
