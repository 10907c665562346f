#include "native/build.h"

#include "base/error.h"
#include "base/machine.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char library[] = "libmazurka-run.a", mark[] = "mazurka runtime of C programs, 1";

bool build_is_source(const char *path)
{
    return g_str_has_suffix(path, ".c");
}

bool build_is_foreign(const char *path)
{
    static const char *const endings[] = {".cpp", ".cc", ".cxx", ".C", ".c++"};
    for (size_t i = 0; i < G_N_ELEMENTS(endings); i++)
        if (g_str_has_suffix(path, endings[i])) return true;
    return false;
}

bool build_is_program(const char *path)
{
    char start[4] = "";
    if (!g_file_test(path, G_FILE_TEST_IS_REGULAR)) return false; /* a pipe is not ours to open */
    FILE *file = fopen(path, "rb");
    bool elf = file && fread(start, 1, sizeof start, file) == sizeof start && memcmp(start, "\177ELF", 4) == 0;
    if (file) fclose(file);
    if (!elf) return false;
    g_autoptr(GMappedFile) bytes = g_mapped_file_new(path, FALSE, NULL);
    return bytes && memmem(g_mapped_file_get_contents(bytes), g_mapped_file_get_length(bytes), mark, sizeof mark - 1);
}

/* ---- the compiler ---- */

static void add_words(GPtrArray *words, char **given)
{
    for (char **word = given; word && *word; word++) g_ptr_array_add(words, g_strdup(*word));
}

static bool add_flags(GPtrArray *words, const char *flags, GError **error)
{
    g_auto(GStrv) parsed = NULL;
    if (!flags || !*flags) return true;
    if (!g_shell_parse_argv(flags, NULL, &parsed, error)) return false;
    add_words(words, parsed);
    return true;
}

static GPtrArray *compiler(GError **error)
{
    GPtrArray *words = g_ptr_array_new_with_free_func(g_free);
    const char *cc = g_getenv("MAZURKA_CC"); /* not CC: make gives that to us as our own name */
    if (add_flags(words, cc && *cc ? cc : "cc", error)) return words;
    g_ptr_array_unref(words);
    return NULL;
}

/* Without optimisation every local variable is accessed in memory; -O1 keeps lines and values. Calls stay calls: of
 * functions for the stacks that are told, of memcpy and the like for the accesses that they make. */
static void add_instrumentation(GPtrArray *words)
{
    static char *flags[] = {"-g",
                            "-O1",
                            "-fno-inline",
                            "-fno-builtin",
                            "-fno-omit-frame-pointer",
                            "-fno-optimize-sibling-calls",
                            "-fsanitize=thread",
                            "-U_FORTIFY_SOURCE", /* which has names of its own for memcpy and the like */
                            NULL};
    add_words(words, flags);
}

/* Beside the program, where it is built; in ../lib of it, where it is installed. */
static char *find_library(GError **error)
{
    static const char *const places[] = {".", "../lib", "../lib/mazurka", "../../lib"};
    g_autofree char *self = machine_own_program(), *folder = self ? g_path_get_dirname(self) : NULL;
    for (size_t i = 0; folder && i < G_N_ELEMENTS(places); i++) {
        char *path = g_build_filename(folder, places[i], library, NULL);
        if (g_file_test(path, G_FILE_TEST_EXISTS)) return path;
        g_free(path);
    }
    g_set_error(error, MAZURKA_ERROR, ERROR_IO, "%s is not installed beside mazurka, nor in ../lib from there",
                library);
    return NULL;
}

static bool add_runtime(GPtrArray *words, GError **error)
{
    /* src/run/strings.c */
    static const char *const wrapped[] = {
        "memcpy",  "memmove",  "memset",     "memcmp",      "strlen",   "strcpy",   "strncpy", "strcat", "strcmp",
        "strncmp", "strchr",   "strcasecmp", "strncasecmp", "memchr",   "strnlen",  "strncat", "stpcpy", "strrchr",
        "strstr",  "strspn",   "strcspn",    "strpbrk",     "strdup",   "atoi",     "atol",    "puts",   "fputs",
        "strndup", "strtok_r", "strtok",     "vsnprintf",   "vsprintf", "snprintf", "sprintf"};
    static char *flags[] = {"-pthread", "-ldl", "-Wl,-z,now", NULL};
    char *path = find_library(error);
    if (!path) return false;
    g_ptr_array_add(words, path);
    add_words(words, flags);
    for (size_t i = 0; i < G_N_ELEMENTS(wrapped); i++)
        g_ptr_array_add(words, g_strconcat("-Wl,--wrap=", wrapped[i], NULL));
    return true;
}

