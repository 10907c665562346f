/* Property-directed reachability (IC3: Bradley 2011; Een, Mishchenko, Brayton 2011) on safe nets. Frames
 * over-approximate what is reachable in so many firings by clauses; a cube that leads to the goal is either blocked by
 * a new clause or traced back to the initial marking. Two equal frames are an inductive proof.
 *
 * A cube's predecessor under a transition is computed from the arcs, exactly and as a cube, so that nothing has to be
 * lifted. */
#include "verify/engine.h"
#include "verify/prove.h"
#include "verify/safe_sat.h"

#include "base/bitset.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

typedef VEC(int) Cube; /* literals: place + 1, negative when empty; sorted by place */

typedef struct Obligation {
    Cube cube;
    uint32_t level, parent, transition; /* firing it leads into the parent's cube; parent NET_NONE: the goal itself */
} Obligation;

typedef struct Frame {
    VEC(Cube) blocked; /* at this level, not yet at the next */
    SatLit active;
} Frame;

typedef struct Pdr {
    const Query *query;
    const Net *net;
    SafeSat safe;
    SatLit now, next, fires, bad;
    SatLit moves; /* implies that a transition fires: dead markings have no step */
    VEC(Frame) frames;
    VEC(Obligation) obligations;
    VecU32 *waiting; /* per level: obligations */
    uint32_t waiting_len;
    uint64_t *marking; /* scratch: a model's instant */
    NetLts *plain;
    Budget *budget;
    uint32_t found; /* obligation that holds the initial marking */
    VecU32 groups;  /* exactly one place of each is marked; ended by NET_NONE */
    uint32_t fixed; /* the level from which on the clauses are inductive */
} Pdr;

static int compare_literals(const void *a, const void *b)
{
    int x = abs(*(const int *)a), y = abs(*(const int *)b);
    return (x > y) - (x < y);
}

static SatLit at(SatLit instant, int literal)
{
    return literal > 0 ? instant + literal - 1 : -(instant - literal - 1);
}

static bool contradicts_initial(const Pdr *p, int literal)
{
    return (p->net->initial[abs(literal) - 1] > 0) != (literal > 0);
}

static bool holds_initial(const Pdr *p, const Cube *cube)
{
    for (size_t i = 0; i < cube->len; i++)
        if (contradicts_initial(p, cube->data[i])) return false;
    return true;
}

/* ---- frames ---- */

static void add_frame(Pdr *p)
{
    vec_push(&p->frames, ((Frame){.active = sat_variable(p->safe.sat)}));
}

static uint32_t top(const Pdr *p)
{
    return (uint32_t)p->frames.len - 1;
}

static void assume_frame(Pdr *p, uint32_t level)
{
    for (size_t i = level; i < p->frames.len; i++) sat_assume(p->safe.sat, p->frames.data[i].active);
}

static void block(Pdr *p, uint32_t level, const Cube *cube)
{
    VEC(SatLit) clause = {0};
    vec_push(&clause, -p->frames.data[level].active);
    for (size_t i = 0; i < cube->len; i++) vec_push(&clause, -at(p->now, cube->data[i]));
    sat_clause(p->safe.sat, clause.data, clause.len);
    vec_free(&clause);
    Cube copy = {0};
    vec_append(&copy, cube->data, cube->len);
    vec_push(&p->frames.data[level].blocked, copy);
}

/* Can a marking of the frame before `level`, outside the cube, step into it? After SAT_NO *core has the literals that
 * were needed (may be NULL). */
