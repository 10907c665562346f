/* Shared by the Check programs: one suite, forked tests, exit status for automake, and where the
 * shared material is. */
#pragma once
#include <check.h>
#include <glib.h>
#include <stdio.h>
#include <stdlib.h>

/* ../shared beside the project, or NULL when it is absent; the caller then skips with a message. */
static inline const char *test_shared(void)
{
    const char *path = g_getenv("SHARED");
    return path && g_file_test(path, G_FILE_TEST_IS_DIR) ? path : NULL;
}

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
