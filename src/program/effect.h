/* What visible instructions do to cells, threads and the values a step depends on. */
#pragma once
#include "program/run.h"

/* Executes one visible instruction of the run. After RUN_ON the program counter still stands on it. */
RunState effect_apply(ThreadRun *r, Run *run, const Instr *instr);
