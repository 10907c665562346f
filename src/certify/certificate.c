#include "certify/certificate.h"

#include "certify/apply.h"
#include "base/error.h"
#include "certify/closed_markings.h"
#include "certify/facts.h"
#include "certify/rup.h"
#include "prop/expression.h"

void certificate_clear(Certificate *c)
{
    g_free(c->goal);
    bound_clear(&c->bound);
    steps_clear(&c->steps);
    event_list_clear(&c->events);
    inductive_clear(&c->set);
    linear_clear(&c->linear);
    pump_clear(&c->pump);
    g_free(c->proof);
    g_free(c->states);
    g_free(c->ranks);
    vec_free(&c->run);
    vec_free(&c->symmetries);
    descent_clear(&c->descent);
    free_choice_clear(&c->free_choice);
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
    if (c->bound.infinite) {
        g_set_error(error, MAZURKA_ERROR, ERROR_INPUT, "that a sum has no bound is no goal");
        return false;
    }
    if (!certificate_claim_has_goal(c->claim)) {
        g_set_error(error, MAZURKA_ERROR, ERROR_INPUT, "that a net is %s is no goal", certificate_claim_word(c->claim));
        return false;
    }
    if (c->bound.claimed) return bound_goal(&c->bound, store, goal, error);
    return expression_parse(store, c->goal, "goal", goal, error);
}

/* ---- what it claims ---- */

/* What the part behind the kind is about. */
typedef struct Claim {
    const Net *net;
    FormulaStore *store;
    FormulaId goal;
    Applied applied; /* owns net and store when there are steps */
    Net from;        /* CLAIM_LOST: borrows all but the marking from the net */
    uint64_t *marking;
} Claim;