static SatAnswer steps_into(Pdr *p, const Cube *cube, uint32_t level, bool outside, Cube *core)
{
    Sat *sat = p->safe.sat;
    SatLit not_now = 0;
    if (outside) {
        VEC(SatLit) clause = {0};
        not_now = sat_variable(sat);
        vec_push(&clause, -not_now);
        for (size_t i = 0; i < cube->len; i++) vec_push(&clause, -at(p->now, cube->data[i]));
        sat_clause(sat, clause.data, clause.len);
        vec_free(&clause);
        sat_assume(sat, not_now);
    }
    sat_assume(sat, p->moves);
    assume_frame(p, level - 1);
    for (size_t i = 0; i < cube->len; i++) sat_assume(sat, at(p->next, cube->data[i]));
    SatAnswer answer = sat_solve(sat, p->budget);
    if (answer == SAT_NO && core) {
        vec_clear(core);
        for (size_t i = 0; i < cube->len; i++)
            if (sat_failed(sat, at(p->next, cube->data[i]))) vec_push(core, cube->data[i]);
    }
    if (answer == SAT_YES)
        for (uint32_t t = 0; t < p->net->n_transitions; t++)
            if (sat_value(sat, p->fires + (SatLit)t)) p->found = t;
    if (not_now) sat_clause_of(sat, -not_now);
    return answer;
}

/* ---- cubes ---- */

static void keep_off_initial(const Pdr *p, const Cube *cube, Cube *core)
{
    if (!holds_initial(p, core)) return;
    for (size_t i = 0; i < cube->len; i++) {
        if (!contradicts_initial(p, cube->data[i])) continue;
        vec_push(core, cube->data[i]);
        qsort(core->data, core->len, sizeof *core->data, compare_literals);
        return;
    }
    g_assert_not_reached();
}

enum { MOST_FAILED_DROPS = 6 };

/* Leaves literals out while the rest still cannot be stepped into. */
static void generalise(Pdr *p, Cube *cube, uint32_t level)
{
    Cube shorter = {0}, core = {0};
    unsigned failed = 0;
    for (size_t i = 0; i < cube->len && cube->len > 1 && failed < MOST_FAILED_DROPS;) {
        vec_clear(&shorter);
        for (size_t k = 0; k < cube->len; k++)
            if (k != i) vec_push(&shorter, cube->data[k]);
        if (holds_initial(p, &shorter) || steps_into(p, &shorter, level, true, &core) != SAT_NO) {
            failed++;
            i++;
            continue;
        }
        keep_off_initial(p, &shorter, &core);
        vec_clear(cube);
        vec_append(cube, core.data, core.len);
    }
    vec_free(&shorter);
    vec_free(&core);
}

/* The markings from which t leads into the cube; false when t contradicts it. */
static bool predecessor(const Pdr *p, const Cube *cube, uint32_t t, Cube *before)
{
    const Net *net = p->net;
    vec_clear(before);
    for (size_t i = 0; i < cube->len; i++) {
        uint32_t place = (uint32_t)abs(cube->data[i]) - 1;
        bool takes = net_arc_weight(net, ARC_PRE, t, place) > 0, puts = net_arc_weight(net, ARC_POST, t, place) > 0;
        if (!takes && !puts)
            vec_push(before, cube->data[i]);
        else if (puts != (cube->data[i] > 0))
            return false;
    }
    for (ArcKind kind = 0; kind < N_ARC_KINDS; kind++) {
        NetRow row = net_places(net, kind, t);
        for (uint32_t i = 0; i < row.len; i++) {
            int literal = (int)row.node[i] + 1;
            if (kind == ARC_POST && net_arc_weight(net, ARC_PRE, t, row.node[i])) continue;
            vec_push(before, kind == ARC_POST || kind == ARC_INHIBIT ? -literal : literal);
        }
    }
    if (before->len) qsort(before->data, before->len, sizeof *before->data, compare_literals);
    size_t n = 0;
    for (size_t i = 0; i < before->len; i++) {
        if (n && before->data[n - 1] == -before->data[i]) return false;
        if (!n || before->data[n - 1] != before->data[i]) before->data[n++] = before->data[i];
    }
    before->len = n;
    return true;
}

/* ---- why the goal holds at a marking ---- */

typedef struct Reason {
    Pdr *p;
    bool *used;         /* places */
    const bool *values; /* of the goal's parts, by id */
    bool *explained;
} Reason;

