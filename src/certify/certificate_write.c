/* The writing half of certificate.h. mazurka-verify has no part of it. */
#include "base/output.h"
#include "certify/certificate.h"
#include "certify/digest.h"

#include <stdio.h>
#include <zlib.h>

static GByteArray *compress_bytes(const uint8_t *data, size_t len)
{
    uLongf size = compressBound(len);
    if (size > G_MAXUINT) return NULL;
    GByteArray *out = g_byte_array_set_size(g_byte_array_new(), (guint)size);
    if (compress2(out->data, &size, data, len, 6) == Z_OK)
        g_byte_array_set_size(out, (guint)size);
    else
        g_clear_pointer(&out, g_byte_array_unref);
    return out;
}

static void put_events(GString *out, const EventList *ev)
{
    g_string_append_printf(out, "events %u\n", ev->n);
    for (uint32_t e = 0; e < ev->n; e++) {
        g_string_append_printf(out, "%u", ev->transition[e]);
        for (uint32_t i = ev->cause_start[e]; i < ev->cause_start[e + 1]; i++)
            g_string_append_printf(out, " %u", ev->cause[i]);
        if (ev->companion[e] == EVENT_LIST_BOTTOM)
            g_string_append(out, " / -");
        else if (ev->companion[e] != EVENT_LIST_NONE)
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

static void put_part(GString *out, const Linear *linear, LinearPart part, const char *word)
{
    g_autoptr(GString) line = g_string_new(NULL);
    size_t n = linear_part_count(linear, part);
    g_string_append_printf(out, "%s %zu\n", word, n);
    for (size_t i = 0; i < n; i++) {
        linear_put(linear, part, i, line);
        g_string_append_printf(out, "%s\n", line->str);
    }
}

static void put_inequalities(GString *out, const Linear *linear)
{
    for (LinearPart part = 0; part < N_LINEAR_PARTS; part++) put_part(out, linear, part, linear_part_names[part]);
}

/* ---- the kinds ---- */

/* One line for each. */
static void put_named_lists(GString *out, const char *word, const VecU32 *lists)
{
    for (size_t from = 0, i = 0; i < lists->len; i++) {
        if (lists->data[i] != NET_NONE) continue;
        g_string_append(out, word);
        bound_put_list(lists->data + from, i - from, out);
        from = i + 1;
    }
}

static bool put_prefix(GString *out, const Certificate *c)
{
    g_string_append_printf(out, "kind prefix %s\n", event_list_relation_names[c->events.relation]);
    put_events(out, &c->events);
    put_bytes(out, c->proof, c->proof_len);
    return true;
}

static bool put_clauses(GString *out, const Certificate *c)
{
    g_string_append(out, "kind clauses\n");
    put_lists(out, "groups", &c->set.groups);
    put_lists(out, "clauses", &c->set.clauses);
    put_bytes(out, c->proof, c->proof_len);
    return true;
}

static bool put_facts(GString *out, const Certificate *c)
{
    g_string_append(out, "kind facts\n");
    put_lists(out, "groups", &c->set.groups);
    put_lists(out, "traps", &c->set.clauses);
    put_part(out, &c->linear, LINEAR_ATOMS, "sums");
    put_bytes(out, c->proof, c->proof_len);
    return true;
}

static bool put_linear(GString *out, const Certificate *c)
{
    g_string_append(out, c->linear.last ? "kind linear last\n" : "kind linear\n");
    put_inequalities(out, &c->linear);
    put_bytes(out, c->proof, c->proof_len);
    return true;
}

static const char *const names[] = {
#define KIND(constant, name, content, clauses, check) #name,
#include "certify/kinds.def"
#undef KIND
};

static bool put_states(GString *out, const Certificate *c)
{
    g_string_append_printf(out, "kind %s %u\n", names[c->kind], c->width);
    put_named_lists(out, "symmetry", &c->symmetries);
    g_string_append_printf(out, "markings %" G_GUINT64_FORMAT "\n", c->n);
    g_autoptr(GByteArray) packed = compress_bytes((const uint8_t *)c->states, c->n * c->words * sizeof *c->states);
    if (packed) put_bytes(out, packed->data, packed->len);
    return packed != NULL;
}

static bool put_pump(GString *out, const Certificate *c)
{
    g_string_append_printf(out, "kind pump\nparts %zu\n", c->pump.parts.len);
    pump_put(&c->pump, out);
    return true;
}

static bool put_ranks(GString *out, const Certificate *c)
{
    if (!put_states(out, c)) return false;
    g_autoptr(GByteArray) packed = compress_bytes((const uint8_t *)c->ranks, c->n * sizeof *c->ranks);
    if (packed) put_bytes(out, packed->data, packed->len);
    return packed != NULL;
}

static bool put_free_choice(GString *out, const Certificate *c)
{
    g_string_append(out, "kind free_choice\n");
    put_named_lists(out, "tokens", &c->free_choice.tokens);
    put_named_lists(out, "flow", &c->free_choice.flows);
    return true;
}

static bool put_none(GString *out, const Certificate *c)
{
    (void)c;
    g_string_append(out, "kind none\n");
    return true;
}

static bool (*const puts_of[])(GString *, const Certificate *) = {
#define KIND(constant, name, content, clauses, check) put_##content,
#include "certify/kinds.def"
#undef KIND
};

/* On one line, whatever ids are in it. */
static void put_goal(GString *out, const Certificate *c)
{
    if (!certificate_claim_has_goal(c->claim)) {
        g_string_append(out, certificate_claim_word(c->claim));
        bound_put_list(c->ends, c->claim == CLAIM_SOUND ? G_N_ELEMENTS(c->ends) : 0, out);
        return;
    }
    g_string_append_printf(out, "%s ", certificate_claim_word(c->claim));
    for (const char *goal = c->goal; *goal; goal++) {
        if (*goal == '\n')
            g_string_append(out, "\\n");
        else
            g_string_append_printf(out, *goal == '\\' ? "\\\\" : "%c", *goal);
    }
    g_string_append_c(out, '\n');
    put_named_lists(out, "level", &c->descent.levels);
    put_named_lists(out, "way", &c->descent.ways);
    if (c->claim != CLAIM_LOST) return;
    g_string_append(out, "run");
    bound_put_list(c->run.data, c->run.len, out);
}

GString *certificate_text(const Certificate *c, const Net *net, const char *name, GError **error)
{
    g_autoptr(GString) out = g_string_new(CERTIFICATE_FORMAT "\n");
    g_autofree char *digest = digest_of(net);
    g_string_append_printf(out, "net %u %u %" G_GUINT64_FORMAT "\ndigest %s\n", net->n_places, net->n_transitions,
                           certificate_arcs(net), digest);
    if (c->bound.claimed)
        bound_put(&c->bound, out);
    else
        put_goal(out, c);
    put_steps(out, c);
    if (!puts_of[c->kind](out, c)) {
        g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_FAILED, "%s: the certificate is too large to be written", name);
        return NULL;
    }
    g_autofree char *sum = g_compute_checksum_for_data(G_CHECKSUM_SHA256, (const guchar *)out->str, out->len);
    g_string_append_printf(out, "sha256 %s\n", sum);
    return g_steal_pointer(&out);
}

bool certificate_write(const Certificate *c, const Net *net, const char *path, GError **error)
{
    g_autoptr(GString) out = certificate_text(c, net, path, error);
    return out && output_write(path, out->str, out->len, error);
}

/* Does the file begin as certificates of any version do? */
static bool is_at(const char *path)
{
    char begin[sizeof CERTIFICATE_FORMAT] = "";
    FILE *file = fopen(path, "rb");
    if (!file) return false;
    bool is = fread(begin, 1, sizeof begin - 1, file) && g_str_has_prefix(begin, "mazurka-certificate ");
    fclose(file);
    return is;
}

void certificate_forget(const char *path)
{
    if (is_at(path)) remove(path);
}

bool certificate_read(Certificate *c, const Net *net, const char *path, GError **error)
{
    g_autofree char *text = NULL;
    gsize len;
    *c = (Certificate){0};
    return g_file_get_contents(path, &text, &len, error) && certificate_read_bytes(c, net, text, len, path, error);
}
