#include "cli/arguments.h"

#include "base/nearest.h"
#include "base/visible.h"
#include "cli/files.h"
#include "net/formats.h"
#include "net/gen.h"

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
         "deadlock questions with evidence. A NET is a file in one of the formats below or a program;\n"
         "- is standard input.\n");
    for (CommandId id = 0; id < N_COMMANDS; id++) {
        print_name(arguments_command_name(id), 13);
        visible_print(stdout, " %s\n", arguments_command_help(id));
    }
    g_autofree char *read = format_list_names(), *written = format_list_written();
    visible_print(stdout, "\nFormats: %s; written by ending: %s\n", read, written);
    puts("`mazurka COMMAND --help` lists a command's options; `man mazurka` says more.\n"
         "Exit: 0 holds or done, 1 violated, 2 unknown, 3 bad input or usage, 4 internal error.");
    return EXIT_HOLDS;
}

/* What may stand where gen has its first argument. */
static void print_families(void)
{
    size_t n;
    const GenFamily *families = gen_families(&n);
    for (size_t i = 0; i < n; i++) visible_print(stdout, "%s\n", families[i].name);
}

/* For the shell's completion: the commands, one command's options, or the values of an option ("" : of an argument). */
static int print_words(const char *command, const char *option)
{
    for (CommandId id = 0; id < N_COMMANDS; id++) {
        if (!command) {
            print_name(arguments_command_name(id), 0);
            putchar('\n');
        } else if (same_name(command, arguments_command_name(id))) {
            if (option && g_str_has_prefix(option, "--"))
                arguments_print_values(id, option + 2);
            else if (option && id == COMMAND_GEN)
                print_families();
            else if (!option)
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
    if (id == COMMAND_CC && argc > 1 && strcmp(argv[1], "--help") != 0) { /* all options are the compiler's */
        command.arguments = argv + 1;
        command.n_arguments = argc - 1;
        code = run[id](&command);
    } else if (!arguments_parse(&command, argc, argv, &help, &error))
        code = command_fail_error(error);
    else if (help)
        fputs(help, stdout);
    else if ((code = files_check(&command)) == EXIT_HOLDS)
        code = run[id](&command);
    arguments_clear(&command);
    command_end_limits(&command);
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
    if (strcmp(argv[1], "--words") == 0) return print_words(argc > 2 ? argv[2] : NULL, argc > 3 ? argv[3] : NULL);
    for (CommandId id = 0; id < N_COMMANDS; id++)
        if (same_name(argv[1], arguments_command_name(id))) return run_command(id, argc - 1, argv + 1, started);
    Nearest nearest = {0};
    for (CommandId id = 0; id < N_COMMANDS; id++) nearest_offer(&nearest, argv[1], arguments_command_name(id));
    g_autofree char *hint = g_strdelimit(nearest_hint(&nearest, argv[1]), "_", '-');
    return command_fail("there is no command '%s'%s `mazurka --help` lists them", argv[1], *hint ? hint : ";");
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
