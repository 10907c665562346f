#include "certify/free_choice.h"

#include "base/compare.h"
#include "base/gcd.h"
#include "certify/wide.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

typedef struct Rows {
    uint32_t *start;
    VecU32 node;
} Rows;

enum { IN, OUT }; /* of a transition: its input and output places; of a place: what takes from it, what fills it */

/* The net as the theorem has it. */
typedef struct Flow {
    uint32_t places, transitions;
    Rows of_transition[2], of_place[2];
    bool *marked;
    uint32_t *part;    /* which connected part a node is in, places first */
    uint32_t *cluster; /* likewise */
    Int128 *sum;       /* scratch, one per node, zero */
} Flow;

void free_choice_clear(FreeChoice *proof)
{
    vec_free(&proof->tokens);
    vec_free(&proof->flows);
}

static void flow_clear(Flow *f)
{
    for (int k = 0; k < 2; k++) {
        g_free(f->of_transition[k].start);
        g_free(f->of_place[k].start);
        vec_free(&f->of_transition[k].node);
        vec_free(&f->of_place[k].node);
    }
    g_free(f->marked);
    g_free(f->part);
    g_free(f->cluster);
    g_free(f->sum);
}

static uint32_t row_len(const Rows *rows, uint32_t i)
{
    return rows->start[i + 1] - rows->start[i];
}

static const uint32_t *row_at(const Rows *rows, uint32_t i)
{
    return rows->node.data + rows->start[i];
}

/* ---- the net ---- */

static bool has_weights(NetRow row)
{
    for (uint32_t i = 0; i < row.len; i++)
        if (net_weight(row, i) != 1) return true;
    return false;
}

/* False: it is no transition of a plain net. */
static bool add_transition(Flow *f, const Net *net, uint32_t t)
{
    NetRow pre = net_places(net, ARC_PRE, t), post = net_places(net, ARC_POST, t), read = net_places(net, ARC_READ, t);
    if (net_places(net, ARC_INHIBIT, t).len || has_weights(pre) || has_weights(post) || has_weights(read)) return false;
    vec_append(&f->of_transition[IN].node, pre.node, pre.len);
    vec_append(&f->of_transition[OUT].node, post.node, post.len);
    for (uint32_t i = 0; i < read.len; i++) {
        if (net_arc_weight(net, ARC_PRE, t, read.node[i])) continue;
        if (net_arc_weight(net, ARC_POST, t, read.node[i])) return false;
        vec_push(&f->of_transition[IN].node, read.node[i]);
        vec_push(&f->of_transition[OUT].node, read.node[i]);
    }
    return true;
}

static void turn_rows(const Rows *rows, uint32_t n, uint32_t n_turned, Rows *turned)
{
    turned->start = g_new0(uint32_t, (size_t)n_turned + 2);
    for (size_t i = 0; i < rows->node.len; i++) turned->start[rows->node.data[i] + 2]++;
    for (uint32_t i = 0; i < n_turned; i++) turned->start[i + 2] += turned->start[i + 1];
    vec_reserve(&turned->node, rows->node.len + 1);
    turned->node.len = rows->node.len;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = rows->start[i]; k < rows->start[i + 1]; k++)
            turned->node.data[turned->start[rows->node.data[k] + 1]++] = i;
}

