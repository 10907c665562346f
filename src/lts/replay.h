/* Runs firing sequences by the plain firing rule of net.h, apart from every engine's own code: what a witness
 * claims is checked here before anybody sees it. */
#pragma once
#include "base/vec.h"
#include "net/net.h"

/* A copy of the initial marking, for the caller to free. */
uint64_t *replay_start(const Net *net);

/* Fires the sequence on the marking (n_places counts) in place. Returns the number of firings done: n, or the
 * position of the first transition that is not enabled (or overflows a count), the marking being the one there. */
size_t replay_run(const Net *net, const uint32_t *sequence, size_t n, uint64_t *marking);

/* How often t can be fired in a row on the marking, at most `most` times. */
uint64_t replay_times(const Net *net, const uint64_t *marking, uint32_t t, uint64_t most);

/* The same for runs that repeat themselves: sequence[i] is fired times[i] times, in a step that costs as much as one
 * firing. Of the one that cannot be fired so often no firing is done. */
size_t replay_leaps(const Net *net, const uint32_t *sequence, const uint64_t *times, size_t n, uint64_t *marking);

/* Appends what keeps t from firing: "fork1 (0 of 1)", "p (2, inhibits from 1)", joined by ", ". Returns the number
 * of places named. Uses ids, and labels besides where
 * the file has them. */
unsigned replay_obstacles(const Net *net, const uint64_t *marking, uint32_t t, GString *text);

/* Appends t's id, and its label in quotes when that is something else. */
void replay_transition_text(const Net *net, uint32_t t, GString *text);

/* Appends the marked places: "p 2*q"; "(empty)" when none is. At most `most` places, then "... (N places)". */
void replay_marking_text(const Net *net, const uint64_t *marking, unsigned most, GString *text);

bool replay_is_dead(const Net *net, const uint64_t *marking);
