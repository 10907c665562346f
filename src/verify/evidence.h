/* Files that show answers to be right: firing sequences for `mazurka replay` and proofs for mazurka-verify, one file
 * per query, written whole or not at all. Whoever asks again writes them again. */
#pragma once
#include "certify/pump.h"
#include "verify/engine.h"

typedef enum { EVIDENCE_WITNESS, EVIDENCE_CERTIFICATE, N_EVIDENCE_KINDS } EvidenceKind;

/* Where they are put, and under which number. */
typedef struct EvidencePlace {
    const char *witnesses, *certificates; /* folders, made when needed; NULL: none wanted */
    uint32_t repeat;                      /* of the job of a batch, from 0 */
    struct Unmerge *unmerge;              /* of a merged net: makes its runs those of the file's; NULL: they are */
} EvidencePlace;

/* The name of a query's file: its id, with what a file name cannot hold escaped, and the repetition when there are
 * several. */
#define EVIDENCE_PROOF_ENDING ".certificate"
char *evidence_name(const char *id, uint32_t repeat, const char *ending);

/* A job's folder under the batch's: whatever the instance is called, inside it. */
char *evidence_folder(const char *top, const char *instance, const char *examination);

/* Each writes a file of the place where such files are wanted and one is found; *name (owned by the caller, else NULL)
 * is then its name in the folder. An error is only about writing. */
void evidence_keep_run(const EvidencePlace *place, const Net *net, const char *id, const VecU32 *run, Budget *budget,
                       char **name, GError **error);
/* Proves the unreachable goal again within that share of the time left, by engines that can say how. `bound`: the claim
 * that this is a part of, or NULL. */
void evidence_keep_proof(const EvidencePlace *place, const Query *query, const BoundClaim *bound, const char *id,
                         const EngineOptions *options, double share, Budget *budget, char **name, GError **error);
/* That the sum of these places has no bound; takes the pump, which may be empty: then there is no proof. */
void evidence_keep_pump(const EvidencePlace *place, const Net *net, const VecU32 *places, Pump *pump, const char *id,
                        Budget *budget, char **name, GError **error);
/* For an answer that came without a run: looks for one to the goal. True: it is appended to `run`, for whose sake (it
 * may be NULL) it is looked for even where no file is wanted. */
bool evidence_find_run(const EvidencePlace *place, const Query *query, const char *id, const EngineOptions *options,
                       Budget *budget, VecU32 *run, char **name, GError **error);

/* How `path` is called from inside `folder`: "../w/x". Links are followed, so that ".." leads where it says. */
char *evidence_relative(const char *folder, const char *path);
