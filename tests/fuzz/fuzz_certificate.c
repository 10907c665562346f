#include "fuzz.h"

#include "certify/certificate.h"
#include "net/gen.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The bytes are a certificate without its last line, for a net that has a deadlock; the checksum is added here, or
 * nothing but the checksum would ever be looked at. Whatever it says, a deadlock must not be proved unreachable, and
 * what was read survives being written and read again. */

static bool read_back(const Net *net, const Certificate *c)
{
    Certificate again;
    g_autofree char *path = g_strdup_printf("%s/mazurka-fuzz-%d", g_get_tmp_dir(), (int)getpid());
    bool read = certificate_write(c, net, path, NULL) && certificate_read(&again, net, path, NULL);
    unlink(path);
    if (!read) return false;
    bool same = again.kind == c->kind && g_strcmp0(again.goal, c->goal) == 0 && again.claim == c->claim &&
                again.proof_len == c->proof_len &&
                linear_part_count(&again.linear, LINEAR_LEMMAS) == linear_part_count(&c->linear, LINEAR_LEMMAS) &&
                again.steps.list.len == c->steps.list.len && again.n == c->n && again.events.n == c->events.n;
    certificate_clear(&again);
    return same;
}

int fuzz_certificate(const uint8_t *data, size_t size)
{
    g_autoptr(Net) net = gen_net_of_size("philosophers", 2);
    g_autofree char *sum = g_compute_checksum_for_data(G_CHECKSUM_SHA256, data, size);
    g_autoptr(GString) text = g_string_new_len((const char *)data, (gssize)size);
    g_string_append_printf(text, "sha256 %s\n", sum);
    g_autoptr(GError) error = NULL;
    Certificate c;
    if (certificate_read_bytes(&c, net, text->str, text->len, "fuzz", &error)) {
        Budget budget = budget_new(1, 0, 0);
        g_autofree char *problem = NULL;
        bool proved = certificate_check(&c, net, &budget, &problem);
        if (proved == (problem != NULL)) abort();
        if (proved && c.claim == CLAIM_NEVER && g_strcmp0(c.goal, "deadlock") == 0) abort();
        if (proved && !certificate_claim_has_goal(c.claim)) abort(); /* what can be dead is not live */
        if (!read_back(net, &c)) abort();
        certificate_clear(&c);
    } else if (!error) {
        abort();
    }
    return 0;
}
