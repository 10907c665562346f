/* A command's words after its name: the options of options.def, then the rest.
 *
 * Every option may be given once (STRINGS any number of times), numbers must be numbers in their range, and a value is
 * never taken for something else: what does not fit is an error with a sentence. Texts are kept byte by byte, so that
 * any file name passes in any locale. */
#pragma once
#include "cli/command.h"

/* Fills command->options and ->arguments; argv[0] is the command's name. With --help or -h, *help is its text (free it)
 * and nothing else matters. */
bool arguments_parse(Command *command, int argc, char **argv, char **help, GError **error);
void arguments_clear(Command *command);

const char *arguments_command_name(CommandId id); /* as in commands.def, with "_" */
const char *arguments_command_help(CommandId id);
/* The word that was given for an option of kind CHOICE. Owned by the caller. */
char *arguments_word(const char *option, unsigned choice);
/* What the options of kind INPUT, or OUTPUT, name. */
char **arguments_files(const Command *command, bool written);
/* For the shell's completion, one per line: a command's long options; the values that an option (without dashes) can
 * have, as far as a table lists them. */
void arguments_print_words(CommandId id);
void arguments_print_values(CommandId id, const char *option);
