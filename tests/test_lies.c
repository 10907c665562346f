/* mazurka-verify under attack: true certificates of every kind and claim on small nets, each with one lie in it, behind
 * a right checksum. Whatever is accepted must be true: a search written here, on a net and a goal kept here, of which
 * src knows nothing, looks for a reachable marking that satisfies the goal; tiny_bounds.h judges claims about bounds.
 */
#include "test.h"

#include "certify/certificate.h"
#include "certify/digest.h"
#include "certify/inflate.h"
#include "free_choice_net.h"
#include "home/downhill.h"
#include "home/rank_theorem.h"
#include "home/proof.h"
#include "prop/expression.h"
#include "tiny_bounds.h"
#include "verify/engine.h"

#include <gio/gio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* ---- goals of their own: a reader and evaluator in one, of what goals look like in certificates ---- */

typedef struct Reading {
    const Tiny *net;
    const uint64_t *marking;
    const char *at;
    bool bad;
} Reading;

static bool skip(Reading *r, const char *word)
{
    while (*r->at == ' ') r->at++;
    if (strncmp(r->at, word, strlen(word)) != 0) return false;
    r->at += strlen(word);
    return true;
}

static int node(Reading *r, char kind, int most)
{
    skip(r, " ");
    if (*r->at != kind || !g_ascii_isdigit(r->at[1]) || r->at[1] - '0' >= most) {
        r->bad = true;
        return 0;
    }
    r->at += 2;
    return r->at[-1] - '0';
}

/* Sums of products below 2^127, exact. */
typedef struct Big {
    __int128 high, low; /* high * 2^64 + low, low between 0 and 2^64 */
} Big;

static void big_add(Big *b, __int128 value)
{
    b->low += (__int128)(uint64_t)value;
    b->high += value >> 64;
    b->high += b->low >> 64;
    b->low = (__int128)(uint64_t)b->low;
}

static Big sum(Reading *r)
{
    Big total = {0, 0};
    do {
        skip(r, " ");
        __int128 factor = 1;
        bool number = g_ascii_isdigit(*r->at);
        if (number) {
            char *end;
            factor = g_ascii_strtoull(r->at, &end, 10);
            r->at = end;
        }
        if (number && !skip(r, "*"))
            big_add(&total, factor);
        else
            big_add(&total, factor * r->marking[node(r, 'p', r->net->places)]);
    } while (!r->bad && skip(r, "+"));
    return total;
}

static bool any(Reading *r);

static bool atom(Reading *r)
{
    if (skip(r, "!")) return !atom(r);
    if (skip(r, "(")) {
        bool value = any(r);
        r->bad |= !skip(r, ")");
        return value;
    }
    if (skip(r, "true")) return true;
    if (skip(r, "false")) return false;
    if (skip(r, "deadlock")) {
        for (int t = 0; t < r->net->transitions; t++)
            if (tiny_enabled(r->net, r->marking, t)) return false;
        return true;
    }
    if (skip(r, "fireable(")) {
        bool value = false;
        do value |= tiny_enabled(r->net, r->marking, node(r, 't', r->net->transitions));
        while (!r->bad && skip(r, ","));
        r->bad |= !skip(r, ")");
        return value;
    }
    Big left = sum(r);
    r->bad |= !skip(r, "<=");
    Big right = sum(r);
    return left.high != right.high ? left.high < right.high : left.low <= right.low;
}

static bool all(Reading *r)
{
    bool value = atom(r);
    while (!r->bad && skip(r, "&&")) value &= atom(r);
    return value;
}

static bool any(Reading *r)
{
    bool value = all(r);
    while (!r->bad && skip(r, "||")) value |= all(r);
    return value;
}

static bool goal_holds(const Tiny *n, const uint64_t *marking, const char *goal, bool *bad)
{
    Reading r = {n, marking, goal, false};
    bool holds = any(&r);
    skip(&r, " ");
    *bad |= r.bad || *r.at;
    return holds;
}

typedef enum { REACH_NEVER, REACH_ONCE, REACH_UNKNOWN } Reach;

static Reach reach_of(const Tiny *n, const char *goal)
{
    g_autofree TinySearch *search = g_new0(TinySearch, 1);
    tiny_search(n, search);
    for (int i = 0; i < search->found; i++) {
        bool bad = false, holds = goal_holds(n, search->marking[i], goal, &bad);
        if (bad) return REACH_UNKNOWN;
        if (holds) return REACH_ONCE;
    }
    return search->complete ? REACH_NEVER : REACH_UNKNOWN;
}

/* From every reachable marking one is reachable that satisfies the goal: by asking each. */
static ClaimTruth tiny_home(const Tiny *n, const char *goal)
{
    enum { FEW = 60 };
    g_autofree TinySearch *search = g_new0(TinySearch, 1);
    tiny_search(n, search);
    for (int i = 0; i < search->found && i < FEW; i++) {
        Tiny from = *n;
        memcpy(from.tokens, search->marking[i], sizeof from.tokens);
        Reach reach = reach_of(&from, goal);
        if (reach != REACH_ONCE) return reach == REACH_NEVER ? CLAIM_FALSE : CLAIM_OPEN;
    }
    return search->complete && search->found <= FEW ? CLAIM_TRUE : CLAIM_OPEN;
}

/* The run is one, and no marking after it satisfies the goal. */
static ClaimTruth tiny_lost(const Tiny *n, const VecU32 *run, const char *goal)
{
    Tiny after = *n;
    for (size_t i = 0; i < run->len; i++)
        if (!tiny_enabled(n, after.tokens, (int)run->data[i]) || !tiny_fire(n, after.tokens, (int)run->data[i]))
            return CLAIM_FALSE;
    Reach reach = reach_of(&after, goal);
    return reach == REACH_NEVER ? CLAIM_TRUE : reach == REACH_ONCE ? CLAIM_FALSE : CLAIM_OPEN;
}

/* Each transition can always fire again. */
static ClaimTruth tiny_live(const Tiny *n)
{
    ClaimTruth truth = CLAIM_TRUE;
    for (int t = 0; t < n->transitions; t++) {
        g_autofree char *goal = g_strdup_printf("fireable(t%d)", t);
        ClaimTruth one = tiny_home(n, goal);
        if (one == CLAIM_FALSE) return one;
        if (one == CLAIM_OPEN) truth = one;
    }
    return truth;
}

