/* Writing nets down as text: one rule per transition, so that a family reads like its definition.
 *
 *   rules_places(r, "think* has fork*", i);
 *   rules_add(r, "take%u: think%u fork%u -> has%u", i, i, i, i);
 *
 * A rule is "id: inputs -> outputs" (either side may be empty). Items are separated by blanks: `p`, `3*p`
 * (weight), `?p` or `?3*p` (read arc) and `!p` or `!3*p` (inhibitor arc), the last two among the inputs. Places that
 * were not declared appear, unmarked, when first named. A malformed rule is a broken contract (assert). */
#pragma once
#include "net/builder.h"

typedef struct Rules {
    NetBuilder *builder;
    GHashTable *places; /* id -> index + 1; only looked up */
    GString *text;
} Rules;

Rules *rules_new(const char *name_format, ...) G_GNUC_PRINTF(1, 2);
void rules_place(Rules *rules, uint64_t tokens, const char *id_format, ...) G_GNUC_PRINTF(3, 4);
/* Places of process i: "think* fork" are think<i>, with a token, and fork<i>, without. */
void rules_places(Rules *rules, const char *names, unsigned i);
void rules_add(Rules *rules, const char *format, ...) G_GNUC_PRINTF(2, 3);
/* For rules built piece by piece. */
void rules_add_text(Rules *rules, const char *rule);
/* Frees the rules. */
Net *rules_finish(Rules *rules);
