/* One question to one net, as the Model Checking Contest asks it. Whoever asks is told by records (record.h): every
 * query is announced, and each answer is told as soon as it is known and never provisional. */
#pragma once
#include "verify/evidence.h"
#include "batch/task.h"
#include "batch/record.h"

#include <stdio.h>

typedef struct ContestRun {
    const char *path; /* a folder with model.pnml (and the question's file), or a net file */
    Task task;
    const char *engine; /* NULL: auto */
    unsigned threads;
    uint64_t seed;
    EvidencePlace evidence;
    /* Told queries, answers, reasons, evidence and refusals; calls do not overlap. */
    void (*tell)(const Record *record, void *data);
    void *data;
    FILE *log; /* why something could not be answered; NULL: nowhere */
} ContestRun;

/* Seconds to leave unused at the end of a limit: the harness kills without warning. */
double contest_margin(double seconds);
/* False when the input could not be read. */
bool contest_run(const ContestRun *run, Budget *budget);
