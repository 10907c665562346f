/* What `check` asks with, and how it tells the answer, whatever it was asked. */
#pragma once
#include "cli/command.h"

char **check_options(const Command *command);
int check_exit_code(mz_verdict verdict);
const char *check_verdict_word(mz_verdict verdict);      /* "HOLDS" */
const char *check_verdict_text(const mz_answer *answer); /* "holds" */
/* An object with property, verdict, reason and engine; for command_json_end(). */
GString *check_json_begin(Command *command, const mz_net *net, const mz_answer *answer);
/* The members witness and witness_checked. */
void check_json_witness(GString *json, const mz_net *net, const mz_answer *answer);
