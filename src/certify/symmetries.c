#include "certify/symmetries.h"

#include "certify/goal_map.h"

Symmetries *symmetries_new(const Net *net, const VecU32 *lists, Budget *budget)
{
    Symmetries *s = g_new0(Symmetries, 1);
    uint32_t nodes = net->n_places + net->n_transitions;
    *s = (Symmetries){.net = net, .lists = lists, .budget = budget, .to = g_new(uint32_t, (size_t)nodes + 1)};
    s->seen = g_new0(uint32_t, (size_t)net->n_transitions + 1);
    s->counts = g_new0(uint64_t, (size_t)net->n_places + 1);
    for (uint32_t v = 0; v < nodes; v++) s->to[v] = v;
    return s;
}

void symmetries_free(Symmetries *s)
{
    if (!s) return;
    g_free(s->to);
    g_free(s->seen);
    g_free(s->counts);
    g_free(s);
}

/* ---- is it one? ---- */

/* Places come first and go to places, transitions to transitions, each is listed once and gone to once. */
static bool permutes(Symmetries *s, const uint32_t *list, size_t n)
{
    uint32_t places = s->net->n_places, nodes = places + s->net->n_transitions;
    bool ok = n > 0 && n % 2 == 0;
    for (size_t i = 0; i < n && ok; i += 2) {
        ok = list[i] < nodes && list[i + 1] < nodes && (list[i] < places) == (list[i + 1] < places) &&
             list[i] != list[i + 1] && s->to[list[i]] == list[i] && (!i || list[i - 2] < places || list[i] >= places);
        if (ok) s->to[list[i]] = list[i + 1];
    }
    g_autofree bool *hit = g_new0(bool, (size_t)nodes + 1);
    for (size_t i = 1; i < n && ok; i += 2) {
        ok = !hit[list[i]] && s->to[list[i]] != list[i];
        hit[list[i]] = true;
    }
    return ok;
}

/* Has where t goes to the arcs of t, at the places that they go to? */
static bool keeps(const Symmetries *s, uint32_t t)
{
    uint32_t places = s->net->n_places, u = s->to[places + t] - places;
    for (ArcKind kind = 0; kind < N_ARC_KINDS; kind++) {
        NetRow row = net_places(s->net, kind, t);
        if (row.len != net_places(s->net, kind, u).len) return false;
        for (uint32_t i = 0; i < row.len; i++)
            if (net_arc_weight(s->net, kind, u, s->to[row.node[i]]) != net_weight(row, i)) return false;
    }
    return true;
}

/* All transitions that move or have a place that does. */
static bool keeps_arcs(Symmetries *s, const uint32_t *list, size_t n, uint32_t number)
{
    uint32_t places = s->net->n_places;
    for (size_t i = 0; i < n && !budget_spent(s->budget); i += 2) {
        if (list[i] >= places && !keeps(s, list[i] - places)) return false;
        for (ArcKind kind = 0; kind < N_ARC_KINDS && list[i] < places; kind++) {
            NetRow row = net_transitions(s->net, kind, list[i]);
            for (uint32_t k = 0; k < row.len; k++) {
                if (s->seen[row.node[k]] == number) continue;
                s->seen[row.node[k]] = number;
                if (!keeps(s, row.node[k])) return false;
            }
        }
    }
    return true;
}

typedef struct Image {
    const uint32_t *to; /* of nodes */
    FormulaStore *store;
} Image;

static bool image_of_leaf(void *data, FormulaNode node, FormulaId *id)
{
    const Image *image = data;
    FormulaStore *f = image->store;
    uint32_t places = f->net->n_places;
    g_autofree FormulaTerm *terms = g_new(FormulaTerm, (size_t)node.len + 1);
    g_autofree uint32_t *transitions = g_new(uint32_t, (size_t)node.len + 1);
    for (uint32_t i = 0; i < node.len; i++) {
        if (node.kind == FORMULA_AT_MOST) {
            FormulaTerm term = f->terms.data[node.from + i];
            terms[i] = (FormulaTerm){image->to[term.place], term.coefficient};
        } else {
            transitions[i] = image->to[places + f->items.data[node.from + i]] - places;
        }
    }
    if (node.kind == FORMULA_AT_MOST) return formula_at_most(f, terms, node.len, node.bound, id, NULL);
    bool dead = node.kind == FORMULA_DEADLOCK || node.kind == FORMULA_ALIVE;
    *id = dead ? formula_deadlock(f) : formula_fireable(f, transitions, node.len);
    if (node.kind == FORMULA_ALIVE || node.kind == FORMULA_UNFIREABLE) *id = formula_not(f, *id);
    return true;
}

bool symmetries_check(Symmetries *s, FormulaStore *store, FormulaId goal, char **problem)
{
    uint32_t number = 0;
    for (size_t from = 0, end = 0; end < s->lists->len && !*problem; end++) {
        const uint32_t *list = s->lists->data + from;
        if (s->lists->data[end] != NET_NONE) continue;
        Image image = {s->to, store};
        FormulaId same = goal;
        if (++number > SYMMETRIES_MOST)
            *problem = g_strdup("there are too many symmetries");
        else if (!permutes(s, list, end - from) || !keeps_arcs(s, list, end - from, number))
            *problem = g_strdup_printf("list %u is no symmetry of the net", number);
        else if (!goal_map(store, goal, store, image_of_leaf, &image, &same) || same != goal)
            *problem = g_strdup_printf("symmetry %u changes the goal", number);
        else if (budget_spent(s->budget))
            *problem = g_strdup(budget_text(s->budget));
        for (; from < end && !*problem; from++) s->to[s->lists->data[from]] = s->lists->data[from];
        from = end + 1;
    }
    return !*problem;
}

/* ---- what it makes of markings ---- */

/* Its places come first. */
static bool lessens(const uint32_t *list, uint32_t places, const uint64_t *marking)
{
    for (; *list < places; list += 2)
        if (marking[list[0]] != marking[list[1]]) return marking[list[0]] < marking[list[1]];
    return false;
}

static void apply(Symmetries *s, const uint32_t *list, uint64_t *marking)
{
    for (size_t i = 0; list[i] < s->net->n_places; i += 2) s->counts[i / 2] = marking[list[i]];
    for (size_t i = 0; list[i] < s->net->n_places; i += 2) marking[list[i + 1]] = s->counts[i / 2];
}

void symmetries_lessen(Symmetries *s, uint64_t *marking)
{
    bool lessened = true;
    for (unsigned round = 0; lessened && round < SYMMETRIES_ROUNDS && !budget_spent(s->budget); round++) {
        lessened = false;
        for (size_t at = 0; at < s->lists->len; at++) {
            const uint32_t *list = s->lists->data + at;
            if (lessens(list, s->net->n_places, marking)) {
                apply(s, list, marking);
                lessened = true;
            }
            while (s->lists->data[at] != NET_NONE) at++;
        }
    }
}
