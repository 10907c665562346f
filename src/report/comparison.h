/* One net unfolded under several relations and orders: a row per (net, relation, order), run one after
 * the other in this process, each with its own limits. A row that hit a limit stays, marked.
 *
 * Beside the relations there are the names of merged processes (unfold/merged/merged.h), one row each: merged
 * (classic), merged-read and merged-loops. When one is asked for, every complete row also says how long SAT takes to
 * find a dead marking in it or to say that there is none. */
#pragma once
#include "report/eventgraph.h"
#include "unfold/unfold.h"

typedef struct ComparisonRow {
    uint32_t net;   /* index into Comparison.nets */
    char *relation; /* as given, file:PATH included */
    Order order;
    bool cutoffs;
    Ending end;
    char *note; /* why the row has no figures or no end, or NULL */
    uint64_t events, n_cutoffs, contextual_events;
    int64_t conditions; /* -1: prefixes without conditions */
    uint32_t depth, width;
    int64_t markings; /* different markings of local configurations, the initial one included; -1: not counted */
    uint64_t independent_pairs; /* of transitions */
    double seconds;             /* making the relation included */
    double sat_seconds;         /* for the question of a dead marking; -1: not asked, or not answered */
    bool merged;                /* no prefix: without depth, width and markings */
    int64_t memory_kib;         /* largest growth of the process while it ran; -1: the system does not say */
    double ratio;      /* events / events of classic, same net and order; 0: one of them is incomplete or absent */
    EventGraph *graph; /* of small prefixes, or NULL */
    EventGraph *boxes; /* what is drawn of it, when that is less than every event, and the box of each event */
    uint32_t *box_of;
    Indep *indep; /* kept with the graph */
} ComparisonRow;

typedef struct Comparison {
    ComparisonRow *row;
    size_t n, cap;
    GPtrArray *nets; /* Net *, owned: rows of small nets need the names of transitions */
} Comparison;

typedef struct ComparisonOptions {
    char **relations; /* texts for indep_named() */
    const Order *orders;
    size_t n_orders;
    bool cutoffs;
    double seconds; /* per row; 0 = none */
    bool measured;  /* how much memory each row takes: forgets the peak of the process */
    uint32_t small; /* prefixes up to this many boxes keep their graph */
} ComparisonOptions;

/* Is it the name of merged processes? Then sets the relation whose conditions they have. */
bool comparison_merged(const char *name, Relation *relation);

/* The relations that a list with commas names, NULL: the usual ones; for the caller to free. */
char **comparison_relations(const char *list);
/* The orders of such a list, each once, NULL: erv alone; the names are known. There are N_ORDERS at most. */
size_t comparison_orders(const char *list, Order *orders);

Comparison *comparison_new(void);
void comparison_free(Comparison *comparison);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Comparison, comparison_free)

/* Adds the rows of one net, which it takes over. False and an error when a relation cannot be made (no such
 * name, a bad file). Stops early, without error, when the budget's stop flag is set. */
bool comparison_add(Comparison *comparison, Net *net, const ComparisonOptions *options, Budget *budget, GError **error);
/* Fills the ratios of all rows. */
void comparison_finish(Comparison *comparison);

/* "" or what stopped the row: "time limit", "unbounded", "relation refuted". */
const char *comparison_mark(const ComparisonRow *row);
/* The net's rows are a slice starting at `from`; returns where the next net starts. */
size_t comparison_next_net(const Comparison *comparison, size_t from);
