/* What `check` asks with, and how it tells the answer, whatever it was asked. */
#pragma once
#include "cli/command.h"

/* more: one word besides those, or NULL. */
char **check_options(const Command *command, const char *more);
int check_exit_code(mz_verdict verdict);
const char *check_verdict_word(mz_verdict verdict);      /* "HOLDS" */
const char *check_verdict_text(const mz_answer *answer); /* "holds" */
/* An object with property, verdict, reason and engine; for command_json_end(). */
GString *check_json_begin(Command *command, const mz_net *net, const mz_answer *answer);
/* The members witness and witness_checked, and witness_repeated for a run with times. */
void check_json_witness(GString *json, const mz_net *net, const mz_answer *answer);