static bool block_transition(Reason *r, uint32_t t)
{
    const Net *net = r->p->net;
    uint32_t chosen = NET_NONE;
    for (ArcKind kind = 0; kind < N_ARC_KINDS; kind++) {
        if (kind == ARC_POST) continue;
        NetRow row = net_places(net, kind, t);
        for (uint32_t i = 0; i < row.len; i++) {
            bool met = (r->p->marking[row.node[i]] > 0) == (kind != ARC_INHIBIT);
            if (met) continue;
            if (r->used[row.node[i]]) return true;
            if (chosen == NET_NONE) chosen = row.node[i];
        }
    }
    if (chosen != NET_NONE) r->used[chosen] = true;
    return chosen != NET_NONE;
}

static void use_guard(Reason *r, uint32_t t)
{
    for (ArcKind kind = 0; kind < N_ARC_KINDS; kind++) {
        if (kind == ARC_POST) continue;
        NetRow row = net_places(r->p->net, kind, t);
        for (uint32_t i = 0; i < row.len; i++) r->used[row.node[i]] = true;
    }
}

/* What the term gives at most, once its place is no longer fixed. */
static int64_t at_worst(const FormulaTerm *term)
{
    return MAX(term->coefficient, 0);
}

static int64_t value_at(const Reason *r, const FormulaTerm *term)
{
    return r->p->marking[term->place] ? term->coefficient : 0;
}

static void use_sum(Reason *r, const FormulaTerm *terms, uint32_t n, int64_t bound)
{
    Sum excess = exact_of(-(__int128)bound);
    for (uint32_t i = 0; i < n; i++)
        exact_add(&excess, r->used[terms[i].place] ? value_at(r, &terms[i]) : at_worst(&terms[i]));
    for (uint32_t i = 0; i < n && exact_sign(excess) > 0; i++) {
        int64_t value = value_at(r, &terms[i]), worst = at_worst(&terms[i]);
        if (r->used[terms[i].place] || value >= worst) continue;
        exact_add(&excess, (__int128)value - worst);
        r->used[terms[i].place] = true;
    }
}

/* Each part once. */
static void explain(Reason *r, FormulaId id)
{
    if (r->explained[id]) return;
    r->explained[id] = true;
    const FormulaStore *f = r->p->query->formulas;
    const FormulaNode *node = formula_node(f, id);
    const uint32_t *items = vec_from(&f->items, node->from);
    switch ((FormulaKind)node->kind) {
    case FORMULA_TRUE:
    case FORMULA_FALSE: return;
    case FORMULA_AND:
        for (uint32_t i = 0; i < node->len; i++) explain(r, items[i]);
        return;
    case FORMULA_OR:
        for (uint32_t i = 0; i < node->len; i++)
            if (r->values[items[i]]) {
                explain(r, items[i]);
                return;
            }
        return;
    case FORMULA_AT_MOST: use_sum(r, f->terms.data + node->from, node->len, node->bound); return;
    case FORMULA_FIREABLE:
        for (uint32_t i = 0; i < node->len; i++)
            if (net_enabled(r->p->net, r->p->marking, items[i])) {
                use_guard(r, items[i]);
                return;
            }
        return;
    case FORMULA_ALIVE:
        for (uint32_t t = 0; t < r->p->net->n_transitions; t++)
            if (net_enabled(r->p->net, r->p->marking, t)) {
                use_guard(r, t);
                return;
            }
        return;
    case FORMULA_UNFIREABLE:
        for (uint32_t i = 0; i < node->len; i++) block_transition(r, items[i]);
        return;
    case FORMULA_DEADLOCK:
        for (uint32_t t = 0; t < r->p->net->n_transitions; t++) block_transition(r, t);
        return;
    }
}

