/* Builds a net in code, two processes that take turns on one lock, and asks about it: an invariant with a proof that is
 * checked again, the sums that never change, and all its runs up to the order of what is independent. */
#include <mazurka.h>
#include <stdio.h>
#include <stdlib.h>

static void must(bool ok, mz_error *error)
{
    if (ok) return;
    fprintf(stderr, "build: %s\n", error ? mz_error_message(error) : "a surprise");
    exit(3);
}

static mz_net *make_net(mz_error **error)
{
    mz_builder *b = mz_builder_new("lock");
    uint32_t lock = mz_builder_place(b, "lock", NULL, 1);
    for (int i = 0; i < 2; i++) {
        char id[16];
        snprintf(id, sizeof id, "idle%d", i);
        uint32_t idle = mz_builder_place(b, id, NULL, 1);
        snprintf(id, sizeof id, "busy%d", i);
        uint32_t busy = mz_builder_place(b, id, NULL, 0);
        snprintf(id, sizeof id, "done%d", i);
        uint32_t done = mz_builder_place(b, id, NULL, 0);
        snprintf(id, sizeof id, "enter%d", i);
        uint32_t enter = mz_builder_transition(b, id, NULL);
        snprintf(id, sizeof id, "leave%d", i);
        uint32_t leave = mz_builder_transition(b, id, NULL);
        mz_builder_arc(b, MZ_PRE, lock, enter, 1);
        mz_builder_arc(b, MZ_PRE, idle, enter, 1);
        mz_builder_arc(b, MZ_POST, busy, enter, 1);
        mz_builder_arc(b, MZ_PRE, busy, leave, 1);
        mz_builder_arc(b, MZ_POST, lock, leave, 1);
        mz_builder_arc(b, MZ_POST, done, leave, 1);
    }
    mz_builder_final(b, "done0 = 1 && done1 = 1");
    return mz_builder_finish(b, error);
}

static void ask(const mz_net *net, const char *property)
{
    const char *const options[] = {"certificate", NULL};
    mz_error *error = NULL;
    mz_answer *answer = mz_check(net, property, options, NULL, &error);
    must(answer, error);
    static const char *const words[] = {"unknown", "holds", "violated"};
    printf("%s: %s\n", property, words[mz_answer_verdict(answer)]);
    size_t size;
    const void *certificate = mz_answer_certificate(answer, &size);
    char *claim = NULL;
    if (certificate && mz_verify(net, certificate, size, NULL, &claim, NULL)) printf("  proved: %s\n", claim);
    mz_free(claim);
    mz_answer_free(answer);
}

static void tell_invariants(const mz_net *net)
{
    mz_invariants *sums = mz_net_invariants(net, NULL);
    for (uint32_t i = 0; i < mz_invariants_count(sums); i++) {
        uint32_t n;
        const uint32_t *places = mz_invariants_places(sums, i, &n);
        for (uint32_t k = 0; k < n; k++) printf("%s%s", k ? " + " : "", mz_net_place_id(net, places[k]));
        printf(" = %llu\n", (unsigned long long)mz_invariants_value(sums, i));
    }
    mz_invariants_free(sums);
}

static bool print_leaf(mz_leaf kind, const uint32_t *run, size_t length, void *data)
{
    const mz_net *net = data;
    if (kind != MZ_LEAF_MAXIMAL) return true;
    for (size_t i = 0; i < length; i++) printf("%s%s", i ? " " : "  ", mz_net_transition_id(net, run[i]));
    putchar('\n');
    return true;
}

int main(void)
{
    mz_error *error = NULL;
    mz_net *net = make_net(&error);
    must(net, error);
    puts(mz_net_summary(net));
    ask(net, "invariant busy0 + busy1 <= 1");
    ask(net, "deadlock");
    tell_invariants(net);
    puts("maximal runs:");
    mz_exploration *runs = mz_explore(net, NULL, NULL, print_leaf, net, &error);
    must(runs, error);
    mz_exploration_free(runs);
    mz_net_free(net);
    return 0;
}
