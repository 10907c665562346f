#include "fuzz.h"

#include "../breadth.h"
#include "certify/certificate.h"
#include "certify/digest.h"
#include "net/read.h"

#include <stdlib.h>
#include <string.h>

/* mazurka-verify as a whole: the bytes are a net, a line "%%", and a certificate from its goal on, without the last
 * line. What stands before the goal and the checksum are made here, or nothing behind them would ever be looked at.
 * What is accepted must not be reachable by a plain search, as far as that goes. */
int fuzz_verify(const uint8_t *data, size_t size)
{
    static const char mark[] = "\n%%\n";
    const char *text = (const char *)data, *at = g_strstr_len(text, (gssize)size, mark);
    if (!at) return 0;
    g_autoptr(Net) net = net_read_bytes(text, (size_t)(at + 1 - text), "fuzz", NULL, NULL);
    if (!net) return 0;
    g_autofree char *digest = digest_of(net);
    g_autoptr(GString) whole = g_string_new(NULL);
    g_string_printf(whole, "%s\nnet %u %u %" G_GUINT64_FORMAT "\ndigest %s\n", CERTIFICATE_FORMAT, net->n_places,
                    net->n_transitions, certificate_arcs(net), digest);
    at += strlen(mark);
    g_string_append_len(whole, at, (gssize)(text + size - at));
    g_autofree char *sum = g_compute_checksum_for_data(G_CHECKSUM_SHA256, (const guchar *)whole->str, whole->len);
    g_string_append_printf(whole, "sha256 %s\n", sum);
    Certificate c;
    if (!certificate_read_bytes(&c, net, whole->str, whole->len, "fuzz", NULL)) return 0;
    Budget budget = budget_new(2, (uint64_t)1 << 30, 0);
    g_autofree char *problem = NULL, *described = certificate_describe(&c);
    bool proved = certificate_check(&c, net, &budget, &problem);
    if (proved == (problem != NULL) || !described) abort();
    if (proved && c.claim == CLAIM_NEVER && !c.bound.infinite) {
        g_autoptr(FormulaStore) store = formula_store_new(net);
        FormulaId goal;
        if (!certificate_goal(&c, store, &goal, NULL) || naive_reach(net, store, goal, 500, NULL) == NAIVE_YES) abort();
    }
    certificate_clear(&c);
    return 0;
}
