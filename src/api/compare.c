#include "api/handles.h"

#include "api/words.h"
#include "base/error.h"
#include "report/comparison.h"

struct mz_comparison {
    Handle handle;
    mz_net **nets; /* kept */
    uint32_t n_nets;
    Comparison *inside; /* borrows the nets */
    mz_row *rows;
};

static void fill(mz_row *row, const ComparisonRow *from)
{
    *row = (mz_row){.net = from->net,
                    .relation = from->relation,
                    .order = order_name(from->order),
                    .ending = (mz_ending)from->end,
                    .note = comparison_mark(from),
                    .events = from->events,
                    .cutoffs = from->n_cutoffs,
                    .conditions = from->conditions,
                    .markings = from->markings,
                    .occurrences = from->contextual_events,
                    .independent = from->independent_pairs,
                    .depth = from->depth,
                    .width = from->width,
                    .seconds = from->seconds,
                    .ratio = from->ratio};
}

/* Names first: a mistake is told before anything is computed. */
static bool read_options(const char *relations, const char *orders, const char *const *words,
                         ComparisonOptions *options, Order *chosen, GError **error)
{
    unsigned cutoffs = 0;
    Relation relation;
    Order order;
    if (!words_check(words, "cutoffs", error) || !words_choice(words, "cutoffs", "on off", &cutoffs, error))
        return false;
    options->relations = comparison_relations(relations);
    for (char **name = options->relations; *name; name++)
        if (!comparison_merged(*name, &relation) && !words_relation(*name, &relation, error)) return false;
    g_auto(GStrv) names = g_strsplit(orders ? orders : "", ",", -1);
    for (char **name = names; *name; name++)
        if (!words_order(*name, &order, error)) return false;
    options->n_orders = comparison_orders(orders, chosen);
    options->orders = chosen;
    options->cutoffs = cutoffs == 0;
    return true;
}

static bool compare(mz_comparison *c, const ComparisonOptions *options, Budget *budget, GError **error)
{
    for (uint32_t i = 0; i < c->n_nets; i++) {
        if (comparison_add(c->inside, (Net *)api_net_inside(c->nets[i]), options, budget, error)) continue;
        if (!c->inside->n || !g_error_matches(*error, MAZURKA_ERROR, ERROR_SPENT)) return false;
        g_clear_error(error); /* the rows that there are */
    }
    comparison_finish(c->inside);
    c->rows = g_new0(mz_row, c->inside->n + 1);
    for (size_t i = 0; i < c->inside->n; i++) fill(&c->rows[i], &c->inside->row[i]);
    return true;
}

mz_comparison *mz_compare(const mz_net *const *nets, uint32_t n_nets, const char *relations, const char *orders,
                          const char *const *words, mz_limits *limits, mz_error **error)
{
    assert(nets || !n_nets);
    Call call;
    Order chosen[N_ORDERS];
    GError *failed = NULL;
    Budget *budget = api_limits_begin_by_clock(limits, &call);
    ComparisonOptions options = {.seconds = limits ? limits->seconds : 0};
    if (limits) budget_limit_time(budget, budget_now(), 0); /* that of each row */
    mz_comparison *c = g_new0(mz_comparison, 1);
    c->handle = HANDLE_COMPARISON;
    c->inside = comparison_new();
    g_ptr_array_set_free_func(c->inside->nets, NULL);
    c->nets = g_new0(mz_net *, (size_t)n_nets + 1);
    for (; c->n_nets < n_nets; c->n_nets++) c->nets[c->n_nets] = api_net_keep(nets[c->n_nets]);
    bool ok =
        read_options(relations, orders, words, &options, chosen, &failed) && compare(c, &options, budget, &failed);
    g_strfreev(options.relations);
    if (ok) return c;
    mz_comparison_free(c);
    return api_error_hand(failed, error);
}

void mz_comparison_free(mz_comparison *c)
{
    if (!c) return;
    END_HANDLE(c, COMPARISON);
    comparison_free(c->inside);
    for (uint32_t i = 0; i < c->n_nets; i++) mz_net_free(c->nets[i]);
    g_free(c->nets);
    g_free(c->rows);
    g_free(c);
}

uint32_t mz_comparison_rows(const mz_comparison *c)
{
    assert(IS_HANDLE(c, COMPARISON));
    return (uint32_t)c->inside->n;
}

const mz_row *mz_comparison_row(const mz_comparison *c, uint32_t i)
{
    assert(IS_HANDLE(c, COMPARISON) && i < c->inside->n);
    return &c->rows[i];
}
