#include "report/run_drawing.h"

#include "base/bitset.h"
#include "base/error.h"
#include "base/visible.h"
#include "report/layered.h"

/* Calls `node` for each firing, then `edge` for each that it depends on directly, the last one first. */
typedef struct Visitor {
    void (*node)(size_t i, void *data);
    void (*edge)(size_t from, size_t to, void *data);
    void *data;
} Visitor;

static void visit(const Indep *indep, const uint32_t *run, size_t n, const Visitor *visitor)
{
    size_t words = bitset_words(n);
    g_autofree uint64_t *below = g_new0(uint64_t, n * words + 1); /* per firing: all it depends on, directly or not */
    for (size_t i = 0; i < n; i++) {
        uint64_t *own = below + i * words;
        visitor->node(i, visitor->data);
        for (size_t k = i; k-- > 0;) {
            if (bitset_get(own, k) || !indep_dependent(indep, run[i], run[k])) continue;
            visitor->edge(k, i, visitor->data);
            bitset_or(own, below + k * words, words);
            bitset_set(own, k);
        }
    }
}

typedef struct Picture {
    const Net *net;
    const uint32_t *run;
    GString *out;
    Layered *layered;
    uint32_t *row, *node;
} Picture;

/* ---- DOT ---- */

static void dot_node(size_t i, void *data)
{
    const Picture *p = data;
    g_string_append_printf(p->out, "  e%zu [label=\"%zu: ", i + 1, i + 1);
    visible_dot(p->out, net_transition_label(p->net, p->run[i]));
    g_string_append(p->out, "\"];\n");
}

static void dot_edge(size_t from, size_t to, void *data)
{
    const Picture *p = data;
    g_string_append_printf(p->out, "  e%zu -> e%zu;\n", from + 1, to + 1);
}

void run_drawing_dot(const Net *net, const Indep *indep, const uint32_t *run, size_t n, GString *out)
{
    Picture picture = {.net = net, .run = run, .out = out};
    g_string_append(out, "digraph run {\n  rankdir=TB;\n  node [shape=box];\n");
    visit(indep, run, n, &(Visitor){dot_node, dot_edge, &picture});
    g_string_append(out, "}\n");
}

/* ---- SVG ---- */

static void no_node(size_t i, void *data)
{
    (void)i;
    (void)data;
}

static void deepen(size_t from, size_t to, void *data)
{
    const Picture *p = data;
    p->row[to] = MAX(p->row[to], p->row[from] + 1);
}

static void add_node(size_t i, void *data)
{
    const Picture *p = data;
    const char *label = net_transition_label(p->net, p->run[i]), *id = net_transition_id(p->net, p->run[i]);
    p->node[i] = layered_node(p->layered, p->row[i], "e", g_strdup_printf("%zu: %s", i + 1, label), g_strdup(id));
}

static void add_edge(size_t from, size_t to, void *data)
{
    const Picture *p = data;
    layered_arc(p->layered, p->node[from], p->node[to], LAYERED_ARROW, NULL);
}

bool run_drawing_svg(const Net *net, const Indep *indep, const uint32_t *run, size_t n, GString *out, GError **error)
{
    if (n > RUN_SVG_MOST) {
        g_set_error(error, MAZURKA_ERROR, ERROR_LIMIT, "a drawing of %zu firings cannot be read", n);
        return false;
    }
    g_autoptr(Layered) layered = layered_new();
    g_autofree uint32_t *row = g_new0(uint32_t, n + 1), *node = g_new0(uint32_t, n + 1);
    Picture picture = {net, run, out, layered, row, node};
    visit(indep, run, n, &(Visitor){no_node, deepen, &picture});
    visit(indep, run, n, &(Visitor){add_node, add_edge, &picture});
    layered_print(layered, net->name, out);
    return true;
}
