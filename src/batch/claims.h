/* The jobs of one batch, shared by any number of workers on any number of machines through one folder.
 *
 *   FOLDER/batch      what the batch is; made by who comes first, the others must mean the same
 *   FOLDER/N.claim    somebody works on job N
 *   FOLDER/N.rows     the results of job N, whole
 *
 * Results are put there by link(), which never replaces a file: whoever is first counts, so that no job has its rows
 * twice, whatever else happens, and a worker that is killed leaves either all rows of a job or none. Claims only save
 * work. A claim is a link to its worker's own file, whose time the worker renews; when that time is older than the
 * lease, by the clock of the file system, the worker is taken for dead and another one takes the job over. If it was
 * only slow, both do the job, and one of them in vain.
 *
 * Asked of the file system: linking and renaming are atomic, as they are on NFS. */
#pragma once
#include "batch/runner.h"

#include <glib.h>

typedef struct Claims Claims;

/* `what` tells batches apart (jobs, limits); n jobs. Makes the folder when it is not there. */
Claims *claims_open(const char *folder, const char *what, size_t n, double lease, GError **error);
/* Gives back what is still held. */
void claims_close(Claims *claims);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Claims, claims_close)

/* Takes a job that nobody works on. NEXT_LATER: others work on all that is left. NEXT_NONE: everything is done. */
NextJob claims_next(Claims *claims, size_t *job);
/* Shows that this worker lives. To be called several times per lease. */
void claims_renew(Claims *claims);
/* The job's rows; false, with an error, when they cannot be written. They are dropped when another worker was first. */
bool claims_finish(Claims *claims, size_t job, const char *rows, size_t len, GError **error);
/* Not done after all: others may take it at once. */
void claims_release(Claims *claims, size_t job);
/* For tests: how many jobs were done when the folder was last looked at. */
size_t claims_done(const Claims *claims);

/* All rows that are there, in the order of jobs. */
bool claims_rows(const char *folder, GString *rows, Budget *budget, GError **error);
