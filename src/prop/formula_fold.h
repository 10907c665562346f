/* A formula translated into something else: literals, terms of a solver, another formula. Each node is translated once,
 * after what is below it; whoever translates says what the leaves become and what becomes of several together. */
#pragma once
#include "prop/formula.h"

/* What a part became, as the translator likes it. */
typedef int64_t FoldValue;

typedef struct FormulaFold {
    /* The sum is at most the bound. */
    FoldValue (*at_most)(void *data, const FormulaTerm *terms, uint32_t n, int64_t bound);
    /* One of n transitions is enabled, or (not `any`) none is. transitions: NULL for those of the whole net. */
    FoldValue (*guards)(void *data, const uint32_t *transitions, uint32_t n, bool any);
    /* All parts hold, or (not `all`) one does. Without parts that is true, or false. */
    FoldValue (*junction)(void *data, bool all, const FoldValue *parts, uint32_t n);
} FormulaFold;

FoldValue formula_fold(const FormulaStore *store, FormulaId id, const FormulaFold *fold, void *data);
