#include "cli/command.h"

#include <locale.h>
#include <stdio.h>
#include <string.h>

#define FOR(constant) (1u << COMMAND_##constant)
#define EVERY (~0u)

static const struct {
    const char *name, *arguments, *help;
    int (*run)(Command *);
} commands[] = {
#define COMMAND(constant, name, arguments, help) {#name, arguments, help, command_##name},
#include "cli/commands.def"
#undef COMMAND
};

#define OPTION_ARG_FLAG G_OPTION_ARG_NONE
#define OPTION_ARG_STRING G_OPTION_ARG_STRING
#define OPTION_ARG_STRINGS G_OPTION_ARG_STRING_ARRAY
#define OPTION_ARG_INTEGER G_OPTION_ARG_INT64
#define OPTION_ARG_REAL G_OPTION_ARG_DOUBLE

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
    printf("  %-*s", width, shown);
}

static int print_help(void)
{
    puts("usage: mazurka COMMAND [OPTION...] ARGUMENT...\n\n"
         "Unfolds Petri nets, explores them with partial-order reduction, and answers reachability and\n"
         "deadlock questions with evidence. A NET is a PNML, ll_net or program file; - is standard input.\n");
    for (size_t i = 0; i < G_N_ELEMENTS(commands); i++) {
        print_name(commands[i].name, 13);
        printf(" %s\n", commands[i].help);
    }
    puts("\n`mazurka COMMAND --help` lists a command's options; `man mazurka` says more.\n"
         "Exit: 0 holds or done, 1 violated, 2 unknown, 3 bad input or usage, 4 internal error.");
    return EXIT_HOLDS;
}

/* For the shell's completion: the commands, or one command's options. */
static int print_words(const char *command)
{
    static const struct {
        const char *name;
        unsigned commands;
    } options[] = {
#define OPTION(member, name, letter, kind, argument, cmds, help) {"--" name, cmds},
#include "cli/options.def"
#undef OPTION
    };
    for (size_t i = 0; i < G_N_ELEMENTS(commands); i++) {
        if (!command) {
            print_name(commands[i].name, 0);
            putchar('\n');
        } else if (same_name(command, commands[i].name)) {
            for (size_t k = 0; k < G_N_ELEMENTS(options); k++)
                if (options[k].commands >> i & 1) puts(options[k].name);
        }
    }
    return EXIT_HOLDS;
}

static GOptionContext *option_context(CommandId id, Options *options)
{
    const struct {
        GOptionEntry entry;
        unsigned commands;
    } all[] = {
#define OPTION(member, name, letter, kind, argument, cmds, help) \
    {{name, letter, 0, OPTION_ARG_##kind, &options->member, help, argument}, cmds},
#include "cli/options.def"
#undef OPTION
    };
    GOptionEntry entries[G_N_ELEMENTS(all) + 1] = {0};
    size_t n = 0;
    for (size_t i = 0; i < G_N_ELEMENTS(all); i++)
        if (all[i].commands >> id & 1) entries[n++] = all[i].entry;
    g_autofree char *name = g_strdelimit(g_strdup(commands[id].name), "_", '-');
    g_autofree char *usage = g_strdup_printf("- %s", commands[id].help);
    g_autofree char *parameters = g_strdup_printf("%s  %s", commands[id].arguments, usage);
    g_autofree char *program = g_strdup_printf("mazurka %s", name);
    g_set_prgname(program);
    GOptionContext *context = g_option_context_new(parameters);
    g_option_context_add_main_entries(context, entries, NULL);
    return context;
}

#define OPTION_FREE_FLAG(value)
#define OPTION_FREE_INTEGER(value)
#define OPTION_FREE_REAL(value)
#define OPTION_FREE_STRING(value) g_free(value);
#define OPTION_FREE_STRINGS(value) g_strfreev(value);

static void free_options(Options *options)
{
#define OPTION(member, name, letter, kind, argument, cmds, help) OPTION_FREE_##kind(options->member)
#include "cli/options.def"
#undef OPTION
}

static int run_command(CommandId id, int argc, char **argv, double started)
{
    Command command = {.id = id, .name = commands[id].name, .started = started};
    g_autoptr(GOptionContext) context = option_context(id, &command.options);
    GError *error = NULL;
    if (!g_option_context_parse(context, &argc, &argv, &error)) {
        g_prefix_error(&error, "%s: ", command.name);
        return command_fail_error(error);
    }
    command.arguments = argv + 1;
    command.n_arguments = argc - 1;
    int code = commands[id].run(&command);
    free_options(&command.options);
    return code;
}

int main(int argc, char **argv)
{
    double started = budget_now();
    setlocale(LC_CTYPE, "");
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
    for (size_t i = 0; i < G_N_ELEMENTS(commands); i++)
        if (same_name(argv[1], commands[i].name)) return run_command((CommandId)i, argc - 1, argv + 1, started);
    return command_fail("there is no command '%s'; `mazurka --help` lists them", argv[1]);
}
