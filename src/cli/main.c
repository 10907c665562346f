#include "cli/arguments.h"

#include "base/visible.h"
#include "cli/files.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int (*const run[])(Command *) = {
#define COMMAND(constant, name, arguments, help) command_##name,
#include "cli/commands.def"
#undef COMMAND
};

/* `mazurka batch-report` is implemented by command_batch_report(). */
static bool same_name(const char *given, const char *name)
{
    for (; *given && *name; given++, name++)
        if (*given != (*name == '_' ? '-' : *name)) return false;
    return *given == *name;
}

static void print_name(const char *name, int width)
{
    g_autofree char *shown = g_strdelimit(g_strdup(name), "_", '-');
    visible_print(stdout, "  %-*s", width, shown);
}

static int print_help(void)
{
    puts("usage: mazurka COMMAND [OPTION...] ARGUMENT...\n\n"
         "Unfolds Petri nets, explores them with partial-order reduction, and answers reachability and\n"
         "deadlock questions with evidence. A NET is a PNML, ll_net or program file; - is standard input.\n");
    for (CommandId id = 0; id < N_COMMANDS; id++) {
        print_name(arguments_command_name(id), 13);
        visible_print(stdout, " %s\n", arguments_command_help(id));
    }
    puts("\n`mazurka COMMAND --help` lists a command's options; `man mazurka` says more.\n"
         "Exit: 0 holds or done, 1 violated, 2 unknown, 3 bad input or usage, 4 internal error.");
    return EXIT_HOLDS;
}

/* For the shell's completion: the commands, or one command's options. */
static int print_words(const char *command)
{
    for (CommandId id = 0; id < N_COMMANDS; id++) {
        if (!command) {
            print_name(arguments_command_name(id), 0);
            putchar('\n');
        } else if (same_name(command, arguments_command_name(id))) {
            arguments_print_words(id);
        }
    }
    return EXIT_HOLDS;
}

static int run_command(CommandId id, int argc, char **argv, double started)
{
    g_autofree char *name = g_strdelimit(g_strdup(arguments_command_name(id)), "_", '-');
    Command command = {.id = id, .name = name, .started = started};
    g_autofree char *help = NULL;
    GError *error = NULL;
    int code = EXIT_HOLDS;
    if (!arguments_parse(&command, argc, argv, &help, &error))
        code = command_fail_error(error);
    else if (help)
        fputs(help, stdout);
    else if ((code = files_check(&command)) == EXIT_HOLDS)
        code = run[id](&command);
    arguments_clear(&command);
    return code;
}

static int run_main(int argc, char **argv, double started)
{
    if (argc < 2) {
        print_help();
        return EXIT_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "help") == 0)
        return print_help();
    if (strcmp(argv[1], "--version") == 0) {
        puts("mazurka " PACKAGE_VERSION);
        return EXIT_HOLDS;
    }
    if (strcmp(argv[1], "--words") == 0) return print_words(argc > 2 ? argv[2] : NULL);
    for (CommandId id = 0; id < N_COMMANDS; id++)
        if (same_name(argv[1], arguments_command_name(id))) return run_command(id, argc - 1, argv + 1, started);
    return command_fail("there is no command '%s'; `mazurka --help` lists them", argv[1]);
}

/* A file opened later must not become a closed standard stream, where results would be written into it. The stand-ins
 * fail when they are used: standard input is open for writing only, the others for reading only. */
static void occupy_standard_streams(void)
{
    for (int fd = 0; fd <= 2; fd++)
        if (fcntl(fd, F_GETFD) == -1 && open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY) != fd) _exit(EXIT_USAGE);
}

int main(int argc, char **argv)
{
    double started = budget_now();
    occupy_standard_streams();
    setlocale(LC_CTYPE, "");
    int code = run_main(argc, argv, started);
    /* a result that nobody could read is no success; other failures have told their reason */
    bool failed = ferror(stdout);
    errno = 0;
    if ((fflush(stdout) != 0 || failed) && code != EXIT_USAGE && code != EXIT_INTERNAL)
        code = command_fail("standard output cannot be written%s%s", errno ? ": " : "", errno ? g_strerror(errno) : "");
    return code;
}
