/* One run of the Model Checking Contest: one net, one examination, answers as contest lines
 * (MCC-PROTOCOL section 2), each flushed as soon as it is known and never provisional. */
#pragma once
#include "batch/evidence.h"

#include <stdio.h>

typedef struct ContestRun {
    const char *path; /* a folder with model.pnml (and EXAMINATION.xml), or a net file */
    const char *examination;
    const char *engine; /* NULL: auto */
    unsigned threads;
    uint64_t seed;
    bool name_engines;      /* also "ENGINE id name" and "REASON id text" lines, for batches; no contest keywords */
    EvidencePlace evidence; /* for batches: "WITNESS id file" and "CERTIFICATE id file" tell what was written */
    FILE *out;
    FILE *log; /* why something could not be answered; NULL: nowhere */
} ContestRun;

/* The examinations we answer, NULL-terminated. */
extern const char *const contest_examinations[];
/* Seconds to leave unused at the end of a limit: the harness kills without warning. */
double contest_margin(double seconds);
/* 0 when the run went as it should, answered or not; 1 when the input could not be read. */
int contest_run(const ContestRun *run, Budget *budget);