static void claim_clear(Claim *claim)
{
    if (!claim->applied.net) formula_store_free(claim->store);
    apply_clear(&claim->applied);
    g_free(claim->marking);
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

/* Fires the run of something lost. */
static bool claim_run(Claim *claim, const Certificate *c, const Net *net, char **problem)
{
    if (c->claim != CLAIM_LOST) return true;
    claim->marking = bound_fire(net, &c->run, problem);
    claim->from = *net;
    claim->from.initial = claim->marking;
    claim->net = &claim->from;
    return !*problem;
}

/* Ranks of markings show that a goal can always be reached again, and nothing else; steps may lose that. */
static bool claim_fits(const Certificate *c, char **problem)
{
    bool ranks = c->kind == CERTIFICATE_RANKS;
    bool structure = c->kind == CERTIFICATE_FREE_CHOICE;
    if ((ranks && c->claim != CLAIM_HOME) || structure == certificate_claim_has_goal(c->claim) ||
        ((ranks || structure) && c->steps.list.len) || (c->claim && c->bound.claimed))
        *problem = g_strdup("this kind of proof does not show what is claimed");
    return !*problem;
}

/* What the rest is about instead of a goal that can always be reached again. */
static bool claim_descend(Claim *claim, const Certificate *c, Budget *budget, char **problem)
{
    if (c->claim != CLAIM_HOME || c->kind == CERTIFICATE_RANKS) return true;
    return descent_stuck(&c->descent, claim->store, claim->goal, budget, &claim->goal, problem);
}

static bool claim_read(Claim *claim, const Certificate *c, const Net *net, Budget *budget, char **problem)
{
    g_autoptr(GError) error = NULL;
    *problem = NULL;
    *claim = (Claim){.net = net, .goal = FORMULA_ID_TRUE};
    bool possible = claim_fits(c, problem) && claim_run(claim, c, net, problem);
    claim->store = formula_store_new(claim->net);
    if (!possible) return false;
    if (!certificate_claim_has_goal(c->claim)) return true;
    if (c->bound.infinite) return true; /* a pump: it has no goal, and none could be refuted here */
    if (certificate_goal(c, claim->store, &claim->goal, &error))
        return claim_descend(claim, c, budget, problem) && claim_apply(claim, c, budget, problem);
    *problem = g_strdup(error->message);
    return false;
}

/* ---- the clauses that proofs refute, by kind ---- */

static bool prefix_clauses(const Certificate *c, const Claim *claim, Cnf *cnf, char **problem)
{
    return event_list_clauses(claim->net, &c->events, claim->store, claim->goal, cnf, problem);
}

static bool set_clauses(const Certificate *c, const Claim *claim, Cnf *cnf, char **problem)
{
    return inductive_clauses(claim->net, &c->set, claim->store, claim->goal, cnf, problem);
}

static bool fact_clauses(const Certificate *c, const Claim *claim, Cnf *cnf, char **problem)
{
    return facts_clauses(claim->net, &c->set, &c->linear, claim->store, claim->goal, cnf, problem);
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
#define KIND(constant, name, content, clauses, check) clauses,
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

static bool check_free_choice(const Certificate *c, const Claim *claim, Budget *budget, char **problem)
{
    bool sound = c->claim == CLAIM_SOUND;
    return free_choice_check(&c->free_choice, claim->net, sound ? c->ends[0] : NET_NONE, sound ? c->ends[1] : NET_NONE,
                             budget, problem);
}

static bool check_none(const Certificate *c, const Claim *claim, Budget *budget, char **problem)
{
    (void)c, (void)budget;
    if (claim->goal != FORMULA_ID_FALSE) *problem = g_strdup("the goal is not constantly false");
    return !*problem;
}

static bool check_pump(const Certificate *c, const Claim *claim, Budget *budget, char **problem)
{
    if (c->steps.list.len)
        *problem = g_strdup("a pump is about the net itself: no steps belong to it");
    else if (!c->bound.infinite)
        *problem = g_strdup("a pump shows that a sum has no bound, and nothing else");
    return !*problem && pump_check(&c->pump, claim->net, &c->bound.places, budget, problem);
}

static bool (*const checks[])(const Certificate *, const Claim *, Budget *, char **) = {
#define KIND(constant, name, content, clauses, check) check,
#include "certify/kinds.def"
#undef KIND
};

bool certificate_check(const Certificate *c, const Net *net, Budget *budget, char **problem)
{
    Claim claim;
    *problem = NULL;
    if (c->bound.infinite && c->kind != CERTIFICATE_PUMP) {
        *problem = g_strdup("that a sum has no bound is shown by a pump only");
        return false;
    }
    if (c->bound.claimed && !c->bound.infinite && !bound_reached(&c->bound, net, problem)) return false;
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

/* Lists are ended by 0, those of nodes by NET_NONE. */
#define COUNT_LISTS(lists, end) count_ends((const uint32_t *)(lists).data, (lists).len, end)

static size_t count_ends(const uint32_t *numbers, size_t n, uint32_t end)
{
    size_t ends = 0;
    for (size_t i = 0; i < n; i++) ends += numbers[i] == end;
    return ends;
}

static void describe_facts(const Certificate *c, GString *text)
{
    g_string_append_printf(text, "%zu groups of places with one token, %zu traps, %zu sums, proof of %zu bytes",
                           COUNT_LISTS(c->set.groups, 0), COUNT_LISTS(c->set.clauses, 0),
                           linear_part_count(&c->linear, LINEAR_ATOMS), c->proof_len);
}

static void describe_states(const Certificate *c, GString *text)
{
    bool all = c->kind == CERTIFICATE_MARKINGS;
    g_string_append_printf(text, "%s%" G_GUINT64_FORMAT " markings%s", all ? "closed set of " : "", c->n,
                           all ? "" : " closed under stubborn sets");
    if (c->symmetries.len) g_string_append_printf(text, " and %zu symmetries", COUNT_LISTS(c->symmetries, NET_NONE));
}

static void describe_linear(const Certificate *c, GString *text)
{
    g_string_append_printf(text, "%zu linear inequalities, %zu traps, %zu siphons, %sproof of %zu bytes",
                           linear_part_count(&c->linear, LINEAR_LEMMAS), linear_part_count(&c->linear, LINEAR_TRAPS),
                           linear_part_count(&c->linear, LINEAR_SIPHONS), c->linear.last ? "the last firing, " : "",
                           c->proof_len);
}

static void describe_ranks(const Certificate *c, GString *text)
{
    g_string_append_printf(text, "%" G_GUINT64_FORMAT " markings with ranks", c->n);
}

static void describe_free_choice(const Certificate *c, GString *text)
{
    g_string_append_printf(text, "free choice, sets of places: %zu, of transitions: %zu, rank and siphons",
                           COUNT_LISTS(c->free_choice.tokens, NET_NONE), COUNT_LISTS(c->free_choice.flows, NET_NONE));
}

static void describe_none(const Certificate *c, GString *text)
{
    (void)c;
    g_string_append(text, "constantly false");
}

static void describe_pump(const Certificate *c, GString *text)
{
    size_t loops = 0;
    for (size_t i = 0; i < c->pump.parts.len; i++) loops += c->pump.parts.data[i].loop;
    g_string_append_printf(text, "pump of %zu firings with %zu loop%s", c->pump.firings.len, loops,
                           loops == 1 ? "" : "s");
}

static void (*const describers[])(const Certificate *, GString *) = {
#define KIND(constant, name, content, clauses, check) describe_##content,
#include "certify/kinds.def"
#undef KIND
};

char *certificate_claim(const Certificate *c, const Net *net)
{
    if (c->claim == CLAIM_LIVE) return g_strdup("every transition can always fire again");
    if (c->claim == CLAIM_SOUND)
        return g_strdup_printf("the workflow net from %s to %s is sound", net_place_id(net, c->ends[0]),
                               net_place_id(net, c->ends[1]));
    if (c->claim == CLAIM_HOME)
        return g_strdup_printf("a marking that satisfies %s can always be reached again", c->goal);
    if (c->claim == CLAIM_LOST)
        return g_strdup_printf("after a run of %zu firing%s no reachable marking satisfies %s", c->run.len,
                               c->run.len == 1 ? "" : "s", c->goal);
    if (!c->bound.claimed) return g_strdup_printf("no reachable marking satisfies %s", c->goal);
    g_autofree char *sum = bound_sum_text(&c->bound, net);
    if (c->bound.infinite) return g_strdup_printf("%s has no bound", sum);
    return g_strdup_printf("the largest value of %s is %" G_GUINT64_FORMAT, sum, c->bound.value);
}

char *certificate_describe(const Certificate *c)
{
    GString *text = g_string_new(NULL);
    if (c->bound.claimed && !c->bound.infinite)
        g_string_append_printf(text, "reached by %zu firing%s; ", c->bound.run.len, c->bound.run.len == 1 ? "" : "s");
    size_t levels = COUNT_LISTS(c->descent.levels, NET_NONE), ways = COUNT_LISTS(c->descent.ways, NET_NONE);
    if (levels || ways) g_string_append_printf(text, "levels of the rank: %zu, ways: %zu; ", levels, ways);
    if (c->steps.list.len)
        g_string_append_printf(text, "%zu reduction steps to %u places and %u transitions; ", c->steps.list.len,
                               c->places, c->transitions);
    describers[c->kind](c, text);
    return g_string_free(text, FALSE);
}