static bool flow_init(Flow *f, const Net *net, uint32_t source, uint32_t sink, char **problem)
{
    bool closed = sink != NET_NONE;
    *f = (Flow){.places = net->n_places, .transitions = net->n_transitions + closed};
    f->marked = g_new0(bool, (size_t)f->places + 1);
    f->sum = g_new0(Int128, (size_t)f->places + f->transitions + 1);
    for (int k = 0; k < 2; k++) f->of_transition[k].start = g_new0(uint32_t, (size_t)f->transitions + 2);
    for (uint32_t t = 0; t < f->transitions; t++) {
        if (t == net->n_transitions) {
            vec_push(&f->of_transition[IN].node, sink);
            vec_push(&f->of_transition[OUT].node, source);
        } else if (!add_transition(f, net, t)) {
            *problem = g_strdup_printf("transition %s has an inhibitor arc or a weight", net_transition_id(net, t));
            return false;
        }
        for (int k = 0; k < 2; k++) f->of_transition[k].start[t + 1] = (uint32_t)f->of_transition[k].node.len;
    }
    for (int k = 0; k < 2; k++) turn_rows(&f->of_transition[k], f->transitions, f->places, &f->of_place[k]);
    for (uint32_t p = 0; p < f->places; p++) f->marked[p] = closed ? p == source : net->initial[p] > 0;
    return true;
}

static bool is_workflow(const Net *net, uint32_t source, uint32_t sink, char **problem)
{
    if (source >= net->n_places || sink >= net->n_places || source == sink ||
        net_transitions(net, ARC_POST, source).len || net_transitions(net, ARC_PRE, sink).len)
        *problem = g_strdup("it is no workflow net between these places");
    return !*problem;
}

/* Is the other row the same set? Uses the scratch sums of its nodes. */
static bool same_places(Flow *f, uint32_t t, uint32_t u)
{
    uint32_t n = row_len(&f->of_transition[IN], t), same = 0;
    if (row_len(&f->of_transition[IN], u) != n) return false;
    for (uint32_t i = 0; i < n; i++) f->sum[row_at(&f->of_transition[IN], t)[i]] = 1;
    for (uint32_t i = 0; i < n; i++) same += f->sum[row_at(&f->of_transition[IN], u)[i]] == 1;
    for (uint32_t i = 0; i < n; i++) f->sum[row_at(&f->of_transition[IN], t)[i]] = 0;
    return same == n;
}

static bool is_free_choice(Flow *f, const Net *net, char **problem)
{
    const Rows *consumers = &f->of_place[IN];
    g_autofree uint32_t *same_as = g_new0(uint32_t, (size_t)f->transitions + 1); /* 1 + the one it was compared with */
    for (uint32_t p = 0; p < f->places; p++)
        for (uint32_t i = 1; i < row_len(consumers, p); i++) {
            uint32_t t = row_at(consumers, p)[0], u = row_at(consumers, p)[i];
            if (same_as[u] == t + 1) continue;
            same_as[u] = t + 1;
            if (same_places(f, t, u)) continue;
            *problem = g_strdup_printf("it is not free-choice at place %s", net_place_id(net, p));
            return false;
        }
    return true;
}

/* ---- covers ---- */

/* Each list changes nothing on the other side, and all n nodes are in one. */
static bool is_cover(Flow *f, const VecU32 *lists, const Rows of_node[2], uint32_t n, char **problem)
{
    g_autofree bool *covered = g_new0(bool, (size_t)n + 1);
    for (size_t from = 0, end = 0; end < lists->len; end++) {
        if (lists->data[end] != NET_NONE) continue;
        bool even = true;
        for (int round = 0; round < 2; round++)
            for (size_t i = from; i < end; i++) {
                uint32_t node = lists->data[i];
                if (node >= n) {
                    *problem = g_strdup("a set has a node that does not exist");
                    return false;
                }
                covered[node] = true;
                for (int k = 0; k < 2; k++)
                    for (uint32_t j = 0; j < row_len(&of_node[k], node); j++) {
                        Int128 *sum = &f->sum[row_at(&of_node[k], node)[j]];
                        if (round == 0) *sum += k == IN ? -1 : 1;
                        if (round == 1) even = even && *sum == 0;
                    }
            }
        for (size_t i = from; i < end; i++)
            for (int k = 0; k < 2; k++)
                for (uint32_t j = 0; j < row_len(&of_node[k], lists->data[i]); j++)
                    f->sum[row_at(&of_node[k], lists->data[i])[j]] = 0;
        if (!even) *problem = g_strdup("a set does not keep what it should keep");
        if (*problem) return false;
        from = end + 1;
    }
    for (uint32_t i = 0; i < n && !*problem; i++)
        if (!covered[i]) *problem = g_strdup("the sets do not cover the net");
    return !*problem;
}

