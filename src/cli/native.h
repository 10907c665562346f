/* The commands on C programs: explore, check and replay for FILE.c... and for programs built by `mazurka cc`. */
#pragma once
#include "cli/command.h"
#include "native/symbols.h"

/* Are the command's arguments C files or a program built by `mazurka cc`? */
bool cli_native_wants(const Command *command);
int cli_native_explore(Command *command);
int cli_native_check(Command *command);
/* The last argument is the witness. */
int cli_native_replay(Command *command);

/* What native.c prints (native_print.c). */
typedef struct NativeAnswer {
    Command *command;
    const NativeResult *result;
    Symbols *symbols;
    const char *algorithm;
    const NativeFinding *finding; /* check: what violates the property, or NULL */
} NativeAnswer;

/* Words; the char * are for the caller to free. */
const char *cli_native_headline(const NativeFinding *finding);
const char *cli_native_good_news(const Command *command);
/* `finding`: knows the blocks of the heap; or NULL. */
char *cli_native_step_words(const NativeAnswer *answer, const NativeFinding *finding, const NativeStep *step);
char *cli_native_stack_words(const NativeAnswer *answer, const NativeFinding *finding, const NativeStack *stack);
void cli_native_print_exploration(const NativeAnswer *answer);
void cli_native_print_check(const NativeAnswer *answer);
void cli_native_json(const NativeAnswer *answer);
void cli_native_print_finding(const NativeAnswer *answer, const NativeFinding *finding);
void cli_native_print_steps(const NativeAnswer *answer, const NativeFinding *finding, const GPtrArray *steps, bool all);
/* Nothing is wrong, but it is worth telling. */
bool cli_native_is_note(const NativeFinding *finding);
/* Why not everything was explored: a sentence, or NULL. */
const char *cli_native_reason(const NativeResult *result);
/* The page of --html: the runs of the findings with the text of the program, the tree of executions. False after a
 * failure, which was told. */
bool cli_native_page(const NativeAnswer *answer);
/* As --witness writes it; one line per step. */
char *cli_native_witness(const NativeAnswer *answer, const NativeFinding *finding);
