#include "certify/certificate.h"

#include "certify/apply.h"
#include "certify/closed_markings.h"
#include "certify/rup.h"
#include "prop/expression.h"

void certificate_clear(Certificate *c)
{
    g_free(c->goal);
    steps_clear(&c->steps);
    listing_clear(&c->events);
    inductive_clear(&c->set);
    linear_clear(&c->linear);
    g_free(c->proof);
    g_free(c->states);
    *c = (Certificate){0};
}

uint64_t certificate_arcs(const Net *net)
{
    uint64_t n = 0;
    for (int kind = 0; kind < N_ARC_KINDS; kind++) n += net_arc_count(net, kind);
    return n;
}

bool certificate_goal(const Certificate *c, FormulaStore *store, FormulaId *goal, GError **error)
{
    return expression_parse(store, c->goal, "goal", goal, error);
}

/* ---- what it claims ---- */

/* What the part behind the kind is about. */
typedef struct Claim {
    const Net *net;
    FormulaStore *store;
    FormulaId goal;
    Applied applied; /* owns net and store when there are steps */
} Claim;

static void claim_clear(Claim *claim)
{
    if (!claim->applied.net) formula_store_free(claim->store);
    applied_clear(&claim->applied);
}

/* Replaces net and goal by what the steps make of them. */
static bool claim_apply(Claim *claim, const Certificate *c, Budget *budget, char **problem)
{
    if (!c->steps.list.len) return true;
    if (!apply_steps(claim->net, claim->store, claim->goal, &c->steps, budget, &claim->applied, problem)) return false;
    formula_store_free(claim->store);
    claim->net = claim->applied.net;
    claim->store = claim->applied.formulas;
    claim->goal = claim->applied.goal;
    if (claim->net->n_places == c->places && claim->net->n_transitions == c->transitions) return true;
    *problem = g_strdup_printf("the steps leave %u places and %u transitions, not %u and %u", claim->net->n_places,
                               claim->net->n_transitions, c->places, c->transitions);
    return false;
}

static bool claim_read(Claim *claim, const Certificate *c, const Net *net, Budget *budget, char **problem)
{
    g_autoptr(GError) error = NULL;
    *problem = NULL;
    *claim = (Claim){.net = net, .store = formula_store_new(net)};
    if (certificate_goal(c, claim->store, &claim->goal, &error)) return claim_apply(claim, c, budget, problem);
    *problem = g_strdup(error->message);
    return false;
}

/* ---- the clauses that proofs refute, by kind ---- */

static bool prefix_clauses(const Certificate *c, const Claim *claim, Cnf *cnf, char **problem)
{
    return listing_clauses(claim->net, &c->events, claim->store, claim->goal, cnf, problem);
}

static bool set_clauses(const Certificate *c, const Claim *claim, Cnf *cnf, char **problem)
{
    return inductive_clauses(claim->net, &c->set, claim->store, claim->goal, cnf, problem);
}

static bool inequality_clauses(const Certificate *c, const Claim *claim, Cnf *cnf, char **problem)
{
    return linear_clauses(claim->net, &c->linear, claim->store, claim->goal, cnf, problem);
}

static bool no_clauses(const Certificate *c, const Claim *claim, Cnf *cnf, char **problem)
{
    (void)c, (void)claim, (void)cnf;
    *problem = g_strdup("this kind of certificate has no clauses");
    return false;
}

static bool (*const clauses_of[])(const Certificate *, const Claim *, Cnf *, char **) = {
#define KIND(constant, name, clauses, check) clauses,
#include "certify/kinds.def"
#undef KIND
};

bool certificate_clauses(const Certificate *c, const Net *net, Cnf *cnf, Budget *budget, char **problem)
{
    Claim claim;
    bool ok = claim_read(&claim, c, net, budget, problem) && clauses_of[c->kind](c, &claim, cnf, problem);
    claim_clear(&claim);
    return ok;
}

/* ---- checking, by kind ---- */

static bool check_refutation(const Certificate *c, const Claim *claim, Budget *budget, char **problem)
{
    Cnf cnf;
    cnf_init(&cnf, budget);
    bool ok = clauses_of[c->kind](c, claim, &cnf, problem) && rup_check(&cnf, c->proof, c->proof_len, budget, problem);
    cnf_clear(&cnf);
    return ok;
}

static bool check_closed(const Certificate *c, const Claim *claim, Budget *budget, char **problem)
{
    return closed_markings_check(claim->net, claim->store, claim->goal, c, budget, problem);
}

static bool check_none(const Certificate *c, const Claim *claim, Budget *budget, char **problem)
{
    (void)c, (void)budget;
    if (claim->goal != FORMULA_ID_FALSE) *problem = g_strdup("the goal is not constantly false");
    return !*problem;
}

static bool (*const checks[])(const Certificate *, const Claim *, Budget *, char **) = {
#define KIND(constant, name, clauses, check) check,
#include "certify/kinds.def"
#undef KIND
};

bool certificate_check(const Certificate *c, const Net *net, Budget *budget, char **problem)
{
    Claim claim;
    bool ok = claim_read(&claim, c, net, budget, problem) && checks[c->kind](c, &claim, budget, problem);
    claim_clear(&claim);
    return ok;
}

/* ---- in words, by kind ---- */

static void describe_prefix(const Certificate *c, GString *text)
{
    g_string_append_printf(text, "complete prefix of %u events, proof of %zu bytes", c->events.n, c->proof_len);
}

static void describe_clauses(const Certificate *c, GString *text)
{
    g_string_append_printf(text, "inductive set of clauses, proof of %zu bytes", c->proof_len);
}

static void describe_markings(const Certificate *c, GString *text)
{
    g_string_append_printf(text, "closed set of %" G_GUINT64_FORMAT " markings", c->n);
}

static void describe_stubborn(const Certificate *c, GString *text)
{
    g_string_append_printf(text, "%" G_GUINT64_FORMAT " markings closed under stubborn sets", c->n);
}

static void describe_linear(const Certificate *c, GString *text)
{
    g_string_append_printf(text, "%zu linear inequalities, %zu traps, %zu siphons, %sproof of %zu bytes",
                           linear_part_count(&c->linear, LINEAR_LEMMAS), linear_part_count(&c->linear, LINEAR_TRAPS),
                           linear_part_count(&c->linear, LINEAR_SIPHONS), c->linear.last ? "the last firing, " : "",
                           c->proof_len);
}

static void describe_none(const Certificate *c, GString *text)
{
    (void)c;
    g_string_append(text, "constantly false");
}

static void (*const describers[])(const Certificate *, GString *) = {
#define KIND(constant, name, clauses, check) describe_##name,
#include "certify/kinds.def"
#undef KIND
};

char *certificate_describe(const Certificate *c)
{
    GString *text = g_string_new(NULL);
    if (c->steps.list.len)
        g_string_append_printf(text, "%zu reduction steps to %u places and %u transitions; ", c->steps.list.len,
                               c->places, c->transitions);
    describers[c->kind](c, text);
    return g_string_free(text, FALSE);
}