/* With one token on the first place: the end can always be reached, nothing is left over, and all can fire. */
static ClaimTruth tiny_sound(const Tiny *n, const uint32_t ends[2])
{
    Tiny begun = *n;
    memset(begun.tokens, 0, sizeof begun.tokens);
    begun.tokens[ends[0]] = 1;
    g_autoptr(GString) done = g_string_new(NULL);
    for (int p = 0; p < n->places; p++)
        g_string_append_printf(done, "%sp%d <= %d", p ? " && " : "", p, p == (int)ends[1]);
    g_string_append_printf(done, " && 1 <= p%u", ends[1]);
    g_autofree char *left = g_strdup_printf("1 <= p%u && !(%s)", ends[1], done->str);
    if (reach_of(&begun, left) == REACH_ONCE) return CLAIM_FALSE;
    for (int t = 0; t < n->transitions; t++) {
        g_autofree char *fires = g_strdup_printf("fireable(t%d)", t);
        if (reach_of(&begun, fires) == REACH_NEVER) return CLAIM_FALSE;
    }
    return tiny_home(&begun, done->str);
}

static ClaimTruth truth_of(const Tiny *n, const Certificate *c)
{
    if (c->bound.claimed) return tiny_claim(n, c);
    if (c->claim == CLAIM_LIVE) return tiny_live(n);
    if (c->claim == CLAIM_SOUND) return tiny_sound(n, c->ends);
    if (c->claim == CLAIM_HOME) return tiny_home(n, c->goal);
    return tiny_lost(n, &c->run, c->goal); /* no run for what is never reachable */
}

static void random_sum(Rng *rng, const Tiny *n, GString *out)
{
    static const uint64_t large[] = {INT64_MAX, INT64_MAX - 1, (uint64_t)1 << 62, (uint64_t)1 << 61, 3};
    for (uint64_t k = 1 + rng_below(rng, 3); k > 0; k--) {
        uint64_t factor = rng_chance(rng, 4) ? large[rng_below(rng, G_N_ELEMENTS(large))] : 1 + rng_below(rng, 2);
        g_string_append_printf(out, "%" G_GUINT64_FORMAT "*p%d%s", factor, (int)rng_below(rng, (uint64_t)n->places),
                               k > 1 ? " + " : "");
    }
}

static void random_goal(Rng *rng, const Tiny *n, int depth, GString *out)
{
    if (depth && rng_chance(rng, 2)) {
        g_string_append(out, rng_chance(rng, 4) ? "!(" : "(");
        random_goal(rng, n, depth - 1, out);
        g_string_append(out, rng_chance(rng, 2) ? " && " : " || ");
        random_goal(rng, n, depth - 1, out);
        g_string_append_c(out, ')');
    } else if (rng_chance(rng, 5)) {
        g_string_append(out, "deadlock");
    } else if (rng_chance(rng, 4)) {
        g_string_append_printf(out, "fireable(t%d)", (int)rng_below(rng, (uint64_t)n->transitions));
    } else {
        uint64_t bound = rng_chance(rng, 6) ? INT64_MAX - rng_below(rng, 3) : rng_below(rng, 5);
        if (rng_chance(rng, 3)) {
            random_sum(rng, n, out);
            g_string_append_printf(out, " <= %" G_GUINT64_FORMAT, bound);
        } else {
            g_string_append_printf(out, "%" G_GUINT64_FORMAT " <= ", bound);
            random_sum(rng, n, out);
        }
    }
}

/* ---- true certificates ---- */

/* The file without its last line, or NULL when there is none. */
static GString *body_of(const char *path)
{
    g_autofree char *text = NULL;
    gsize len;
    if (!g_file_get_contents(path, &text, &len, NULL)) return NULL;
    return g_string_new_len(text, (gssize)(len - strlen("sha256 \n") - 64));
}

/* NULL when the engine (NULL: one of them) proved nothing. For a goal, or that more than a bound is unreachable. */
static GString *prove(const Net *net, const char *goal, const BoundClaim *bound, const char *engine, Rng *rng,
                      const char *path)
{
    static const char *const relations[] = {"classic", "read", "loops"};
    static const char *const engines[] = {"explicit",  "stubborn", "unfold",   "pdr",
                                          "certified", "symmetry", "equation", "traps"};
    uint64_t number = rng_below(rng, 20);
    if (!engine) engine = engines[number > 5 ? number % 6 : 6 + number / 3];
    g_autoptr(FormulaStore) store = formula_store_new(net);
    Query query = {net, store, 0};
    if (!(bound ? bound_goal(bound, store, &query.goal, NULL)
                : expression_parse(store, goal, "goal", &query.goal, NULL)))
        return NULL;
    ProofFile file = {.path = path, .bound = bound};
    EngineOptions options = {.relation = relations[rng_below(rng, 3)], .threads = 1, .certificate = &file};
    Budget budget = budget_new(5, 0, 0);
    Result result = {0};
    unlink(path);
    engine_find(engine)->run(&query, &options, &budget, &result);
    bool proved = result.answer == ANSWER_UNREACHABLE;
    result_clear(&result);
    return proved ? body_of(path) : NULL;
}

/* That the goal can always be reached again, or can be lost. */
static GString *prove_home(const Net *net, const char *goal, Rng *rng, const char *path)
{
    g_autoptr(FormulaStore) store = formula_store_new(net);
    FormulaId id;
    if (!expression_parse(store, goal, "goal", &id, NULL)) return NULL;
    HomeQuestion question = {.net = net, .formulas = store, .goals = &id, .n = 1};
    EngineOptions options = {.threads = 1, .seed = rng_below(rng, 1000)};
    Budget budget = budget_new(5, 0, 0);
    HomeResult result = {0};
    home_ask(&question, &options, &budget, &result);
    bool proved = result.verdict != VERDICT_UNKNOWN &&
                  home_proof_write(&question, &result, &options, &(ProofFile){.path = path}, &budget, NULL);
    home_result_clear(&result);
    return proved ? body_of(path) : NULL;
}

/* That it can always be reached again, by a rank that can always be lowered. */
static GString *prove_descent(const Net *net, const char *goal, Rng *rng, const char *path)
{
    g_autoptr(FormulaStore) store = formula_store_new(net);
    FormulaId id;
    if (!expression_parse(store, goal, "goal", &id, NULL)) return NULL;
    EngineOptions options = {.threads = 1, .seed = rng_below(rng, 1000)};
    Budget budget = budget_new(5, 0, 0);
    Downhill found = {0};
    downhill_ask(net, store, id, &options, &(ProofFile){.path = path}, &budget, &found);
    bool proved = found.verdict == VERDICT_HOLDS;
    downhill_clear(&found);
    return proved ? body_of(path) : NULL;
}

