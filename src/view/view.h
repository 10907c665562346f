/* The data of a page to look at and play with: a net, a prefix of its unfolding, runs, trees of executions. Each part
 * is added at most once but for runs, trees and sources, and becomes a tab of the page; what a reader asks there (local
 * configurations, conflicts, markings, the token game) the page computes itself from this data.
 *
 * A View borrows nothing after the call that adds a part. */
#pragma once
#include "lts/indep.h"
#include "program/compile.h"
#include "unfold/prefix.h"
#include "view/runtree.h"

typedef struct View View;

/* `about` is one line beside the title, or NULL. */
View *view_new(const char *title, const char *about);
void view_free(View *view);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(View, view_free)

/* The net; for a program also what its places mean, and `source` (its text, with the name of its file, or NULL). */
void view_add_net(View *view, const Compiled *read, const char *file, const char *source);
/* `indep` is the relation it was made under: without conditions conflicts are told by it; may be NULL with conditions.
 * `around`: the event that is shown first, or PREFIX_NONE. */
void view_add_prefix(View *view, const Prefix *prefix, const Indep *indep, uint32_t around);
/* A firing sequence: what it shows ("a deadlock"), and where its partial order comes from. */
void view_add_run(View *view, const char *words, const Net *net, const Indep *indep, const uint32_t *run, size_t n);

/* Where something is in a text that was added; line 0: nowhere. */
typedef struct ViewLine {
    const char *file;
    uint32_t line;
} ViewLine;

/* A step of a program that is no net. */
typedef struct ViewStep {
    const char *thread, *words; /* who does what */
    ViewLine at;
    const char *operation, *object; /* "lock" "m"; object NULL: none */
    bool valued, write;
    int64_t value;      /* of the object, before the step */
    const char *starts; /* the thread that begins with it, or NULL */
    VecU32 causes;      /* earlier steps that it needs directly */
} ViewStep;

/* Where a thread is when the run is over, and what it calls. */
typedef struct ViewEnd {
    const char *thread, *words;
    ViewLine at;
} ViewEnd;

typedef struct ViewValue {
    const char *object;
    int64_t value;
} ViewValue;

typedef struct ViewStory {
    const char *words;
    const ViewStep *step;
    size_t n;
    const ViewEnd *end;
    size_t n_ends;
    const ViewValue *value; /* at the end */
    size_t n_values;
} ViewStory;

/* A text that lines of steps are in. */
void view_add_source(View *view, const char *file, const char *text);
void view_add_story(View *view, const ViewStory *story);
/* What the labels of trees mean when they are not transitions of a net. */
void view_add_labels(View *view, char *const *names);

/* The executions of one algorithm, and what it counted (-1: it does not count that). */
typedef struct ViewTree {
    const char *algorithm;
    const RunTree *tree;
    int64_t events, nodes, deadlocks;
    const char *reason; /* why it did not finish, or NULL */
} ViewTree;

void view_add_tree(View *view, const ViewTree *tree);
/* Which tab is open first: "net", "prefix", "run", "tree". */
void view_first(View *view, const char *tab);

/* The file appears complete or not at all. */
bool view_write(const View *view, const char *path, GError **error);
