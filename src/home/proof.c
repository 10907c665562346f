#include "home/proof.h"

#include "base/error.h"
#include "certify/certificate.h"
#include "certify/closed_markings.h"
#include "home/downhill.h"
#include "home/rank_theorem.h"
#include "lts/explicit.h"
#include "lts/replay.h"
#include "verify/ask.h"
#include "verify/prove.h"

#include <stdlib.h>

/* So many markings are written down before anything else is tried. */
enum { FEW_MARKINGS = 2000 };
#define DOWNHILL_SHARE 0.5

static bool fail(GError **error, const char *message)
{
    g_set_error(error, MAZURKA_ERROR, ERROR_LIMIT, "no certificate was written: %s", message);
    return false;
}

/* ---- ranks ---- */

typedef struct Edges {
    uint32_t *start; /* by the marking that they lead to */
    uint32_t *from;
} Edges;

static void edges_clear(Edges *e)
{
    g_free(e->start);
    g_free(e->from);
}

/* False when there is no memory for them. */
static bool read_edges(const Explicit *search, Budget *budget, Edges *e)
{
    uint32_t n = search->store.len;
    if (!budget_allows(budget, search->firings * sizeof *e->from + n * sizeof(uint64_t) * 2)) return false;
    VecU32 to = {0};
    e->start = g_new0(uint32_t, (size_t)n + 2);
    for (uint32_t i = 0; i < n; i++) {
        vec_clear(&to);
        explicit_successors(search, i, &to, NULL);
        for (size_t k = 0; k < to.len; k++) e->start[to.data[k] + 2]++;
    }
    for (uint32_t i = 0; i < n; i++) e->start[i + 2] += e->start[i + 1];
    e->from = g_new(uint32_t, (size_t)e->start[n + 1] + 1);
    for (uint32_t i = 0; i < n; i++) {
        vec_clear(&to);
        explicit_successors(search, i, &to, NULL);
        for (size_t k = 0; k < to.len; k++) e->from[e->start[to.data[k] + 1]++] = i;
    }
    vec_free(&to);
    return true;
}

/* Firings to the nearest marking with the goal; UINT32_MAX: none can be reached. */
static uint32_t *find_ranks(const HomeQuestion *q, const Explicit *search, const Edges *edges)
{
    uint32_t n = search->store.len, *rank = g_new(uint32_t, (size_t)n + 1);
    VecU32 queue = {0};
    for (uint32_t i = 0; i < n; i++) {
        bool holds = formula_holds(q->formulas, q->goals[0], search->stepper->lts, store_state(&search->store, i));
        rank[i] = holds ? 0 : UINT32_MAX;
        if (holds) vec_push(&queue, i);
    }
    for (size_t k = 0; k < queue.len; k++) {
        uint32_t to = queue.data[k];
        for (uint32_t i = edges->start[to]; i < edges->start[to + 1]; i++) {
            if (rank[edges->from[i]] != UINT32_MAX) continue;
            rank[edges->from[i]] = rank[to] + 1;
            vec_push(&queue, edges->from[i]);
        }
    }
    vec_free(&queue);
    return rank;
}

static int compare_states(const void *a, const void *b, void *data)
{
    const Store *store = data;
    return closed_markings_compare(store_state(store, *(const uint32_t *)a), store_state(store, *(const uint32_t *)b),
                                   store->words);
}

static Certificate ranked(const HomeQuestion *q, const Explicit *search, const uint32_t *rank)
{
    Store store = search->store;
    uint32_t n = store.len;
    Certificate c = {.kind = CERTIFICATE_RANKS,
                     .claim = CLAIM_HOME,
                     .goal = formula_text(q->formulas, q->goals[0]),
                     .places = q->net->n_places,
                     .transitions = q->net->n_transitions,
                     .width = search->stepper->width,
                     .words = store.words,
                     .n = n};
    g_autofree uint32_t *order = g_new(uint32_t, (size_t)n + 1);
    for (uint32_t i = 0; i < n; i++) order[i] = i;
    qsort_r(order, n, sizeof *order, compare_states, &store);
    c.states = g_new(uint64_t, (size_t)n * store.words + 1);
    c.ranks = g_new(uint32_t, (size_t)n + 1);
    for (uint32_t i = 0; i < n; i++) {
        memcpy(c.states + (size_t)i * store.words, store_state(&store, order[i]), store.words * sizeof *c.states);
        c.ranks[i] = rank[order[i]];
    }
    return c;
}

