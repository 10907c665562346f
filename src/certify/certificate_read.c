/* The reading half of certificate.h. Nothing here believes a size that the file declares: lists grow with the lines
 * that are there, and markings with what their bytes unpack to. */
#include "base/bitset.h"
#include "base/error.h"
#include "certify/certificate.h"
#include "certify/closed_markings.h"
#include "certify/digest.h"
#include "certify/inflate.h"

typedef struct Reader {
    const char *file, *at, *end;
    int line;
    GError **error;
} Reader;

G_GNUC_PRINTF(2, 3) static bool fail(Reader *r, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    g_autofree char *message = g_strdup_vprintf(format, args);
    va_end(args);
    error_at(r->error, ERROR_INPUT, r->file, r->line, 1, "%s", message);
    return false;
}

/* The next line without its end; NULL (and the error) when there is none. */
static char *next_line(Reader *r)
{
    r->line++;
    const char *stop = r->at < r->end ? memchr(r->at, '\n', (size_t)(r->end - r->at)) : NULL;
    if (!stop) {
        fail(r, "the certificate ends too early");
        return NULL;
    }
    char *line = g_strndup(r->at, (gsize)(stop - r->at));
    r->at = stop + 1;
    return line;
}

/* What follows "WORD " on the next line. */
static char *next_field(Reader *r, const char *word)
{
    g_autofree char *line = next_line(r);
    if (!line) return NULL;
    size_t n = strlen(word);
    if (strncmp(line, word, n) == 0 && line[n] == ' ') return g_strdup(line + n + 1);
    fail(r, "\"%s ...\" is expected here", word);
    return NULL;
}

static bool to_number(const char *text, uint64_t most, uint64_t *value)
{
    if (!g_ascii_isdigit(*text)) return false;
    char *end;
    *value = g_ascii_strtoull(text, &end, 10);
    return !*end && *value <= most && (*value != G_MAXUINT64 || most == G_MAXUINT64);
}

static bool next_number(Reader *r, const char *word, uint64_t most, uint64_t *value)
{
    g_autofree char *text = next_field(r, word);
    if (!text) return false;
    return to_number(text, most, value) || fail(r, "a number up to %" G_GUINT64_FORMAT " is expected here", most);
}

static bool read_event(Reader *r, EventList *ev, uint32_t e, VecU32 *causes)
{
    g_autofree char *line = next_line(r);
    if (!line) return false;
    g_auto(GStrv) words = g_strsplit(line, " ", -1);
    uint64_t number;
    guint i = 1, n = g_strv_length(words);
    if (n == 0 || !to_number(words[0], UINT32_MAX - 2, &number))
        return fail(r, "an event is expected here: transition, causes, / companion");
    ev->transition[e] = (uint32_t)number;
    ev->companion[e] = EVENT_LIST_NONE;
    for (; i < n && strcmp(words[i], "/") != 0; i++) {
        if (!to_number(words[i], UINT32_MAX - 2, &number)) return fail(r, "\"%s\" is no event", words[i]);
        vec_push(causes, (uint32_t)number);
    }
    ev->cause_start[e + 1] = (uint32_t)causes->len;
    if (i == n) return true;
    if (i + 2 != n) return fail(r, "exactly one companion is expected after the slash");
    if (strcmp(words[i + 1], "-") == 0)
        ev->companion[e] = EVENT_LIST_BOTTOM;
    else if (to_number(words[i + 1], UINT32_MAX - 2, &number))
        ev->companion[e] = (uint32_t)number;
    else
        return fail(r, "\"%s\" is no event", words[i + 1]);
    return true;
}

static bool read_events(Reader *r, EventList *ev)
{
    uint64_t n = 0;
    if (!next_number(r, "events", EVENT_LIST_MOST, &n)) return false;
    ev->n = (uint32_t)n;
    ev->transition = g_new0(uint32_t, n + 1);
    ev->companion = g_new0(uint32_t, n + 1);
    ev->cause_start = g_new0(uint32_t, n + 1);
    VecU32 causes = {0};
    bool ok = true;
    for (uint32_t e = 0; ok && e < ev->n; e++) ok = read_event(r, ev, e, &causes);
    vec_push(&causes, 0);
    ev->cause = causes.data;
    return ok;
}

