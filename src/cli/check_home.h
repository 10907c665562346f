/* `check --home`, `--live`, `--reversible` and `--sound`: what can always still happen. */
#pragma once
#include "cli/command.h"

bool check_home_asked(const Options *options);
/* EXIT_HOLDS when these options go together with the others, else the failure, told. */
int check_home_usage(const Command *command);
int check_home(Command *command, const mz_net *net);
/* check_sound.c: the one of them that has parts. */
int check_sound(Command *command, const mz_net *net);

/* Why a goal is lost at the marking that the run leads to: the marking, places whose tokens stay, an empty siphon. */
void check_home_explain(const Net *net, const uint64_t *marking);
/* The same as members stay and siphon. */
void check_home_json_reasons(GString *json, const Net *net, const uint64_t *marking);
/* Writes --witness where there is a run; false, told, when it cannot be written. */
bool check_home_write_run(const Command *command, const mz_net *net, const mz_answer *answer);
/* The page of --html: `words`, and the run of `shown`; false as above. */
bool check_home_look(Command *command, const mz_net *net, const char *words, const mz_answer *shown);
