/* The token game of a coloured net, by definition and by nothing else: terms are evaluated node by node for one
 * binding, markings are bags of colours. It shares with the expander (colour/expand.h) the net that was read, no code
 * that computes; who checks what the expander found uses this. Slow.
 *
 * A binding gives every variable of the net a colour, by its number in the variable's sort; those that a transition
 * does not have do not count. */
#pragma once
#include "colour/net.h"

typedef struct GameToken {
    uint64_t colour, count; /* count > 0 */
} GameToken;

/* Sorted by colour, each once. */
typedef VEC(GameToken) GameBag;

typedef struct Game {
    const ColourNet *net;
    GameBag *marking;         /* of each place */
    struct GameValue *values; /* of each node of a term: scratch */
    VecU32 *variables;        /* of each transition: in the order of their declarations */
} Game;

/* At the initial marking. NULL: a count passes 2^64 - 1. */
Game *coloured_game_new(const ColourNet *net);
void coloured_game_free(Game *game);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Game, coloured_game_free)

/* Of a guard or a part of one. */
bool coloured_game_truth(Game *game, uint32_t term, const uint64_t *binding);
/* What an inscription is worth; the caller's. False: a count passes 2^64 - 1. */
bool coloured_game_inscription(Game *game, uint32_t term, const uint64_t *binding, GameBag *bag);
bool coloured_game_has(const GameBag *bag, const GameBag *part);
/* Takes `by` out, or what there is of it. */
void coloured_game_reduce(GameBag *bag, const GameBag *by);
/* False: a count passes 2^64 - 1. */
bool coloured_game_put(GameBag *to, const GameBag *bag);

typedef enum { GAME_FIRED, GAME_GUARD, GAME_TOKENS, GAME_NUMBERS } GameStep;

/* Fires at the marking, or says why it cannot: the guard, missing tokens, a count that passes 2^64 - 1. Then the
 * marking is as before. */
GameStep coloured_game_fire(Game *game, uint32_t transition, const uint64_t *binding);

/* Could it fire? */
bool coloured_game_enabled(Game *game, uint32_t transition, const uint64_t *binding);

/* "place(a,b)" and "transition(x = a)", as expand.h calls them. */
void coloured_game_name_place(const ColourNet *net, uint32_t place, uint64_t colour, GString *out);
void coloured_game_name_binding(const Game *game, uint32_t transition, const uint64_t *binding, GString *out);
/* The other way round; false: it is none. Fills the binding of that transition. */
bool coloured_game_read_binding(const Game *game, const char *text, uint32_t *transition, uint64_t *binding);
