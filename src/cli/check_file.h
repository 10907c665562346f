/* `check --property FILE.xml`: all properties of a contest file in one run, one line (or JSON object) each. */
#pragma once
#include "cli/command.h"

/* The worst of all verdicts as exit code: violated, then unknown, then holds. */
int check_file(Command *command, const mz_net *net);

/* check.c: what `check` asks with, and how it tells, whatever it was asked. */
char **check_options(const Command *command);
int check_exit_code(mz_verdict verdict);
const char *check_verdict_word(mz_verdict verdict);      /* "HOLDS" */
const char *check_verdict_text(const mz_answer *answer); /* "holds" */
/* The members witness and witness_checked. */
void check_json_witness(JsonBuilder *json, const mz_net *net, const mz_answer *answer);
