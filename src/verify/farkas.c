#include "verify/farkas.h"

#include "certify/atoms.h"
#include "verify/run_facts.h"
#include "verify/goaltree.h"
#include "verify/inequalities.h"
#include "verify/lattice.h"

#include <assert.h>
#include <stdlib.h>

/* What can be taken in: an atom as true or as false. */
typedef struct Literal {
    SatLit sat;
    uint32_t inequality[2]; /* when true, when false; NET_NONE until asked for */
    uint32_t siphon;        /* NET_NONE: an atom of the table */
} Literal;

enum { CORE_ROUNDS = 2, MOST_CORES = 20 };
/* Work of looking at a node of the goal, or at a place. */
enum { NODE_UNITS = 20 };

typedef struct Farkas {
    const Query *query;
    const Net *net;
    Budget *budget;
    Atoms *atoms;
    VEC(Literal) literals; /* per atom of the table; the literals of siphons stand in `sides` */
    VEC(Literal) sides;    /* two per siphon: what brings tokens in is <= 0, what needs them is <= 0 */
    GoalTree goal;
    Inequalities all;
    System *system;
    Sat *sat;
    LinearLists traps, siphons;
    VecU32 trap_inequality;
    VecI32 lemmas; /* signed literals taken in, each lemma ended by 0 */
    VecU32 splits; /* atoms that are always decided */
    uint32_t splits_left;
    bool *marked, *fires, *unfed;
} Farkas;

/* Atoms that are new get a variable. */
static void add_variables(Farkas *f)
{
    while (f->literals.len < atoms_count(f->atoms))
        vec_push(&f->literals, ((Literal){sat_variable(f->sat), {NET_NONE, NET_NONE}, NET_NONE}));
}

/* ---- inequalities ---- */

/* Literals of siphons have numbers of their own, as atoms may still come. */
enum { SIDE_BASE = 1 << 30 };

static Literal *literal_of(Farkas *f, int32_t code)
{
    uint32_t number = (uint32_t)abs(code) - 1;
    return number >= SIDE_BASE ? &f->sides.data[number - SIDE_BASE] : &f->literals.data[number];
}

static uint32_t inequality_of(Farkas *f, int32_t code)
{
    Literal *literal = literal_of(f, code);
    uint32_t *known = &literal->inequality[code < 0];
    if (*known != NET_NONE) return *known;
    size_t n;
    const LinearTerm *terms = atoms_terms(f->atoms, (uint32_t)abs(code) - 1, &n);
    int64_t bound = atoms_bound(f->atoms, (uint32_t)abs(code) - 1);
    for (size_t i = 0; i < n; i++) {
        LinearTerm term = {terms[i].number, code < 0 ? -terms[i].factor : terms[i].factor};
        if (term.number >= f->net->n_places) { /* splits name all transitions of a class; one stands for it */
            uint32_t t = term.number - f->net->n_places, class = f->all.effects.class_of[t];
            if (f->all.effects.first[class] != t) continue;
            term.number = f->net->n_places + class;
        }
        vec_push(&f->all.rows.terms, term);
    }
    linear_end(&f->all.rows);
    *known = inequalities_add(&f->all, code < 0 ? ~bound : bound);
    return *known;
}

static void learn_lemma(Farkas *f, const VecI32 *core)
{
    vec_append(&f->lemmas, core->data, core->len);
    vec_push(&f->lemmas, 0);
    for (size_t i = 0; i < core->len; i++) {
        SatLit sat = literal_of(f, core->data[i])->sat;
        sat_add(f->sat, core->data[i] > 0 ? -sat : sat);
    }
    sat_add(f->sat, 0);
}

/* ---- what a proposal takes in ---- */

static void push_sides(Farkas *f, VecI32 *taken_in)
{
    for (size_t k = 0; k < f->sides.len; k += 2) {
        int32_t brings = (int32_t)(SIDE_BASE + k) + 1, needs = brings + 1;
        vec_push(taken_in, sat_value(f->sat, f->sides.data[k + 1].sat) ? needs : -brings);
    }
}