static void explain_unsafe(Reason *r)
{
    const Net *net = r->p->net;
    for (uint32_t t = 0; t < net->n_transitions; t++) {
        if (!net_enabled(net, r->p->marking, t)) continue;
        NetRow post = net_places(net, ARC_POST, t);
        for (uint32_t i = 0; i < post.len; i++) {
            uint32_t place = post.node[i];
            if (!r->p->marking[place] || net_arc_weight(net, ARC_PRE, t, place)) continue;
            use_guard(r, t);
            r->used[place] = true;
            return;
        }
    }
}

static Cube bad_cube(Pdr *p)
{
    for (uint32_t i = 0; i < p->net->n_places; i++) p->marking[i] = sat_value(p->safe.sat, p->now + (SatLit)i);
    FormulaId goal = p->query->goal;
    g_autofree bool *used = g_new0(bool, p->net->n_places), *values = g_new(bool, (size_t)goal + 1),
                    *explained = g_new0(bool, (size_t)goal + 1);
    VecU32 below = {0};
    formula_below(p->query->formulas, goal, &below);
    formula_values(p->query->formulas, &below, p->plain, p->marking, values);
    vec_free(&below);
    Reason r = {p, used, values, explained};
    if (values[goal])
        explain(&r, goal);
    else
        explain_unsafe(&r);
    Cube cube = {0};
    for (uint32_t i = 0; i < p->net->n_places; i++)
        if (used[i]) vec_push(&cube, p->marking[i] ? (int)i + 1 : -(int)i - 1);
    return cube;
}

/* ---- the search ---- */

static void wait_at(Pdr *p, uint32_t level, uint32_t obligation)
{
    while (p->waiting_len <= level) {
        p->waiting = g_renew(VecU32, p->waiting, p->waiting_len + 1);
        p->waiting[p->waiting_len++] = (VecU32){0};
    }
    vec_push(&p->waiting[level], obligation);
}

static uint32_t add_obligation(Pdr *p, Cube cube, uint32_t level, uint32_t parent, uint32_t transition)
{
    vec_push(&p->obligations, ((Obligation){cube, level, parent, transition}));
    wait_at(p, level, (uint32_t)p->obligations.len - 1);
    return (uint32_t)p->obligations.len - 1;
}

typedef enum { PDR_BLOCKED, PDR_FOUND, PDR_STOPPED } PdrStep;

static PdrStep block_obligation(Pdr *p, uint32_t number, uint32_t level)
{
    Cube cube = {0}, core = {0};
    vec_append(&cube, p->obligations.data[number].cube.data, p->obligations.data[number].cube.len);
    PdrStep step = PDR_BLOCKED;
    SatAnswer answer = steps_into(p, &cube, level, true, &core);
    if (answer == SAT_UNKNOWN) step = PDR_STOPPED;
    if (answer == SAT_YES) {
        Cube before = {0};
        uint32_t t = p->found;
        bool possible = predecessor(p, &cube, t, &before);
        assert(possible);
        (void)possible;
        uint32_t earlier = add_obligation(p, before, level - 1, number, t);
        if (holds_initial(p, &before)) {
            p->found = earlier;
            step = PDR_FOUND;
        } else {
            assert(level > 1);
            wait_at(p, level, number);
        }
    }
    if (answer == SAT_NO) {
        keep_off_initial(p, &cube, &core);
        generalise(p, &core, level);
        while (level < top(p) && steps_into(p, &core, level + 1, true, NULL) == SAT_NO) level++;
        block(p, level, &core);
        /* What leads to the goal from here will do so later too: look again further up. */
        if (level < top(p)) wait_at(p, level + 1, number);
    }
    vec_free(&cube);
    vec_free(&core);
    return step;
}

static PdrStep block_all(Pdr *p)
{
    for (uint32_t level = 0; level < p->waiting_len && level <= top(p);) {
        if (!p->waiting[level].len) {
            level++;
            continue;
        }
        if (budget_look(p->budget)) return PDR_STOPPED;
        PdrStep step = block_obligation(p, vec_pop(&p->waiting[level]), level);
        if (step != PDR_BLOCKED) return step;
        level = 1;
    }
    return PDR_BLOCKED;
}

