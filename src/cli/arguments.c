#include "cli/arguments.h"

#include "base/error.h"
#include "base/nearest.h"
#include "base/visible.h"
#include "batch/task.h"
#include "lts/relation.h"
#include "unfold/order.h"
#include "verify/engine.h"

#include <stdio.h>
#include <string.h>

#define FOR(constant) (1u << COMMAND_##constant)
#define EVERY (~0u)
#define NOT_GEN (EVERY & ~FOR(GEN))
#define READING (NOT_GEN & ~FOR(BATCH_REPORT))
#define COMPUTING (EVERY & ~(FOR(GEN) | FOR(CONVERT) | FOR(COMPILE) | FOR(REPLAY) | FOR(BATCH_REPORT)))

/* More than any run lasts or any machine has; products of smaller numbers stay far from overflow. */
static const double largest_real = 1e9;

static const struct {
    const char *name, *arguments, *help;
} commands[] = {
#define COMMAND(constant, name, arguments, help) {#name, arguments, help},
#include "cli/commands.def"
#undef COMMAND
};

typedef enum {
    KIND_FLAG,
    KIND_STRING,
    KIND_OPTIONAL,
    KIND_STRINGS,
    KIND_INTEGER,
    KIND_COUNT,
    KIND_REAL,
    KIND_INPUT,
    KIND_OUTPUT,
    KIND_CHOICE
} Kind;

/* What other tables list. */
static const char relations_help[] = "independence relation:"
#define RELATION(constant, name, traits, help) " " name
#include "lts/relations.def"
#undef RELATION
                                     ":PATH; " RELATION_CONDITIONAL " with cdpor";
static const char orders_help[] = "adequate order:"
#define ORDER(constant, name, total, help) " " name
#include "unfold/orders.def"
#undef ORDER
    ;
static const char engines_help[] = "one engine alone, or several between commas:"
#define ENGINE(name, kind, techniques, help) " " #name
#include "verify/engines.def"
#undef ENGINE
    ;
static const char algorithm_words[] =
#define ALGORITHM(constant, name, help) "|" name
#include "explore/algorithms.def"
#undef ALGORITHM
    ;
/* And what it says of each, for the end of --help. */
static const struct {
    const char *option, *name, *help;
} explained[] = {
#define ENGINE(name, kind, techniques, help) {"engine", #name, help},
#include "verify/engines.def"
#undef ENGINE
#define RELATION(constant, name, traits, help) {"relation", name, help},
#include "lts/relations.def"
#undef RELATION
#define ORDER(constant, name, total, help) {"order", name, help},
#include "unfold/orders.def"
#undef ORDER
};
static const char algorithms_help[] = "how; on nets whose runs end, one of"
#define ALGORITHM(constant, name, help) " " name " (" help ")"
#include "explore/algorithms.def"
#undef ALGORITHM
                                      ", on others the first";

