/* The concurrency relation of a growing branching process as bits, where a large part of all is concurrent; elsewhere
 * there are lists (unfold/classic/co.h). For the conditions that can still be extended.
 *
 * Those conditions are its members, numbered as they are made; the members of one event follow each other, a family.
 * Each family has a row: a bit for each older member that is concurrent with all of them, and bits for themselves. From
 * the rows of a block, 64 members that follow each other, columns are made once it is complete: for each member up to
 * its last a word that says which of the block know it. What is concurrent with a member is told by its row, its words
 * of later blocks, and the rows of the last, incomplete block.
 *
 * With n members an event costs n / 64 steps for each part of its preset, one for each family of the last block, and a
 * step or two for each member, once, when its block is complete; memory: n * n / 8 bytes. */
#pragma once
#include "base/arena.h"
#include "base/bitset.h"
#include "base/vec.h"

typedef struct MatrixFamily {
    const uint64_t *row;
    uint64_t own; /* which members of the last block it has */
} MatrixFamily;

typedef struct Matrix {
    uint32_t n;                /* members */
    VecU32 condition;          /* per member */
    VEC(const uint64_t *) row; /* per member: its family's, up to the block of the last of them */
    VEC(uint64_t *) columns;   /* per complete block: a word for each member */
    VEC(MatrixFamily) last;    /* families of the incomplete block */
    uint64_t *common;          /* result of matrix_common(): a bit per member, in whole words */
    size_t common_cap;
    Arena arena;
} Matrix;

Matrix *matrix_new(void);
void matrix_free(Matrix *matrix);

/* Sets matrix->common to the members concurrent with all of these, which are concurrent with each other and at least
 * one: with an event that consumes them. */
void matrix_common(Matrix *matrix, const uint32_t *parts, uint32_t n_parts);
/* Empties it, for one that is made otherwise. */
void matrix_clear_common(Matrix *matrix);

/* A new family, of the event that matrix->common is about: the conditions first, first+1, ... Their first member is
 * matrix->n before. */
void matrix_add(Matrix *matrix, uint32_t first, uint32_t n);
/* The family of the initial conditions 0 .. n-1, before any others. */
void matrix_start(Matrix *matrix, uint32_t n);

/* Are two members on different places concurrent? */
static inline bool matrix_test(const Matrix *matrix, uint32_t c, uint32_t d)
{
    return bitset_get(matrix->row.data[c < d ? d : c], c < d ? c : d);
}

/* Are all n members from this one on in common? */
bool matrix_has_all(const Matrix *matrix, uint32_t from, uint32_t n);
