#include "certify/certificate.h"

#include "base/bitset.h"
#include "base/error.h"
#include "base/output.h"
#include "certify/apply.h"
#include "certify/closed.h"
#include "certify/rup.h"
#include "prop/expression.h"

#include <gio/gio.h>
#include <stdio.h>
#include <string.h>

static const char title[] = "mazurka-certificate 1";
/* A certificate names no sizes that its own length does not bear out; this one is for compressed parts. */
enum { LARGEST_RATIO = 1100 };

void certificate_clear(Certificate *c)
{
    g_free(c->goal);
    steps_clear(&c->steps);
    listing_clear(&c->events);
    inductive_clear(&c->set);
    linear_clear(&c->linear);
    g_free(c->proof);
    g_free(c->states);
    *c = (Certificate){0};
}

static uint64_t arcs_of(const Net *net)
{
    uint64_t n = 0;
    for (int kind = 0; kind < N_ARC_KINDS; kind++) n += net_arc_count(net, kind);
    return n;
}

/* ---- zlib through GIO ---- */

static GByteArray *convert(GConverter *converter, const uint8_t *data, size_t len, size_t most)
{
    GByteArray *out = g_byte_array_new();
    uint8_t chunk[65536];
    for (;;) {
        gsize consumed = 0, produced = 0;
        GError *error = NULL;
        GConverterResult result = g_converter_convert(converter, data, len, chunk, sizeof chunk,
                                                      G_CONVERTER_INPUT_AT_END, &consumed, &produced, &error);
        if (result == G_CONVERTER_ERROR || out->len + produced > most) {
            g_clear_error(&error);
            g_byte_array_unref(out);
            return NULL;
        }
        g_byte_array_append(out, chunk, (guint)produced);
        data += consumed;
        len -= consumed;
        if (result == G_CONVERTER_FINISHED) return out;
    }
}

/* ---- writing ---- */

static void put_events(GString *out, const Listing *ev)
{
    g_string_append_printf(out, "events %u\n", ev->n);
    for (uint32_t e = 0; e < ev->n; e++) {
        g_string_append_printf(out, "%u", ev->transition[e]);
        for (uint32_t i = ev->cause_start[e]; i < ev->cause_start[e + 1]; i++)
            g_string_append_printf(out, " %u", ev->cause[i]);
        if (ev->companion[e] == LISTING_BOTTOM)
            g_string_append(out, " / -");
        else if (ev->companion[e] != LISTING_NONE)
            g_string_append_printf(out, " / %u", ev->companion[e]);
        g_string_append_c(out, '\n');
    }
}

static void put_bytes(GString *out, const uint8_t *data, size_t len)
{
    g_string_append_printf(out, "bytes %zu\n", len);
    g_string_append_len(out, (const char *)data, (gssize)len);
    g_string_append_c(out, '\n');
}

static void put_lists(GString *out, const char *word, const VecI32 *lists)
{
    size_t n = 0;
    for (size_t i = 0; i < lists->len; i++) n += lists->data[i] == 0;
    g_string_append_printf(out, "%s %zu\n", word, n);
    for (size_t i = 0; i < lists->len; i++) {
        if (!lists->data[i])
            g_string_append_c(out, '\n');
        else
            g_string_append_printf(out, "%s%d", i && lists->data[i - 1] ? " " : "", lists->data[i]);
    }
}

static void put_steps(GString *out, const Certificate *c)
{
    if (!c->steps.list.len) return;
    g_string_append_printf(out, "steps %zu\n", c->steps.list.len);
    for (size_t i = 0; i < c->steps.list.len; i++) {
        steps_text(&c->steps, i, out);
        g_string_append_c(out, '\n');
    }
    g_string_append_printf(out, "reduced %u %u\n", c->places, c->transitions);
}

static void put_linear(GString *out, const Linear *linear)
{
    g_autoptr(GString) line = g_string_new(NULL);
    for (LinearPart part = 0; part < N_LINEAR_PARTS; part++) {
        size_t n = linear_part_count(linear, part);
        g_string_append_printf(out, "%s %zu\n", linear_part_names[part], n);
        for (size_t i = 0; i < n; i++) {
            linear_put(linear, part, i, line);
            g_string_append_printf(out, "%s\n", line->str);
        }
    }
}