/* A small free-choice net, live or a sound workflow net. */
static Tiny tiny_free_choice(Rng *rng, bool workflow)
{
    FreeChoiceDraft d;
    (workflow ? fc_workflow_draft : fc_draft)(&d, rng, 4);
    Tiny n = {.places = (int)d.places, .transitions = (int)d.transitions};
    for (uint32_t p = 0; p < d.places; p++) {
        n.tokens[p] = d.tokens[p];
        for (uint32_t t = 0; t < d.transitions; t++) {
            n.in[t][p] = d.pre[p][t];
            n.out[t][p] = d.post[p][t];
        }
    }
    return n;
}

static GString *prove_structure(const Net *net, bool workflow, const char *path)
{
    Certificate proof;
    Budget budget = budget_new(5, 0, 0);
    bool proved = workflow ? rank_theorem_sound(net, 0, 1, &budget, &proof) : rank_theorem_live(net, &budget, &proof);
    ck_assert(proved && certificate_write(&proof, net, path, NULL));
    certificate_clear(&proof);
    return body_of(path);
}

static VecU32 random_places(const Tiny *n, Rng *rng)
{
    VecU32 places = {0};
    for (uint64_t k = 1 + rng_below(rng, 2); k > 0; k--)
        vec_push(&places, (uint32_t)rng_below(rng, (uint64_t)n->places));
    return places;
}

/* The largest value of some sum, with a run that reaches it. */
static GString *prove_bound(const Tiny *n, const Net *net, Rng *rng, const char *path)
{
    g_autofree TinySearch *search = g_new0(TinySearch, 1);
    tiny_search(n, search);
    if (!search->complete) return NULL;
    VecU32 places = random_places(n, rng), run = {0};
    int best = 0;
    for (int i = 0; i < search->found; i++)
        if (tiny_sum(search->marking[i], &places) > tiny_sum(search->marking[best], &places)) best = i;
    TinySum most = tiny_sum(search->marking[best], &places);
    for (int i = best; i; i = search->from[i]) vec_push(&run, (uint32_t)search->by[i]);
    for (size_t i = 0; i < run.len / 2; i++) {
        uint32_t swap = run.data[i];
        run.data[i] = run.data[run.len - 1 - i];
        run.data[run.len - 1 - i] = swap;
    }
    BoundClaim claim = bound_claim(&places, false, (uint64_t)most, &run);
    GString *body = most <= BOUND_MOST ? prove(net, NULL, &claim, NULL, rng, path) : NULL;
    bound_clear(&claim);
    vec_free(&places);
    vec_free(&run);
    return body;
}

/* ---- pumps, found by walking with omegas ---- */

enum { STAGE = 12, STAGES = 3 };

typedef struct Stage {
    uint64_t marking[STAGE + 1][MOST_PLACES];
    uint32_t run[STAGE];
    int len;
} Stage;

static bool stage_step(const Tiny *n, Stage *s, Rng *rng)
{
    int enabled[MOST_TRANSITIONS], count = 0;
    for (int t = 0; t < n->transitions; t++)
        if (tiny_enabled(n, s->marking[s->len], t)) enabled[count++] = t;
    if (!count) return false;
    int t = enabled[rng_below(rng, (uint64_t)count)];
    const uint64_t *from = s->marking[s->len];
    uint64_t *to = s->marking[s->len + 1];
    for (int p = 0; p < n->places; p++) {
        to[p] = from[p];
        if (from[p] != TINY_OMEGA && __builtin_add_overflow(from[p] - n->in[t][p], n->out[t][p], &to[p])) return false;
    }
    s->run[s->len++] = (uint32_t)t;
    return true;
}

/* Can the firings since `from` be repeated for ever, with more each time? */
static bool stage_repeats(const Tiny *n, const Stage *s, int from)
{
    const uint64_t *before = s->marking[from], *after = s->marking[s->len];
    bool grew = false;
    for (int p = 0; p < n->places; p++) {
        if (after[p] < before[p]) return false;
        if (after[p] == before[p]) continue;
        grew = true;
        for (int k = from; k < s->len; k++)
            if (n->inhibit[s->run[k]][p]) return false;
    }
    return grew;
}

/* The head of a certificate, without a claim. */
static GString *header_of(const Net *net)
{
    g_autofree char *digest = digest_of(net);
    GString *body = g_string_new(CERTIFICATE_FORMAT "\n");
    g_string_append_printf(body, "net %u %u %u\ndigest %s\n", net->n_places, net->n_transitions,
                           (unsigned)certificate_arcs(net), digest);
    return body;
}

static GString *pump_text(const Net *net, const VecU32 *places, const Pump *pump)
{
    GString *body = header_of(net);
    BoundClaim claim = bound_claim(places, true, 0, NULL);
    bound_put(&claim, body);
    bound_clear(&claim);
    g_string_append_printf(body, "kind pump\nparts %zu\n", pump->parts.len);
    pump_put(pump, body);
    return body;
}

static GString *prove_pump(const Tiny *n, const Net *net, Rng *rng)
{
    Stage s = {0};
    Pump pump = {0};
    memcpy(s.marking[0], n->tokens, sizeof n->tokens);
    uint64_t *now = s.marking[0];
    for (int stage = 0; stage < STAGES; stage++) {
        int from = -1;
        while (from < 0 && s.len < STAGE && stage_step(n, &s, rng)) {
            from = s.len;
            while (--from >= 0 && !stage_repeats(n, &s, from)) {
            }
        }
        if (from < 0) break;
        now = s.marking[s.len];
        for (int p = 0; p < n->places; p++)
            if (now[p] > s.marking[from][p]) now[p] = TINY_OMEGA;
        pump_add(&pump, false, s.run, (size_t)from);
        pump_add(&pump, true, s.run + from, (size_t)(s.len - from));
        memmove(s.marking[0], now, sizeof n->tokens);
        now = s.marking[0];
        s.len = 0;
    }
    VecU32 places = random_places(n, rng);
    bool grows = false;
    for (size_t i = 0; i < places.len; i++) grows |= now[places.data[i]] == TINY_OMEGA;
    GString *body = pump.parts.len && grows ? pump_text(net, &places, &pump) : NULL;
    vec_free(&places);
    pump_clear(&pump);
    return body;
}

