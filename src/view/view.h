/* The data of a page to look at and play with: a net, a prefix of its unfolding, runs, trees of executions. Each part
 * is added at most once but for runs and trees, and becomes a tab of the page; what a reader asks there (local
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
