/* The names of the independence relations and what is known of each one by its name alone: one table, relations.def,
 * for options, help, defaults and messages. What a relation says about a net is in indep.h. */
#pragma once
#include <stdbool.h>

typedef enum {
#define RELATION(constant, name, traits, help) RELATION_##constant,
#include "lts/relations.def"
#undef RELATION
    N_RELATIONS
} Relation;

typedef enum {
    /* Whoever changes what a transition tests is dependent on it. */
    RELATION_STRUCTURAL = 1 << 0,
    /* `check` may be told to unfold under it. */
    RELATION_CHECKED = 1 << 1,
    /* The default of a command; compare and batch --compare-relations take several. */
    RELATION_DEFAULT_UNFOLD = 1 << 2,
    RELATION_DEFAULT_EXPLORE = 1 << 3,
    RELATION_DEFAULT_CHECK = 1 << 4,
    RELATION_DEFAULT_COMPARE = 1 << 5,
    RELATION_DEFAULT_ALGORITHMS = 1 << 6, /* compare --algorithms */
} RelationTrait;

/* Accepts the names of relations.def and file:PATH. False when there is no such name. */
bool relation_parse(const char *text, Relation *relation);
const char *relation_name(Relation relation);
bool relation_has(Relation relation, RelationTrait trait);
/* The first that has the trait, a default that there is. */
Relation relation_default(RelationTrait trait);
/* What is given, or when NULL the name of that default. */
const char *relation_given(const char *text, RelationTrait trait);
/* For messages: "none, classic", those that have the trait, or all for 0. Owned by the caller. */
char *relation_names(RelationTrait trait);

/* Independence at a marking is no relation between transitions alone; it has this name. */
#define RELATION_CONDITIONAL "conditional"
/* NULL, or why `conditional` cannot be used as a relation. */
const char *relation_refusal(const char *text);
