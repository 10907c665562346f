#include "verify/prove.h"

#include "base/compare.h"
#include "base/error.h"
#include "certify/certificate.h"
#include "certify/closed_markings.h"
#include "sat/proof.h"

#include <stdlib.h>
#include <string.h>

/* ---- events from a prefix ---- */

static uint32_t companion_of(uint32_t companion)
{
    return companion == PREFIX_NONE ? EVENT_LIST_NONE : companion == PREFIX_BOTTOM ? EVENT_LIST_BOTTOM : companion;
}

/* Producers of the preset, each once. */
static void push_producers(const Prefix *p, uint32_t e, VecU32 *causes)
{
    size_t from = causes->len, to = from;
    PrefixRow pre = prefix_pre(p, e);
    for (uint32_t i = 0; i < pre.len; i++)
        if (p->condition_event[pre.id[i]] != PREFIX_BOTTOM) vec_push(causes, p->condition_event[pre.id[i]]);
    if (causes->len > from) qsort(causes->data + from, causes->len - from, sizeof *causes->data, compare_u32);
    for (size_t i = from; i < causes->len; i++)
        if (to == from || causes->data[to - 1] != causes->data[i]) causes->data[to++] = causes->data[i];
    causes->len = to;
}

static EventList events_of(const Prefix *p)
{
    const PrefixHistories *h = &p->histories;
    uint32_t n = prefix_count(p);
    EventList ev = {.n = n,
                    .transition = g_new(uint32_t, n + 1),
                    .companion = g_new(uint32_t, n + 1),
                    .cause_start = g_new0(uint32_t, n + 1)};
    ev.relation = p->relation == RELATION_CLASSIC ? EVENT_LIST_CLASSIC
                  : p->relation == RELATION_READ  ? EVENT_LIST_READ
                                                  : EVENT_LIST_LOOPS;
    VecU32 causes = {0};
    for (uint32_t e = 0; e < n; e++) {
        ev.transition[e] = p->event_transition[h->n ? h->event[e] : e];
        ev.companion[e] = companion_of(h->n ? h->companion[e] : p->event_companion[e]);
        if (h->n)
            vec_append(&causes, h->cause + h->cause_start[e], h->cause_start[e + 1] - h->cause_start[e]);
        else
            push_producers(p, e, &causes);
        ev.cause_start[e + 1] = (uint32_t)causes.len;
    }
    vec_push(&causes, 0);
    ev.cause = causes.data;
    return ev;
}

/* ---- */

static bool fail(GError **error, const char *message)
{
    g_set_error(error, MAZURKA_ERROR, ERROR_LIMIT, "%s", message);
    return false;
}

static NetSteps copy_steps(const NetSteps *from)
{
    NetSteps to = {0};
    vec_append(&to.list, from->list.data, from->list.len);
    vec_append(&to.nodes, from->nodes.data, from->nodes.len);
    return to;
}

static Descent copy_descent(const Descent *d)
{
    Descent copy = {0};
    vec_append(&copy.levels, d->levels.data, d->levels.len);
    vec_append(&copy.ways, d->ways.data, d->ways.len);
    return copy;
}

static Certificate begin(CertificateKind kind, const Query *query, const ProofFile *file)
{
    const Query *about = file->original ? file->original : query;
    Certificate c = {.kind = kind,
                     .goal = file->bound  ? NULL
                             : file->home ? formula_text(file->home->formulas, file->home->goal)
                                          : formula_text(about->formulas, about->goal),
                     .places = query->net->n_places,
                     .transitions = query->net->n_transitions};
    if (file->bound)
        c.bound = bound_claim(&file->bound->places, file->bound->infinite, file->bound->value, &file->bound->run);
    if (file->lost) {
        c.claim = CLAIM_LOST;
        vec_append(&c.run, file->lost->run->data, file->lost->run->len);
    }
    if (file->home) {
        c.claim = CLAIM_HOME;
        c.descent = copy_descent(file->home->descent);
    }
    if (file->steps) c.steps = copy_steps(file->steps);
    return c;
}

/* Shared parts of a goal are written each time. */
static bool can_be_written(const Certificate *c, GError **error)
{
    return c->goal || c->bound.claimed || fail(error, "the goal is too large to be written out in a certificate");
}

static const Net *net_of(const Query *query, const ProofFile *file)
{
    if (file->lost) return file->lost->net;
    return file->original ? file->original->net : query->net;
}

bool prove_keep(const Certificate *c, const Net *net, const ProofFile *file, GError **error)
{
    if (!file->memory) return certificate_write(c, net, file->path, error);
    GString *text = certificate_text(c, net, "proof", error);
    if (!text) return false;
    g_mutex_lock(&file->memory->mutex);
    if (file->memory->text) g_string_free(file->memory->text, TRUE);
    file->memory->text = text;
    g_mutex_unlock(&file->memory->mutex);
    return true;
}

static bool check_and_write(const Certificate *c, const Net *net, const ProofFile *file, Budget *budget, GError **error)
{
    g_autofree char *problem = NULL;
    if (!can_be_written(c, error)) return false;
    if (certificate_check(c, net, budget, &problem)) {
        if (!file->unwritten) return prove_keep(c, net, file, error);
        g_autoptr(GError) unwritten = NULL;
        if (!prove_keep(c, net, file, &unwritten)) *file->unwritten = g_strdup(unwritten->message);
        return true;
    }
    g_set_error(error, MAZURKA_ERROR, ERROR_LIMIT, "the certificate does not check: %s", problem);
    return false;
}