/* ---- clusters and parts ---- */

static uint32_t root_of(uint32_t *parent, uint32_t i)
{
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
}

/* The classes of nodes under arcs into transitions and, if both, out of them. */
static uint32_t *find_classes(const Flow *f, bool both)
{
    uint32_t n = f->places + f->transitions, *parent = g_new(uint32_t, (size_t)n + 1);
    for (uint32_t i = 0; i < n; i++) parent[i] = i;
    for (uint32_t t = 0; t < f->transitions; t++)
        for (int k = IN; k <= (both ? OUT : IN); k++)
            for (uint32_t i = 0; i < row_len(&f->of_transition[k], t); i++)
                parent[root_of(parent, row_at(&f->of_transition[k], t)[i])] = root_of(parent, f->places + t);
    for (uint32_t i = 0; i < n; i++) parent[i] = root_of(parent, i);
    return parent;
}

/* ---- rank ---- */

typedef struct Entry {
    uint32_t column;
    int64_t value;
} Entry;

typedef VEC(Entry) SparseRow;

static uint64_t size_of(int64_t value)
{
    return value < 0 ? -(uint64_t)value : (uint64_t)value;
}

/* row becomes row * x - other * y without the first column, where these cancel it; false: a number is too large. */
static bool eliminate(SparseRow *row, const SparseRow *other)
{
    uint64_t common = gcd(size_of(row->data[0].value), size_of(other->data[0].value)), all = 0;
    int64_t x = other->data[0].value / (int64_t)common, y = row->data[0].value / (int64_t)common;
    SparseRow made = {0};
    bool fits = true;
    for (size_t i = 1, k = 1; i < row->len || k < other->len;) {
        bool own = i < row->len && (k == other->len || row->data[i].column <= other->data[k].column);
        bool its = k < other->len && (i == row->len || other->data[k].column <= row->data[i].column);
        uint32_t column = own ? row->data[i].column : other->data[k].column;
        Int128 value = (own ? (Int128)row->data[i].value * x : 0) - (its ? (Int128)other->data[k].value * y : 0);
        i += own;
        k += its;
        if (value == 0) continue;
        fits = fits && value <= INT64_MAX && value >= -INT64_MAX;
        vec_push(&made, ((Entry){column, fits ? (int64_t)value : 1}));
        all = gcd(all, size_of(vec_last(&made).value));
    }
    assert(all || !made.len); /* a divisor of values that are not 0 */
    for (size_t i = 0; i < made.len; i++) made.data[i].value /= (int64_t)all;
    vec_free(row);
    *row = made;
    return fits;
}

COMPARE_BY(by_column, Entry, column)

static void row_of_transition(Flow *f, uint32_t t, SparseRow *row)
{
    VecU32 places = {0};
    for (int k = 0; k < 2; k++)
        for (uint32_t i = 0; i < row_len(&f->of_transition[k], t); i++) {
            uint32_t p = row_at(&f->of_transition[k], t)[i];
            f->sum[p] += k == IN ? -1 : 1;
            vec_push(&places, p);
        }
    for (size_t i = 0; i < places.len; i++) {
        uint32_t p = places.data[i];
        if (f->sum[p]) vec_push(row, ((Entry){p, (int64_t)f->sum[p]}));
        f->sum[p] = 0;
    }
    if (row->len) qsort(row->data, row->len, sizeof *row->data, by_column);
    vec_free(&places);
}