static bool next_bytes(Reader *r, const uint8_t **data, size_t *len)
{
    uint64_t n = 0;
    if (!next_number(r, "bytes", (uint64_t)(r->end - r->at), &n)) return false;
    if ((uint64_t)(r->end - r->at) < n + 1 || r->at[n] != '\n') return fail(r, "the binary part is cut");
    *data = (const uint8_t *)r->at;
    *len = n;
    r->at += n + 1;
    return true;
}

static bool read_proof(Reader *r, Certificate *c)
{
    const uint8_t *proof = NULL;
    if (!next_bytes(r, &proof, &c->proof_len)) return false;
    c->proof = g_memdup2(proof, MAX(c->proof_len, 1));
    return true;
}

/* ---- the kinds ---- */

static bool is_next(const Reader *r, const char *word)
{
    return (size_t)(r->end - r->at) >= strlen(word) && memcmp(r->at, word, strlen(word)) == 0;
}

/* Lines of one word, with its blank, and numbers. */
static bool read_named_lists(Reader *r, const char *word, uint32_t limit, VecU32 *lists)
{
    while (is_next(r, word)) {
        g_autofree char *line = next_line(r);
        if (!line) return false;
        if (!bound_parse_list(line + strlen(word) - 1, limit, lists))
            return fail(r, "a list of numbers is expected here");
        vec_push(lists, NET_NONE);
    }
    return true;
}

static bool read_prefix(Reader *r, Certificate *c, const char *relation)
{
    for (int i = 0; i < N_EVENT_LIST_RELATIONS; i++) {
        if (strcmp(relation, event_list_relation_names[i]) != 0) continue;
        c->events.relation = (EventListRelation)i;
        return read_events(r, &c->events) && read_proof(r, c);
    }
    return fail(r, "a relation (classic, read or loops) is expected here");
}

typedef struct Packed {
    VecU64 words;
    size_t bytes; /* of them so far */
    uint64_t most;
    uint32_t per_state; /* words; 0: they are in no order */
    uint64_t ordered;   /* states that were compared with the one before */
} Packed;

/* Markings come sorted, so that a small file cannot unpack to the same one again and again; ranks do not. */
static bool take_words(const uint8_t *bytes, size_t n, void *data)
{
    Packed *m = data;
    if (n > m->most - m->bytes) return false;
    size_t words = (m->bytes + n + 7) / 8;
    if (words > m->words.len) {
        size_t before = m->words.len;
        vec_reserve(&m->words, words);
        memset(m->words.data + before, 0, (words - before) * sizeof(uint64_t));
        m->words.len = words;
    }
    memcpy((uint8_t *)m->words.data + m->bytes, bytes, n);
    m->bytes += n;
    for (; m->per_state && (m->ordered + 2) * m->per_state * sizeof(uint64_t) <= m->bytes; m->ordered++) {
        const uint64_t *state = m->words.data + m->ordered * m->per_state;
        if (closed_markings_compare(state, state + m->per_state, m->per_state) >= 0) return false;
    }
    return true;
}

/* So many bytes, once unpacked. */
static bool read_packed(Reader *r, uint64_t bytes, uint32_t per_state, uint64_t **words, const char *otherwise)
{
    const uint8_t *data = NULL;
    size_t len = 0;
    if (!next_bytes(r, &data, &len)) return false;
    Packed m = {.most = bytes, .per_state = per_state};
    bool ok = inflate_zlib(data, len, take_words, &m) && m.bytes == bytes;
    vec_push(&m.words, 0);
    *words = m.words.data;
    return ok || fail(r, "%s", otherwise);
}

