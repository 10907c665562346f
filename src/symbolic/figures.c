#include "symbolic/figures.h"

#include "base/natural.h"
#include "symbolic/listing.h"

#include <assert.h>

/* A number that was computed for (tail, node): the markings of the node in which the tail can fire. */
typedef struct Memo {
    uint32_t tail, node;
} Memo;

typedef struct Counting {
    Diagram *diagram;
    Model *model;
    Listing listing;
    size_t width;
    uint64_t *below, *above; /* per node: the tuples from it downwards, the paths from the root to it */
    uint32_t memo_bits;
    Memo *memos;
    uint64_t *memo_numbers;
    uint64_t *own;                        /* per level */
    uint64_t *one, *factor, *part, *node; /* one number each */
    bool wrapped;                         /* something did not fit into the width */
} Counting;

enum { MOST_MEMO_BITS = 20 };

static uint64_t *below_of(const Counting *c, uint32_t i)
{
    return c->below + i * c->width;
}
static uint64_t *above_of(const Counting *c, uint32_t i)
{
    return c->above + i * c->width;
}

static void add(Counting *c, uint64_t *sum, const uint64_t *other)
{
    if (!natural_add(sum, other, c->width)) c->wrapped = true;
}

/* ---- tuples ---- */

static bool count_below(Counting *c)
{
    for (uint32_t i = 0; i < c->listing.nodes.len; i++) {
        uint32_t n;
        const DiagramEdge *edges = diagram_edges(c->diagram, c->listing.nodes.data[i], &n);
        if (budget_charge(c->diagram->budget, 5 + 5 * n)) return false;
        if (i < c->listing.from[1]) below_of(c, i)[0] = n;
        for (uint32_t j = 0; j < n && i >= c->listing.from[1]; j++)
            add(c, below_of(c, i), below_of(c, listing_number(&c->listing, edges[j].child)));
    }
    return true;
}

static bool count_above(Counting *c)
{
    /* NOLINTNEXTLINE(clang-analyzer-unix.Malloc): there is a root, and numbers have words */
    above_of(c, (uint32_t)c->listing.nodes.len - 1)[0] = 1;
    for (uint32_t i = (uint32_t)c->listing.nodes.len; i-- > c->listing.from[1];) {
        uint32_t n;
        const DiagramEdge *edges = diagram_edges(c->diagram, c->listing.nodes.data[i], &n);
        if (budget_charge(c->diagram->budget, 5 + 5 * n)) return false;
        for (uint32_t j = 0; j < n; j++)
            add(c, above_of(c, listing_number(&c->listing, edges[j].child)), above_of(c, i));
    }
    return true;
}

/* ---- firings ---- */

static uint64_t *memo_for(Counting *c, uint32_t tail, Node node, Memo **memo)
{
    uint32_t at = (uint32_t)hash_mix((uint64_t)tail << 32 | node) & ((1U << c->memo_bits) - 1);
    *memo = &c->memos[at];
    return c->memo_numbers + at * c->width;
}

/* sum += the tuples below the node at which the tail is enabled. */
static void add_enabled(Counting *c, uint32_t tail, Node node, uint64_t *sum)
{
    if (tail == MODEL_END) {
        add(c, sum, node == NODE_ONE ? c->one : below_of(c, listing_number(&c->listing, node)));
        return;
    }
    Memo *memo;
    uint64_t *known = memo_for(c, tail, node, &memo);
    if (memo->tail == tail && memo->node == node) {
        add(c, sum, known);
        return;
    }
    ModelTail t = c->model->tails.data[tail];
    uint32_t level = diagram_level(c->diagram, node), n;
    bool here = c->model->functions.data[t.function].level == level;
    const DiagramEdge *edges = diagram_edges(c->diagram, node, &n);
    uint64_t *own = c->own + level * c->width;
    memset(own, 0, c->width * sizeof *own);
    budget_charge(c->diagram->budget, 10 + 5 * n);
    for (uint32_t i = 0; i < n && !budget_ended(c->diagram->budget); i++)
        if (!here || model_step(c->model, t.function, edges[i].value) != MODEL_NONE)
            add_enabled(c, here ? t.next : tail, edges[i].child, own);
    *memo = (Memo){tail, node};
    memcpy(known, own, c->width * sizeof *own);
    add(c, sum, own);
}

/* sum += times * number */
static void add_times(Counting *c, uint64_t *sum, uint32_t times, const uint64_t *number)
{
    c->factor[0] = times;
    if (!natural_add_product(sum, number, c->factor, c->width)) c->wrapped = true;
}

/* own += the firings whose highest level is that of the node, in its tuples. */
static void add_firings(Counting *c, uint32_t level, Node node, uint64_t *own)
{
    uint32_t n, moves;
    const DiagramEdge *edges = diagram_edges(c->diagram, node, &n);
    uint64_t *part = c->part;
    for (uint32_t i = 0; i < n; i++) {
        const ModelMove *move = model_moves(c->model, level, edges[i].value, &moves);
        budget_charge(c->diagram->budget, 5 + 5 * moves);
        for (uint32_t j = 0; j < moves && !budget_ended(c->diagram->budget); j++) {
            memset(part, 0, c->width * sizeof *part);
            add_enabled(c, move[j].tail, edges[i].child, part);
            add_times(c, own, move[j].times, part);
        }
    }
}

