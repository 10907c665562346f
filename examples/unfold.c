/* Unfolds a net under the relation that knows read arcs and lists the events: what caused them, and which are cutoffs;
 * then compares relations. */
#include <mazurka.h>
#include <stdio.h>

static int fail(mz_error *error)
{
    fprintf(stderr, "unfold: %s\n", mz_error_message(error));
    mz_error_free(error);
    return 3;
}

static void print_event(const mz_net *net, const mz_prefix *prefix, uint32_t e)
{
    uint32_t n, companion = mz_prefix_companion(prefix, e);
    const uint32_t *causes = mz_prefix_causes(prefix, e, &n);
    printf("e%u %s", e, mz_net_transition_id(net, mz_prefix_transition(prefix, e)));
    for (uint32_t i = 0; i < n; i++) printf("%s e%u", i ? "" : " after", causes[i]);
    if (companion == MZ_BOTTOM)
        printf(", cutoff: back at the initial marking");
    else if (companion != MZ_NONE)
        printf(", cutoff: as e%u", companion);
    putchar('\n');
}

int main(int argc, char **argv)
{
    const char *const options[] = {"relation=read", "order=erv", NULL};
    mz_error *error = NULL;
    mz_net *net = mz_net_read(argc > 1 ? argv[1] : "-", NULL, NULL, NULL, &error);
    if (!net) return fail(error);
    mz_limits *limits = mz_limits_new();
    mz_limits_set_events(limits, 10000);
    mz_prefix *prefix = mz_unfold(net, options, limits, &error);
    if (!prefix) return fail(error);
    for (uint32_t e = 0; e < mz_prefix_events(prefix); e++) print_event(net, prefix, e);
    printf("%s\n", mz_prefix_ending(prefix) == MZ_COMPLETE ? "complete" : mz_prefix_reason(prefix));
    mz_prefix_free(prefix);

    const mz_net *nets[] = {net};
    mz_comparison *table = mz_compare(nets, 1, "classic,read", NULL, NULL, limits, &error);
    if (!table) return fail(error);
    for (uint32_t i = 0; i < mz_comparison_rows(table); i++) {
        const mz_row *row = mz_comparison_row(table, i);
        printf("%-8s %llu events\n", row->relation, (unsigned long long)row->events);
    }
    mz_comparison_free(table);
    mz_limits_free(limits);
    mz_net_free(net);
    return 0;
}
