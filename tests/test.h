/* Shared by the Check programs: one suite, forked tests, exit status for automake, and where the
 * optional corpus is. */
#pragma once
#if !__has_include(<check.h>)
#error "Check is not installed: apt-get install check, then configure again"
#endif
#include <check.h>
#include <glib.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* The optional corpus of nets with known figures: MAZURKA_CORPUS, by default the folder `shared` beside the project.
 * NULL when it is absent; the test then returns, and the skip is printed and counted. */
static inline const char *test_corpus(void)
{
    const char *path = g_getenv("MAZURKA_CORPUS");
    if (path && g_file_test(path, G_FILE_TEST_IS_DIR)) return path;
    puts("skipped: no corpus (MAZURKA_CORPUS)");
    fflush(stdout);
    return NULL;
}

/* A number of the environment. MAZURKA_SEED is where random tests begin, MAZURKA_ROUNDS how many inputs they take. */
static inline uint64_t test_number(const char *name, uint64_t usual)
{
    const char *text = g_getenv(name);
    return text ? g_ascii_strtoull(text, NULL, 10) : usual;
}

/* `make soak`: the long variants. */
static inline bool test_soak(void)
{
    return g_getenv("MAZURKA_SOAK") != NULL;
}

/* How many inputs a random test takes. */
static inline unsigned test_rounds(unsigned usual, unsigned in_soak)
{
    return (unsigned)test_number("MAZURKA_ROUNDS", test_soak() ? in_soak : usual);
}

/* In a build whose memory is a sanitizer's: neither its size nor its limits say anything. */
#ifdef __has_feature
#define TEST_SANITIZED (__has_feature(address_sanitizer) || __has_feature(thread_sanitizer))
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define TEST_SANITIZED 1
#else
#define TEST_SANITIZED 0
#endif

/* Seconds for what must be answered: a machine with much else to do takes its time, and nobody waits for them all. */
enum { TEST_PLENTY = 300 };

static inline int test_run(Suite *suite)
{
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

#define TEST_CASE(suite, function)                                                                                     \
    do {                                                                                                               \
        TCase *case_ = tcase_create(#function);                                                                        \
        tcase_set_timeout(case_, 600);                                                                                 \
        tcase_add_test(case_, function);                                                                               \
        suite_add_tcase(suite, case_);                                                                                 \
    } while (0)
