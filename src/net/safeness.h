/* Is there at most one token in every place of every reachable marking? Answered without exploring, where
 * the structure or a short look is enough; SAFE_UNKNOWN otherwise. */
#pragma once
#include "net/invariant.h"
#include "net/net.h"

typedef enum { SAFE_UNKNOWN, SAFE_YES, SAFE_NO } SafeAnswer;

/* Yes when every place is bounded by 1 through an invariant or through a NUPN unit whose sum of tokens is at
 * most 1 and raised by no transition; no when a walk of limited length meets two tokens in a
 * place. `invariants` may be NULL. *reason (may be NULL) is set to static text. */
SafeAnswer safeness_decide(const Net *net, const Invariants *invariants, const char **reason);
