#include "report/comparison.h"

#include "unfold/merged/merged.h"
#include "verify/prefix_sat.h"

#include <malloc.h>
#include <stdio.h>
#include <string.h>

enum { MOST_WORK = 50000000, MOST_HISTORIES = 6 /* for each box */ };

bool comparison_merged(const char *name, Relation *relation)
{
    static const char prefix[] = "merged";
    if (!g_str_has_prefix(name, prefix)) return false;
    const char *rest = name + strlen(prefix);
    *relation = RELATION_CLASSIC;
    if (!*rest) return true;
    return *rest == '-' && relation_parse(rest + 1, relation) &&
           (*relation == RELATION_READ || *relation == RELATION_LOOPS);
}

static bool any_merged(char **names)
{
    Relation relation;
    for (; *names; names++)
        if (comparison_merged(*names, &relation)) return true;
    return false;
}

char **comparison_relations(const char *list)
{
    if (list) return g_strsplit(list, ",", -1);
    g_autoptr(GStrvBuilder) names = g_strv_builder_new();
    for (Relation r = 0; r < N_RELATIONS; r++)
        if (relation_has(r, RELATION_DEFAULT_COMPARE)) g_strv_builder_add(names, relation_name(r));
    return g_strv_builder_end(names);
}

size_t comparison_orders(const char *list, Order *orders)
{
    g_auto(GStrv) names = g_strsplit(list ? list : order_name(ORDER_ERV), ",", -1);
    size_t n = 0;
    for (char **name = names; *name; name++) {
        Order order;
        bool twice = !order_parse(*name, &order);
        for (size_t i = 0; i < n; i++) twice |= orders[i] == order;
        if (!twice) orders[n++] = order;
    }
    return n;
}

Comparison *comparison_new(void)
{
    Comparison *c = g_new0(Comparison, 1);
    c->nets = g_ptr_array_new_with_free_func((GDestroyNotify)net_free);
    return c;
}

void comparison_free(Comparison *c)
{
    if (!c) return;
    for (size_t i = 0; i < c->n; i++) {
        ComparisonRow *row = &c->row[i];
        g_free(row->relation);
        g_free(row->note);
        eventgraph_free(row->graph);
        eventgraph_free(row->boxes);
        g_free(row->box_of);
        indep_free(row->indep);
    }
    g_free(c->row);
    g_ptr_array_unref(c->nets);
    g_free(c);
}

/* Linux forgets the peak when asked; elsewhere the file does not exist. */
static bool reset_peak(void)
{
    FILE *file = fopen("/proc/self/clear_refs", "w");
    if (!file) return false;
    bool ok = fputs("5", file) >= 0;
    return fclose(file) == 0 && ok;
}

static int64_t peak_kib(void)
{
    FILE *file = fopen("/proc/self/status", "r");
    if (!file) return -1;
    char line[256];
    long long kib = -1;
    while (fgets(line, sizeof line, file))
        if (sscanf(line, "VmHWM: %lld kB", &kib) == 1) break;
    fclose(file);
    return kib;
}

/* One by one, when that is little work. */
static int64_t count_markings_slowly(const Prefix *prefix)
{
    const Net *net = prefix->net;
    uint64_t n = prefix_count(prefix), places = net->n_places;
    if (n * (n / 8 + places + 64) > MOST_WORK) return -1;
    g_autoptr(EventGraph) graph = eventgraph_new(prefix);
    g_autoptr(GHashTable) seen =
        g_hash_table_new_full(g_bytes_hash, g_bytes_equal, (GDestroyNotify)g_bytes_unref, NULL);
    g_autofree uint64_t *marking = g_new(uint64_t, places + 1);
    g_autofree uint32_t *run = g_new(uint32_t, n + 1);
    for (uint32_t e = 0; e <= n; e++) {
        uint32_t len = e < n ? eventgraph_local(graph, e, run) : 0;
        memcpy(marking, net->initial, places * sizeof *marking);
        for (uint32_t i = 0; i < len; i++) net_fire(net, marking, graph->transition[run[i]]);
        g_hash_table_add(seen, g_bytes_new(marking, places * sizeof *marking));
    }
    return g_hash_table_size(seen);
}

