/* What the commands share: parsed options, reading the net with its one-line summary, the Budget with
 * progress and Ctrl-C, JSON results with the keys that every object has, and the exit codes. */
#pragma once
#include "api/handles.h"
#include "base/json.h"
#include "colour/net.h"

typedef enum { EXIT_HOLDS = 0, EXIT_VIOLATED = 1, EXIT_UNKNOWN = 2, EXIT_USAGE = 3, EXIT_INTERNAL = 4 } ExitCode;

typedef enum {
#define COMMAND(constant, name, arguments, help) COMMAND_##constant,
#include "cli/commands.def"
#undef COMMAND
    N_COMMANDS
} CommandId;

#define OPTION_TYPE_FLAG gboolean
#define OPTION_TYPE_STRING char *
#define OPTION_TYPE_STRINGS char **
#define OPTION_TYPE_OPTIONAL char *
#define OPTION_TYPE_INPUT char *
#define OPTION_TYPE_OUTPUT char *
#define OPTION_TYPE_INTEGER gint64
#define OPTION_TYPE_COUNT gint64
#define OPTION_TYPE_REAL double
#define OPTION_TYPE_CHOICE unsigned

/* The constant that a CHOICE means; without the option the first one. */
static inline unsigned command_choice(unsigned member)
{
    return member ? member - 1 : 0;
}
/* Of --visible and --cutoffs. */
typedef enum { VISIBLE_NOT_GIVEN, VISIBLE_SYNC, VISIBLE_MEMORY } VisibleChoice;
typedef enum { CUTOFFS_NOT_GIVEN, CUTOFFS_ON, CUTOFFS_OFF, CUTOFFS_AUTO } CutoffsChoice;

typedef struct Options {
#define OPTION(member, name, letter, kind, argument, commands, help) OPTION_TYPE_##kind member;
#include "cli/options.def"
#undef OPTION
} Options;

typedef struct Command {
    CommandId id;
    const char *name;
    Options options;
    char **arguments; /* what is left after the options, NULL-terminated */
    int n_arguments;
    double started;
    int failure;       /* of command_read() */
    uint64_t work;     /* done so far, when it is measured: with one thread */
    mz_limits *limits; /* of command_limits() */
} Command;

#define COMMAND(constant, name, arguments, help) int command_##name(Command *command);
#include "cli/commands.def"
#undef COMMAND

/* Prints "mazurka: message" on stderr and returns EXIT_USAGE. */
int command_fail(const char *format, ...) G_GNUC_PRINTF(1, 2);
/* The same for a GError, which is freed. */
int command_fail_error(GError *error);

/* For an input that could not be read: a limit is an answer (UNKNOWN, as text or JSON), anything else a mistake. */
int command_fail_reading(Command *command, GError *error);

/* EXIT_HOLDS when --engine, --relation and --order (as far as given; lists for compare) name what there is; else the
 * failure, told. */
int command_check_names(const Command *command);

/* Reads a net or compiles a program within the limits of the command; on failure says why, returns NULL, and
 * command->failure is the exit code: EXIT_UNKNOWN when a limit or a signal ended it. Unless --quiet or --json, says on
 * stderr what was read and what was ignored. */
Compiled *command_read(Command *command, const char *path);
/* The same; a coloured net is not expanded but handed over, and there is no net. */
Compiled *command_read_coloured(Command *command, const char *path, ColourNet **coloured);
/* The net alone. */
Net *command_read_net(Command *command, const char *path);

/* The same two through the library's own interface (api/mazurka.h), which check and unfold go through. */
mz_net *command_open(Command *command, const char *path);
/* For what the library refused: as command_fail_reading(). `word` (may be NULL) is that of an option whose value is the
 * file of the error. The error is freed. */
int command_fail_library(Command *command, mz_error *error, const char *word);
/* As command_budget(); the command keeps them, for command_end_limits(). */
mz_limits *command_limits(Command *command);
void command_end_limits(Command *command);

/* From --time, --memory, --max-events; with --threads 1 its parts are measured by work; SIGINT and SIGTERM set its stop
 * flag; progress goes to stderr when it is a terminal (or as --progress says). Call command_end_progress() before
 * printing results. */
Budget command_budget(Command *command);
/* The same; without --memory it ends at half of the machine's memory, for searches that may not notice that a net is
 * unbounded. */
Budget command_budget_of_half(Command *command);
void command_end_progress(void);
/* Results are printed, but more will be computed: limits are guarded again. */
void command_go_on(const Command *command);

/* A JSON object that already has net, command, version and options; the caller adds members, then
 * command_json_end() adds timing and peak_kib, prints it on one line and frees it. */
GString *command_json_begin(Command *command, const char *net_name);
/* Transition ids. */
void command_json_run(GString *json, const char *key, const Net *net, const uint32_t *run, size_t n);
void command_json_end(Command *command, GString *json);
