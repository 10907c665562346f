/* Reads a prefix that prefix_write.h wrote as .json, for those who look at it later, without its net: the net is made
 * again of what the events show of it (ids, the arcs of transitions that occur, the initial marking). A prefix without
 * conditions does not show enough, and neither does a part of one (--around). Histories of events are not in such
 * files. */
#pragma once
#include "unfold/prefix.h"

/* The prefix refers to *net, which the caller frees after it. NULL: error. */
Prefix *prefix_read_file(const char *path, Net **net, Budget *budget, GError **error);