static bool read_states(Reader *r, Certificate *c, const char *width)
{
    uint64_t w, n = 0;
    if (!to_number(width, 64, &w) || w == 0 || (w & (w - 1)))
        return fail(r, "the width must be a power of two up to 64");
    c->width = (unsigned)w;
    c->words = (uint32_t)MAX(bitset_words((size_t)c->places * c->width), 1);
    if (c->kind == CERTIFICATE_SYMMETRIC &&
        !read_named_lists(r, "symmetry ", c->places + c->transitions, &c->symmetries))
        return false;
    if (!next_number(r, "markings", UINT32_MAX, &n)) return false;
    uint64_t bytes;
    if (__builtin_mul_overflow(n * sizeof(uint64_t), c->words, &bytes)) return fail(r, "there are too many markings");
    c->n = n;
    return read_packed(r, bytes, c->words, &c->states,
                       "the markings cannot be unpacked, or are not sorted, or are not as many as it says");
}

/* There are as many as markings, which have been read. */
static bool read_ranks(Reader *r, Certificate *c, const char *width)
{
    uint64_t *ranks = NULL;
    bool ok =
        read_states(r, c, width) && read_packed(r, c->n * sizeof *c->ranks, 0, &ranks,
                                                "the ranks cannot be unpacked, or are not as many as the markings");
    c->ranks = (uint32_t *)ranks;
    return ok;
}

static bool read_lists(Reader *r, const char *word, uint32_t n_places, VecI32 *lists)
{
    uint64_t n = 0, number;
    if (!next_number(r, word, UINT32_MAX, &n)) return false;
    for (uint64_t i = 0; i < n; i++) {
        g_autofree char *line = next_line(r);
        if (!line) return false;
        g_auto(GStrv) words = g_strsplit(line, " ", -1);
        for (char **text = words; *text; text++) {
            bool negative = **text == '-';
            if (!to_number(*text + negative, n_places, &number) || !number) return fail(r, "\"%s\" is no place", *text);
            vec_push(lists, negative ? -(int32_t)number : (int32_t)number);
        }
        vec_push(lists, 0);
    }
    return true;
}

static bool read_clauses(Reader *r, Certificate *c, const char *argument)
{
    (void)argument;
    return read_lists(r, "groups", c->places, &c->set.groups) && read_lists(r, "clauses", c->places, &c->set.clauses) &&
           read_proof(r, c);
}

static bool read_part(Reader *r, Certificate *c, LinearPart part, const char *word)
{
    uint64_t n = 0;
    if (!next_number(r, word, UINT32_MAX, &n)) return false;
    for (uint64_t i = 0; i < n; i++) {
        g_autofree char *line = next_line(r);
        if (!line) return false;
        if (!linear_parse(&c->linear, part, line)) return fail(r, "this is no line of \"%s\"", word);
    }
    return true;
}

static bool read_facts(Reader *r, Certificate *c, const char *argument)
{
    if (*argument) return fail(r, "nothing is expected after \"facts\"");
    return read_lists(r, "groups", c->places, &c->set.groups) && read_lists(r, "traps", c->places, &c->set.clauses) &&
           read_part(r, c, LINEAR_ATOMS, "sums") && read_proof(r, c);
}

static bool read_linear(Reader *r, Certificate *c, const char *argument)
{
    c->linear.last = strcmp(argument, "last") == 0;
    if (*argument && !c->linear.last) return fail(r, "\"last\" or nothing is expected after \"linear\"");
    for (LinearPart part = 0; part < N_LINEAR_PARTS; part++)
        if (!read_part(r, c, part, linear_part_names[part])) return false;
    return read_proof(r, c);
}

static bool read_pump(Reader *r, Certificate *c, const char *argument)
{
    uint64_t n = 0;
    if (*argument) return fail(r, "nothing is expected after \"pump\"");
    if (!next_number(r, "parts", UINT32_MAX, &n)) return false;
    for (uint64_t i = 0; i < n; i++) {
        g_autofree char *line = next_line(r);
        if (!line) return false;
        if (!pump_parse(&c->pump, line, c->transitions))
            return fail(r, "\"run\" or \"loop\" with transitions is expected here");
    }
    return true;
}

