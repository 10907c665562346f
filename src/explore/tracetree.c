#include "explore/tracetree.h"

#include "base/visible.h"
#include "explore/explore_internal.h"

#include <assert.h>

struct TraceTree {
    const Net *net;
    uint32_t most, drawn, left_out;
    GString *text;
    VecU32 name_of;   /* by node id, as long as the node lives: its number in the picture + 1 */
    VecU32 number_of; /* by event id: its number + 1, in order of appearance */
    VecU32 labels;    /* by event number */
    VecU32 path;
};

TraceTree *tracetree_new(const Net *net, uint32_t most)
{
    TraceTree *t = g_new0(TraceTree, 1);
    t->net = net;
    t->most = most;
    t->text = g_string_new(NULL);
    return t;
}

void tracetree_free(TraceTree *t)
{
    if (!t) return;
    g_string_free(t->text, TRUE);
    vec_free(&t->name_of);
    vec_free(&t->number_of);
    vec_free(&t->labels);
    vec_free(&t->path);
    g_free(t);
}

static void widen(VecU32 *v, size_t n)
{
    while (v->len < n) vec_push(v, 0);
}

static uint32_t number(TraceTree *t, const Explorer *x, uint32_t e)
{
    widen(&t->number_of, (size_t)e + 1);
    if (!t->number_of.data[e]) {
        vec_push(&t->labels, x->events.event.data[e].label);
        t->number_of.data[e] = (uint32_t)t->labels.len;
    }
    assert(t->labels.data[t->number_of.data[e] - 1] == x->events.event.data[e].label);
    return t->number_of.data[e];
}

static void append_event(TraceTree *t, const Explorer *x, uint32_t e, bool first)
{
    g_string_append_printf(t->text, "%s%u", first ? "" : ",", number(t, x, e));
}

/* C, D or A of a node. C and D are the events of the nodes above, by the side on which the path leaves them. */
static void append_side(TraceTree *t, const Explorer *x, bool right)
{
    bool first = true;
    for (size_t i = t->path.len; i-- > 1;) {
        const Node *child = explore_node(x, t->path.data[i - 1]);
        if (child->is_right != right) continue;
        append_event(t, x, explore_node(x, t->path.data[i])->event, first);
        first = false;
    }
    if (first) g_string_append(t->text, "-");
}

static void start_again(TraceTree *t)
{
    g_string_truncate(t->text, 0);
    vec_clear(&t->name_of);
    vec_clear(&t->number_of);
    vec_clear(&t->labels);
    t->drawn = t->left_out = 0;
}

void tracetree_node(void *data, uint32_t n, const Explorer *x)
{
    TraceTree *t = data;
    const Node *node = explore_node(x, n);
    if (node->parent == NODE_NONE) start_again(t);
    widen(&t->name_of, (size_t)n + 1);
    t->name_of.data[n] = 0;
    if (t->drawn >= t->most) {
        t->left_out++;
        return;
    }
    vec_clear(&t->path);
    for (uint32_t up = n; up != NODE_NONE; up = explore_node(x, up)->parent) vec_push(&t->path, up);
    t->name_of.data[n] = ++t->drawn;
    g_string_append_printf(t->text, "  n%u [label=\"", t->drawn);
    append_side(t, x, false);
    g_string_append(t->text, " | ");
    append_side(t, x, true);
    g_string_append(t->text, " | ");
    for (uint32_t i = 0; i < node->add_len; i++) append_event(t, x, node->add[i], i == 0);
    if (!node->add_len) g_string_append(t->text, "-");
    g_string_append(t->text, "\"];\n");
    if (node->parent == NODE_NONE) return;
    assert(t->name_of.data[node->parent]);
    g_string_append_printf(t->text, "  n%u -> n%u [label=\"%s%u\"%s];\n", t->name_of.data[node->parent], t->drawn,
                           node->is_right ? "not " : "", number(t, x, explore_node(x, node->parent)->event),
                           node->is_right ? ", style=dashed" : "");
}

void tracetree_leaf(void *data, LeafKind kind, const Config *config)
{
    static const char *const looks[] = {
        [LEAF_MAXIMAL] = "peripheries=2",
        [LEAF_CUTOFF] = "style=filled, fillcolor=lightgrey, xlabel=\"cutoff\"",
        [LEAF_BLOCKED] = "style=filled, fillcolor=lightpink, xlabel=\"blocked\"",
        [LEAF_BOUND] = "style=dotted, xlabel=\"bound\"",
        [LEAF_WAITING] = "style=dotted, xlabel=\"waiting\"",
        [LEAF_STUCK] = "style=filled, fillcolor=orange, xlabel=\"stuck\"",
    };
    TraceTree *t = data;
    (void)config;
    if (!t->left_out) g_string_append_printf(t->text, "  n%u [%s];\n", t->drawn, looks[kind]);
}

char *tracetree_dot(TraceTree *t)
{
    GString *dot = g_string_new("digraph exploration {\n  node [shape=box, fontname=\"sans-serif\"];\n");
    g_string_append(dot, "  edge [fontname=\"sans-serif\"];\n");
    g_string_append(dot, t->text->str);
    g_string_append(dot, "  events [shape=note, label=\"");
    for (size_t i = 0; i < t->labels.len; i++) {
        g_string_append_printf(dot, "%zu: ", i + 1);
        visible_dot(dot, net_transition_id(t->net, t->labels.data[i]));
        g_string_append(dot, "\\l");
    }
    g_string_append(dot, "\"];\n");
    if (t->left_out) g_string_append_printf(dot, "  more [shape=plaintext, label=\"%u more nodes\"];\n", t->left_out);
    g_string_append(dot, "}\n");
    return g_string_free(dot, FALSE);
}
