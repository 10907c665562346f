/* Reads a net or a program and tells how it can get stuck, if it can:
 *
 *     cc deadlock.c $(pkg-config --cflags --libs mazurka) -o deadlock && ./deadlock net.pnml */
#include <mazurka.h>
#include <stdio.h>

static int fail(mz_error *error)
{
    fprintf(stderr, "deadlock: %s\n", mz_error_message(error));
    mz_error_free(error);
    return 3;
}

int main(int argc, char **argv)
{
    mz_error *error = NULL;
    mz_net *net = mz_net_read(argc > 1 ? argv[1] : "-", NULL, NULL, NULL, &error);
    if (!net) return fail(error);

    mz_limits *limits = mz_limits_new();
    mz_limits_set_time(limits, 60);
    mz_answer *answer = mz_check(net, "deadlock", NULL, limits, &error);
    if (!answer) return fail(error);

    static const char *const words[] = {"unknown", "holds", "violated"};
    mz_verdict verdict = mz_answer_verdict(answer);
    size_t n;
    const uint32_t *run = mz_answer_run(answer, &n);
    printf("%s: %s\n", mz_net_name(net), words[verdict]);
    for (size_t i = 0; i < n; i++) printf("%4zu  %s\n", i + 1, mz_net_transition_id(net, run[i]));

    mz_answer_free(answer);
    mz_limits_free(limits);
    mz_net_free(net);
    return verdict == MZ_HOLDS ? 0 : verdict == MZ_VIOLATED ? 1 : 2;
}