/* ---- lies ---- */

/* Where the text ends and "bytes N" with its binary part begins; the length when there is none. */
static size_t text_end(const GString *c)
{
    for (size_t i = 0; i + 7 < c->len; i++)
        if (memcmp(c->str + i, "\nbytes ", 7) == 0) return i + 1;
    return c->len;
}

typedef struct Span {
    size_t from, len;
} Span;

/* A random number or line of the text behind the first `after` lines. */
static bool pick(const GString *c, Rng *rng, bool numbers, int after, Span *span)
{
    size_t end = text_end(c), at = 0, n = 0;
    for (; after > 0 && at < end; at++) after -= c->str[at] == '\n';
    for (size_t i = at; i < end;) {
        size_t from = i;
        while (i < end && (numbers ? g_ascii_isdigit(c->str[i]) : c->str[i] != '\n')) i++;
        bool found = numbers ? i > from && !g_ascii_isalpha(c->str[from - 1]) : true;
        if (found && rng_chance(rng, ++n)) *span = (Span){from, i - from};
        i += !numbers || i == from;
    }
    return n > 0;
}

static void replace(GString *c, Span span, const char *text)
{
    g_string_erase(c, (gssize)span.from, (gssize)span.len);
    g_string_insert(c, (gssize)span.from, text);
}

/* The binary part, without its line breaks. */
static bool binary(const GString *c, Span *span)
{
    size_t at = text_end(c);
    if (at == c->len) return false;
    char *end;
    span->len = g_ascii_strtoull(c->str + at + strlen("bytes "), &end, 10);
    span->from = (size_t)(end + 1 - c->str);
    return true;
}

static void replace_binary(GString *c, const uint8_t *bytes, size_t len)
{
    g_string_truncate(c, text_end(c));
    g_string_append_printf(c, "bytes %zu\n", len);
    g_string_append_len(c, (const char *)bytes, (gssize)len);
    g_string_append_c(c, '\n');
}

static bool lie_number_by_one(GString *c, Rng *rng)
{
    Span span;
    if (!pick(c, rng, true, 4, &span)) return false;
    uint64_t old = g_ascii_strtoull(c->str + span.from, NULL, 10);
    g_autofree char *text = g_strdup_printf("%" G_GUINT64_FORMAT, rng_chance(rng, 2) && old ? old - 1 : old + 1);
    replace(c, span, text);
    return true;
}

static bool lie_number_extreme(GString *c, Rng *rng)
{
    static const char *const extremes[] = {"0",
                                           "1",
                                           "-1",
                                           "2147483647",
                                           "2147483648",
                                           "4294967295",
                                           "4294967294",
                                           "9223372036854775807",
                                           "9223372036854775806",
                                           "-9223372036854775808",
                                           "9223372036854775808",
                                           "18446744073709551615",
                                           "18446744073709551616",
                                           ""};
    Span span;
    if (!pick(c, rng, true, 3, &span)) return false;
    replace(c, span, extremes[rng_below(rng, G_N_ELEMENTS(extremes))]);
    return true;
}

static bool lie_number_of_another(GString *c, Rng *rng)
{
    Span span, other;
    if (!pick(c, rng, true, 3, &span) || !pick(c, rng, true, 3, &other)) return false;
    g_autofree char *text = g_strndup(c->str + other.from, other.len);
    replace(c, span, text);
    return true;
}

static bool lie_sign(GString *c, Rng *rng)
{
    Span span;
    if (!pick(c, rng, true, 4, &span)) return false;
    if (c->str[span.from - 1] == '-')
        g_string_erase(c, (gssize)span.from - 1, 1);
    else
        g_string_insert_c(c, (gssize)span.from, '-');
    return true;
}

/* The last line that says how many follow, one less when one is dropped. */
static void count_lines(GString *c, size_t before, int by)
{
    for (size_t at = before; at-- > 0;) {
        if (at && c->str[at - 1] != '\n') continue;
        static const char *const words[] = {"events ", "steps ",   "groups ", "clauses ", "atoms ",
                                            "traps ",  "siphons ", "lemmas ", "parts ",   "sums "};
        for (size_t i = 0; i < G_N_ELEMENTS(words); i++) {
            if (strncmp(c->str + at, words[i], strlen(words[i])) != 0) continue;
            char *end;
            size_t from = at + strlen(words[i]);
            uint64_t n = g_ascii_strtoull(c->str + from, &end, 10);
            g_autofree char *text = g_strdup_printf("%" G_GUINT64_FORMAT, n + (uint64_t)by);
            replace(c, (Span){from, (size_t)(end - c->str) - from}, text);
            return;
        }
    }
}

static bool lie_line_dropped(GString *c, Rng *rng)
{
    Span span;
    if (!pick(c, rng, false, 4, &span)) return false;
    g_string_erase(c, (gssize)span.from, (gssize)span.len + 1);
    if (!rng_chance(rng, 4)) count_lines(c, span.from, -1);
    return true;
}

static bool lie_line_repeated(GString *c, Rng *rng)
{
    Span span;
    if (!pick(c, rng, false, 4, &span)) return false;
    g_autofree char *line = g_strndup(c->str + span.from, span.len + 1);
    g_string_insert(c, (gssize)span.from, line);
    if (!rng_chance(rng, 4)) count_lines(c, span.from, 1);
    return true;
}

static bool lie_lines_swapped(GString *c, Rng *rng)
{
    Span a, b;
    if (!pick(c, rng, false, 4, &a) || !pick(c, rng, false, 4, &b) || a.from == b.from) return false;
    if (a.from > b.from) {
        Span swap = a;
        a = b;
        b = swap;
    }
    g_autofree char *first = g_strndup(c->str + a.from, a.len), *second = g_strndup(c->str + b.from, b.len);
    replace(c, b, first);
    replace(c, a, second);
    return true;
}

static bool lie_word_dropped(GString *c, Rng *rng)
{
    Span span;
    if (!pick(c, rng, true, 4, &span) || !span.from) return false;
    if (c->str[span.from - 1] != ' ') return false;
    g_string_erase(c, (gssize)span.from - 1, (gssize)span.len + 1);
    return true;
}