static void take_in(Farkas *f, VecI32 *taken_in)
{
    goaltree_justify(&f->goal, f->sat, taken_in);
    for (size_t i = 0; i < f->splits.len; i++) {
        int32_t code = (int32_t)f->splits.data[i] + 1;
        vec_push(taken_in, sat_value(f->sat, f->literals.data[f->splits.data[i]].sat) ? code : -code);
    }
    push_sides(f, taken_in);
}

static SatAnswer ask(Farkas *f, const VecI32 *taken_in)
{
    VecU32 propositions = {0};
    for (size_t i = 0; i < taken_in->len; i++)
        vec_push(&propositions, inequalities_system_take(f->system, inequality_of(f, taken_in->data[i])));
    SatAnswer answer = smt_solve_assuming(f->system->smt, propositions.data, propositions.len, f->budget);
    vec_free(&propositions);
    return answer;
}

/* After SAT_NO: keeps those that are contradictory together in `core`, the others in `rest`. */
static void divide(Farkas *f, const VecI32 *taken_in, VecI32 *core, VecI32 *rest)
{
    vec_clear(core);
    for (size_t i = 0; i < taken_in->len; i++) {
        bool failed =
            smt_failed(f->system->smt, inequalities_system_take(f->system, inequality_of(f, taken_in->data[i])));
        if (failed)
            vec_push(core, taken_in->data[i]);
        else if (rest)
            vec_push(rest, taken_in->data[i]);
    }
}

/* Clauses from contradictory parts that have nothing in common. The first answer. */
static SatAnswer learn_lemmas(Farkas *f, const VecI32 *taken_in)
{
    VecI32 left = {0}, rest = {0}, core = {0};
    vec_append(&left, taken_in->data, taken_in->len);
    SatAnswer first = ask(f, &left), answer = first;
    for (int n = 0; answer == SAT_NO && n < MOST_CORES; n++) {
        vec_clear(&rest);
        divide(f, &left, &core, &rest);
        for (int round = 0; round < CORE_ROUNDS && core.len > 1; round++) {
            size_t before = core.len;
            VecI32 smaller = {0};
            if (ask(f, &core) != SAT_NO) break;
            divide(f, &core, &smaller, &rest);
            vec_free(&core);
            core = smaller;
            if (core.len == before) break;
        }
        learn_lemma(f, &core);
        if (!core.len) break;
        vec_clear(&left);
        vec_append(&left, rest.data, rest.len);
        answer = ask(f, &left);
    }
    vec_free(&left);
    vec_free(&rest);
    vec_free(&core);
    return first;
}

/* All of the proposal is more than the goal needs, but what contradicts it is often shorter (tokens here exclude tokens
 * there), and it knows that counts are whole: each test holds or fails by at least one token. */
static void take_all(Farkas *f, VecI32 *all)
{
    for (size_t i = 0; i < f->literals.len; i++) {
        int32_t code = (int32_t)i + 1;
        vec_push(all, sat_value(f->sat, f->literals.data[i].sat) ? code : -code);
    }
    push_sides(f, all);
}

/* ---- facts and splits ---- */

static bool read_solution(Farkas *f)
{
    int64_t above, below;
    const Effects *effects = &f->all.effects;
    for (uint32_t p = 0; p < f->net->n_places; p++) {
        if (!smt_value(f->system->smt, f->system->tokens[p], &above, &below)) return false;
        f->marked[p] = above > 0;
    }
    for (uint32_t t = 0; t < f->net->n_transitions; t++) {
        uint32_t class = effects->class_of[t];
        f->fires[t] = false;
        if (class == NET_NONE) continue;
        if (!smt_value(f->system->smt, f->system->fired[class], &above, &below)) return false;
        f->fires[t] = above > 0;
    }
    return true;
}