static bool read_free_choice(Reader *r, Certificate *c, const char *argument)
{
    if (*argument) return fail(r, "nothing is expected after \"free_choice\"");
    return read_named_lists(r, "tokens ", c->places, &c->free_choice.tokens) &&
           read_named_lists(r, "flow ", c->transitions + (c->claim == CLAIM_SOUND), &c->free_choice.flows);
}

static bool read_none(Reader *r, Certificate *c, const char *argument)
{
    (void)r, (void)c, (void)argument;
    return true;
}

static const struct {
    const char *name;
    bool (*read)(Reader *, Certificate *, const char *argument);
} kinds[] = {
#define KIND(constant, name, content, clauses, check) {#name, read_##content},
#include "certify/kinds.def"
#undef KIND
};

/* "kind NAME [ARGUMENT]" and what belongs to it. */
static bool read_kind(Reader *r, Certificate *c)
{
    g_autofree char *line = next_field(r, "kind");
    if (!line) return false;
    char *argument = strchr(line, ' ');
    if (argument) *argument++ = 0;
    for (size_t i = 0; i < G_N_ELEMENTS(kinds); i++)
        if (strcmp(line, kinds[i].name) == 0) {
            c->kind = (CertificateKind)i;
            return kinds[i].read(r, c, argument ? argument : "");
        }
    return fail(r, "there is no kind of certificate \"%s\"", line);
}

/* ---- all ---- */

/* Steps may be left out; then the rest is about the net itself. */
static bool read_steps(Reader *r, Certificate *c, const Net *net)
{
    uint64_t n, places, transitions;
    c->places = net->n_places;
    c->transitions = net->n_transitions;
    if (!is_next(r, "steps ")) return true;
    if (!next_number(r, "steps", UINT32_MAX, &n)) return false;
    if (n == 0) return fail(r, "steps that are there must be listed");
    for (uint64_t i = 0; i < n; i++) {
        g_autofree char *line = next_line(r);
        if (!line) return false;
        if (!steps_parse(&c->steps, line)) return fail(r, "\"%.40s\" is no step", line);
    }
    g_autofree char *sizes = next_field(r, "reduced");
    if (!sizes) return false;
    g_auto(GStrv) words = g_strsplit(sizes, " ", -1);
    if (g_strv_length(words) != 2 || !to_number(words[0], net->n_places, &places) ||
        !to_number(words[1], UINT32_MAX, &transitions))
        return fail(r, "the numbers of places and transitions that are left are expected here");
    c->places = (uint32_t)places;
    c->transitions = (uint32_t)transitions;
    return true;
}

/* What put_goal() of certificate_write.c wrote. */
static char *next_goal(Reader *r, const char *word)
{
    g_autofree char *line = next_field(r, word);
    if (!line) return NULL;
    char *to = line;
    for (const char *from = line; *from; from++) {
        bool escape = *from == '\\';
        if (escape && *++from != 'n' && *from != '\\') {
            fail(r, "a backslash in the goal is followed by n or another one");
            return NULL;
        }
        *to++ = (char)(escape && *from == 'n' ? '\n' : *from);
    }
    *to = 0;
    return g_steal_pointer(&line);
}

static bool read_run(Reader *r, const Net *net, VecU32 *run)
{
    g_autofree char *line = is_next(r, "run") ? next_line(r) : NULL;
    return line && bound_parse_list(line + strlen("run"), net->n_transitions, run);
}

/* "bound ...", and for a number the run that reaches it. */
static bool read_bound(Reader *r, Certificate *c, const Net *net)
{
    g_autofree char *bound = next_field(r, "bound");
    if (!bound) return false;
    if (!bound_parse(&c->bound, bound, net->n_places))
        return fail(r, "a number or \"inf\", and places in order are expected after \"bound\"");
    if (c->bound.infinite) return true;
    return read_run(r, net, &c->bound.run) || fail(r, "the run that reaches the bound is expected here");
}

