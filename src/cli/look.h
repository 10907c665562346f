/* Pages to look at (view/view.h), as `mazurka view` makes them and as other commands do with --html. */
#pragma once
#include "cli/command.h"
#include "explore/algorithm.h"
#include "view/view.h"

/* An empty page; `words` stand beside the title, with the version, the command and the date. Never NULL. */
View *look_begin(const Command *command, const char *title, const char *words);
/* A page with the net in it, and the text of the command's argument when it is a program; `words` (may be NULL) stand
 * beside the title. Never NULL. */
View *look_new(Command *command, const Compiled *read, const char *words);
/* The source text of a page: an ordinary file of at most a mebibyte without zeros, or NULL. A pipe was read already
 * when its text is asked for, and would never end. */
char *look_text(const char *path);
/* Adds the executions of each algorithm but `except` (N_ALGORITHMS: none), as far as they come within a small part of
 * the budget. */
void look_add_trees(View *view, const Net *net, const Indep *indep, Algorithm except, Budget *budget);
/* Adds a run under the relation `read`; for a page nobody waits for the relation longer than the budget allows. */
void look_add_run(View *view, const char *words, const Net *net, const uint32_t *run, size_t n, Budget *budget);

/* The page of a verdict: net, prefix, and the run (NULL: there is none) that shows what `words` say. False after a
 * failure, which was told. */
bool look_verdict(Command *command, const Compiled *read, const char *words, const uint32_t *run, size_t n);
/* Writes it; false after a failure, which was told. */
bool look_write(const View *view, const char *path);