static bool count_firings(Counting *c, uint64_t *firings)
{
    for (uint32_t k = 0; k < c->model->n_levels; k++)
        for (uint32_t i = c->listing.from[k]; i < c->listing.from[k + 1] && c->model->levels[k].events.len; i++) {
            memset(c->node, 0, c->width * sizeof *c->node);
            add_firings(c, k, c->listing.nodes.data[i], c->node);
            if (budget_ended(c->diagram->budget)) return false;
            if (!natural_add_product(firings, c->node, above_of(c, i), c->width)) c->wrapped = true;
        }
    return true;
}

/* ---- all, with numbers of a width ---- */

/* False: the budget ended. */
static bool count(Counting *c, Figures *figures)
{
    size_t n = c->listing.nodes.len, w = c->width, levels = c->model->n_levels, memos = (size_t)1 << c->memo_bits;
    if (!budget_allows(c->diagram->budget, (2 * n + memos) * w * sizeof(uint64_t))) return false;
    /* NOLINTNEXTLINE(clang-analyzer-unix.Malloc): they are freed when this ends */
    g_autofree uint64_t *below = c->below = g_new0(uint64_t, n * w), *above = c->above = g_new0(uint64_t, n * w);
    g_autofree Memo *memo = c->memos = g_new0(Memo, memos);
    g_autofree uint64_t *numbers = c->memo_numbers = g_new(uint64_t, memos * w);
    g_autofree uint64_t *own = c->own = g_new(uint64_t, levels * w), *few = g_new0(uint64_t, 5 * w);
    c->one = few;
    c->factor = few + w;
    c->part = few + 2 * w;
    c->node = few + 3 * w;
    c->one[0] = 1;
    uint64_t *firings = few + 4 * w;
    if (!count_below(c) || !count_above(c)) return false;
    const uint64_t *markings = below_of(c, (uint32_t)n - 1);
    add_times(c, firings, c->model->n_always, markings);
    if (!c->wrapped && !count_firings(c, firings)) return false;
    figures->markings = natural_text(markings, w);
    figures->firings = natural_text(firings, w);
    return true;
}

/* ---- tokens ---- */

/* The tokens that a value means, and the most that one place has. */
static Total tokens(const Model *m, uint32_t level, uint32_t value, uint64_t *most)
{
    size_t n;
    const ModelTokens *of = model_tokens(m, level, value, &n);
    Total sum = 0;
    for (size_t i = 0; i < n; i++) {
        sum += of[i].count;
        *most = MAX(*most, of[i].count);
    }
    return sum;
}

static void count_tokens(const Counting *c, Figures *figures)
{
    const Net *net = c->model->net;
    assert(c->model->n_levels == 0 || c->listing.from);
    g_autofree Total *most = g_new0(Total, c->listing.nodes.len + 1);
    for (uint32_t k = 0; k < c->model->n_levels; k++)
        for (uint32_t i = c->listing.from[k]; i < c->listing.from[k + 1]; i++) {
            uint32_t n;
            const DiagramEdge *edges = diagram_edges(c->diagram, c->listing.nodes.data[i], &n);
            for (uint32_t j = 0; j < n; j++) {
                Total sum = tokens(c->model, k, edges[j].value, &figures->max_in_place);
                if (k > 0) sum += most[listing_number(&c->listing, edges[j].child)];
                most[i] = MAX(most[i], sum);
            }
        }
    figures->max_in_marking = c->listing.nodes.len ? most[c->listing.nodes.len - 1] : 0;
    for (uint32_t p = 0; p < net->n_places; p++) {
        if (c->model->of_place[p] != NET_NONE) continue;
        figures->max_in_marking += net->initial[p];
        figures->max_in_place = MAX(figures->max_in_place, net->initial[p]);
    }
}

bool figures_of(Diagram *diagram, Model *model, Node markings, Figures *figures)
{
    Counting c = {.diagram = diagram, .model = model, .memo_bits = 8};
    *figures = (Figures){0};
    bool done = true;
    if (markings == NODE_ONE)
        figures->markings = g_strdup("1");
    else
        done = listing_init(&c.listing, diagram, markings);
    if (done) count_tokens(&c, figures);
    if (figures->markings) figures->firings = g_strdup_printf("%u", model->n_always);
    while (c.listing.nodes.len >> c.memo_bits && c.memo_bits < MOST_MEMO_BITS) c.memo_bits++;
    for (c.width = 2; done && !figures->markings; c.width *= 2) {
        c.wrapped = false;
        done = count(&c, figures);
        if (c.wrapped) figures_clear(figures);
    }
    listing_clear(&c.listing);
    return done;
}

void figures_clear(Figures *figures)
{
    g_clear_pointer(&figures->markings, g_free);
    g_clear_pointer(&figures->firings, g_free);
}
