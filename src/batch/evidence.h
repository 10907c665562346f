/* Files that show an answer of a batch to be right: firing sequences for `mazurka replay` and proofs for
 * mazurka-verify, one folder per job, one file per query, written whole or not at all. A job that runs again writes
 * them again. */
#pragma once
#include "verify/engine.h"

/* Where a job puts them, and under which number. */
typedef struct EvidencePlace {
    const char *witnesses, *certificates; /* folders, made when needed; NULL: none wanted */
    uint32_t repeat;                      /* of the job, from 0 */
} EvidencePlace;

/* The name of a query's file: its id, with what a file name cannot hold escaped, and the repetition when there are
 * several. */
#define EVIDENCE_PROOF_ENDING ".certificate"
char *evidence_name(const char *id, uint32_t repeat, const char *ending);

/* A job's folder under the batch's: whatever the instance is called, inside it. */
char *evidence_folder(const char *top, const char *instance, const char *examination);

/* Writes the run to a new file of the place; *name (owned by the caller) is its name in the folder. */
bool evidence_keep_run(const EvidencePlace *place, const Net *net, const char *id, const VecU32 *run, char **name,
                       GError **error);
/* Proves the unreachable goal again, by engines that can say how. False, with or without an error, when that fails. */
bool evidence_keep_proof(const EvidencePlace *place, const Query *query, const char *id, const EngineOptions *options,
                         Budget *budget, char **name, GError **error);

/* How `path` is called from inside `folder`: "../w/x". Links are followed, so that ".." leads where it says. */
char *evidence_relative(const char *folder, const char *path);