/* Moves clauses up; true when a frame equals the next. */
static bool propagate(Pdr *p)
{
    for (uint32_t level = 1; level < top(p); level++) {
        size_t kept = 0, n = p->frames.data[level].blocked.len;
        for (size_t i = 0; i < n; i++) {
            Cube cube = p->frames.data[level].blocked.data[i];
            if (!budget_look(p->budget) && steps_into(p, &cube, level + 1, false, NULL) == SAT_NO) {
                block(p, level + 1, &cube);
                vec_free(&cube);
            } else {
                p->frames.data[level].blocked.data[kept++] = cube;
            }
        }
        p->frames.data[level].blocked.len = kept;
        p->fixed = level + 1;
        if (!kept && !budget_look(p->budget)) return true;
    }
    return false;
}

static void encode_steps(Pdr *p)
{
    p->now = safe_sat_instant(&p->safe);
    p->next = safe_sat_instant(&p->safe);
    p->fires = safe_sat_step(&p->safe, p->now, p->next);
    p->moves = sat_variable(p->safe.sat);
    sat_add(p->safe.sat, -p->moves);
    for (uint32_t t = 0; t < p->net->n_transitions; t++) sat_add(p->safe.sat, p->fires + (SatLit)t);
    sat_add(p->safe.sat, 0);
}

static void encode_groups(Pdr *p)
{
    Budget counting = budget_child(p->budget, 2, NULL);
    safe_sat_groups(p->net, &counting, &p->groups);
    for (size_t from = 0, to; from < p->groups.len; from = to + 1) {
        for (to = from; p->groups.data[to] != NET_NONE; to++) continue;
        safe_sat_exactly_one(&p->safe, p->now, p->groups.data + from, to - from);
        safe_sat_exactly_one(&p->safe, p->next, p->groups.data + from, to - from);
    }
}

static void encode_bad(Pdr *p)
{
    SatLit goal = safe_sat_goal(&p->safe, p->now, p->query->goal);
    p->bad = sat_variable(p->safe.sat);
    sat_clause_of(p->safe.sat, -p->bad, goal, safe_sat_unsafe(&p->safe, p->now));
}

/* False: the budget is spent. */
static bool pdr_init(Pdr *p, const Query *query, Budget *budget)
{
    *p = (Pdr){.query = query,
               .net = query->net,
               .budget = budget,
               .marking = g_new0(uint64_t, query->net->n_places + 1),
               .plain = netlts_new(query->net, 64)};
    safe_sat_init(&p->safe, query->net, query->formulas);
    sat_begin(p->safe.sat, budget);
    encode_steps(p);
    encode_groups(p);
    encode_bad(p);
    add_frame(p);
    for (uint32_t i = 0; i < p->net->n_places; i++)
        sat_clause_of(p->safe.sat, -p->frames.data[0].active,
                      at(p->now, p->net->initial[i] ? (int)i + 1 : -(int)i - 1));
    return sat_end(p->safe.sat);
}

static void pdr_clear(Pdr *p)
{
    for (size_t i = 0; i < p->frames.len; i++) {
        for (size_t k = 0; k < p->frames.data[i].blocked.len; k++) vec_free(&p->frames.data[i].blocked.data[k]);
        vec_free(&p->frames.data[i].blocked);
    }
    for (size_t i = 0; i < p->obligations.len; i++) vec_free(&p->obligations.data[i].cube);
    for (uint32_t i = 0; i < p->waiting_len; i++) vec_free(&p->waiting[i]);
    vec_free(&p->frames);
    vec_free(&p->obligations);
    vec_free(&p->groups);
    g_free(p->waiting);
    g_free(p->marking);
    netlts_free(p->plain);
    safe_sat_clear(&p->safe);
}

