/* What the transitions of a net change. Transitions with the same effect form a class: the state equation needs one
 * unknown for all of them. */
#pragma once
#include "prop/formula.h"
#include "sat/smt.h"

typedef VEC(FormulaTerm) VecTerm;

typedef struct Effects {
    uint32_t n;
    uint32_t *class_of; /* per transition; NET_NONE: no effect */
    uint32_t *first;    /* per class: its first transition */
} Effects;

/* Are all weights and initial counts below 2^62, so that what is made of them here fits a signed number? */
bool effects_fit(const Net *net);

void effects_init(Effects *effects, const Net *net);
void effects_clear(Effects *effects);

/* The changes of t, sorted by place. */
void effects_of(const Net *net, uint32_t t, VecTerm *effect);

/* The tokens of each place as a sum: at first, plus effect times fired[class]. */
void effects_tokens(const Effects *effects, const Net *net, Smt *smt, const SmtTerm *fired, SmtTerm *tokens);
