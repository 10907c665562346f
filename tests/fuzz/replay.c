/* Replays inputs through the fuzz targets without libFuzzer: replay [TARGET FILE...], or the whole corpus of every
 * target when called without arguments. Each file is also tried with its end cut off and with single bytes changed. */
#include "fuzz.h"

#include <glib.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int n_runs;

static void run(FuzzTarget target, const char *data, size_t size)
{
    /* An exact copy, so that a sanitizer sees the first byte past the end. */
    uint8_t *copy = malloc(size ? size : 1);
    memcpy(copy, data, size);
    target(copy, size);
    free(copy);
    n_runs++;
}

static void run_variants(FuzzTarget target, char *data, size_t size)
{
    run(target, data, size);
    size_t step = size / 40 + 1;
    for (size_t i = 0; i < size; i += step) {
        run(target, data, i);
        char kept = data[i];
        static const char others[] = {0, '"', '<', '9', '\xff', '\n'};
        data[i] = others[(i / step) % sizeof others];
        run(target, data, size);
        data[i] = kept;
    }
}

static bool run_file(FuzzTarget target, const char *path)
{
    g_autofree char *data = NULL;
    gsize size;
    GError *error = NULL;
    if (!g_file_get_contents(path, &data, &size, &error)) {
        fprintf(stderr, "%s\n", error->message);
        g_error_free(error);
        return false;
    }
    run_variants(target, data, size);
    return true;
}

static bool run_corpus(const char *name)
{
    g_autofree char *folder = g_build_filename(g_getenv("SRCDIR"), "tests", "fuzz", "corpus", name, NULL);
    GDir *dir = g_dir_open(folder, 0, NULL);
    if (!dir) {
        fprintf(stderr, "no corpus in %s\n", folder);
        return false;
    }
    int n = 0;
    bool ok = true;
    const char *file;
    while ((file = g_dir_read_name(dir))) {
        g_autofree char *path = g_build_filename(folder, file, NULL);
        ok &= run_file(fuzz_target(name), path);
        n++;
    }
    g_dir_close(dir);
    printf("%s: %d files\n", name, n);
    return ok && n > 0;
}

int main(int argc, char **argv)
{
    bool ok = true;
    int passed = 0, failed = 0;
    if (argc > 2) {
        FuzzTarget target = fuzz_target(argv[1]);
        if (!target) return fprintf(stderr, "no target %s\n", argv[1]), 2;
        for (int i = 2; i < argc; i++) ok &= run_file(target, argv[i]);
        return ok ? 0 : 1;
    }
#define TARGET(name) run_corpus(#name) ? passed++ : failed++;
#include "targets.def"
#undef TARGET
    printf("%d inputs\n%d passed, %d failed\n", n_runs, passed, failed);
    return failed ? 1 : 0;
}