static int64_t count_markings(const Prefix *prefix)
{
    if (prefix->n_markings) return (int64_t)prefix->n_markings;
    /* With a total order every non-cutoff has a marking of its own, and cutoffs have theirs. */
    if (prefix->cutoffs && order_is_total(prefix->order))
        return (int64_t)prefix_count(prefix) - prefix_count_cutoffs(prefix) + 1;
    return count_markings_slowly(prefix);
}

static void fill(ComparisonRow *row, const Prefix *prefix, const ComparisonOptions *options)
{
    row->end = prefix->end;
    row->events = prefix_count(prefix);
    row->n_cutoffs = prefix_count_cutoffs(prefix);
    row->contextual_events = prefix->n_events;
    row->conditions = prefix->has_conditions ? (int64_t)prefix->n_conditions : -1;
    row->markings = count_markings(prefix);
    eventgraph_measure(prefix, &row->depth, &row->width);
    /* what histories are copies of is quadratic in their number */
    if (prefix->end != ENDING_COMPLETE || row->contextual_events > options->small ||
        row->events > (uint64_t)MOST_HISTORIES * options->small)
        return;
    row->graph = eventgraph_new(prefix);
    row->boxes = eventgraph_boxes(prefix, &row->box_of);
}

/* The engines for safe nets say when a net is not; the parametric one takes it from there. */
static Prefix *unfold_any(const Net *net, UnfoldOptions *options, Budget *budget, GError **error)
{
    Prefix *prefix = unfold(net, options, budget, error);
    if (!prefix || prefix->end != ENDING_UNSAFE) return prefix;
    prefix_free(prefix);
    options->engine = UNFOLD_PARAMETRIC;
    return unfold(net, options, budget, error);
}

static ComparisonRow *new_row(Comparison *c)
{
    if (c->n == c->cap) {
        c->cap = c->cap ? 2 * c->cap : 16;
        c->row = g_renew(ComparisonRow, c->row, c->cap);
    }
    c->row[c->n] = (ComparisonRow){.conditions = -1, .markings = -1, .memory_kib = -1, .sat_seconds = -1};
    return &c->row[c->n++];
}

/* ---- one row ---- */

/* What it takes, from here on. */
typedef struct Cost {
    bool measured;
    uint64_t before;
    double started;
} Cost;

static Cost begin_cost(const ComparisonOptions *options)
{
    if (options->measured) malloc_trim(0);
    bool measured = options->measured && reset_peak();
    return (Cost){measured, budget_resident() / 1024, budget_now()};
}

static void end_cost(const Cost *cost, ComparisonRow *row)
{
    row->seconds = budget_now() - cost->started;
    int64_t peak = cost->measured ? peak_kib() : -1;
    if (peak >= 0) row->memory_kib = MAX(peak - (int64_t)cost->before, 0);
}

static void note_error(ComparisonRow *row, GError *error)
{
    row->note = g_strdup(error->message);
    row->end = ENDING_STOPPED;
    g_error_free(error);
}

static void note_sat(ComparisonRow *row, double started, SatAnswer answer)
{
    if (answer != SAT_UNKNOWN) row->sat_seconds = budget_now() - started;
}

static void ask_prefix(ComparisonRow *row, const Prefix *prefix, Budget *budget)
{
    if (prefix->end != ENDING_COMPLETE || !prefix->has_conditions || !net_is_ordinary(prefix->net)) return;
    double started = budget_now();
    g_autoptr(FormulaStore) store = formula_store_new(prefix->net);
    g_autoptr(PrefixSat) sat = prefix_sat_new(prefix, budget);
    VecU32 run = {0};
    if (sat) note_sat(row, started, prefix_sat_reach(sat, store, formula_deadlock(store), budget, &run));
    vec_free(&run);
}