bool certificate_write(const Certificate *c, const Net *net, const char *path, GError **error)
{
    g_autoptr(GString) out = g_string_new(title);
    g_string_append_printf(out, "\nnet %u %u %" G_GUINT64_FORMAT "\ngoal %s\n", net->n_places, net->n_transitions,
                           arcs_of(net), c->goal);
    put_steps(out, c);
    if (c->kind == CERTIFICATE_NONE) {
        g_string_append(out, "kind none\n");
    } else if (c->kind == CERTIFICATE_PREFIX) {
        g_string_append_printf(out, "kind prefix %s\n", listing_relation_names[c->events.relation]);
        put_events(out, &c->events);
        put_bytes(out, c->proof, c->proof_len);
    } else if (c->kind == CERTIFICATE_CLAUSES) {
        g_string_append(out, "kind clauses\n");
        put_lists(out, "groups", &c->set.groups);
        put_lists(out, "clauses", &c->set.clauses);
        put_bytes(out, c->proof, c->proof_len);
    } else if (c->kind == CERTIFICATE_LINEAR) {
        g_string_append(out, "kind linear\n");
        put_linear(out, &c->linear);
        put_bytes(out, c->proof, c->proof_len);
    } else {
        g_string_append_printf(out, "kind %s %u\nmarkings %" G_GUINT64_FORMAT "\n",
                               c->kind == CERTIFICATE_STUBBORN ? "stubborn" : "markings", c->width, c->n);
        g_autoptr(GConverter) zlib = G_CONVERTER(g_zlib_compressor_new(G_ZLIB_COMPRESSOR_FORMAT_ZLIB, 6));
        g_autoptr(GByteArray) packed =
            convert(zlib, (const uint8_t *)c->states, c->n * c->words * sizeof *c->states, SIZE_MAX);
        put_bytes(out, packed->data, packed->len);
    }
    g_autofree char *sum = g_compute_checksum_for_data(G_CHECKSUM_SHA256, (const guchar *)out->str, out->len);
    g_string_append_printf(out, "sha256 %s\n", sum);
    return output_write(path, out->str, out->len, error);
}

/* ---- reading ---- */

bool certificate_is_at(const char *path)
{
    char begin[sizeof title] = "";
    FILE *file = fopen(path, "rb");
    if (!file) return false;
    bool is = fread(begin, 1, sizeof begin - 1, file) && g_str_has_prefix(begin, "mazurka-certificate ");
    fclose(file);
    return is;
}

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

static bool read_event(Reader *r, Listing *ev, uint32_t e, VecU32 *causes)
{
    g_autofree char *line = next_line(r);
    if (!line) return false;
    g_auto(GStrv) words = g_strsplit(line, " ", -1);
    uint64_t number;
    guint i = 1, n = g_strv_length(words);
    if (n == 0 || !to_number(words[0], UINT32_MAX - 2, &number))
        return fail(r, "an event is expected here: transition, causes, / companion");
    ev->transition[e] = (uint32_t)number;
    ev->companion[e] = LISTING_NONE;
    for (; i < n && strcmp(words[i], "/") != 0; i++) {
        if (!to_number(words[i], UINT32_MAX - 2, &number)) return fail(r, "\"%s\" is no event", words[i]);
        vec_push(causes, (uint32_t)number);
    }
    ev->cause_start[e + 1] = (uint32_t)causes->len;
    if (i == n) return true;
    if (i + 2 != n) return fail(r, "exactly one companion is expected after the slash");
    if (strcmp(words[i + 1], "-") == 0)
        ev->companion[e] = LISTING_BOTTOM;
    else if (to_number(words[i + 1], UINT32_MAX - 2, &number))
        ev->companion[e] = (uint32_t)number;
    else
        return fail(r, "\"%s\" is no event", words[i + 1]);
    return true;
}

static bool read_events(Reader *r, Listing *ev)
{
    uint64_t n;
    if (!next_number(r, "events", LISTING_MOST, &n)) return false;
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
    uint64_t n;
    if (!next_number(r, "bytes", (uint64_t)(r->end - r->at), &n)) return false;
    if ((uint64_t)(r->end - r->at) < n + 1 || r->at[n] != '\n') return fail(r, "the binary part is cut");
    *data = (const uint8_t *)r->at;
    *len = n;
    r->at += n + 1;
    return true;
}