static void push_places(LinearLists *lists, const VecU32 *places)
{
    for (size_t i = 0; i < places->len; i++) vec_push(&lists->terms, ((LinearTerm){places->data[i], 1}));
    linear_end(lists);
}

static bool learn_trap(Farkas *f)
{
    VecU32 places = {0};
    bool found = run_facts_trap(f->net, f->marked, &places);
    if (found) {
        run_facts_smaller_trap(f->net, &places);
        push_places(&f->traps, &places);
        for (size_t i = 0; i < places.len; i++) vec_push(&f->all.rows.terms, ((LinearTerm){places.data[i], -1}));
        linear_end(&f->all.rows);
        uint32_t inequality = inequalities_add(&f->all, -1);
        vec_push(&f->trap_inequality, inequality);
        smt_assert(f->system->smt, inequalities_system_take(f->system, inequality));
    }
    vec_free(&places);
    return found;
}

/* One side of a siphon as an atom over classes: the sum of these is at most 0. */
static void add_side(Farkas *f, const bool *classes, uint32_t siphon)
{
    Literal side = {sat_variable(f->sat), {NET_NONE, NET_NONE}, siphon};
    for (int negative = 0; negative < 2; negative++) {
        for (uint32_t c = 0; c < f->all.effects.n; c++)
            /* NOLINTNEXTLINE(clang-analyzer-core.uninitialized.Branch): filled for every class */
            if (classes[c]) vec_push(&f->all.rows.terms, ((LinearTerm){f->net->n_places + c, negative ? -1 : 1}));
        linear_end(&f->all.rows);
        side.inequality[negative] = inequalities_add(&f->all, negative ? -1 : 0);
    }
    vec_push(&f->sides, side);
}

/* A class counts as bringing tokens in when one of its transitions does, as needing them when all do: both only weaken
 * the fact. */
static bool learn_siphon(Farkas *f)
{
    const Net *net = f->net;
    const Effects *effects = &f->all.effects;
    run_facts_unfed(net, f->fires, f->unfed);
    g_autofree bool *brings = g_new0(bool, effects->n + 1), *needs = g_new(bool, effects->n + 1);
    for (uint32_t c = 0; c < effects->n; c++) needs[c] = true;
    for (uint32_t t = 0; t < net->n_transitions; t++) {
        uint32_t class = effects->class_of[t];
        if (class == NET_NONE || run_facts_needs(net, t, f->unfed)) continue;
        needs[class] = false;
        brings[class] |= run_facts_feeds(net, t, f->unfed);
    }
    bool broken = false;
    for (uint32_t c = 0; c < effects->n; c++) broken |= needs[c] && f->fires[effects->first[c]];
    if (!broken) return false;
    VecU32 places = {0};
    for (uint32_t p = 0; p < net->n_places; p++)
        if (f->unfed[p]) vec_push(&places, p);
    uint32_t siphon = (uint32_t)linear_count(&f->siphons);
    push_places(&f->siphons, &places);
    vec_free(&places);
    add_side(f, brings, siphon);
    add_side(f, needs, siphon);
    sat_clause_of(f->sat, -f->sides.data[2 * siphon].sat, f->sides.data[2 * siphon + 1].sat);
    return true;
}

static bool split_at(Farkas *f, const LinearTerm *terms, size_t n, int64_t bound)
{
    uint32_t atom = atoms_number(f->atoms, terms, n, bound);
    add_variables(f);
    vec_push(&f->splits, atom);
    f->splits_left--;
    return true;
}

/* Cases below and above a sum of firings, per class. */
static bool split_sum(Farkas *f, const int64_t *form, int64_t below)
{
    const Effects *effects = &f->all.effects;
    VEC(LinearTerm) terms = {0};
    for (uint32_t t = 0; t < f->net->n_transitions; t++) {
        uint32_t class = effects->class_of[t];
        if (class != NET_NONE && form[class]) vec_push(&terms, ((LinearTerm){f->net->n_places + t, form[class]}));
    }
    /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): a form that is split has a factor that is not 0 */
    bool turned = terms.data[0].factor < 0;
    for (size_t i = 0; i < terms.len && turned; i++) terms.data[i].factor = -terms.data[i].factor;
    split_at(f, terms.data, terms.len, turned ? ~below : below);
    vec_free(&terms);
    return true;
}

