#include "fuzz.h"

#include "api/mazurka.h"

#include <stdlib.h>
#include <string.h>

/* The bytes are a sequence of calls of mazurka.h on one net that is built on the way: each byte says what comes next,
 * those behind it are its arguments. Whatever the texts say, there is a handle or an error, never both. */
typedef struct Calls {
    const uint8_t *at, *end;
    mz_limits *limits;
    mz_net *net;
} Calls;

static uint8_t next(Calls *c)
{
    return c->at < c->end ? *c->at++ : 0;
}

/* A text of up to 63 bytes, for the caller to free. */
static char *next_text(Calls *c)
{
    size_t n = next(c) % 64;
    if (n > (size_t)(c->end - c->at)) n = (size_t)(c->end - c->at);
    char *text = calloc(n + 1, 1);
    memcpy(text, c->at, n);
    c->at += n;
    return text;
}

static void expect(bool made, mz_error *error)
{
    if (made == (error != NULL)) abort();
    if (error && (!*mz_error_message(error) || mz_error_line(error) < 0)) abort();
    mz_error_free(error);
}

static void keep(Calls *c, mz_net *net, mz_error *error)
{
    expect(net != NULL, error);
    if (!net) return;
    mz_net_free(c->net);
    c->net = net;
}

static void build(Calls *c)
{
    char *name = next_text(c);
    mz_builder *b = mz_builder_new(name);
    mz_error *error = NULL;
    free(name);
    for (unsigned steps = next(c) % 32; steps; steps--) {
        char *text = next_text(c);
        switch (next(c) % 4) {
        case 0: mz_builder_place(b, text, next(c) & 1 ? NULL : text, next(c) % 4); break;
        case 1: mz_builder_transition(b, text, next(c) & 1 ? NULL : text); break;
        case 2: mz_builder_arc(b, (mz_arc)(next(c) % 5), next(c) % 8, next(c) % 8, next(c) % 3); break;
        case 3: mz_builder_final(b, text); break;
        }
        free(text);
    }
    mz_net *net = mz_builder_finish(b, &error);
    keep(c, net, error);
}

static void read_net(Calls *c)
{
    mz_error *error = NULL;
    size_t n = (size_t)next(c) * 16;
    if (n > (size_t)(c->end - c->at)) n = (size_t)(c->end - c->at);
    mz_net *net = mz_net_read_bytes(c->at, n, next(c) & 1 ? "fuzz" : "fuzz.mzk", NULL, NULL, c->limits, &error);
    if (c->at < c->end) c->at += n < (size_t)(c->end - c->at) ? n : (size_t)(c->end - c->at);
    keep(c, net, error);
}

static void check(Calls *c)
{
    char *property = next_text(c), *option = next_text(c);
    const char *const options[] = {*option ? option : NULL, NULL};
    bool writes = strncmp(option, "certificate-file", 16) == 0 || strncmp(option, "relation=file", 13) == 0;
    mz_error *error = NULL;
    mz_answer *answer = writes ? NULL : mz_check(c->net, property, options, c->limits, &error);
    if (!writes) expect(answer != NULL, error);
    size_t n;
    const void *proof = answer ? mz_answer_certificate(answer, &n) : NULL;
    if (proof && !mz_verify(c->net, proof, n, NULL, NULL, NULL)) abort();
    mz_answer_free(answer);
    free(property);
    free(option);
}

static void unfold(Calls *c)
{
    static const char *const relations[] = {"relation=classic", "relation=read", "relation=none", "relation=loops"};
    char *option = next_text(c);
    const char *const options[] = {relations[next(c) % 4], *option ? option : NULL, NULL};
    mz_error *error = NULL;
    mz_prefix *prefix = mz_unfold(c->net, options, c->limits, &error);
    expect(prefix != NULL, error);
    free(option);
    for (uint32_t e = 0; prefix && e < mz_prefix_events(prefix) && e < 20; e++) {
        uint32_t n;
        mz_prefix_causes(prefix, e, &n);
        mz_free(mz_prefix_why(prefix, e));
    }
    if (prefix) mz_free(mz_prefix_write(prefix, next(c) & 1 ? "svg" : "json", MZ_NONE, 0, NULL, NULL));
    mz_prefix_free(prefix);
}

static bool leaf(mz_leaf kind, const uint32_t *run, size_t length, void *data)
{
    Calls *c = data;
    if (kind != MZ_LEAF_AGAIN && length && run[length - 1] >= mz_net_transitions(c->net)) abort();
    return length < 50;
}

static void explore(Calls *c)
{
    char *option = next_text(c);
    const char *const options[] = {*option ? option : NULL, NULL};
    mz_error *error = NULL;
    bool reads = strncmp(option, "relation=file", 13) == 0;
    mz_exploration *x = reads ? NULL : mz_explore(c->net, options, c->limits, leaf, c, &error);
    if (!reads) expect(x != NULL, error);
    mz_exploration_free(x);
    free(option);
}

static void write_net(Calls *c)
{
    char *format = next_text(c);
    mz_error *error = NULL;
    char *text = mz_net_write(c->net, format, NULL, &error);
    expect(text != NULL, error);
    mz_free(text);
    free(format);
}

int fuzz_api(const uint8_t *data, size_t size)
{
    static void (*const calls[])(Calls *) = {build, check, unfold, explore, write_net, read_net};
    Calls c = {.at = data, .end = data + size, .limits = mz_limits_new()};
    mz_limits_set_time(c.limits, 0.2);
    mz_limits_set_events(c.limits, 200);
    mz_limits_set_memory(c.limits, 200 << 20);
    mz_limits_set_threads(c.limits, 1);
    c.net = mz_builder_finish(mz_builder_new("empty"), NULL);
    for (int i = 0; i < 12 && c.at < c.end; i++) calls[next(&c) % 6](&c);
    mz_net_free(c.net);
    mz_limits_free(c.limits);
    return 0;
}