/* Adds the rank of each part to `rank`, which has a number for each node. */
static bool find_rank(Flow *f, Budget *budget, uint32_t *rank, char **problem)
{
    g_autofree SparseRow *pivots = g_new0(SparseRow, (size_t)f->places + 1); /* by their first column */
    for (uint32_t t = 0; t < f->transitions && !*problem; t++) {
        SparseRow row = {0};
        row_of_transition(f, t, &row);
        while (row.len && pivots[row.data[0].column].len && !*problem) {
            if (!eliminate(&row, &pivots[row.data[0].column])) *problem = g_strdup("the rank has too large numbers");
            if (!*problem && budget_spent(budget)) *problem = g_strdup(budget_text(budget));
        }
        if (row.len && !*problem) {
            pivots[row.data[0].column] = row;
            rank[f->part[f->places + t]]++;
        } else {
            vec_free(&row);
        }
    }
    for (uint32_t p = 0; p < f->places; p++) vec_free(&pivots[p]);
    return !*problem;
}

static bool has_right_rank(Flow *f, Budget *budget, char **problem)
{
    uint32_t n = f->places + f->transitions;
    g_autofree uint32_t *rank = g_new0(uint32_t, (size_t)n + 1), *clusters = g_new0(uint32_t, (size_t)n + 1);
    f->cluster = find_classes(f, false);
    f->part = find_classes(f, true);
    for (uint32_t i = 0; i < n; i++)
        if (f->cluster[i] == i) clusters[f->part[i]]++;
    if (!find_rank(f, budget, rank, problem)) return false;
    for (uint32_t i = 0; i < n && !*problem; i++)
        if (f->part[i] == i && rank[i] + 1 != clusters[i])
            *problem = g_strdup_printf("the rank is %u with %u clusters", rank[i], clusters[i]);
    return !*problem;
}

/* ---- siphons ---- */

/* Takes out of all places without tokens whatever a transition could fill that takes from none of them. */
static bool siphons_are_marked(const Flow *f, const Net *net, char **problem)
{
    g_autofree bool *out = g_new0(bool, (size_t)f->places + 1);
    g_autofree uint32_t *holds = g_new0(uint32_t, (size_t)f->transitions + 1); /* inputs that are still in */
    VecU32 leave = {0};
    for (uint32_t p = 0; p < f->places; p++)
        if ((out[p] = f->marked[p])) vec_push(&leave, p);
    for (uint32_t t = 0; t < f->transitions; t++) holds[t] = row_len(&f->of_transition[IN], t);
    for (size_t i = 0; i < leave.len; i++) {
        uint32_t p = leave.data[i];
        for (uint32_t k = 0; k < row_len(&f->of_place[IN], p); k++) {
            uint32_t t = row_at(&f->of_place[IN], p)[k];
            if (--holds[t]) continue;
            for (uint32_t j = 0; j < row_len(&f->of_transition[OUT], t); j++) {
                uint32_t q = row_at(&f->of_transition[OUT], t)[j];
                if (out[q]) continue;
                out[q] = true;
                vec_push(&leave, q);
            }
        }
    }
    for (uint32_t p = 0; p < f->places && !*problem; p++)
        if (!out[p]) *problem = g_strdup_printf("place %s is in a siphon without tokens", net_place_id(net, p));
    vec_free(&leave);
    return !*problem;
}

bool free_choice_check(const FreeChoice *proof, const Net *net, uint32_t source, uint32_t sink, Budget *budget,
                       char **problem)
{
    Flow f = {0};
    bool ok = (sink == NET_NONE || is_workflow(net, source, sink, problem)) &&
              flow_init(&f, net, source, sink, problem) && is_free_choice(&f, net, problem) &&
              is_cover(&f, &proof->tokens, f.of_place, f.places, problem) &&
              is_cover(&f, &proof->flows, f.of_transition, f.transitions, problem) &&
              has_right_rank(&f, budget, problem) && siphons_are_marked(&f, net, problem);
    flow_clear(&f);
    return ok;
}