static bool lie_proof_byte(GString *c, Rng *rng)
{
    Span span;
    if (!binary(c, &span) || !span.len) return false;
    c->str[span.from + rng_below(rng, span.len)] = (char)(rng_chance(rng, 2) ? rng_next(rng) : rng_below(rng, 32));
    return true;
}

static bool lie_proof_cut(GString *c, Rng *rng)
{
    Span span;
    if (!binary(c, &span) || !span.len) return false;
    size_t from = rng_below(rng, span.len), n = 1 + rng_below(rng, span.len - from);
    g_autoptr(GByteArray) left = g_byte_array_new();
    g_byte_array_append(left, (const uint8_t *)c->str + span.from, (guint)span.len);
    g_byte_array_remove_range(left, (guint)from, (guint)n);
    replace_binary(c, left->data, left->len);
    return true;
}

static bool lie_proof_short(GString *c, Rng *rng)
{
    Span span;
    static const uint8_t nothing[] = {'a', 0};
    if (!binary(c, &span)) return false;
    replace_binary(c, nothing, rng_below(rng, 3));
    return true;
}

static bool take(const uint8_t *bytes, size_t n, void *data)
{
    g_byte_array_append(data, bytes, (guint)n);
    return true;
}

/* In the unpacked markings: a changed byte, a marking less, or all zero. */
static bool lie_markings(GString *c, Rng *rng)
{
    Span span;
    g_autoptr(GByteArray) plain = g_byte_array_new();
    if (!strstr(c->str, "\nmarkings ") || !binary(c, &span) ||
        !inflate_zlib((const uint8_t *)c->str + span.from, span.len, take, plain) || !plain->len)
        return false;
    size_t at = rng_below(rng, plain->len);
    uint64_t how = rng_below(rng, 3);
    if (how == 0) plain->data[at] ^= (uint8_t)(1 << rng_below(rng, 8));
    if (how == 1) plain->data[at] = (uint8_t)rng_next(rng);
    if (how == 2) g_byte_array_remove_range(plain, (guint)(at / 8 * 8), 8);
    g_autoptr(GConverter) zlib = G_CONVERTER(g_zlib_compressor_new(G_ZLIB_COMPRESSOR_FORMAT_ZLIB, 6));
    gsize consumed, produced;
    g_autofree uint8_t *packed = g_malloc(plain->len + 1000);
    ck_assert(g_converter_convert(zlib, plain->data, plain->len, packed, plain->len + 1000, G_CONVERTER_INPUT_AT_END,
                                  &consumed, &produced, NULL) == G_CONVERTER_FINISHED);
    replace_binary(c, packed, produced);
    if (how != 2) return true;
    char *count = strstr(c->str, "\nmarkings ") + strlen("\nmarkings "), *end;
    g_autofree char *text = g_strdup_printf("%" G_GUINT64_FORMAT, g_ascii_strtoull(count, &end, 10) - 1);
    replace(c, (Span){(size_t)(count - c->str), (size_t)(end - count)}, text);
    return true;
}

static bool lie_kind(GString *c, Rng *rng)
{
    static const char *const kinds[] = {
        "prefix classic", "prefix read", "prefix loops", "markings 1",  "markings 2",   "markings 64", "stubborn 1",
        "stubborn 64",    "clauses",     "linear",       "linear last", "linear first", "none",        "pump",
        "ranks 1",        "ranks 64",    "free_choice",  "facts",       "symmetric 1",  "symmetric 64"};
    char *at = strstr(c->str, "\nkind ");
    if (!at) return false;
    size_t from = (size_t)(at - c->str) + strlen("\nkind ");
    replace(c, (Span){from, strcspn(c->str + from, "\n")}, kinds[rng_below(rng, G_N_ELEMENTS(kinds))]);
    return true;
}

/* The line of the goal or of what has none, or those of a bound or of what is lost, with their ends. */
static Span claim_of(const GString *c)
{
    static const char *const words[] = {"\ngoal ", "\nbound ", "\nhome ", "\nlost ", "\nlive", "\nsound "};
    const char *begin = NULL;
    for (size_t i = 0; i < G_N_ELEMENTS(words) && !begin; i++) begin = strstr(c->str, words[i]);
    const char *end = strchr(begin + 1, '\n');
    if (g_str_has_prefix(end, "\nrun")) end = strchr(end + 1, '\n');
    return (Span){(size_t)(begin + 1 - c->str), (size_t)(end - begin)};
}

/* Another word before the goal. */
static bool lie_claim_word(GString *c, Rng *rng)
{
    static const char *const words[] = {"goal", "home", "lost"};
    Span claim = claim_of(c);
    if (g_str_has_prefix(c->str + claim.from, "live") || g_str_has_prefix(c->str + claim.from, "sound")) {
        unsigned k = (unsigned)rng_below(rng, 4);
        g_autofree char *other = g_strdup_printf("sound %u %u\n", (unsigned)rng_below(rng, 4), k);
        replace(c, claim, rng_chance(rng, 2) ? "live\n" : other);
        return true;
    }
    const char *word = words[rng_below(rng, G_N_ELEMENTS(words))];
    size_t len = strcspn(c->str + claim.from, " ");
    bool bound = g_str_has_prefix(c->str + claim.from, "bound "), same = strncmp(c->str + claim.from, word, len) == 0;
    if (bound || same) return false;
    const char *end = strchr(c->str + claim.from, '\n');
    bool run = g_str_has_prefix(end, "\nrun");
    size_t at = (size_t)(end + 1 - c->str);
    if (run && word != words[2]) g_string_erase(c, (gssize)at, (gssize)(strchr(end + 1, '\n') - end));
    if (!run && word == words[2]) g_string_insert(c, (gssize)at, "run\n");
    replace(c, (Span){claim.from, len}, word);
    return true;
}

/* The first number of the line that begins here. */
static bool shift_number(GString *c, size_t at, int by)
{
    while (c->str[at] != '\n' && !(g_ascii_isdigit(c->str[at]) && !g_ascii_isalnum(c->str[at - 1]))) at++;
    if (c->str[at] == '\n') return false;
    char *end;
    uint64_t old = g_ascii_strtoull(c->str + at, &end, 10);
    if (by < 0 && old == 0) return false;
    g_autofree char *text = g_strdup_printf("%" G_GUINT64_FORMAT, old + (uint64_t)by);
    replace(c, (Span){at, (size_t)(end - c->str) - at}, text);
    return true;
}