/* Whole tokens that no whole firings bring about: cases of one transition's firings would go on for ever. */
static bool split_lattice(Farkas *f)
{
    g_autofree int64_t *tokens = g_new(int64_t, f->net->n_places + 1), *form = g_new(int64_t, f->all.effects.n + 1);
    int64_t below, one;
    for (uint32_t p = 0; p < f->net->n_places; p++)
        if (!smt_value(f->system->smt, f->system->tokens[p], &tokens[p], &one) || one != 1) return false;
    return lattice_between(f->net, &f->all.effects, tokens, f->budget, form, &below) && split_sum(f, form, below);
}

/* The solution has a fraction: cases below and above it. Tokens first. */
static bool split(Farkas *f)
{
    const Effects *effects = &f->all.effects;
    int64_t above, below;
    if (!f->splits_left) return false;
    for (uint32_t p = 0; p < f->net->n_places; p++)
        if (smt_value(f->system->smt, f->system->tokens[p], &above, &below) && below != 1)
            return split_at(f, &(LinearTerm){p, 1}, 1, above / below);
    for (uint32_t c = 0; c < effects->n; c++) {
        if (!smt_value(f->system->smt, f->system->fired[c], &above, &below) || below == 1) continue;
        if (split_lattice(f)) return true;
        g_autofree int64_t *alone = g_new0(int64_t, effects->n + 1);
        alone[c] = 1;
        return split_sum(f, alone, above / below);
    }
    return false;
}

/* ---- the search ---- */

/* What a solution teaches: SAT_NO when it is excluded now. */
static SatAnswer refine(Farkas *f, const VecI32 *all)
{
    if (!read_solution(f)) return SAT_UNKNOWN;
    if (learn_trap(f)) return SAT_NO;
    SatAnswer answer = learn_lemmas(f, all);
    if (answer != SAT_YES) return answer;
    if (!read_solution(f)) return SAT_UNKNOWN;
    return learn_trap(f) || learn_siphon(f) || split(f) ? SAT_NO : SAT_YES;
}

static SatAnswer search(Farkas *f)
{
    VecI32 taken_in = {0}, all = {0};
    SatAnswer answer;
    do {
        answer = sat_solve(f->sat, f->budget);
        if (answer != SAT_YES) break;
        if (budget_charge(f->budget,
                          (uint32_t)MIN(NODE_UNITS * (f->goal.nodes.len + f->net->n_places), UINT32_MAX / 2))) {
            answer = SAT_UNKNOWN;
            break;
        }
        vec_clear(&taken_in);
        vec_clear(&all);
        take_in(f, &taken_in);
        take_all(f, &all);
        answer = learn_lemmas(f, &taken_in);
        if (answer == SAT_NO) learn_lemmas(f, &all);
        if (answer == SAT_YES) answer = refine(f, &all);
    } while (answer == SAT_NO);
    vec_free(&taken_in);
    vec_free(&all);
    return answer;
}

/* ---- the certificate ---- */

