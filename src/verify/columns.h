/* What the transitions of a net change. Transitions with the same effect form a class: the state equation needs one
 * unknown for all of them. */
#pragma once
#include "prop/formula.h"
#include "sat/smt.h"

typedef VEC(FormulaTerm) VecTerm;

typedef struct Columns {
    uint32_t n;
    uint32_t *class_of; /* per transition; NET_NONE: no effect */
    uint32_t *first;    /* per class: its first transition */
} Columns;

/* Are all weights and initial counts below 2^62, so that what is made of them here fits a signed number? */
bool columns_fit(const Net *net);

void columns_init(Columns *columns, const Net *net);
void columns_clear(Columns *columns);

/* The changes of t, sorted by place. */
void columns_effect(const Net *net, uint32_t t, VecTerm *effect);

/* The tokens of each place as a sum: at first, plus effect times fired[class]. */
void columns_tokens(const Columns *columns, const Net *net, Smt *smt, const SmtTerm *fired, SmtTerm *tokens);
