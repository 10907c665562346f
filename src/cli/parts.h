/* What explore --split and --part write: what was explored, and runs that tell what was not (reverse.h). A result is a
 * file with no such runs left. One JSON object per line:
 *
 *   {"format":"mazurka parts 1","task":HEX,"parent":HEX or
 * null,"part":I,"maximal":N,"bound":N,"waiting":N,"stuck":N,"cut":0 or 1,"nodes":N,"deepest":N,"dead":N,"parts":N}
 *   {"dead":[...]}    the least run to a dead marking that was met, as numbers of transitions; so many as `dead` says
 *   {"run":[...]}     a part, from 1; so many as `parts` says
 *
 * task: SHA-256 of net, relation and bounds, which must be the same for all. parent: that of the bytes of the file
 * whose part this is. A file comes into being whole, and what it tells is exact whatever ended it, so that nothing is
 * lost or counted twice, whoever is killed. */
#pragma once
#include "base/budget.h"
#include "explore/dpor.h"

typedef struct Parts {
    char *task, *parent; /* parent: NULL for the first file */
    char *name;          /* of a file that was read: SHA-256 of its bytes */
    uint32_t part;       /* of the parent, from 1 */
    uint64_t maximal, bound, waiting, stuck, cut, nodes;
    uint32_t deepest;
    Backlog dead, rest;
} Parts;

void parts_clear(Parts *parts);
/* The task of exploring that. */
char *parts_task(const Net *net, const char *digest, const Indep *indep, const DporOptions *bounds);
void parts_print(const Parts *parts, GString *text);
/* False, with an error: it cannot be read, is no such file or not whole, or is about another task. */
bool parts_read(Parts *parts, const char *path, const char *task, uint32_t n_transitions, Budget *budget,
                GError **error);