/* Which lemmas the contradiction needs: each gets a condition, and the solver says which of these it used. */
static SatAnswer find_needed(Farkas *f, bool *needed)
{
    g_autoptr(Sat) sat = sat_new();
    VEC(SatLit) conditions = {0};
    sat_variables(sat, sat_variable_count(f->sat));
    sat_begin(sat, f->budget);
    goaltree_assert(&f->goal, sat);
    for (size_t k = 0; k < f->sides.len; k += 2) sat_clause_of(sat, -f->sides.data[k].sat, f->sides.data[k + 1].sat);
    for (size_t i = 0; i < f->lemmas.len; i++) {
        vec_push(&conditions, sat_variable(sat));
        for (; f->lemmas.data[i]; i++) {
            SatLit literal = literal_of(f, f->lemmas.data[i])->sat;
            sat_add(sat, f->lemmas.data[i] > 0 ? -literal : literal);
        }
        sat_add(sat, -vec_last(&conditions));
        sat_add(sat, 0);
        sat_assume(sat, vec_last(&conditions));
    }
    SatAnswer answer = sat_end(sat) ? sat_solve(sat, f->budget) : SAT_UNKNOWN;
    for (size_t i = 0; i < conditions.len && answer == SAT_NO; i++) needed[i] = sat_failed(sat, conditions.data[i]);
    vec_free(&conditions);
    return answer;
}

typedef struct Writer {
    Farkas *f;
    Linear *linear;
    System *tracked;
    uint32_t *atom_number, *trap_number, *siphon_number; /* in the certificate; NET_NONE: not there yet */
    int32_t *owner;                                      /* per inequality: code of its literal, or 0 */
    VecU32 side_uses; /* positions in linear->uses whose number is a side: siphon * 2 + side */
} Writer;

static uint32_t copy_once(uint32_t *number, const LinearLists *from, uint32_t i, LinearLists *to)
{
    if (*number != NET_NONE) return *number;
    size_t n;
    const LinearTerm *terms = linear_list(from, i, &n);
    vec_append(&to->terms, terms, n);
    linear_end(to);
    *number = (uint32_t)linear_count(to) - 1;
    return *number;
}

static uint32_t certificate_atom(Writer *w, uint32_t atom)
{
    if (w->atom_number[atom] != NET_NONE) return w->atom_number[atom];
    size_t n;
    const LinearTerm *terms = atoms_terms(w->f->atoms, atom, &n);
    vec_append(&w->linear->atoms.terms, terms, n);
    linear_end(&w->linear->atoms);
    vec_push(&w->linear->bounds, atoms_bound(w->f->atoms, atom));
    w->atom_number[atom] = (uint32_t)linear_count(&w->linear->atoms) - 1;
    return w->atom_number[atom];
}

static void put_use(Writer *w, int32_t code, int64_t factor)
{
    const Literal *literal = literal_of(w->f, code);
    LinearTerm use = {0, code > 0 ? factor : -factor};
    if (literal->siphon == NET_NONE) {
        use.number = certificate_atom(w, (uint32_t)abs(code) - 1);
    } else {
        uint32_t siphon =
            copy_once(&w->siphon_number[literal->siphon], &w->f->siphons, literal->siphon, &w->linear->siphons);
        use.number = 2 * siphon + (((uint32_t)abs(code) - 1) & 1);
        vec_push(&w->side_uses, (uint32_t)w->linear->uses.terms.len);
    }
    vec_push(&w->linear->uses.terms, use);
}

static bool put_lemma(Writer *w, const int32_t *lemma)
{
    Farkas *f = w->f;
    VecU32 inequalities = {0};
    for (; *lemma; lemma++) {
        uint32_t i = inequality_of(f, *lemma);
        w->owner[i] = *lemma;
        vec_push(&inequalities, i);
    }
    vec_append(&inequalities, f->trap_inequality.data, f->trap_inequality.len);
    Multipliers m = {0};
    bool found = inequalities_multipliers_find(w->tracked, inequalities.data, inequalities.len, f->budget, &m);
    for (size_t i = 0; i < m.inequalities.len && found; i++) {
        LinearTerm part = m.inequalities.data[i];
        if (w->owner[part.number]) {
            put_use(w, w->owner[part.number], part.factor);
            continue;
        }
        uint32_t trap = 0;
        while (f->trap_inequality.data[trap] != part.number) trap++;
        vec_push(&w->linear->leans.terms,
                 ((LinearTerm){copy_once(&w->trap_number[trap], &f->traps, trap, &w->linear->traps), part.factor}));
    }
    vec_append(&w->linear->equations.terms, m.equations.data, m.equations.len);
    linear_end(&w->linear->uses);
    linear_end(&w->linear->leans);
    linear_end(&w->linear->equations);
    vec_free(&inequalities);
    inequalities_multipliers_clear(&m);
    return found;
}

