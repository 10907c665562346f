/* A net's digest: SHA-256 of what it means, so that a certificate says which net it is about. It covers ids, initial
 * tokens, and arcs with their kinds and weights, all in the order of the ids; names of the net, labels, positions,
 * units, notes, and the order in the file do not count. (Certificates name nodes by their numbers in the file: for a
 * file with the same nodes in another order one is refused when it is checked, if it no longer proves its goal.) */
#pragma once
#include "net/net.h"

/* 64 hexadecimal digits, owned by the caller. */
char *digest_of(const Net *net);
