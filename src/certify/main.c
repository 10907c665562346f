/* mazurka-verify NET CERTIFICATE: checks a proof that `mazurka check --certificate` wrote. Apart from reading nets and
 * goals it shares no code with the engines that make such proofs. */
#include "base/budget.h"
#include "base/visible.h"
#include "certify/certificate.h"
#include "net/reader.h"

#include <stdio.h>
#include <string.h>

static int refuse(const char *message)
{
    visible_print(stderr, "mazurka-verify: %s\n", message);
    return 3;
}

static char *describe(const Certificate *c)
{
    g_autoptr(GString) text = g_string_new(NULL);
    if (c->steps.list.len)
        g_string_append_printf(text, "%zu reduction steps to %u places and %u transitions; ", c->steps.list.len,
                               c->places, c->transitions);
    switch (c->kind) {
    case CERTIFICATE_PREFIX:
        g_string_append_printf(text, "complete prefix of %u events, proof of %zu bytes", c->events.n, c->proof_len);
        break;
    case CERTIFICATE_CLAUSES:
        g_string_append_printf(text, "inductive set of clauses, proof of %zu bytes", c->proof_len);
        break;
    case CERTIFICATE_MARKINGS:
        g_string_append_printf(text, "closed set of %" G_GUINT64_FORMAT " markings", c->n);
        break;
    case CERTIFICATE_LINEAR:
        g_string_append_printf(text, "%zu linear inequalities, %zu traps, %zu siphons, proof of %zu bytes",
                               linear_part_count(&c->linear, LINEAR_LEMMAS),
                               linear_part_count(&c->linear, LINEAR_TRAPS),
                               linear_part_count(&c->linear, LINEAR_SIPHONS), c->proof_len);
        break;
    case CERTIFICATE_STUBBORN:
        g_string_append_printf(text, "%" G_GUINT64_FORMAT " markings closed under stubborn sets", c->n);
        break;
    case CERTIFICATE_NONE: g_string_append(text, "constantly false"); break;
    }
    return g_string_free(g_steal_pointer(&text), FALSE);
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "--version") == 0) {
        puts("mazurka-verify " PACKAGE_VERSION);
        return 0;
    }
    if (argc != 3 || argv[1][0] == 0) {
        fputs("usage: mazurka-verify NET CERTIFICATE\n"
              "Exit: 0 the certificate proves its claim, 1 it does not, 3 bad input or usage.\n",
              stderr);
        return argc == 2 && strcmp(argv[1], "--help") == 0 ? 0 : 3;
    }
    g_autoptr(GError) error = NULL;
    g_autoptr(Net) net = net_read_file(argv[1], NULL, &error);
    if (!net) return refuse(error->message);
    Certificate certificate;
    if (!certificate_read(&certificate, net, argv[2], &error)) {
        if (error->domain == G_FILE_ERROR) return refuse(error->message);
        visible_print(stdout, "REJECTED: %s\n", error->message);
        return 1;
    }
    Budget budget = budget_unlimited();
    g_autofree char *problem = NULL;
    bool ok = certificate_check(&certificate, net, &budget, &problem);
    g_autofree char *how = describe(&certificate);
    if (ok)
        visible_print(stdout, "VERIFIED: no reachable marking satisfies %s (%s)\n", certificate.goal, how);
    else
        visible_print(stdout, "REJECTED: %s\n", problem);
    certificate_clear(&certificate);
    if (fflush(stdout) != 0) return refuse("standard output cannot be written");
    return ok ? 0 : 1;
}