static const struct {
    const char *name;
    char letter;
    Kind kind;
    size_t offset;
    const char *argument, *help;
    unsigned commands;
} all[] = {
#define OPTION(member, name, letter, kind, argument, cmds, help)                                                       \
    {name, letter, KIND_##kind, offsetof(Options, member), argument, help, cmds},
#include "cli/options.def"
#undef OPTION
};

typedef struct Parse {
    Options *options;
    bool given[G_N_ELEMENTS(all)];
    bool help;
} Parse;

const char *arguments_command_name(CommandId id)
{
    return commands[id].name;
}

const char *arguments_command_help(CommandId id)
{
    return commands[id].help;
}

void arguments_print_words(CommandId id)
{
    for (size_t i = 0; i < G_N_ELEMENTS(all); i++)
        if (all[i].commands >> id & 1) visible_print(stdout, "--%s\n", all[i].name);
}

/* Lists that other tables have. */
static char *names_of(const char *option)
{
    if (strcmp(option, "relation") == 0) return relation_names(0);
    if (strcmp(option, "order") == 0) return order_names();
    if (strcmp(option, "engine") == 0) return engine_names();
    if (strcmp(option, "algorithms") == 0) return g_strdup(algorithm_words + 1);
    if (strcmp(option, "examination") == 0 || strcmp(option, "examinations") == 0) return task_examinations();
    return NULL;
}

void arguments_print_values(CommandId id, const char *option)
{
    for (size_t i = 0; i < G_N_ELEMENTS(all); i++) {
        if (!(all[i].commands >> id & 1) || strcmp(all[i].name, option) != 0) continue;
        g_autofree char *names = all[i].kind == KIND_CHOICE ? g_strdup(all[i].argument) : names_of(option);
        g_auto(GStrv) list = g_strsplit_set(names ? names : "", ",| ", -1);
        for (char **name = list; *name; name++)
            if (**name) visible_print(stdout, "%s\n", *name);
    }
}

static size_t find(const char *given)
{
    for (size_t i = 0; i < G_N_ELEMENTS(all); i++) {
        bool is_long = g_str_has_prefix(given, "--");
        if (is_long ? strcmp(given + 2, all[i].name) == 0 : all[i].letter && given[1] == all[i].letter) return i;
    }
    g_assert_not_reached();
}

char *arguments_word(const char *option, unsigned choice)
{
    g_autofree char *given = g_strconcat("--", option, NULL);
    g_auto(GStrv) words = g_strsplit(all[find(given)].argument, "|", -1);
    g_assert(choice >= 1 && choice <= g_strv_length(words));
    return g_strdup(words[choice - 1]);
}

static bool set_integer(size_t i, const char *value, gint64 *member, GError **error)
{
    /* counts fit in 32 bits, as ids do */
    gint64 least = all[i].kind == KIND_COUNT, most = all[i].kind == KIND_COUNT ? UINT32_MAX : INT64_MAX;
    if (g_ascii_string_to_signed(value, 10, least, most, member, NULL)) return true;
    g_set_error(error, MAZURKA_ERROR, ERROR_USAGE,
                "--%s is a whole number from %" G_GINT64_FORMAT " to %" G_GINT64_FORMAT ", not '%s'", all[i].name,
                least, most, value);
    return false;
}

static bool set_real(size_t i, const char *value, double *member, GError **error)
{
    char *end;
    *member = g_ascii_strtod(value, &end);
    /* the comparison is false for a NaN */
    if (end != value && !*end && !g_ascii_isspace(*value) && *member > 0 && *member <= largest_real) return true;
    g_set_error(error, MAZURKA_ERROR, ERROR_USAGE, "--%s is a number above 0 and at most %g, not '%s'", all[i].name,
                largest_real, value);
    return false;
}

static void add_string(char ***member, const char *value)
{
    guint n = *member ? g_strv_length(*member) : 0;
    *member = g_renew(char *, *member, n + 2);
    (*member)[n] = g_strdup(value);
    (*member)[n + 1] = NULL;
}

static bool set_string(size_t i, const char *value, char **member, GError **error)
{
    if (!*value) {
        g_set_error(error, MAZURKA_ERROR, ERROR_USAGE, "--%s is empty", all[i].name);
        return false;
    }
    *member = g_strdup(value);
    return true;
}

static bool set_choice(size_t i, const char *value, unsigned *member, GError **error)
{
    g_auto(GStrv) words = g_strsplit(all[i].argument, "|", -1);
    for (*member = 1; words[*member - 1]; ++*member)
        if (strcmp(words[*member - 1], value) == 0) return true;
    g_autofree char *list = g_strjoinv(", ", words);
    g_set_error(error, MAZURKA_ERROR, ERROR_USAGE, "--%s is one of %s, not '%s'", all[i].name, list, value);
    return false;
}

static gboolean on_option(const char *name, const char *value, void *data, GError **error)
{
    Parse *parse = data;
    size_t i = find(name);
    void *member = (char *)parse->options + all[i].offset;
    if (parse->given[i] && all[i].kind != KIND_STRINGS && all[i].kind != KIND_FLAG) {
        g_set_error(error, MAZURKA_ERROR, ERROR_USAGE, "--%s is given twice", all[i].name);
        return FALSE;
    }
    parse->given[i] = true;
    switch (all[i].kind) {
    case KIND_FLAG: *(gboolean *)member = TRUE; return TRUE;
    case KIND_STRING:
    case KIND_INPUT:
    case KIND_OUTPUT: return set_string(i, value, member, error);
    case KIND_STRINGS: add_string(member, value); return TRUE;
    case KIND_OPTIONAL: *(char **)member = g_strdup(value ? value : ""); return TRUE;
    case KIND_INTEGER:
    case KIND_COUNT: return set_integer(i, value, member, error);
    case KIND_REAL: return set_real(i, value, member, error);
    case KIND_CHOICE: return set_choice(i, value, member, error);
    }
    return FALSE;
}

static gboolean on_help(const char *name, const char *value, void *data, GError **error)
{
    (void)name, (void)value, (void)error;
    ((Parse *)data)->help = true;
    return TRUE;
}

static bool has_option(CommandId id, const char *name)
{
    for (size_t i = 0; i < G_N_ELEMENTS(all); i++)
        if (strcmp(all[i].name, name) == 0) return all[i].commands >> id & 1;
    g_assert_not_reached();
}

/* What the names mean that the command's options may have. */
static char *names_explained(CommandId id)
{
    GString *text = g_string_new(NULL);
    const char *option = "";
    for (size_t i = 0; i < G_N_ELEMENTS(explained); i++) {
        if (!has_option(id, explained[i].option)) continue;
        if (strcmp(option, explained[i].option) != 0)
            g_string_append_printf(text, "%s--%s:\n", *option ? "\n" : "", explained[i].option);
        option = explained[i].option;
        g_string_append_printf(text, "  %-12s %s\n", explained[i].name, explained[i].help);
    }
    return g_string_free(text, FALSE);
}

static GOptionContext *context_new(CommandId id, Parse *parse)
{
    GOptionEntry entries[G_N_ELEMENTS(all) + 2] = {
        {"help", 'h', G_OPTION_FLAG_NO_ARG, G_OPTION_ARG_CALLBACK, (void *)on_help, "print this text", NULL}};
    size_t n = 1;
    for (size_t i = 0; i < G_N_ELEMENTS(all); i++) {
        if (!(all[i].commands >> id & 1)) continue;
        int flags = all[i].kind == KIND_FLAG ? G_OPTION_FLAG_NO_ARG : G_OPTION_FLAG_FILENAME;
        if (all[i].kind == KIND_OPTIONAL) flags |= G_OPTION_FLAG_OPTIONAL_ARG;
        entries[n++] = (GOptionEntry){all[i].name,       all[i].letter, flags,          G_OPTION_ARG_CALLBACK,
                                      (void *)on_option, all[i].help,   all[i].argument};
    }
    g_autofree char *parameters = g_strdup_printf("%s  - %s", commands[id].arguments, commands[id].help);
    g_autofree char *name = g_strdelimit(g_strdup(commands[id].name), "_", '-');
    g_autofree char *program = g_strdup_printf("mazurka %s", name);
    g_set_prgname(program);
    GOptionContext *context = g_option_context_new(parameters);
    GOptionGroup *group = g_option_group_new("", "", "", parse, NULL);
    g_option_group_add_entries(group, entries);
    g_option_context_set_main_group(context, group);
    g_option_context_set_help_enabled(context, FALSE);
    g_autofree char *names = names_explained(id);
    if (*names) g_option_context_set_description(context, names);
    return context;
}

/* A word that is only "" would be a file name that nobody means. */
static bool check_rest(const Command *command, GError **error)
{
    for (int i = 0; i < command->n_arguments; i++)
        if (!*command->arguments[i]) {
            g_set_error(error, MAZURKA_ERROR, ERROR_USAGE, "an argument is empty");
            return false;
        }
    return true;
}

/* -D N=1 -D N=2 is a mistake; a missing "=" is told by the compiler, with the names that there are. */
static bool check_defines(char **defines, GError **error)
{
    for (char **d = defines; d && *d; d++) {
        size_t length = strcspn(*d, "=") + 1;
        for (char **e = defines; e < d; e++)
            if (strncmp(*d, *e, length) == 0) {
                g_set_error(error, MAZURKA_ERROR, ERROR_USAGE, "-D gives %.*s two values", (int)length - 1, *d);
                return false;
            }
    }
    return true;
}

/* `compare --algorithms NET`: a word that names no algorithm is an argument, not the option's list. */
static void leave_argument(char **argv)
{
    static char alone[] = "--algorithms=";
    size_t length = strlen(alone) - 1;
    for (; *argv && argv[1] && strcmp(*argv, "--") != 0; argv++) {
        if (strlen(*argv) != length || strncmp(*argv, alone, length) != 0) continue;
        g_auto(GStrv) names = g_strsplit(algorithm_words + 1, "|", -1), parts = g_strsplit(argv[1], ",", -1);
        bool list = false;
        for (char **part = parts; *part; part++) list |= g_strv_contains((const char *const *)names, *part);
        if (!list) *argv = alone;
    }
}

/* The word behind an option that may stand alone, when it is one of its own. */
static char **word_after_optional(const Command *command, int argc, char **argv)
{
    for (int k = 1; k + 1 < argc; k++) {
        if (!g_str_has_prefix(argv[k], "--") || argv[k + 1][0] == '-') continue;
        for (size_t i = 0; i < G_N_ELEMENTS(all); i++)
            if (all[i].kind == KIND_OPTIONAL && all[i].commands >> command->id & 1 &&
                strcmp(argv[k] + 2, all[i].name) == 0)
                return &argv[k + 1];
    }
    return NULL;
}

/* `check --live NET`: when nothing else is left, what was taken for the value of such an option is the argument. */
static void give_back(Command *command, char **argv, char *word)
{
    if (!word || command->n_arguments) return;
    for (size_t i = 0; i < G_N_ELEMENTS(all); i++) {
        char **member = (char **)((char *)&command->options + all[i].offset);
        if (all[i].kind != KIND_OPTIONAL || !*member || strcmp(*member, word) != 0) continue;
        **member = 0;
        argv[1] = word;
        argv[2] = NULL;
        command->n_arguments = 1;
        return;
    }
}

/* Which of the words is no option of the command, what was meant, and whose it is. */
static void explain_unknown(CommandId id, char *const *words, GError **error)
{
    for (; *words && strcmp(*words, "--") != 0; words++) {
        if (!g_str_has_prefix(*words, "--")) continue;
        g_autofree char *name = g_strndup(*words + 2, strcspn(*words + 2, "="));
        Nearest nearest = {0};
        bool known = strcmp(name, "help") == 0, elsewhere = false;
        for (size_t i = 0; i < G_N_ELEMENTS(all); i++) {
            bool own = all[i].commands >> id & 1, same = strcmp(all[i].name, name) == 0;
            known |= own && same;
            elsewhere |= same;
            if (own) nearest_offer(&nearest, name, all[i].name);
        }
        if (known) continue;
        g_autofree char *near = nearest.name && nearest.distance <= 1 + strlen(name) / 4
                                    ? g_strdup_printf("; did you mean --%s?", nearest.name)
                                    : g_strdup(elsewhere ? ", which other commands have" : "");
        g_clear_error(error);
        g_set_error(error, MAZURKA_ERROR, ERROR_USAGE, "unknown option --%s%s", name, near);
        return;
    }
}

bool arguments_parse(Command *command, int argc, char **argv, char **help, GError **error)
{
    g_auto(GStrv) words = g_strdupv(argv);
    Parse parse = {.options = &command->options};
    g_autoptr(GOptionContext) context = context_new(command->id, &parse);
    leave_argument(argv);
    char **after = word_after_optional(command, argc, argv), *word = after ? *after : NULL;
    bool ok = g_option_context_parse(context, &argc, &argv, error);
    if (!ok && !parse.help && g_error_matches(*error, G_OPTION_ERROR, G_OPTION_ERROR_UNKNOWN_OPTION))
        explain_unknown(command->id, words + 1, error);
    if (parse.help) {
        g_clear_error(error);
        *help = g_option_context_get_help(context, TRUE, NULL);
        return true;
    }
    bool marked = argc > 1 && strcmp(argv[1], "--") == 0; /* stays there before words with a dash */
    command->arguments = argv + 1 + marked;
    command->n_arguments = argc - 1 - marked;
    if (ok) give_back(command, argv, word);
    ok = ok && check_rest(command, error) && check_defines(command->options.define, error);
    if (!ok) g_prefix_error(error, "%s: ", strchr(g_get_prgname(), ' ') + 1);
    return ok;
}

char **arguments_files(const Command *command, bool written)
{
    g_autoptr(GStrvBuilder) paths = g_strv_builder_new();
    for (size_t i = 0; i < G_N_ELEMENTS(all); i++) {
        if (all[i].kind != (written ? KIND_OUTPUT : KIND_INPUT)) continue;
        const char *path = *(char *const *)((const char *)&command->options + all[i].offset);
        if (path) g_strv_builder_add(paths, path);
    }
    return g_strv_builder_end(paths);
}

#define OPTION_FREE_FLAG(value)
#define OPTION_FREE_INTEGER(value)
#define OPTION_FREE_COUNT(value)
#define OPTION_FREE_REAL(value)
#define OPTION_FREE_CHOICE(value)
#define OPTION_FREE_STRING(value) g_free(value);
#define OPTION_FREE_OPTIONAL(value) g_free(value);
#define OPTION_FREE_INPUT(value) g_free(value);
#define OPTION_FREE_OUTPUT(value) g_free(value);
#define OPTION_FREE_STRINGS(value) g_strfreev(value);

void arguments_clear(Command *command)
{
#define OPTION(member, name, letter, kind, argument, cmds, help) OPTION_FREE_##kind(command->options.member)
#include "cli/options.def"
#undef OPTION
    command->options = (Options){0};
}