static uint32_t *new_numbers(size_t n)
{
    uint32_t *numbers = g_new(uint32_t, n + 1);
    for (size_t i = 0; i < n; i++) numbers[i] = NET_NONE;
    return numbers;
}

static SatAnswer write_down(Farkas *f, Linear *linear)
{
    g_autofree bool *needed = g_new0(bool, f->lemmas.len + 1);
    SatAnswer answer = find_needed(f, needed);
    if (answer != SAT_NO) return SAT_UNKNOWN;
    Writer w = {.f = f, .linear = linear, .tracked = inequalities_system_new(&f->all, true)};
    w.atom_number = new_numbers(f->literals.len);
    w.trap_number = new_numbers(linear_count(&f->traps));
    w.siphon_number = new_numbers(linear_count(&f->siphons));
    w.owner = g_new0(int32_t, f->all.bounds.len + 1);
    bool found = true;
    for (size_t i = 0, lemma = 0; i < f->lemmas.len && found; i++, lemma++) {
        if (needed[lemma]) found = put_lemma(&w, f->lemmas.data + i);
        while (f->lemmas.data[i]) i++;
    }
    for (size_t i = 0; i < w.side_uses.len; i++)
        linear->uses.terms.data[w.side_uses.data[i]].number += (uint32_t)linear_count(&linear->atoms);
    inequalities_system_free(w.tracked);
    g_free(w.atom_number);
    g_free(w.trap_number);
    g_free(w.siphon_number);
    g_free(w.owner);
    vec_free(&w.side_uses);
    return found ? SAT_NO : SAT_UNKNOWN;
}

/* ---- */

static void farkas_clear(Farkas *f)
{
    sat_free(f->sat);
    inequalities_system_free(f->system);
    inequalities_clear(&f->all);
    atoms_free(f->atoms);
    vec_free(&f->literals);
    vec_free(&f->sides);
    goaltree_clear(&f->goal);
    vec_free(&f->traps.terms);
    vec_free(&f->traps.ends);
    vec_free(&f->siphons.terms);
    vec_free(&f->siphons.ends);
    vec_free(&f->trap_inequality);
    vec_free(&f->lemmas);
    vec_free(&f->splits);
    g_free(f->marked);
    g_free(f->fires);
    g_free(f->unfed);
}

/* False: the budget is spent. */
static bool encode_goal(Farkas *f)
{
    goaltree_init(&f->goal, f->query, f->atoms);
    add_variables(f);
    g_autofree SatLit *variables = g_new(SatLit, f->literals.len + 1);
    for (size_t i = 0; i < f->literals.len; i++) variables[i] = f->literals.data[i].sat;
    goaltree_number(&f->goal, f->sat, variables);
    sat_begin(f->sat, f->budget);
    goaltree_assert(&f->goal, f->sat);
    return sat_end(f->sat);
}

SatAnswer farkas_refute(const Query *query, uint32_t splits, Budget *budget, Linear *linear)
{
    const Net *net = query->net;
    if (!effects_fit(net)) return SAT_UNKNOWN;
    Farkas f = {
        .query = query, .net = net, .budget = budget, .atoms = atoms_new(), .sat = sat_new(), .splits_left = splits};
    inequalities_init(&f.all, net);
    f.system = inequalities_system_new(&f.all, false);
    f.marked = g_new0(bool, net->n_places + 1);
    f.unfed = g_new0(bool, net->n_places + 1);
    f.fires = g_new0(bool, net->n_transitions + 1);
    SatAnswer answer = encode_goal(&f) ? search(&f) : SAT_UNKNOWN;
    if (answer == SAT_NO && linear) answer = write_down(&f, linear);
    farkas_clear(&f);
    return answer;
}