/* The goal and the inequalities that stand for it, together: what is proved is then almost true. */
static bool lie_bounds(GString *c, Rng *rng)
{
    int by = rng_chance(rng, 4) ? 1 : -1;
    char *atoms = strstr(c->str, "\natoms ");
    if (!atoms || !shift_number(c, claim_of(c).from, by)) return false;
    atoms = strstr(c->str, "\natoms ");
    uint64_t n = g_ascii_strtoull(atoms + strlen("\natoms "), NULL, 10);
    size_t at = (size_t)(strchr(atoms + 1, '\n') + 1 - c->str);
    for (; n > 0; n--) {
        shift_number(c, at, by);
        at = (size_t)(strchr(c->str + at, '\n') + 1 - c->str);
    }
    return true;
}

static void random_step(GString *out, Rng *rng)
{
    static const struct {
        const char *name, *nodes;
    } steps[] = {
#define STEP(constant, name, nodes) {#name, nodes},
#include "certify/steps.def"
#undef STEP
    };
    uint64_t kind = rng_below(rng, G_N_ELEMENTS(steps));
    bool many = g_str_has_suffix(steps[kind].nodes, "...");
    g_string_append(out, steps[kind].name);
    for (uint64_t n = many ? 1 + rng_below(rng, 3) : (strlen(steps[kind].nodes) + 1) / 2; n > 0; n--)
        g_string_append_printf(out, " %d", (int)rng_below(rng, MOST_PLACES));
    g_string_append_c(out, '\n');
}

/* One that nobody asked for, before the others. */
static bool lie_step(GString *c, Rng *rng)
{
    g_autoptr(GString) step = g_string_new(NULL);
    random_step(step, rng);
    char *steps = strstr(c->str, "\nsteps ");
    Span claim = claim_of(c);
    if (steps) {
        gssize at = strchr(steps + 1, '\n') + 1 - c->str;
        g_string_insert(c, at, step->str);
        count_lines(c, (size_t)at - 1, 1);
    } else {
        g_string_prepend(step, "steps 1\n");
        g_string_append(step, "reduced 0 0\n");
        g_string_insert(c, (gssize)(claim.from + claim.len), step->str);
    }
    return true;
}

/* One more that is invented, of nodes that are exchanged or go round: places, then transitions. */
static bool lie_symmetry(GString *c, Rng *rng)
{
    char *kind = strstr(c->str, "\nkind symmetric ");
    if (!kind) return false;
    const char *net = strstr(c->str, "\nreduced ");
    unsigned places, transitions;
    ck_assert(sscanf(net ? net + strlen("\nreduced ") : strstr(c->str, "\nnet ") + strlen("\nnet "), "%u %u", &places,
                     &transitions) == 2);
    g_autoptr(GString) line = g_string_new("symmetry");
    for (int side = 0; side < 2; side++) {
        unsigned n = side ? transitions : places, base = side ? places : 0, first = (unsigned)rng_below(rng, n + 1),
                 len = (unsigned)rng_below(rng, 4), step = 1 + (unsigned)rng_below(rng, 3);
        for (unsigned i = 0; n && i < len; i++)
            g_string_append_printf(line, " %u %u", base + (first + i * step) % n,
                                   base + (first + (i + 1) % len * step) % n);
    }
    g_string_append_c(line, '\n');
    g_string_insert(c, strchr(kind + 1, '\n') + 1 - c->str, line->str);
    return true;
}

static bool (*const lies[])(GString *, Rng *) = {lie_number_by_one, lie_number_extreme, lie_number_of_another,
                                                 lie_sign,          lie_line_dropped,   lie_line_repeated,
                                                 lie_lines_swapped, lie_word_dropped,   lie_proof_byte,
                                                 lie_proof_cut,     lie_proof_short,    lie_markings,
                                                 lie_kind,          lie_step,           lie_bounds,
                                                 lie_claim_word,    lie_symmetry};
static const char *const lie_names[] = {"number by one",
                                        "extreme number",
                                        "another number",
                                        "sign",
                                        "line dropped",
                                        "line repeated",
                                        "lines swapped",
                                        "word dropped",
                                        "proof byte",
                                        "proof cut",
                                        "proof emptied",
                                        "markings",
                                        "kind",
                                        "step invented",
                                        "goal and bounds",
                                        "word of the claim",
                                        "symmetry invented",
                                        "goal",
                                        "goal that is reachable",
                                        "net",
                                        "steps alone",
                                        "bound claimed",
                                        "pump invented"};
enum {
    N_TEXT_LIES = G_N_ELEMENTS(lies),
    LIE_GOAL = N_TEXT_LIES,
    LIE_REACHABLE,
    LIE_NET,
    LIE_STEPS,
    LIE_CLAIM,
    LIE_PUMP,
    N_LIES
};

/* ---- the table ---- */

typedef struct Row {
    unsigned told, unread, refused, accepted;
} Row;

static void set_line(GString *c, const char *word, const char *value)
{
    g_autofree char *begin = g_strdup_printf("\n%s ", word);
    size_t from = (size_t)(strstr(c->str, begin) - c->str) + strlen(begin);
    replace(c, (Span){from, strcspn(c->str + from, "\n")}, value);
}

/* Reads and checks it behind a right checksum. False: it cannot be read. */
static bool read_and_check(const Net *net, const GString *body, Certificate *c, char **problem)
{
    g_autofree char *sum = g_compute_checksum_for_data(G_CHECKSUM_SHA256, (const guchar *)body->str, body->len);
    g_autofree char *last = g_strdup_printf("sha256 %s\n", sum);
    g_autoptr(GString) whole = g_string_new_len(body->str, (gssize)body->len);
    g_string_append(whole, last);
    if (!certificate_read_bytes(c, net, whole->str, whole->len, "lie", NULL)) return false;
    Budget budget = budget_new(TEST_PLENTY, 0, 0);
    bool accepted = certificate_check(c, net, &budget, problem);
    ck_assert(accepted == !*problem);
    return true;
}

/* Believed? What is accepted must be true of the net. A lie about steps that is refused only for the sizes they leave
 * is told again with these. */