/* The search is complete. */
static bool write_ranked(const HomeQuestion *q, const Explicit *search, const ProofFile *file, Budget *budget,
                         GError **error)
{
    Edges edges = {0};
    if (!read_edges(search, budget, &edges)) {
        edges_clear(&edges);
        return fail(error, "the memory limit does not allow it");
    }
    g_autofree uint32_t *rank = find_ranks(q, search, &edges);
    Certificate c = ranked(q, search, rank);
    g_autofree char *problem = NULL;
    bool ok = c.goal || fail(error, "the goal is too large to be written out");
    if (ok && !certificate_check(&c, q->net, budget, &problem)) ok = fail(error, problem);
    ok = ok && prove_keep(&c, q->net, file, error);
    certificate_clear(&c);
    edges_clear(&edges);
    return ok;
}

static bool write_home(const HomeQuestion *q, const EngineOptions *options, const ProofFile *file, Budget *budget,
                       GError **error)
{
    g_autoptr(Explicit) search = explicit_new(q->net);
    Budget few = budget_part(budget, DOWNHILL_SHARE, 0, NULL), half = budget_part(budget, DOWNHILL_SHARE, 0, NULL);
    budget_limit_events(&few, FEW_MARKINGS);
    if (explicit_run(search, NULL, &few) == ENDING_COMPLETE) return write_ranked(q, search, file, budget, error);
    Downhill found = {0};
    downhill_ask(q->net, q->formulas, q->goals[0], options, file, &half, &found);
    Verdict verdict = found.verdict;
    downhill_clear(&found);
    if (verdict == VERDICT_HOLDS) return true;
    if (explicit_run(search, NULL, budget) == ENDING_COMPLETE) return write_ranked(q, search, file, budget, error);
    return fail(error, "no rank was found, and there are too many markings for the limits");
}

/* ---- structure ---- */

static bool write_structure(const Net *net, bool proved, Certificate *proof, const ProofFile *file, GError **error)
{
    bool ok =
        proved || fail(error, "the rank theorem does not show it (is the net free-choice?); goals can be certified "
                              "one by one, with --live=T or --home EXPR");
    ok = ok && prove_keep(proof, net, file, error);
    certificate_clear(proof);
    return ok;
}

static bool write_live(const Net *net, const ProofFile *file, Budget *budget, GError **error)
{
    Certificate proof;
    return write_structure(net, rank_theorem_live(net, budget, &proof), &proof, file, error);
}

bool home_proof_write_sound(const Workflow *w, const ProofFile *file, Budget *budget, GError **error)
{
    Certificate proof = {0};
    bool proved = w->ends[0] != NET_NONE && rank_theorem_sound(&w->net, w->ends[0], w->ends[1], budget, &proof);
    return write_structure(&w->net, proved, &proof, file, error);
}

/* ---- lost ---- */

static bool write_never(const Net *net, FormulaStore *formulas, FormulaId goal, const EngineOptions *options,
                        const ProofFile *file, Budget *budget, GError **error)
{
    AskOptions ask = {.engine = *options};
    ask.engine.certificate = file;
    Result answer = {0};
    ask_goals(net, formulas, &goal, 1, &ask, budget, &answer);
    bool ok = answer.answer == ANSWER_UNREACHABLE;
    if (!ok) fail(error, answer.reason ? answer.reason : "the proof was not found within the limits");
    result_clear(&answer);
    return ok;
}

static bool write_lost(const HomeQuestion *q, const HomeResult *result, const EngineOptions *options,
                       const ProofFile *where, Budget *budget, GError **error)
{
    g_autofree uint64_t *marking = replay_start(q->net);
    replay_run(q->net, result->run.data, result->run.len, marking);
    Net from = home_net_from(q->net, marking);
    FormulaStore *formulas = q->formulas;
    const Net *before = formulas->net;
    formulas->net = &from;
    ProofLost lost = {q->net, &result->run};
    ProofFile file = *where;
    file.lost = &lost;
    bool ok = write_never(&from, formulas, q->goals[result->lost], options, &file, budget, error);
    formulas->net = before;
    return ok;
}

bool home_proof_write_dead(const Workflow *w, uint32_t transition, const EngineOptions *options, const ProofFile *file,
                           Budget *budget, GError **error)
{
    FormulaId fires = formula_fireable(w->formulas, &transition, 1);
    return write_never(&w->net, w->formulas, fires, options, file, budget, error);
}

bool home_proof_write(const HomeQuestion *q, const HomeResult *result, const EngineOptions *options,
                      const ProofFile *file, Budget *budget, GError **error)
{
    if (result->verdict == VERDICT_VIOLATED) return write_lost(q, result, options, file, budget, error);
    if (q->live) return write_live(q->net, file, budget, error);
    return write_home(q, options, file, budget, error);
}
