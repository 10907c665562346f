#include "certify/coloured_game.h"

#include "base/compare.h"

#include <assert.h>

/* Of a node: a colour, a truth, or a bag. */
typedef struct GameValue {
    uint64_t number;
    GameBag bag;
} GameValue;

/* ---- bags ---- */

static bool add(GameBag *bag, uint64_t colour, uint64_t count)
{
    size_t i = bag->len;
    if (!count) return true;
    while (i > 0 && bag->data[i - 1].colour > colour) i--;
    if (i > 0 && bag->data[i - 1].colour == colour)
        return !__builtin_add_overflow(bag->data[i - 1].count, count, &bag->data[i - 1].count);
    vec_push(bag, ((GameToken){colour, count}));
    for (size_t k = bag->len - 1; k > i; k--) bag->data[k] = bag->data[k - 1];
    bag->data[i] = (GameToken){colour, count};
    return true;
}

void coloured_game_reduce(GameBag *bag, const GameBag *by)
{
    size_t kept = 0, k = 0;
    for (size_t i = 0; i < bag->len; i++) {
        GameToken token = bag->data[i];
        while (k < by->len && by->data[k].colour < token.colour) k++;
        if (k < by->len && by->data[k].colour == token.colour) token.count -= MIN(token.count, by->data[k].count);
        if (token.count) bag->data[kept++] = token;
    }
    bag->len = kept;
}

bool coloured_game_put(GameBag *to, const GameBag *bag)
{
    bool fits = true;
    for (size_t i = 0; i < bag->len && fits; i++) fits = add(to, bag->data[i].colour, bag->data[i].count);
    return fits;
}

/* ---- terms ---- */

static uint64_t size_of(const Game *game, const Term *term)
{
    return sort_at(&game->net->sorts, term->sort)->size;
}

/* A colour stands for one token of it. */
static bool put_all(const Term *term, const GameValue *value, uint64_t times, GameBag *bag)
{
    if (term->type == TERM_IS_COLOUR) return add(bag, value->number, times);
    for (size_t i = 0; i < value->bag.len; i++) {
        uint64_t count;
        if (__builtin_mul_overflow(value->bag.data[i].count, times, &count)) return false;
        if (!add(bag, value->bag.data[i].colour, count)) return false;
    }
    return true;
}

/* Each combination of what the parts have. */
static bool combine(const Game *game, const Term *term, const GameValue *parts, GameBag *bag)
{
    GameBag so_far = {0}, next = {0}, part = {0};
    bool good = add(&so_far, 0, 1);
    uint32_t at = 1;
    for (uint32_t i = 0; i < term->n_children && good; i++, at += term[at].size) {
        uint64_t size = size_of(game, &term[at]);
        good = put_all(&term[at], &parts[at], 1, &part);
        for (size_t k = 0; k < so_far.len && good; k++)
            for (size_t j = 0; j < part.len && good; j++) {
                uint64_t count;
                good = !__builtin_mul_overflow(so_far.data[k].count, part.data[j].count, &count) &&
                       add(&next, so_far.data[k].colour * size + part.data[j].colour, count);
            }
        GameBag swap = so_far;
        so_far = next;
        next = swap;
        vec_clear(&next);
        vec_clear(&part);
    }
    *bag = so_far;
    vec_free(&next);
    vec_free(&part);
    return good;
}

static bool compare(const Game *game, const Term *term, const GameValue *value)
{
    const Term *left = term + 1, *right = left + left->size;
    const Sort *a = sort_at(&game->net->sorts, left->sort), *b = sort_at(&game->net->sorts, right->sort);
    __int128 x = value[1].number, y = value[1 + left->size].number;
    if (a != b) x += a->start, y += b->start;
    switch ((TermOp)term->op) {
    case TERM_EQUAL: return x == y;
    case TERM_UNEQUAL: return x != y;
    case TERM_LESS: return x < y;
    case TERM_AT_MOST: return x <= y;
    case TERM_GREATER: return x > y;
    default: assert(term->op == TERM_AT_LEAST); return x >= y;
    }
}

static uint64_t truth(const Game *game, const Term *term, const GameValue *value)
{
    uint32_t at = 1;
    bool all = true, some = false;
    if (term->op >= TERM_EQUAL) return compare(game, term, value);
    for (uint32_t i = 0; i < term->n_children; i++, at += term[at].size) {
        all = all && value[at].number;
        some = some || value[at].number;
    }
    switch ((TermOp)term->op) {
    case TERM_TRUTH: return term->value;
    case TERM_AND: return all;
    case TERM_OR: return some;
    case TERM_NOT: return !value[1].number;
    default: assert(term->op == TERM_IMPLY); return !value[1].number || value[1 + term[1].size].number;
    }
}

