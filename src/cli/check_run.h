/* How `check` tells a run, whatever it shows: on the terminal and in the file of --witness. */
#pragma once
#include "api/handles.h"

/* Longer explanations are cut there; --witness and --json have everything. */
enum { SHOWN_FIRINGS = 60, SHOWN_PLACES = 40, SHOWN_BLOCKED = 8 };

/* One line per firing, or per transition that is fired times[i] times in a row; of a program, with `source`, in the
 * words of its source. times may be NULL. */
void check_run_print(const Net *net, const uint32_t *run, const uint64_t *times, size_t n, bool source);
/* What keeps the transitions from firing that are nearest to it. */
void check_run_print_blocked(const Net *net, const uint64_t *marking);
/* The transition that a line names: a quoted id (base/quote.h), or else the line as it stands, with or without the
 * blanks around it, which are taken off; NET_NONE. */
uint32_t check_run_find(const Net *net, char *line);
/* The same with how often it is fired in a row, from 1: a number behind a quoted id. */
uint32_t check_run_find_times(const Net *net, char *line, uint64_t *times);
/* A drawing when the name ends in .dot, which no run with times has. */
bool check_run_write(const char *path, const Net *net, const uint32_t *run, const uint64_t *times, size_t n,
                     GError **error);

/* The marking that the run of an answer leads to, for the caller to free; NULL: it does not replay. */
uint64_t *check_run_end(const mz_net *net, const mz_answer *answer);