/* Refutes the certificate's clauses and writes it with that proof. `satisfiable` is what it means when they have a
 * model. */
static bool refute_and_write(Certificate *c, const Net *net, const char *satisfiable, const ProofFile *file,
                             Budget *budget, GError **error)
{
    if (!can_be_written(c, error)) return false;
    Cnf cnf;
    cnf_init(&cnf, budget);
    g_autofree char *problem = NULL;
    bool ok = certificate_clauses(c, net, &cnf, budget, &problem);
    if (!ok) fail(error, problem);
    if (ok) {
        SatAnswer answer = sat_proof(cnf.literals.data, cnf.literals.len, budget, &c->proof, &c->proof_len);
        ok = answer == SAT_NO;
        if (!ok) fail(error, answer == SAT_YES ? satisfiable : "the proof was not found within the limits");
    }
    cnf_clear(&cnf);
    return ok && check_and_write(c, net, file, budget, error);
}

bool prove_by_prefix(const Query *query, const Prefix *prefix, const ProofFile *file, Budget *budget, GError **error)
{
    if (prefix_count(prefix) > EVENT_LIST_MOST) return fail(error, "the prefix has too many events for a certificate");
    Certificate c = begin(CERTIFICATE_PREFIX, query, file);
    c.events = events_of(prefix);
    bool ok = refute_and_write(&c, net_of(query, file), "the prefix is not complete", file, budget, error);
    certificate_clear(&c);
    return ok;
}

static int compare_states(const void *a, const void *b, void *words)
{
    return closed_markings_compare(a, b, *(const uint32_t *)words);
}

bool prove_by_markings(const Query *query, const Explicit *search, bool stubborn, const ProofFile *file, Budget *budget,
                       GError **error)
{
    const Store *store = &search->store;
    if (!budget_allows(budget, (uint64_t)store->len * store->words * sizeof(uint64_t) * 2))
        return fail(error, "the set of markings is too large for a certificate");
    const Symmetry *symmetry = search->symmetry;
    Certificate c = begin(symmetry   ? CERTIFICATE_SYMMETRIC
                          : stubborn ? CERTIFICATE_STUBBORN
                                     : CERTIFICATE_MARKINGS,
                          query, file);
    if (symmetry) vec_append(&c.symmetries, symmetry->lists.data, symmetry->lists.len);
    c.width = search->stepper->width;
    c.words = store->words;
    c.n = store->len;
    c.states = g_new(uint64_t, (size_t)store->len * store->words + 1);
    for (uint32_t i = 0; i < store->len; i++)
        memcpy(c.states + (size_t)i * store->words, store_state(store, i), store->words * sizeof *c.states);
    if (c.n) qsort_r(c.states, c.n, c.words * sizeof *c.states, compare_states, &c.words);
    bool ok = check_and_write(&c, net_of(query, file), file, budget, error);
    certificate_clear(&c);
    return ok;
}

bool prove_by_clauses(const Query *query, Inductive *set, const ProofFile *file, Budget *budget, GError **error)
{
    Certificate c = begin(CERTIFICATE_CLAUSES, query, file);
    c.set = *set;
    *set = (Inductive){0};
    bool ok = refute_and_write(&c, net_of(query, file), "the clauses are not inductive", file, budget, error);
    certificate_clear(&c);
    return ok;
}

bool prove_by_facts(const Query *query, Inductive *set, Linear *sums, const ProofFile *file, Budget *budget,
                    GError **error)
{
    Certificate c = begin(CERTIFICATE_FACTS, query, file);
    c.set = *set;
    c.linear = *sums;
    *set = (Inductive){0};
    *sums = (Linear){0};
    bool ok = refute_and_write(&c, net_of(query, file), "the facts do not exclude the goal", file, budget, error);
    certificate_clear(&c);
    return ok;
}

bool prove_by_nothing(const Query *query, const ProofFile *file, Budget *budget, GError **error)
{
    Certificate c = begin(CERTIFICATE_NONE, query, file);
    bool ok = check_and_write(&c, net_of(query, file), file, budget, error);
    certificate_clear(&c);
    return ok;
}

bool prove_by_linear(const Query *query, Linear *linear, const ProofFile *file, Budget *budget, GError **error)
{
    Certificate c = begin(CERTIFICATE_LINEAR, query, file);
    c.linear = *linear;
    *linear = (Linear){0};
    bool ok =
        refute_and_write(&c, net_of(query, file), "the inequalities do not exclude the goal", file, budget, error);
    certificate_clear(&c);
    return ok;
}

bool prove_by_pump(const Net *net, const VecU32 *places, Pump *pump, const ProofFile *file, Budget *budget,
                   GError **error)
{
    Certificate c = {.kind = CERTIFICATE_PUMP,
                     .bound = bound_claim(places, true, 0, NULL),
                     .pump = *pump,
                     .places = net->n_places,
                     .transitions = net->n_transitions};
    *pump = (Pump){0};
    bool ok = check_and_write(&c, net, file, budget, error);
    certificate_clear(&c);
    return ok;
}
