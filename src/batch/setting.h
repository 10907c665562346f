/* Under which conditions a batch ran, for its rows and its report: "mazurka 0.1.0, 60 s, 4000 MB, engine auto, 1
 * thread, 2 at once; host: 8 x CPU model, 32 GB; 2026-11-18". */
#pragma once
#include "batch/batch.h"

/* Owned by the caller. */
char *setting_text(const BatchOptions *options);