/* The compiler is a driver of other programs: all of them end together. */
static void lead_group(gpointer data)
{
    (void)data;
    setpgid(0, 0);
}

/* Its exit status; -1: it could not be run, or the budget ended before it. */
static int run(GPtrArray *words, Budget *budget, GError **error)
{
    enum { LOOK_US = 5000 };
    int status;
    GPid pid;
    GSpawnFlags flags = G_SPAWN_SEARCH_PATH | G_SPAWN_CHILD_INHERITS_STDIN | G_SPAWN_DO_NOT_REAP_CHILD;
    g_ptr_array_add(words, NULL);
    if (!g_spawn_async(NULL, (char **)words->pdata, NULL, flags, budget ? lead_group : NULL, NULL, &pid, error))
        return -1;
    pid_t ended;
    while ((ended = waitpid(pid, &status, budget ? WNOHANG : 0)) == 0 || (ended < 0 && errno == EINTR)) {
        if (ended < 0) continue;
        if (budget_look(budget)) {
            kill(-pid, SIGKILL);
            while (waitpid(pid, &status, 0) < 0 && errno == EINTR) continue;
            g_set_error(error, MAZURKA_ERROR, ERROR_SPENT, "the compiler did not end: %s", budget_text(budget));
            return -1;
        }
        g_usleep(LOOK_US);
    }
    return ended == pid && WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

/* A file that the compiler cannot take for an option or for a list of them. */
static char *file_word(const char *path)
{
    return *path == '-' || *path == '@' ? g_strconcat("./", path, NULL) : g_strdup(path);
}

static bool succeed(int status, const char *what, const char *file, GError **error)
{
    if (status > 0) g_set_error(error, MAZURKA_ERROR, ERROR_INPUT, "%s: %s; the compiler says why", file, what);
    return status == 0;
}

/* ---- whole programs ---- */

static bool compile(const char *source, const char *object, const BuildOptions *options, Budget *budget, GError **error)
{
    g_autoptr(GPtrArray) words = compiler(error);
    if (!words) return false;
    add_instrumentation(words);
    for (char **define = options->defines; define && *define; define++)
        g_ptr_array_add(words, g_strconcat("-D", *define, NULL));
    if (!add_flags(words, options->cflags, error)) return false;
    g_autofree char *file = file_word(source);
    char *last[] = {"-c", file, "-o", (char *)object, NULL};
    add_words(words, last);
    return succeed(run(words, budget, error), "it does not compile", source, error);
}

/* Absolute, whatever TMPDIR is: no word of the compiler's begins with it as an option does. */
static bool make_folder(Build *build, GError **error)
{
    g_autofree char *made = g_dir_make_tmp("mazurka-XXXXXX", error);
    *build = (Build){.folder = made ? g_canonicalize_filename(made, NULL) : NULL};
    return made;
}

/* What the messages of compiler and debugger would tear apart is refused, and what is no file to be read twice. */
static bool is_file(const char *source, GError **error)
{
    bool odd = false;
    for (const char *c = source; *c; c++) odd |= g_ascii_iscntrl(*c);
    const char *problem = odd                                        ? "a C file with control characters in its name"
                          : !g_file_test(source, G_FILE_TEST_EXISTS) ? "there is no such file"
                          : !g_file_test(source, G_FILE_TEST_IS_REGULAR) ? "a C program is an ordinary file"
                                                                         : NULL;
    if (problem) error_at(error, ERROR_INPUT, source, 0, 0, "%s", problem);
    return !problem;
}

bool build_sources(Build *build, char **sources, const BuildOptions *options, Budget *budget, GError **error)
{
    *build = (Build){0};
    for (char **source = sources; *source; source++)
        if (!is_file(*source, error)) return false;
    if (!make_folder(build, error)) return false;
    build->program = g_build_filename(build->folder, "program", NULL);
    g_autoptr(GPtrArray) link = compiler(error);
    if (!link) return false;
    char *out[] = {"-o", build->program, NULL};
    add_words(link, out);
    for (guint i = 0; sources[i]; i++) {
        char *object = g_strdup_printf("%s/%u.o", build->folder, i);
        g_ptr_array_add(link, object);
        if (!compile(sources[i], object, options, budget, error)) return false;
    }
    if (!add_runtime(link, error) || !add_flags(link, options->ldflags, error)) return false;
    g_ptr_array_add(link, g_strdup("-lm")); /* it costs nothing, and is forgotten often */
    return succeed(run(link, budget, error), "it does not link (a function that is not supported?)", sources[0], error);
}

void build_clear(Build *build)
{
    g_autoptr(GDir) folder = build->folder ? g_dir_open(build->folder, 0, NULL) : NULL;
    for (const char *name; folder && (name = g_dir_read_name(folder));) {
        g_autofree char *path = g_build_filename(build->folder, name, NULL);
        g_unlink(path);
    }
    if (build->folder) g_rmdir(build->folder);
    g_free(build->folder);
    g_free(build->program);
}

/* ---- the driver ---- */

static bool links(char **arguments)
{
    for (char **a = arguments; *a; a++)
        if (strcmp(*a, "-c") == 0 || strcmp(*a, "-S") == 0 || strcmp(*a, "-E") == 0 || strcmp(*a, "-M") == 0 ||
            strcmp(*a, "-MM") == 0 || strcmp(*a, "--version") == 0 || strcmp(*a, "-v") == 0)
            return false;
    return true;
}

/* What a checked program cannot consist of: its threads have one thread-local segment each, and C++ calls more. */
static const char *unsupported(char **arguments)
{
    for (char **a = arguments; *a; a++) {
        if (strcmp(*a, "-shared") == 0)
            return "-shared: shared libraries are not supported; link their files into the program";
        if (strcmp(*a, "-static") == 0)
            return "-static: the program is checked with the system's shared C library; leave this option out";
        if (build_is_foreign(*a)) return "this is C++ by its name; C programs are supported, C++ is not";
    }
    return NULL;
}

static int drive_compiler(char **arguments, GError **error)
{
    g_autoptr(GPtrArray) words = compiler(error);
    if (!words) return -1;
    add_instrumentation(words);
    add_words(words, arguments);
    return run(words, NULL, error);
}

/* Words that go with compiling as well as with linking: all but sources and the output. */
static void add_shared(GPtrArray *words, char **arguments)
{
    for (char **a = arguments; *a; a++) {
        if (strcmp(*a, "-o") == 0 && a[1])
            a++;
        else if (**a == '-' && !g_str_has_prefix(*a, "-l") && !g_str_has_prefix(*a, "-Wl,"))
            g_ptr_array_add(words, g_strdup(*a));
        if ((strcmp(*a, "-I") == 0 || strcmp(*a, "-D") == 0 || strcmp(*a, "-include") == 0) && a[1])
            g_ptr_array_add(words, g_strdup(*++a));
    }
}

static int drive_source(const char *source, const char *object, char **arguments, GError **error)
{
    g_autoptr(GPtrArray) words = compiler(error);
    if (!words) return -1;
    add_instrumentation(words);
    add_shared(words, arguments);
    char *last[] = {"-c", (char *)source, "-o", (char *)object, NULL};
    add_words(words, last);
    return run(words, NULL, error);
}

/* Sources among the arguments are compiled first: in one command the compiler would link its own runtime. */
static int drive_linker(char **arguments, Build *build, GError **error)
{
    g_autoptr(GPtrArray) link = compiler(error);
    guint n = 0;
    if (!link) return -1;
    for (char **a = arguments; *a; a++) {
        if (!build_is_source(*a)) {
            if (strcmp(*a, "-fsanitize=thread") != 0) g_ptr_array_add(link, g_strdup(*a));
            continue;
        }
        char *object = g_strdup_printf("%s/%u.o", build->folder, n++);
        g_ptr_array_add(link, object);
        int status = drive_source(*a, object, arguments, error);
        if (status) return status;
    }
    return add_runtime(link, error) ? run(link, NULL, error) : -1;
}

int build_drive(char **arguments, GError **error)
{
    if (g_getenv("MAZURKA_CC_RUNS")) {
        g_set_error(error, MAZURKA_ERROR, ERROR_USAGE,
                    "mazurka cc is asked to run itself: MAZURKA_CC must name a C compiler");
        return -1;
    }
    const char *problem = unsupported(arguments);
    if (problem) {
        g_set_error(error, MAZURKA_ERROR, ERROR_USAGE, "cc: %s", problem);
        return -1;
    }
    g_setenv("MAZURKA_CC_RUNS", "1", TRUE);
    if (!links(arguments)) return drive_compiler(arguments, error);
    Build build;
    int status = make_folder(&build, error) ? drive_linker(arguments, &build, error) : -1;
    build_clear(&build);
    return status;
}
