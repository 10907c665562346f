#include "explore/estimate.h"

#include <math.h>

/* At least so many subtrees are probed. */
enum { STRATA = 256 };

typedef struct Stratum {
    double sum, squares; /* of the sizes that probes told */
    uint32_t probes;
} Stratum;

/* Of subtrees whose roots made their last choice at one position. */
typedef struct Known {
    double logs; /* the sum of the logarithms of what probes told of their sizes */
    uint32_t n;
} Known;

/* A node that a probe comes through. */
typedef struct Step {
    size_t position; /* of its last choice */
    double factor;   /* one over the probability of the child that was taken */
} Step;

struct Estimate {
    DporOptions options;
    DporStats stats;
    Outcome outcome;
    Reverse search;
    Rng rng;
    Backlog open, children; /* open: breadth first, then the roots of the strata */
    VecU32 run;
    uint64_t visited;     /* of the top */
    VEC(Stratum) stratum; /* of each run in open; none while the top is visited */
    size_t next;
    VEC(Known) known; /* by position */
    VEC(Step) path;   /* of the present probe */
    bool stopped;
};

Estimate *estimate_new(const Lts *lts, const NetLts *net, const Indep *indep, const DporOptions *options, uint64_t seed,
                       Budget *budget)
{
    Estimate *e = g_new0(Estimate, 1);
    e->options = (DporOptions){
        .algorithm = ALGORITHM_REVERSE, .depth = options->depth, .unroll = options->unroll, .spins = options->spins};
    e->rng.state = seed;
    outcome_init(&e->outcome, lts, budget);
    e->stopped = !reverse_init(&e->search, &e->outcome, &e->stats, lts, net, indep, &e->options);
    if (options->from)
        backlog_append(&e->open, options->from);
    else
        backlog_push(&e->open, NULL, 0);
    return e;
}

void estimate_free(Estimate *e)
{
    if (!e) return;
    reverse_clear(&e->search);
    outcome_clear(&e->outcome);
    backlog_clear(&e->open);
    backlog_clear(&e->children);
    vec_free(&e->run);
    vec_free(&e->stratum);
    vec_free(&e->known);
    vec_free(&e->path);
    g_free(e);
}

static bool visit(Estimate *e)
{
    backlog_empty(&e->children);
    e->stopped = !reverse_visit(&e->search, e->run.data, e->run.len, &e->children);
    return !e->stopped;
}

static bool widen_top(Estimate *e)
{
    backlog_take_oldest(&e->open, &e->run);
    if (!visit(e)) return false;
    e->visited++;
    backlog_append(&e->open, &e->children);
    while (backlog_len(&e->open) >= STRATA && e->stratum.len < backlog_len(&e->open))
        vec_push(&e->stratum, ((Stratum){0}));
    return backlog_len(&e->open) > 0;
}

static void take_copy(const Backlog *from, size_t i, VecU32 *run)
{
    size_t n;
    const uint32_t *labels = backlog_run(from, i, &n);
    vec_clear(run);
    vec_append(run, labels, n);
}

/* How large a subtree is likely to be: the later the last choice, the fewer are left. */
static double likely(const Estimate *e, size_t position)
{
    const Known *k = position < e->known.len ? &e->known.data[position] : NULL;
    return k && k->n ? exp(k->logs / k->n) : 1;
}

/* Goes to a random child; returns one over its probability. */
static double choose(Estimate *e)
{
    static const double EVEN = 0.15; /* so much of the choice is even, whatever seems likely */
    size_t n = backlog_len(&e->children), len, chosen = 0;
    double all = 0, at = (double)rng_below(&e->rng, UINT32_MAX) / UINT32_MAX, probability = 0;
    for (size_t i = 0; i < n; i++) {
        backlog_run(&e->children, i, &len);
        all += likely(e, len);
    }
    for (size_t i = 0; i < n; i++) {
        backlog_run(&e->children, i, &len);
        probability = EVEN / (double)n + (1 - EVEN) * likely(e, len) / all; /* fits: floating point */
        chosen = i;
        if (at < probability) break;
        at -= probability;
    }
    take_copy(&e->children, chosen, &e->run);
    return 1 / probability;
}

static void learn(Estimate *e, size_t position, double size)
{
    while (e->known.len <= position) vec_push(&e->known, ((Known){0}));
    e->known.data[position].logs += log(size);
    e->known.data[position].n++;
}

static bool probe(Estimate *e)
{
    size_t here = e->next++ % e->stratum.len;
    take_copy(&e->open, here, &e->run);
    vec_clear(&e->path);
    for (;;) {
        vec_push(&e->path, ((Step){.position = e->run.len}));
        if (!visit(e)) return false;
        if (!backlog_len(&e->children)) break;
        vec_last(&e->path).factor = choose(e);
    }
    double size = 1;
    for (size_t i = e->path.len; i--;) {
        if (i + 1 < e->path.len) size = 1 + e->path.data[i].factor * size; /* fits: floating point */
        learn(e, e->path.data[i].position, size);
    }
    Stratum *s = &e->stratum.data[here];
    s->sum += size;
    s->squares += size * size;
    s->probes++;
    return true;
}

bool estimate_step(Estimate *e)
{
    if (e->stopped || estimate_is_exact(e)) return false;
    return e->stratum.len ? probe(e) : widen_top(e);
}

bool estimate_is_exact(const Estimate *e)
{
    return !e->stopped && !backlog_len(&e->open);
}

bool estimate_get(const Estimate *e, double *traces, double *low, double *high)
{
    double sum = (double)e->visited, variance = 0, probed = 0;
    for (size_t i = 0; i < e->stratum.len; i++) {
        const Stratum *s = &e->stratum.data[i];
        if (!s->probes) continue;
        double mean = s->sum / s->probes;
        sum += mean;
        probed++;
        if (s->probes > 1) variance += MAX(s->squares / s->probes - mean * mean, 0) / (s->probes - 1);
    }
    bool whole = estimate_is_exact(e);
    if (!whole && probed < (double)e->stratum.len) return false; /* no stratum is left out */
    if (!whole && !probed) return false;
    double error = 2 * sqrt(variance);
    *traces = sum;
    *low = MAX(sum - error, (double)(e->visited + backlog_len(&e->open)));
    *high = sum + error;
    return true;
}

bool estimate_overflows(const Estimate *e)
{
    return e->outcome.end == ENDING_OVERFLOW;
}