static uint64_t colour(const Game *game, const Term *term, const GameValue *value, const uint64_t *binding)
{
    const Sorts *sorts = &game->net->sorts;
    uint64_t number = 0;
    uint32_t at = 1;
    switch ((TermOp)term->op) {
    case TERM_VARIABLE: assert(binding); return binding[term->value]; /* initial markings have none */
    case TERM_CONSTANT: return term->value;
    case TERM_SUCCESSOR: return value[1].number + 1 == size_of(game, term) ? 0 : value[1].number + 1;
    case TERM_PREDECESSOR: return value[1].number ? value[1].number - 1 : size_of(game, term) - 1;
    case TERM_BLOCK_OF: return sorts->blocks.data[sort_at(sorts, term->sort)->block + value[1].number];
    default: break;
    }
    assert(term->op == TERM_TUPLE);
    for (uint32_t i = 0; i < term->n_children; i++, at += term[at].size)
        number = number * size_of(game, &term[at]) + value[at].number; /* below the size of the product */
    return number;
}

static bool bag_of(const Game *game, const Term *term, const GameValue *value, GameBag *bag)
{
    uint32_t at = 1;
    bool good = true;
    if (term->op == TERM_TUPLE) return combine(game, term, value, bag);
    if (term->op == TERM_ALL)
        for (uint64_t i = 0; i < size_of(game, term); i++) vec_push(bag, ((GameToken){i, 1}));
    for (uint32_t i = 0; i < term->n_children && good; i++, at += term[at].size) {
        GameBag part = {0};
        good = put_all(&term[at], &value[at], term->op == TERM_TIMES ? term->value : 1, &part);
        if (term->op == TERM_SUBTRACT && i)
            coloured_game_reduce(bag, &part);
        else
            good = good && coloured_game_put(bag, &part);
        vec_free(&part);
    }
    return good;
}

/* All nodes of a term, children first. The bags below the root are freed. */
static bool evaluate(Game *game, uint32_t root, const uint64_t *binding)
{
    const Term *terms = game->net->terms.data;
    bool good = true;
    uint32_t end = root + terms[root].size, at = end;
    while (at > root && good) {
        GameValue *value = &game->values[--at];
        value->bag = (GameBag){0};
        if (terms[at].type == TERM_IS_TRUTH)
            value->number = truth(game, &terms[at], value);
        else if (terms[at].type == TERM_IS_COLOUR)
            value->number = colour(game, &terms[at], value, binding);
        else
            good = bag_of(game, &terms[at], value, &value->bag);
    }
    for (uint32_t i = good ? root + 1 : at; i < end; i++) vec_free(&game->values[i].bag);
    return good;
}

bool coloured_game_truth(Game *game, uint32_t term, const uint64_t *binding)
{
    return evaluate(game, term, binding) && game->values[term].number;
}

bool coloured_game_inscription(Game *game, uint32_t term, const uint64_t *binding, GameBag *bag)
{
    *bag = (GameBag){0};
    if (!evaluate(game, term, binding)) return false;
    bool good = put_all(colour_net_term(game->net, term), &game->values[term], 1, bag);
    vec_free(&game->values[term].bag);
    return good;
}

/* ---- the game ---- */

static void find_variables(const ColourNet *net, uint32_t root, VecU32 *variables)
{
    if (root == TERM_NONE) return;
    for (uint32_t i = root; i < root + colour_net_term(net, root)->size; i++)
        if (colour_net_term(net, i)->op == TERM_VARIABLE) vec_push(variables, (uint32_t)colour_net_term(net, i)->value);
}

static VecU32 variables_of(const ColourNet *net, const ColourTransition *t)
{
    VecU32 found = {0};
    size_t kept = 0;
    find_variables(net, t->guard, &found);
    for (uint32_t i = 0; i < t->n_arcs; i++) find_variables(net, net->arcs.data[t->arc + i].inscription, &found);
    if (found.len) qsort(found.data, found.len, sizeof *found.data, compare_u32);
    for (size_t i = 0; i < found.len; i++)
        if (!kept || found.data[kept - 1] != found.data[i]) found.data[kept++] = found.data[i];
    found.len = kept;
    return found;
}

Game *coloured_game_new(const ColourNet *net)
{
    g_autoptr(Game) game = g_new0(Game, 1);
    game->net = net;
    game->marking = g_new0(GameBag, net->places.len + 1);
    game->values = g_new0(GameValue, net->terms.len + 1);
    game->variables = g_new0(VecU32, net->transitions.len + 1);
    for (size_t t = 0; t < net->transitions.len; t++) game->variables[t] = variables_of(net, &net->transitions.data[t]);
    for (size_t p = 0; p < net->places.len; p++) {
        uint32_t marking = net->places.data[p].marking;
        if (marking != TERM_NONE && !coloured_game_inscription(game, marking, NULL, &game->marking[p])) return NULL;
    }
    return g_steal_pointer(&game);
}

void coloured_game_free(Game *game)
{
    if (!game) return;
    for (size_t p = 0; p < game->net->places.len; p++) vec_free(&game->marking[p]);
    for (size_t t = 0; t < game->net->transitions.len; t++) vec_free(&game->variables[t]);
    g_free(game->marking);
    g_free(game->values);
    g_free(game->variables);
    g_free(game);
}
