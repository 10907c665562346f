#include "certify/coloured_bindings.h"

#define A_GUARD UINT32_MAX
enum { STEP_WORK = 50 };

/* A term that can be looked at when the first `ready` variables of the order have their colours. */
typedef struct Check {
    uint32_t place, term; /* A_GUARD, or the place it is taken from */
    uint32_t ready;
} Check;

typedef struct Search {
    Game *game;
    const ColouredConditions *conditions;
    uint64_t *binding;
    Budget *budget;
    VecU32 order; /* of the transition's variables */
    VEC(Check) checks;
} Search;

/* ---- conditions ---- */

/* A conjunction is its parts, and so is a sum. */
static void split(Search *s, uint32_t place, uint32_t root)
{
    const ColourNet *net = s->game->net;
    TermOp joins = place == A_GUARD ? TERM_AND : TERM_ADD;
    if (root == TERM_NONE) return;
    for (uint32_t at = root, end = root + colour_net_term(net, root)->size; at < end;) {
        const Term *term = colour_net_term(net, at);
        if (term->op == joins) {
            at++; /* its first part comes next */
            continue;
        }
        vec_push(&s->checks, ((Check){place, at, 0}));
        at += term->size;
    }
}

/* ---- the order ---- */

static bool has(const VecU32 *list, uint64_t variable)
{
    for (size_t i = 0; i < list->len; i++)
        if (list->data[i] == variable) return true;
    return false;
}

/* How many variables of it have no place in the order yet, and the first of them. */
static uint32_t count_missing(const Search *s, uint32_t root, uint32_t *first)
{
    uint32_t n = 0;
    for (uint32_t i = root; i < root + colour_net_term(s->game->net, root)->size; i++) {
        const Term *term = colour_net_term(s->game->net, i);
        if (term->op != TERM_VARIABLE || has(&s->order, term->value)) continue;
        if (!n++) *first = (uint32_t)term->value;
    }
    return n;
}

/* Next is a variable of the condition that lacks fewest; last are those that no condition has. */
static void choose_order(Search *s, const VecU32 *variables)
{
    for (uint32_t fewest = 0, next; fewest < UINT32_MAX;) {
        fewest = UINT32_MAX;
        for (size_t i = 0; i < s->checks.len; i++) {
            uint32_t first = 0, missing = count_missing(s, s->checks.data[i].term, &first);
            if (missing) s->checks.data[i].ready = (uint32_t)s->order.len + 1; /* at least */
            if (missing && missing < fewest) fewest = missing, next = first;
        }
        if (fewest < UINT32_MAX) vec_push(&s->order, next);
    }
    for (size_t i = 0; i < variables->len; i++)
        if (!has(&s->order, variables->data[i])) vec_push(&s->order, variables->data[i]);
}

/* ---- the search ---- */

static bool passes(const Search *s, const Check *check)
{
    if (check->place == A_GUARD) return coloured_game_truth(s->game, check->term, s->binding);
    GameBag bag;
    /* What cannot be counted is for whoever takes the whole binding. */
    bool good = !coloured_game_inscription(s->game, check->term, s->binding, &bag) ||
                s->conditions->holds(s->conditions->data, check->place, &bag);
    vec_free(&bag);
    return good;
}

/* Those that became ready with the last of the first n variables. */
static bool all_pass(const Search *s, uint32_t n)
{
    for (size_t i = 0; i < s->checks.len; i++)
        if (s->checks.data[i].ready == n && !passes(s, &s->checks.data[i])) return false;
    return true;
}

static bool next_colour(Search *s, uint32_t variable)
{
    const ColourNet *net = s->game->net;
    return ++s->binding[variable] < sort_at(&net->sorts, net->variables.data[variable].sort)->size;
}

static bool run(Search *s, uint32_t transition)
{
    uint32_t n = 0; /* variables that have their colours */
    bool good = all_pass(s, 0);
    while (!budget_charge(s->budget, STEP_WORK)) {
        if (good && n == s->order.len && !s->conditions->found(s->conditions->data, transition)) return false;
        if (good && n < s->order.len) {
            s->binding[s->order.data[n++]] = 0;
        } else {
            while (n && !next_colour(s, s->order.data[n - 1])) n--;
            if (n == 0) return true;
        }
        good = all_pass(s, n);
    }
    return false;
}

bool coloured_bindings_each(Game *game, uint32_t transition, const ColouredConditions *conditions, uint64_t *binding,
                            Budget *budget)
{
    const ColourTransition *t = &game->net->transitions.data[transition];
    Search s = {.game = game, .conditions = conditions, .binding = binding, .budget = budget};
    split(&s, A_GUARD, t->guard);
    for (uint32_t i = 0; i < t->n_arcs; i++) {
        const ColourArc *arc = &game->net->arcs.data[t->arc + i];
        if (!arc->output) split(&s, arc->place, arc->inscription);
    }
    choose_order(&s, &game->variables[transition]);
    bool ended = run(&s, transition);
    vec_free(&s.checks);
    vec_free(&s.order);
    return ended;
}
