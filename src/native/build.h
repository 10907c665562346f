/* From C files to a program that explores itself: each file is compiled with -fsanitize=thread, whose calls the runtime
 * (src/run, installed as libmazurka-run.a) answers instead of the sanitizer's own. The compiler is $MAZURKA_CC, or cc.
 * What is built lies in a folder of its own under the temporary one and is removed with the Build. */
#pragma once
#include "base/budget.h"

typedef struct Build {
    char *folder;  /* NULL: nothing was built */
    char *program; /* the executable */
} Build;

/* A file that is a C source by its name, or a program that was linked with the runtime. */
bool build_is_source(const char *path);
/* C++ by its name, which is not supported. */
bool build_is_foreign(const char *path);
bool build_is_program(const char *path);

/* All may be NULL. */
typedef struct BuildOptions {
    char **defines;               /* NAME=VALUE */
    const char *cflags, *ldflags; /* words between blanks, quoted as in a shell */
} BuildOptions;

/* Compiles and links; on failure the compiler has said why on standard error. A budget that ends, ends the compiler. */
bool build_sources(Build *build, char **sources, const BuildOptions *options, Budget *budget, GError **error);
void build_clear(Build *build);

/* The compiler driver: does what the compiler does with these arguments (NULL-terminated), with instrumentation and
 * runtime added. Returns its exit status, -1 with an error when it could not be run. */
int build_drive(char **arguments, GError **error);