static void run_cell(Comparison *c, const Net *net, const char *relation, Order order, const ComparisonOptions *options,
                     Indep *indep, Budget *budget)
{
    ComparisonRow *row = new_row(c);
    row->net = c->nets->len - 1;
    row->relation = g_strdup(relation);
    row->order = order;
    row->cutoffs = options->cutoffs;
    row->independent_pairs = indep_count(indep);
    UnfoldOptions cell = {.indep = indep, .order = order, .cutoffs = options->cutoffs};
    relation_parse(relation, &cell.relation);
    Cost cost = begin_cost(options);
    Budget own = budget_child(budget, options->seconds, NULL);
    GError *error = NULL;
    g_autoptr(Prefix) prefix = unfold_any(net, &cell, &own, &error);
    end_cost(&cost, row);
    if (!prefix) {
        note_error(row, error);
        return;
    }
    fill(row, prefix, options);
    if (options->cutoffs && any_merged(options->relations)) ask_prefix(row, prefix, &own);
}

static void run_merged(Comparison *c, const Net *net, const char *name, Relation relation,
                       const ComparisonOptions *options, Budget *budget)
{
    ComparisonRow *row = new_row(c);
    row->net = c->nets->len - 1;
    row->relation = g_strdup(name);
    row->order = ORDER_MCMILLAN;
    row->cutoffs = row->merged = true;
    Cost cost = begin_cost(options);
    Budget own = budget_child(budget, options->seconds, NULL);
    GError *error = NULL;
    g_autoptr(Merged) m = merged_unfold(net, relation, &own, &error);
    end_cost(&cost, row);
    if (!m) {
        note_error(row, error);
        return;
    }
    row->end = m->end;
    row->events = row->contextual_events = m->n_events;
    row->n_cutoffs = m->n_events - m->n_live;
    row->conditions = m->n_conditions;
    double started = budget_now();
    if (m->end == ENDING_COMPLETE) note_sat(row, started, merged_dead(m, &own));
}

bool comparison_add(Comparison *c, Net *net, const ComparisonOptions *options, Budget *budget, GError **error)
{
    g_ptr_array_add(c->nets, net);
    for (char **relation = options->relations; *relation && !budget_look(budget); relation++) {
        Relation conditions;
        if (comparison_merged(*relation, &conditions)) {
            run_merged(c, net, *relation, conditions, options, budget);
            continue;
        }
        double started = budget_now();
        Budget reading = budget_child(budget, options->seconds, NULL);
        Indep *indep = indep_named(net, *relation, &reading, error);
        if (!indep) return false;
        double making = budget_now() - started;
        size_t first = c->n;
        for (size_t i = 0; i < options->n_orders; i++) {
            if (budget_look(budget)) break;
            run_cell(c, net, *relation, options->orders[i], options, indep, budget);
            c->row[c->n - 1].seconds += making;
        }
        if (c->n > first)
            c->row[first].indep = indep;
        else
            indep_free(indep);
    }
    return true;
}

size_t comparison_next_net(const Comparison *c, size_t from)
{
    size_t to = from + 1;
    while (to < c->n && c->row[to].net == c->row[from].net) to++;
    return to;
}

void comparison_finish(Comparison *c)
{
    for (size_t from = 0, to; from < c->n; from = to) {
        to = comparison_next_net(c, from);
        for (size_t i = from; i < to; i++)
            for (size_t j = from; j < to; j++) {
                ComparisonRow *row = &c->row[i];
                const ComparisonRow *base = &c->row[j];
                if (strcmp(base->relation, relation_name(RELATION_CLASSIC)) == 0 &&
                    (base->order == row->order || row->merged) && base->events && base->end == ENDING_COMPLETE &&
                    row->end == ENDING_COMPLETE)
                    row->ratio = (double)row->events / (double)base->events;
            }
    }
}

const char *comparison_mark(const ComparisonRow *row)
{
    if (row->note) return row->note;
    return ending_text(row->end);
}