/* The run to a cube of the goal, or to one where a firing breaks safeness: that firing may reach the goal. */
static void read_trace(Pdr *p, uint32_t number, Result *result)
{
    const Net *net = p->net;
    const FormulaStore *formulas = p->query->formulas;
    for (; p->obligations.data[number].parent != NET_NONE; number = p->obligations.data[number].parent)
        vec_push(&result->witness, p->obligations.data[number].transition);
    memcpy(p->marking, net->initial, net->n_places * sizeof *p->marking);
    for (size_t i = 0; i < result->witness.len; i++)
        if (!net_enabled(net, p->marking, result->witness.data[i]) ||
            !net_fire(net, p->marking, result->witness.data[i]))
            return;
    if (formula_holds(formulas, p->query->goal, p->plain, p->marking)) {
        result->answer = ANSWER_REACHABLE;
        return;
    }
    g_autofree uint64_t *after = g_new(uint64_t, net->n_places + 1);
    for (uint32_t t = 0; t < net->n_transitions && result->answer == ANSWER_UNKNOWN; t++) {
        memcpy(after, p->marking, net->n_places * sizeof *after);
        if (!net_enabled(net, after, t) || !net_fire(net, after, t)) continue;
        if (!formula_holds(formulas, p->query->goal, p->plain, after)) continue;
        vec_push(&result->witness, t);
        result->answer = ANSWER_REACHABLE;
    }
    if (result->answer == ANSWER_UNKNOWN) result->reason = g_strdup("the net is not safe");
}

static void search(Pdr *p, Result *result)
{
    for (;;) {
        sat_assume(p->safe.sat, p->bad);
        assume_frame(p, top(p));
        SatAnswer answer = sat_solve(p->safe.sat, p->budget);
        if (answer == SAT_UNKNOWN) break;
        if (answer == SAT_YES) {
            uint32_t root = add_obligation(p, bad_cube(p), top(p), NET_NONE, NET_NONE);
            bool initial = holds_initial(p, &p->obligations.data[root].cube);
            PdrStep step = initial ? PDR_FOUND : top(p) == 0 ? PDR_STOPPED : block_all(p);
            if (initial) p->found = root;
            if (step == PDR_FOUND) {
                read_trace(p, p->found, result);
                return;
            }
            if (step == PDR_STOPPED) break;
            continue;
        }
        add_frame(p);
        if (propagate(p)) {
            result->answer = ANSWER_UNREACHABLE;
            result->reason = g_strdup_printf("an inductive set of clauses excludes it (%u frames)", top(p));
            return;
        }
    }
    result_stopped(result, p->budget);
}

/* The clauses of the proof and the groups they lean on. */
static void write_certificate(const Pdr *p, const ProofFile *file, Result *result)
{
    Inductive set = {0};
    for (size_t i = p->fixed; i < p->frames.len; i++)
        for (size_t k = 0; k < p->frames.data[i].blocked.len; k++) {
            const Cube *cube = &p->frames.data[i].blocked.data[k];
            for (size_t j = 0; j < cube->len; j++) vec_push(&set.clauses, -cube->data[j]);
            vec_push(&set.clauses, 0);
        }
    for (size_t i = 0; i < p->groups.len; i++)
        vec_push(&set.groups, p->groups.data[i] == NET_NONE ? 0 : (int32_t)p->groups.data[i] + 1);
    g_autoptr(GError) error = NULL;
    if (prove_by_clauses(p->query, &set, file, p->budget, &error)) return;
    result->answer = ANSWER_UNKNOWN;
    g_free(result->reason);
    result->reason = g_strdup(error->message);
}

void engine_pdr(const Query *query, const EngineOptions *options, Budget *budget, Result *result)
{
    if (!safe_sat_fits(query->net)) {
        result->reason = g_strdup("for nets with weights and initial counts of 1 only");
        return;
    }
    Pdr p;
    if (pdr_init(&p, query, budget))
        search(&p, result);
    else
        result_stopped(result, budget);
    if (result->answer == ANSWER_UNREACHABLE && options->certificate)
        write_certificate(&p, options->certificate, result);
    pdr_clear(&p);
}
