/* mazurka-verify NET CERTIFICATE: checks a proof that `mazurka check --certificate` wrote. Apart from reading nets and
 * goals it shares no code with the engines that make such proofs. */
#include "base/budget.h"
#include "certify/certificate.h"
#include "net/reader.h"

#include <stdio.h>
#include <string.h>

static int refuse(const char *message)
{
    fprintf(stderr, "mazurka-verify: %s\n", message);
    return 3;
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "--version") == 0) {
        puts("mazurka-verify " PACKAGE_VERSION);
        return 0;
    }
    if (argc != 3 || argv[1][0] == 0) {
        fputs("usage: mazurka-verify NET CERTIFICATE\n"
              "Exit: 0 the certificate proves its claim, 1 it does not, 3 bad input or usage.\n", stderr);
        return argc == 2 && strcmp(argv[1], "--help") == 0 ? 0 : 3;
    }
    g_autoptr(GError) error = NULL;
    g_autoptr(Net) net = net_read_file(argv[1], NULL, &error);
    if (!net) return refuse(error->message);
    Certificate certificate;
    if (!certificate_read(&certificate, net, argv[2], &error)) {
        if (error->domain == G_FILE_ERROR) return refuse(error->message);
        printf("REJECTED: %s\n", error->message);
        return 1;
    }
    Budget budget = budget_unlimited();
    g_autofree char *problem = NULL;
    bool ok = certificate_check(&certificate, net, &budget, &problem);
    if (!ok)
        printf("REJECTED: %s\n", problem);
    else if (certificate.kind == CERTIFICATE_PREFIX)
        printf("VERIFIED: no reachable marking satisfies %s (complete prefix of %u events, proof of %zu bytes)\n", certificate.goal,
               certificate.events.n, certificate.proof_len);
    else if (certificate.kind == CERTIFICATE_CLAUSES)
        printf("VERIFIED: no reachable marking satisfies %s (inductive set of clauses, proof of %zu bytes)\n", certificate.goal,
               certificate.proof_len);
    else
        printf("VERIFIED: no reachable marking satisfies %s (closed set of %" G_GUINT64_FORMAT " markings)\n", certificate.goal, certificate.n);
    certificate_clear(&certificate);
    if (fflush(stdout) != 0) return refuse("standard output cannot be written");
    return ok ? 0 : 1;
}
