/* Loops that only wait.
 *
 * An idle transition is one that changes nothing (it takes what it gives), or, in a safe net without inhibitor arcs at
 * these places, one that moves one token from s to s' and changes nothing else: a thread that reads. An event is a
 * *turn* when its transition changes nothing; or when it moves a token to s', and the token was at s' before and has
 * since been moved by idle events alone, while nothing else looked at it. They are left out.
 *
 * No marking is lost. Take a shortest run to it, and suppose it has a turn. Without the idle events that make the turn
 * it is a run too: in the meantime the token is at s' instead of some place p, where nobody looks (whoever needed p
 * would depend on the event that moves the token on, so be a cause of the turn, as the net is safe), and what the idle
 * events read they did not change. It leads to the same marking and is shorter. So every reachable marking is that of
 * a configuration without turns, all dead markings are found, and so is every transition that can fire and is not idle.
 *
 * A leaf where only turns are enabled waits. It is stuck when nothing but idle transitions can ever fire. Otherwise a
 * thread is in the middle of a turn that has become useless; other leaves have it begin the turn later. */
#pragma once
#include "net/net.h"
#include "pes/config.h"

typedef struct Spins Spins;

/* Borrows the net. NULL when no event can be a turn. safe: no reachable marking has two tokens in a place;
 * otherwise only transitions that change nothing count as idle. */
Spins *spins_new(const Net *net, bool safe);
/* The same, with what is known of the net: only of a net that says so is it decided that it is safe. */
Spins *spins_of(const Net *net);
void spins_free(Spins *spins);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Spins, spins_free)
/* Does t change nothing? spins may be NULL. */
bool spins_stands_still(const Spins *spins, uint32_t t);
/* Is <label, H> a turn? H is a set of positions, NULL for all. */
bool spins_is_turn(const Spins *spins, const Config *config, uint32_t label, const uint64_t *history);
/* Is it certain that nothing but idle transitions will ever fire after the marking? Of what the threads of a program
 * wait for, yes. */
bool spins_is_stuck(const Spins *spins, const uint64_t *marking);