/* "live", or "sound" and its two places. */
static bool read_goalless(Reader *r, Certificate *c, const Net *net)
{
    g_autofree char *line = next_line(r);
    if (!line) return false;
    VecU32 numbers = {0};
    size_t expected = c->claim == CLAIM_SOUND ? G_N_ELEMENTS(c->ends) : 0;
    bool ok = bound_parse_list(line + strlen(certificate_claim_word(c->claim)), net->n_places, &numbers) &&
              numbers.len == expected;
    if (ok && expected) memcpy(c->ends, numbers.data, sizeof c->ends);
    vec_free(&numbers);
    return ok || fail(r, "nothing is expected after \"live\", two places after \"sound\"");
}

static bool read_claim(Reader *r, Certificate *c, const Net *net)
{
    if (is_next(r, "bound ")) return read_bound(r, c, net);
    c->claim = is_next(r, "lost ") ? CLAIM_LOST : is_next(r, "home ") ? CLAIM_HOME : CLAIM_NEVER;
    if (is_next(r, "live")) c->claim = CLAIM_LIVE;
    if (is_next(r, "sound")) c->claim = CLAIM_SOUND;
    if (!certificate_claim_has_goal(c->claim)) return read_goalless(r, c, net);
    c->goal = next_goal(r, certificate_claim_word(c->claim));
    if (!c->goal || c->claim == CLAIM_NEVER) return c->goal != NULL;
    if (c->claim == CLAIM_HOME)
        return read_named_lists(r, "level ", net->n_places, &c->descent.levels) &&
               read_named_lists(r, "way ", net->n_transitions, &c->descent.ways);
    return read_run(r, net, &c->run) || fail(r, "the run after which it is lost is expected here");
}

static bool read_title(Reader *r)
{
    g_autofree char *first = next_line(r);
    if (!first) return false;
    if (strcmp(first, CERTIFICATE_FORMAT) == 0) return true;
    if (strcmp(first, "mazurka-certificate 1") == 0)
        return fail(r, "this certificate has format 1, which does not name its net by a digest; write it again with "
                       "mazurka check --certificate");
    return fail(r, "this is no certificate: \"%s\" is expected", CERTIFICATE_FORMAT);
}

static bool read_net(Reader *r, const Net *net)
{
    g_autofree char *sizes = next_field(r, "net");
    g_autofree char *own =
        g_strdup_printf("%u %u %" G_GUINT64_FORMAT, net->n_places, net->n_transitions, certificate_arcs(net));
    if (!sizes) return false;
    if (strcmp(sizes, own) != 0)
        return fail(r, "the certificate is about another net (%s places, transitions, arcs; this one has %s)", sizes,
                    own);
    g_autofree char *digest = next_field(r, "digest"), *right = digest_of(net);
    if (!digest) return false;
    return strcmp(digest, right) == 0 ||
           fail(r, "the certificate is about another net: it is for the one with digest %s, this one has %s", digest,
                right);
}

static bool read_all(Reader *r, Certificate *c, const Net *net, const char *start)
{
    if (!read_title(r) || !read_net(r, net)) return false;
    if (!read_claim(r, c, net) || !read_steps(r, c, net) || !read_kind(r, c)) return false;
    g_autofree char *sum =
        g_compute_checksum_for_data(G_CHECKSUM_SHA256, (const guchar *)start, (gsize)(r->at - start));
    g_autofree char *given = next_field(r, "sha256");
    if (!given) return false;
    if (strcmp(sum, given) != 0) return fail(r, "the checksum is wrong: the file was changed");
    return r->at == r->end || fail(r, "there is something after the end");
}

bool certificate_read_bytes(Certificate *c, const Net *net, const char *text, size_t len, const char *file,
                            GError **error)
{
    *c = (Certificate){0};
    Reader r = {file, text, text + len, 0, error};
    if (read_all(&r, c, net, text)) return true;
    certificate_clear(c);
    return false;
}