static void tell(const Tiny *tiny, const Net *net, const GString *body, Row *row, const char *what)
{
    Certificate c;
    g_autofree char *problem = NULL;
    row->told++;
    if (!read_and_check(net, body, &c, &problem)) {
        row->unread++;
        return;
    }
    unsigned places, transitions;
    if (problem && sscanf(problem, "the steps leave %u places and %u transitions", &places, &transitions) == 2) {
        g_autoptr(GString) again = g_string_new_len(body->str, (gssize)body->len);
        g_autofree char *sizes = g_strdup_printf("%u %u", places, transitions);
        set_line(again, "reduced", sizes);
        certificate_clear(&c);
        row->told--;
        tell(tiny, net, again, row, what);
        return;
    }
    row->refused += problem != NULL;
    row->accepted += !problem;
    bool believed = !problem && truth_of(tiny, &c) == CLAIM_FALSE;
    ck_assert_msg(!believed, "%s: a false certificate is accepted:\n%s", what, body->str);
    certificate_clear(&c);
}

/* Steps and nothing else for a goal that is reachable. */
static void tell_steps(const Tiny *tiny, const Net *net, const GString *body, Rng *rng, Row *row)
{
    g_autoptr(GString) goal = g_string_new(NULL), steps = g_string_new(NULL),
                       lie = g_string_new_len(body->str, (gssize)body->len);
    random_goal(rng, tiny, 1, goal);
    if (reach_of(tiny, goal->str) != REACH_ONCE) return;
    uint64_t n = 1 + rng_below(rng, 4);
    for (uint64_t i = 0; i < n; i++) random_step(steps, rng);
    g_string_truncate(lie, claim_of(lie).from);
    g_string_append_printf(lie, "goal %s\nsteps %d\n%sreduced 0 0\nkind none\n", goal->str, (int)n, steps->str);
    tell(tiny, net, lie, row, "steps alone");
}

/* The certificate under another goal; one that is reachable if asked. */
static bool tell_goal(const Tiny *tiny, const Net *net, const GString *body, bool reachable, Rng *rng, Row *row)
{
    g_autoptr(GString) goal = g_string_new(NULL);
    random_goal(rng, tiny, 2, goal);
    if (reachable && reach_of(tiny, goal->str) != REACH_ONCE) return false;
    g_autoptr(GString) lie = g_string_new_len(body->str, (gssize)body->len);
    Span claim = claim_of(lie);
    bool after = g_str_has_prefix(lie->str + claim.from, "home ") || g_str_has_prefix(lie->str + claim.from, "lost ");
    if (after) {
        size_t from = claim.from + strlen("home ");
        replace(lie, (Span){from, strcspn(lie->str + from, "\n")}, goal->str);
    } else {
        g_string_append_c(g_string_prepend(goal, "goal "), '\n');
        replace(lie, claim, goal->str);
    }
    bool pump = strstr(body->str, "\nkind pump") != NULL;
    unsigned before = row->accepted;
    tell(tiny, net, lie, row, reachable ? "goal that is reachable" : "goal");
    ck_assert(!((reachable && !after) || pump) || row->accepted == before);
    return true;
}

/* The certificate for a net that is a little different. */
static void tell_net(const Tiny *tiny, const GString *body, Rng *rng, Row *row)
{
    Tiny other = *tiny;
    uint64_t *const parts[] = {other.tokens, &other.in[0][0], &other.out[0][0], &other.read[0][0],
                               &other.inhibit[0][0]};
    uint64_t which = rng_below(rng, 5);
    uint64_t *number = which ? &parts[which][rng_below(rng, (uint64_t)other.transitions) * MOST_PLACES] : parts[0];
    number += rng_below(rng, (uint64_t)other.places);
    *number = *number && rng_chance(rng, 2) ? *number - 1 : *number + 1;
    g_autoptr(Net) net = tiny_net(&other);
    if (!net) return;
    g_autoptr(GString) lie = g_string_new_len(body->str, (gssize)body->len);
    g_autofree char *digest = digest_of(net);
    g_autofree char *sizes =
        g_strdup_printf("%u %u %u", net->n_places, net->n_transitions, (unsigned)certificate_arcs(net));
    set_line(lie, "net", sizes);
    set_line(lie, "digest", digest);
    tell(&other, net, lie, row, "net");
}

/* Some firings that are enabled in turn, where that can be. */
static VecU32 random_run(const Tiny *n, Rng *rng)
{
    Stage s = {0};
    VecU32 run = {0};
    memcpy(s.marking[0], n->tokens, sizeof n->tokens);
    for (uint64_t k = rng_below(rng, STAGE); k > 0 && stage_step(n, &s, rng);) k--;
    vec_append(&run, s.run, (size_t)s.len);
    return run;
}

/* Whatever the certificate proves, it is said to be that of a bound. */
static void tell_claim(const Tiny *tiny, const Net *net, const GString *body, Rng *rng, Row *row)
{
    g_autoptr(GString) claim = g_string_new(NULL), lie = g_string_new_len(body->str, (gssize)body->len);
    VecU32 places = random_places(tiny, rng), run = random_run(tiny, rng);
    uint64_t value = rng_below(rng, 4);
    BoundClaim bound = bound_claim(&places, rng_chance(rng, 3), value, &run);
    bound_put(&bound, claim);
    replace(lie, claim_of(lie), claim->str);
    tell(tiny, net, lie, row, "bound claimed");
    bound_clear(&bound);
    vec_free(&places);
    vec_free(&run);
}

/* A run cut into parts at random, some of which are said to be loops. */
static void tell_pump(const Tiny *tiny, const Net *net, Rng *rng, Row *row)
{
    VecU32 places = random_places(tiny, rng), run = random_run(tiny, rng);
    Pump pump = {0};
    for (size_t at = 0; at < run.len;) {
        size_t n = 1 + rng_below(rng, run.len - at);
        pump_add(&pump, rng_chance(rng, 2), run.data + at, n);
        at += n;
    }
    g_autoptr(GString) lie = pump_text(net, &places, &pump);
    tell(tiny, net, lie, row, "pump invented");
    pump_clear(&pump);
    vec_free(&places);
    vec_free(&run);
}

