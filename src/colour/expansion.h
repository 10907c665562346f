/* The inside of expand.h: what is found, and the Net that is built from it. */
#pragma once
#include "colour/join.h"
#include "net/net.h"

typedef struct Bindings {
    Pattern *pattern;
    VecU32 colours;      /* n_leaves of each binding */
    uint32_t n;          /* bindings */
    uint32_t least_text; /* bytes of a name */
    bool again;          /* looked for again when inputs change: found ones are in `table` */
    uint32_t *table, mask;
    uint64_t inputs; /* known tokens on input places when last looked for, + 1; 0: never */
} Bindings;

typedef struct Expansion {
    const ColourNet *net;
    const char *file;
    Budget *budget;
    Tokens *tokens;     /* of each place */
    VecU64 *initial;    /* of each place, of each token: as far as it goes, 0 behind */
    Bindings *bindings; /* of each transition */
    uint64_t n_tokens, n_bindings, n_arcs, n_text;
    const char *full; /* why it had to stop, or NULL */
    bool merged;      /* colours that are alike are one */
    bool partial;     /* not all bindings are there */
} Expansion;

/* NULL: the error says why. */
Net *expansion_build(Expansion *x, GError **error);
/* What a firing is called: transition(x = a). */
void expansion_append_transition(const Pattern *pattern, const char *id, const uint32_t *binding, GString *out);
