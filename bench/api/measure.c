/* How long calls of the library take: measure NET CALLS THREADS. */
#include "api/mazurka.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void tell(const char *what, double *seconds, int n)
{
    double first = seconds[0];
    qsort(seconds, (size_t)n, sizeof *seconds, compare);
    printf("%-10s first %8.1f us, median %8.1f us, 99 of 100 below %8.1f us\n", what, 1e6 * first, 1e6 * seconds[n / 2],
           1e6 * seconds[n * 99 / 100]);
}

int main(int argc, char **argv)
{
    int n = argc > 2 ? atoi(argv[2]) : 1000;
    if (argc < 2 || n < 1) return 3;
    mz_limits *limits = mz_limits_new();
    if (argc > 3) mz_limits_set_threads(limits, (unsigned)atoi(argv[3]));
    double *read = calloc((size_t)n, sizeof *read), *check = calloc((size_t)n, sizeof *check),
           *unfold = calloc((size_t)n, sizeof *unfold);
    for (int i = 0; i < n; i++) {
        double start = now();
        mz_net *net = mz_net_read(argv[1], NULL, NULL, NULL, NULL);
        if (!net) return 3;
        double known = now();
        mz_answer_free(mz_check(net, "deadlock", NULL, limits, NULL));
        double asked = now();
        mz_prefix_free(mz_unfold(net, NULL, NULL, NULL));
        double unfolded = now();
        mz_net_free(net);
        read[i] = known - start;
        check[i] = asked - known;
        unfold[i] = unfolded - asked;
    }
    mz_limits_free(limits);
    tell("read", read, n);
    tell("deadlock", check, n);
    tell("unfold", unfold, n);
    return 0;
}