static void attack(const Tiny *tiny, const Net *net, const GString *body, Rng *rng, Row *table, unsigned times)
{
    for (unsigned i = 0; i < times; i++) {
        uint64_t which = rng_below(rng, N_LIES);
        if (which == LIE_STEPS) {
            for (int k = 0; k < 10; k++) tell_steps(tiny, net, body, rng, &table[which]);
        } else if (which == LIE_CLAIM) {
            tell_claim(tiny, net, body, rng, &table[which]);
        } else if (which == LIE_PUMP) {
            tell_pump(tiny, net, rng, &table[which]);
        } else if (which == LIE_NET) {
            tell_net(tiny, body, rng, &table[which]);
        } else if (which >= N_TEXT_LIES) {
            tell_goal(tiny, net, body, which == LIE_REACHABLE, rng, &table[which]);
        } else {
            g_autoptr(GString) lie = g_string_new_len(body->str, (gssize)body->len);
            if (lies[which](lie, rng)) tell(tiny, net, lie, &table[which], lie_names[which]);
        }
    }
}

/* What all pieces told: a test is a process of its own. */
typedef struct Tally {
    Row lies[N_LIES];
    unsigned kinds[N_CERTIFICATE_KINDS], proofs, with_steps, bounds, descents;
} Tally;

static Tally *tally;

static const char *const kind_names[] = {
#define KIND(constant, name, content, clauses, check) #name,
#include "certify/kinds.def"
#undef KIND
};

static unsigned all_told(const Tally *t)
{
    unsigned told = 0;
    for (int i = 0; i < N_LIES; i++) told += t->lies[i].told;
    return told;
}

/* A true certificate, as the seed chooses it, or NULL; *goal is what it excludes, if it is about one. */
static GString *prove_something(uint64_t seed, const Tiny *tiny, const Net *net, const char *goal, bool workflow,
                                bool twofold, Rng *rng, const char *path)
{
    GString *body = NULL;
    switch (seed % 8) {
    case 0:
    case 2:
        for (int attempt = 0; !body && attempt < 30; attempt++) body = prove_pump(tiny, net, rng);
        return body;
    case 1: return prove_bound(tiny, net, rng, path);
    case 5: return prove_home(net, goal, rng, path);
    case 6: return prove_structure(net, workflow, path);
    case 7: return prove_descent(net, goal, rng, path);
    default:
        body = prove(net, goal, NULL, twofold ? "symmetry" : NULL, rng, path);
        ck_assert_msg(!body || reach_of(tiny, goal) != REACH_ONCE, "seed %d: %s is reachable", (int)seed, goal);
        return body;
    }
}

static void attack_seed(uint64_t seed, Tally *t, unsigned times, const char *path)
{
    Rng rng = {seed * 7919};
    bool pump = seed % 8 == 0 || seed % 8 == 2, structure = seed % 8 == 6, workflow = rng_chance(&rng, 2);
    Tiny tiny = structure ? tiny_free_choice(&rng, workflow) : tiny_random(&rng, pump);
    bool twofold = seed % 8 > 2 && seed % 8 < 5 && rng_chance(&rng, 2);
    if (twofold) tiny_make_twofold(&tiny, &rng);
    g_autoptr(Net) net = tiny_net(&tiny);
    g_autoptr(GString) goal = g_string_new(NULL);
    if (twofold && rng_chance(&rng, 2))
        g_string_append(goal, "deadlock");
    else
        random_goal(&rng, &tiny, 2, goal);
    g_autoptr(GString) body = prove_something(seed, &tiny, net, goal->str, workflow, twofold, &rng, path);
    if (!body) return;
    Row honest = {0};
    tell(&tiny, net, body, &honest, "honest");
    ck_assert_msg(honest.accepted == 1, "seed %d: a true certificate is refused", (int)seed);
    const char *kind = strstr(body->str, "\nkind ") + strlen("\nkind ");
    for (int i = 0; i < N_CERTIFICATE_KINDS; i++) t->kinds[i] += g_str_has_prefix(kind, kind_names[i]);
    t->bounds += seed % 8 == 1;
    t->descents += strstr(body->str, "\nlevel ") != NULL;
    t->with_steps += strstr(body->str, "\nsteps ") != NULL;
    t->proofs++;
    attack(&tiny, net, body, &rng, t->lies, times);
}

/* Pieces with seeds of their own, each of which ends in time on a busy machine. */
enum { PIECE = 3000, SOAK_PIECES = 34, PIECE_SEEDS = 1000000 };

START_TEST(no_lie_is_believed)
{
    g_autofree char *path = g_build_filename(g_get_tmp_dir(), "mazurka-lies-XXXXXX", NULL);
    close(g_mkstemp(path));
    uint64_t seed = test_number("MAZURKA_SEED", 1) + (uint64_t)_i * PIECE_SEEDS;
    for (unsigned before = all_told(tally); all_told(tally) - before < PIECE; seed++)
        attack_seed(seed, tally, 25, path);
    unlink(path);
}
END_TEST

/* Of all pieces together: everything was tried. */
START_TEST(every_kind_was_attacked)
{
    ck_assert_uint_gt(tally->bounds, 0);
    ck_assert_uint_gt(tally->descents, 0);
    for (int i = 0; i < N_CERTIFICATE_KINDS; i++)
        ck_assert_msg(tally->kinds[i] > 0, "no certificate of kind %s", kind_names[i]);
    for (int i = 0; i < N_LIES; i++) ck_assert_msg(tally->lies[i].told > 0, "no lie: %s", lie_names[i]);
}
END_TEST

static void print_tally(const Tally *t)
{
    printf("%u true certificates, %u with steps, %u of finite bounds:", t->proofs, t->with_steps, t->bounds);
    for (int i = 0; i < N_CERTIFICATE_KINDS; i++) printf(" %u %s", t->kinds[i], kind_names[i]);
    printf("\n%-24s%9s%9s%9s%15s\n", "lie", "told", "unread", "refused", "still true");
    for (int i = 0; i < N_LIES; i++)
        printf("%-24s%9u%9u%9u%15u\n", lie_names[i], t->lies[i].told, t->lies[i].unread, t->lies[i].refused,
               t->lies[i].accepted);
    printf("%u lies\n", all_told(t));
}

int main(void)
{
    tally = mmap(NULL, sizeof *tally, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    g_assert(tally != MAP_FAILED);
    Suite *suite = suite_create("lies");
    TCase *pieces = tcase_create("no_lie_is_believed");
    tcase_set_timeout(pieces, 600);
    tcase_add_loop_test(pieces, no_lie_is_believed, 0, test_soak() ? SOAK_PIECES : 1);
    suite_add_tcase(suite, pieces);
    TEST_CASE(suite, every_kind_was_attacked);
    int result = test_run(suite);
    print_tally(tally);
    return result;
}
