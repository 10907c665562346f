#include "fuzz.h"

#include "report/prefix_read.h"
#include "report/prefix_write.h"
#include "view/view.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static Prefix *read_bytes(const void *data, size_t size, Net **net)
{
    int fd = memfd_create("prefix", MFD_CLOEXEC);
    if (fd < 0 || write(fd, data, size) != (ssize_t)size) abort();
    g_autofree char *path = g_strdup_printf("/proc/self/fd/%d", fd);
    g_autoptr(GError) error = NULL;
    Budget budget = budget_unlimited();
    Prefix *prefix = prefix_read_file(path, net, &budget, &error);
    if (!prefix == !error) abort();
    if (error && !g_utf8_validate(error->message, -1, NULL)) abort();
    close(fd);
    return prefix;
}

/* Conditions stand in the order of their producers, and nothing is used that is not there before. */
static void check_order(const Prefix *p)
{
    for (uint32_t c = 0; c < p->post_start[0]; c++)
        if (p->condition_event[c] != PREFIX_BOTTOM) abort();
    for (uint32_t e = 0; e < p->n_events; e++) {
        for (uint32_t c = p->post_start[e]; c < p->post_start[e + 1]; c++)
            if (p->condition_event[c] != e) abort();
        for (uint32_t i = p->pre_start[e]; i < p->pre_start[e + 1]; i++)
            if (p->pre[i] >= p->post_start[e]) abort();
    }
    if (p->post_start[p->n_events] != p->n_conditions) abort();
}

static char *write_json(const Prefix *prefix, uint32_t around, size_t *size)
{
    g_autoptr(PrefixPart) part = prefix_part_new(prefix, around, 2);
    GString *out = g_string_new(NULL);
    GError *error = NULL;
    if (!prefix_write_text(part, ".json", out, &error)) abort();
    *size = out->len;
    return g_string_free(out, FALSE);
}

/* What was read is drawn, and as it is written it reads and writes the same. */
int fuzz_prefix(const uint8_t *data, size_t size)
{
    Net *net, *again;
    Prefix *prefix = read_bytes(data, size, &net);
    if (!prefix) return 0;
    check_order(prefix);
    size_t len, len_again, len_part;
    g_autofree char *text = write_json(prefix, PREFIX_NONE, &len);
    Prefix *second = read_bytes(text, len, &again);
    if (!second) abort();
    g_autofree char *text_again = write_json(second, PREFIX_NONE, &len_again);
    if (len != len_again || memcmp(text, text_again, len) != 0) abort();
    if (prefix->n_events) g_free(write_json(prefix, prefix->n_events - 1, &len_part));
    View *view = view_new("fuzz", NULL);
    view_add_prefix(view, prefix, NULL, PREFIX_NONE);
    view_free(view);
    prefix_free(prefix);
    net_free(net);
    prefix_free(second);
    net_free(again);
    return 0;
}