static bool read_markings(Reader *r, Certificate *c, const char *width)
{
    uint64_t w, n;
    if (!to_number(width, 64, &w) || w == 0 || (w & (w - 1)))
        return fail(r, "the width must be a power of two up to 64");
    c->width = (unsigned)w;
    c->words = (uint32_t)MAX(bitset_words((size_t)c->places * c->width), 1);
    const uint8_t *data;
    size_t len;
    if (!next_number(r, "markings", UINT32_MAX, &n) || !next_bytes(r, &data, &len)) return false;
    uint64_t bytes = n * c->words * sizeof(uint64_t);
    if (bytes / LARGEST_RATIO > len) return fail(r, "so many markings cannot be in so few bytes");
    g_autoptr(GConverter) zlib = G_CONVERTER(g_zlib_decompressor_new(G_ZLIB_COMPRESSOR_FORMAT_ZLIB));
    g_autoptr(GByteArray) plain = convert(zlib, data, len, bytes);
    if (!plain || plain->len != bytes) return fail(r, "the markings cannot be unpacked");
    c->n = n;
    c->states = g_memdup2(plain->data, MAX(bytes, 8));
    return true;
}

static bool read_lists(Reader *r, const char *word, uint32_t n_places, VecI32 *lists)
{
    uint64_t n, number;
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

static bool read_clauses(Reader *r, Certificate *c)
{
    const uint8_t *proof;
    if (!read_lists(r, "groups", c->places, &c->set.groups) || !read_lists(r, "clauses", c->places, &c->set.clauses))
        return false;
    if (!next_bytes(r, &proof, &c->proof_len)) return false;
    c->proof = g_memdup2(proof, MAX(c->proof_len, 1));
    return true;
}

static bool read_linear(Reader *r, Certificate *c)
{
    const uint8_t *proof;
    for (LinearPart part = 0; part < N_LINEAR_PARTS; part++) {
        uint64_t n;
        if (!next_number(r, linear_part_names[part], UINT32_MAX, &n)) return false;
        for (uint64_t i = 0; i < n; i++) {
            g_autofree char *line = next_line(r);
            if (!line) return false;
            if (!linear_parse(&c->linear, part, line))
                return fail(r, "this is no line of \"%s\"", linear_part_names[part]);
        }
    }
    if (!next_bytes(r, &proof, &c->proof_len)) return false;
    c->proof = g_memdup2(proof, MAX(c->proof_len, 1));
    return true;
}

/* Steps may be left out; then the rest is about the net itself. */
static bool read_steps(Reader *r, Certificate *c, const Net *net)
{
    static const char word[] = "steps ";
    uint64_t n, places, transitions;
    c->places = net->n_places;
    c->transitions = net->n_transitions;
    if ((size_t)(r->end - r->at) < strlen(word) || memcmp(r->at, word, strlen(word)) != 0) return true;
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

static bool read_kind(Reader *r, Certificate *c)
{
    g_autofree char *kind = next_field(r, "kind");
    if (!kind) return false;
    if (strcmp(kind, "none") == 0) {
        c->kind = CERTIFICATE_NONE;
        return true;
    }
    if (g_str_has_prefix(kind, "markings ") || g_str_has_prefix(kind, "stubborn ")) {
        c->kind = *kind == 'm' ? CERTIFICATE_MARKINGS : CERTIFICATE_STUBBORN;
        return read_markings(r, c, strchr(kind, ' ') + 1);
    }
    if (strcmp(kind, "clauses") == 0) {
        c->kind = CERTIFICATE_CLAUSES;
        return read_clauses(r, c);
    }
    if (strcmp(kind, "linear") == 0) {
        c->kind = CERTIFICATE_LINEAR;
        return read_linear(r, c);
    }
    c->kind = CERTIFICATE_PREFIX;
    bool known = false;
    for (int i = 0; i < N_LISTING_RELATIONS; i++) {
        g_autofree char *name = g_strconcat("prefix ", listing_relation_names[i], NULL);
        if (strcmp(kind, name) == 0) c->events.relation = i, known = true;
    }
    if (!known) return fail(r, "there is no kind of certificate \"%s\"", kind);
    const uint8_t *proof;
    if (!read_events(r, &c->events) || !next_bytes(r, &proof, &c->proof_len)) return false;
    c->proof = g_memdup2(proof, MAX(c->proof_len, 1));
    return true;
}

static bool read_all(Reader *r, Certificate *c, const Net *net, const char *start)
{
    g_autofree char *first = next_line(r);
    if (!first) return false;
    if (strcmp(first, title) != 0) return fail(r, "this is no certificate: \"%s\" is expected", title);
    g_autofree char *sizes = next_field(r, "net");
    if (!sizes) return false;
    g_autofree char *own = g_strdup_printf("%u %u %" G_GUINT64_FORMAT, net->n_places, net->n_transitions, arcs_of(net));
    if (strcmp(sizes, own) != 0)
        return fail(r, "the certificate is about another net (%s places, transitions, arcs; this one has %s)", sizes,
                    own);
    if (!(c->goal = next_field(r, "goal")) || !read_steps(r, c, net) || !read_kind(r, c)) return false;
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

bool certificate_read(Certificate *c, const Net *net, const char *path, GError **error)
{
    g_autofree char *text = NULL;
    gsize len;
    *c = (Certificate){0};
    return g_file_get_contents(path, &text, &len, error) && certificate_read_bytes(c, net, text, len, path, error);
}

/* ---- checking ---- */

/* What the part behind the kind is about. */
typedef struct Claim {
    const Net *net;
    FormulaStore *store;
    FormulaId goal;
    Applied applied; /* owns net and store when there are steps */
} Claim;

static void claim_clear(Claim *claim)
{
    if (!claim->applied.net) formula_store_free(claim->store);
    applied_clear(&claim->applied);
}

/* Replaces net and goal by what the steps make of them. */
static bool claim_apply(Claim *claim, const Certificate *c, Budget *budget, char **problem)
{
    if (!c->steps.list.len) return true;
    if (!apply_steps(claim->net, claim->store, claim->goal, &c->steps, budget, &claim->applied, problem)) return false;
    formula_store_free(claim->store);
    claim->net = claim->applied.net;
    claim->store = claim->applied.formulas;
    claim->goal = claim->applied.goal;
    if (claim->net->n_places == c->places && claim->net->n_transitions == c->transitions) return true;
    *problem = g_strdup_printf("the steps leave %u places and %u transitions, not %u and %u", claim->net->n_places,
                               claim->net->n_transitions, c->places, c->transitions);
    return false;
}

static bool claim_read(Claim *claim, const Certificate *c, const Net *net, Budget *budget, char **problem)
{
    g_autoptr(GError) error = NULL;
    *problem = NULL;
    *claim = (Claim){.net = net, .store = formula_store_new(net)};
    if (expression_parse(claim->store, c->goal, "goal", &claim->goal, &error))
        return claim_apply(claim, c, budget, problem);
    *problem = g_strdup(error->message);
    return false;
}

static bool clauses_of(const Certificate *c, const Claim *claim, Cnf *cnf, char **problem)
{
    if (c->kind == CERTIFICATE_LINEAR)
        return linear_clauses(claim->net, &c->linear, claim->store, claim->goal, cnf, problem);
    return c->kind == CERTIFICATE_CLAUSES
               ? inductive_clauses(claim->net, &c->set, claim->store, claim->goal, cnf, problem)
               : listing_clauses(claim->net, &c->events, claim->store, claim->goal, cnf, problem);
}

bool certificate_clauses(const Certificate *c, const Net *net, Cnf *cnf, Budget *budget, char **problem)
{
    Claim claim;
    bool ok = claim_read(&claim, c, net, budget, problem) && clauses_of(c, &claim, cnf, problem);
    claim_clear(&claim);
    return ok;
}

static bool check_refutation(const Certificate *c, const Claim *claim, Budget *budget, char **problem)
{
    Cnf cnf;
    cnf_init(&cnf);
    bool ok = clauses_of(c, claim, &cnf, problem) && rup_check(&cnf, c->proof, c->proof_len, budget, problem);
    cnf_clear(&cnf);
    return ok;
}

static bool check_claim(const Certificate *c, const Claim *claim, Budget *budget, char **problem)
{
    switch (c->kind) {
    case CERTIFICATE_NONE:
        if (claim->goal != FORMULA_ID_FALSE) *problem = g_strdup("the goal is not constantly false");
        return !*problem;
    case CERTIFICATE_STUBBORN:
    case CERTIFICATE_MARKINGS: return closed_check(claim->net, claim->store, claim->goal, c, budget, problem);
    case CERTIFICATE_PREFIX:
    case CERTIFICATE_LINEAR:
    case CERTIFICATE_CLAUSES: return check_refutation(c, claim, budget, problem);
    }
    g_assert_not_reached();
}

bool certificate_check(const Certificate *c, const Net *net, Budget *budget, char **problem)
{
    Claim claim;
    bool ok = claim_read(&claim, c, net, budget, problem) && check_claim(c, &claim, budget, problem);
    claim_clear(&claim);
    return ok;
}
