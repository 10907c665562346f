#include "test.h"

#include "breadth.h"
#include "certify/certificate.h"
#include "certify/digest.h"
#include "certify/rup.h"
#include "certify/sandbox.h"
#include "certify/shared_bits.h"
#include "certify/inflate.h"
#include "lts/replay.h"
#include "net/builder.h"
#include "net/gen.h"
#include "prop/expression.h"
#include "random_formula.h"
#include "sat/proof.h"
#include "small_net.h"
#include "verify/engine.h"
#include "verify/conserved.h"
#include "verify/token_groups.h"

#include <errno.h>
#include <fcntl.h>
#include <gio/gio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static bool verifies(const Certificate *c, const Net *net)
{
    Budget budget = budget_unlimited();
    g_autofree char *problem = NULL;
    bool ok = certificate_check(c, net, &budget, &problem);
    ck_assert(ok == (problem == NULL));
    return ok;
}

/* Asks an engine with a certificate; true when it proved the goal unreachable and wrote one. */
static bool prove(const Net *net, const char *text, const char *engine, const char *relation, const char *path)
{
    g_autoptr(FormulaStore) store = formula_store_new(net);
    Query query = {net, store, 0};
    ck_assert(expression_parse(store, text, "random", &query.goal, NULL));
    ProofFile file = {.path = path};
    EngineOptions options = {.relation = relation, .threads = 1, .certificate = &file};
    Budget budget = budget_unlimited();
    Result result = {0};
    engine_find(engine)->run(&query, &options, &budget, &result);
    ck_assert_msg(result.answer != ANSWER_UNKNOWN, "%s on %s: %s", engine, text, result.reason);
    bool proved = result.answer == ANSWER_UNREACHABLE;
    result_clear(&result);
    return proved;
}

static char *temporary(void)
{
    char *path = g_build_filename(g_get_tmp_dir(), "mazurka-certificate-XXXXXX", NULL);
    close(g_mkstemp(path));
    return path;
}

static EventList copy_listing(const EventList *l)
{
    EventList c = *l;
    c.transition = g_memdup2(l->transition, (l->n + 1) * sizeof *l->transition);
    c.companion = g_memdup2(l->companion, (l->n + 1) * sizeof *l->companion);
    c.cause_start = g_memdup2(l->cause_start, (l->n + 1) * sizeof *l->cause_start);
    c.cause = g_memdup2(l->cause, (l->cause_start[l->n] + 1) * sizeof *l->cause);
    return c;
}

/* Each of these changes makes the listing incomplete or a cutoff unjustified. */
static void refuse_mutations(const Certificate *good, const Net *net, Rng *rng)
{
    const EventList *l = &good->events;
    if (l->n == 0) return;
    for (int kind = 0; kind < 5; kind++) {
        Certificate bad = *good;
        bad.events = copy_listing(l);
        uint32_t e = (uint32_t)rng_below(rng, l->n);
        bool changed = true;
        switch (kind) {
        case 0: bad.events.n--; break; /* the last event is missing */
        case 1:                        /* a cutoff, although its marking is new */
            changed = l->companion[e] == EVENT_LIST_NONE;
            for (uint32_t f = e; f < l->n; f++) /* nothing may lie behind it, or that alone is the reason */
                for (uint32_t i = l->cause_start[f]; i < l->cause_start[f + 1]; i++) changed &= l->cause[i] != e;
            bad.events.companion[e] = e ? 0 : EVENT_LIST_BOTTOM;
            if (e && l->n > 1 && e == 0) changed = false;
            break;
        case 2: /* another transition */
            changed = net->n_transitions > 1;
            bad.events.transition[e] =
                (l->transition[e] + 1 + (uint32_t)rng_below(rng, MAX(net->n_transitions - 1, 1))) % net->n_transitions;
            changed &= bad.events.transition[e] != l->transition[e];
            break;
        case 3: /* no causes */
            changed = l->cause_start[e] < l->cause_start[e + 1];
            for (uint32_t f = e + 1; f <= l->n; f++)
                bad.events.cause_start[f] -= l->cause_start[e + 1] - l->cause_start[e];
            memmove(bad.events.cause + l->cause_start[e], bad.events.cause + l->cause_start[e + 1],
                    (l->cause_start[l->n] - l->cause_start[e + 1]) * sizeof *bad.events.cause);
            break;
        case 4: /* a goal that is reachable at once */ bad.goal = "true"; break;
        }
        if (kind == 1 && changed) { /* unless by chance it is a real cutoff */
            g_autofree char *problem = NULL;
            Cnf cnf;
            Budget budget = budget_unlimited();
            cnf_init(&cnf, &budget);
            g_autoptr(FormulaStore) store = formula_store_new(net);
            changed = !event_list_clauses(net, &bad.events, store, FORMULA_ID_FALSE, &cnf, &problem);
            cnf_clear(&cnf);
        }
        if (changed) ck_assert_msg(!verifies(&bad, net), "mutation %d of event %u of %u is accepted", kind, e, l->n);
        event_list_clear(&bad.events);
    }
}

static unsigned rounds(void)
{
    return test_rounds(300, 5000);
}

typedef struct Groups {
    const VecU32 *lists;
    const bool *marked;
} Groups;

static bool breaks_group(const uint64_t *marking, void *data)
{
    const Groups *g = data;
    uint64_t sum = 0;
    for (size_t i = 0; i < g->lists->len; i++) {
        if (g->lists->data[i] != NET_NONE) {
            sum += marking[g->lists->data[i]];
            continue;
        }
        if (sum != 1) return true;
        sum = 0;
    }
    return false;
}

static bool breaks_sum(const uint64_t *marking, void *data)
{
    const Conserved *c = data;
    for (size_t i = 0; i < c->sums.len; i++) {
        Sum sum = exact_of(-(__int128)c->sums.data[i].value);
        for (size_t k = 0; k < c->sums.data[i].terms.len; k++)
            exact_add_product(&sum, c->sums.data[i].terms.data[k].coefficient,
                              marking[c->sums.data[i].terms.data[k].place]);
        if (exact_sign(sum)) return true;
    }
    return false;
}

/* One group per place that has one, and one that a random marking breaks. */
static unsigned check_groups(const Net *net, Budget *budget)
{
    g_autoptr(TokenGroups) finder = token_groups_new(net, budget);
    g_autofree bool *marked = g_new0(bool, net->n_places + 1);
    VecU32 lists = {0};
    unsigned n = 0;
    for (uint32_t p = 0; p < net->n_places; p++) {
        marked[p] = p % 3 != 1;
        n += token_groups_with(finder, p, budget, &lists) == SAT_YES;
    }
    size_t from = lists.len, both = 0;
    if (token_groups_broken(finder, marked, budget, &lists) == SAT_YES) {
        for (size_t i = from; lists.data[i] != NET_NONE; i++) both += marked[lists.data[i]];
        ck_assert_uint_ge(both, 2);
        n++;
    }
    Groups groups = {&lists, marked};
    ck_assert(naive_search(net, 3000, breaks_group, &groups, NULL) != NAIVE_YES);
    g_autoptr(Conserved) conserved = conserved_new(net, budget);
    ck_assert(naive_search(net, 3000, breaks_sum, conserved, NULL) != NAIVE_YES);
    /* what a place invariant says, the sums say too: breaking it breaks one of them */
    g_autofree bool *all = g_new(bool, net->n_places + 1);
    memset(all, true, net->n_places + 1);
    uint64_t together = 0;
    for (size_t i = 0; i < from && lists.data[i] != NET_NONE; i++) together += marked[lists.data[i]];
    if (from && together != 1) ck_assert_uint_lt(conserved_broken(conserved, all, marked), conserved->sums.len);
    vec_free(&lists);
    return n;
}

START_TEST(prefix_proofs_verify_and_mutations_do_not)
{
    static const char *const relations[] = {"classic", "read", "loops"};
    Rng rng = {11};
    g_autofree char *path = temporary();
    unsigned proofs = 0;
    for (unsigned round = 0; round < rounds(); round++) {
        GenRandom kind = {.acyclic = rng_chance(&rng, 3),
                          .reads = rng_chance(&rng, 2),
                          .loops = rng_chance(&rng, 2),
                          .sinks = rng_chance(&rng, 2)};
        g_autoptr(Net) net = gen_random_safe(&rng, &kind);
        g_autoptr(GString) text = g_string_new(NULL);
        random_formula(&rng, net, 3, text);
        if (!prove(net, text->str, "unfold", relations[round % 3], path)) continue;
        Certificate c;
        GError *error = NULL;
        ck_assert_msg(certificate_read(&c, net, path, &error), "%s", error ? error->message : "");
        ck_assert(c.kind == CERTIFICATE_PREFIX && verifies(&c, net));
        refuse_mutations(&c, net, &rng);
        certificate_clear(&c);
        proofs++;
    }
    ck_assert_uint_gt(proofs, rounds() / 10);
    unlink(path);
}
END_TEST

/* What is wrong with the events "TRANSITION CAUSE... / TRANSITION ...", numbers of one digit; "" when nothing is. */
static char *wrong_events(const Net *net, EventListRelation relation, const char *text)
{
    VecU32 transitions = {0}, starts = {0}, causes = {0};
    vec_push(&starts, 0);
    for (const char *at = text; *at; at++) {
        if (g_ascii_isdigit(*at) && transitions.len < starts.len)
            vec_push(&transitions, (uint32_t)(*at - '0'));
        else if (g_ascii_isdigit(*at))
            vec_push(&causes, (uint32_t)(*at - '0'));
        if (*at == '/' || !at[1]) vec_push(&starts, (uint32_t)causes.len);
    }
    vec_push(&causes, 0);
    EventList events = {relation,         (uint32_t)transitions.len,
                        transitions.data, g_new(uint32_t, transitions.len),
                        starts.data,      causes.data};
    memset(events.companion, 0xff, transitions.len * sizeof(uint32_t));
    g_autoptr(FormulaStore) store = formula_store_new(net);
    Budget budget = budget_unlimited();
    Cnf cnf;
    char *problem = NULL;
    cnf_init(&cnf, &budget);
    event_list_clauses(net, &events, store, FORMULA_ID_FALSE, &cnf, &problem);
    cnf_clear(&cnf);
    event_list_clear(&events);
    return problem ? problem : g_strdup("");
}

/* a takes the token of p, b brings it back: whoever takes (c) or reads (d) the first token cannot come with them,
 * although it can be fired after them. */
START_TEST(causes_that_exclude_each_other_are_no_history)
{
    g_autoptr(NetBuilder) b = net_builder_new("exclude");
    enum { P, U, V, W, X, Y };
    for (int p = P; p <= Y; p++) net_builder_place(b, (char[]){(char)('p' + p), 0}, NULL, p <= V);
    for (int t = 0; t < 6; t++) net_builder_transition(b, (char[]){(char)('a' + t), 0}, NULL);
    static const int arcs[][3] = {{ARC_PRE, 0, P},  {ARC_POST, 0, W}, {ARC_PRE, 1, W},  {ARC_POST, 1, P},
                                  {ARC_POST, 1, X}, {ARC_PRE, 2, P},  {ARC_PRE, 2, U},  {ARC_POST, 2, Y},
                                  {ARC_READ, 3, P}, {ARC_PRE, 3, V},  {ARC_POST, 3, Y}, {ARC_PRE, 4, X},
                                  {ARC_PRE, 4, Y},  {ARC_PRE, 5, Y},  {ARC_POST, 5, Y}};
    for (size_t i = 0; i < G_N_ELEMENTS(arcs); i++)
        net_builder_arc(b, (ArcKind)arcs[i][0], (uint32_t)arcs[i][2], (uint32_t)arcs[i][1], 1);
    g_autoptr(Net) net = net_builder_finish(b, NULL);
    static const struct {
        const char *events, *wrong;
    } cases[] = {{"0 / 1 0 / 2 1 / 4 1 2", ""},
                 {"0 / 1 0 / 2 / 4 1 2", "event 3 has causes that exclude each other"},
                 {"2 / 0 / 1 1 / 4 0 2", "event 3 has causes that exclude each other"},
                 {"0 / 1 0 / 3 1 / 4 1 2", ""},
                 {"0 / 1 0 / 3 / 4 1 2", "event 3 has causes that exclude each other"},
                 {"3 / 0 / 1 1 / 4 0 2", "event 3 has causes that exclude each other"},
                 {"3 / 5 0 / 5 1 / 0 / 1 3 / 4 2 4", "event 5 has causes that exclude each other"},
                 {"3 / 0 0 / 1 1 / 4 0 2", ""}};
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++)
        for (EventListRelation relation = EVENT_LIST_READ; relation <= EVENT_LIST_LOOPS; relation++) {
            g_autofree char *wrong = wrong_events(net, relation, cases[i].events);
            ck_assert_msg(strcmp(wrong, cases[i].wrong) == 0, "%s: %s", cases[i].events, wrong);
        }
}
END_TEST

enum { SHARED_ROWS = 40, SHARED_LENGTH = 3 * 64 * SHARED_BITS_MOST_WORDS + 100 };

/* The twin of a row: all of its bits. */
static void check_row(const SharedBits *s, uint8_t (*rows)[SHARED_LENGTH], uint32_t row, Rng *rng)
{
    uint32_t other = (uint32_t)rng_below(rng, row + 1);
    g_autofree uint64_t *among = g_new0(uint64_t, bitset_words(SHARED_LENGTH));
    VecU32 minus = {0};
    shared_bits_minus(s, row, other, &minus);
    size_t found = 0;
    uint32_t from = (uint32_t)rng_below(rng, SHARED_LENGTH), last = UINT32_MAX;
    for (uint32_t i = 0; i < SHARED_LENGTH; i++) {
        ck_assert_int_eq(shared_bits_get(s, row, i), rows[row][i]);
        if (rows[row][i] && !rows[other][i]) ck_assert(found < minus.len && minus.data[found++] == i);
        if (i < from || rng_below(rng, 3)) continue;
        bitset_set(among, i);
        if (rows[row][i]) last = i;
    }
    ck_assert_uint_eq(found, minus.len);
    ck_assert_int_eq(shared_bits_equal(s, row, other), memcmp(rows[row], rows[other], SHARED_LENGTH) == 0);
    ck_assert_uint_eq(shared_bits_last(s, row, among, from / 64, (SHARED_LENGTH - 1) / 64), last);
    vec_free(&minus);
}

/* Rows are made from earlier ones; what is written to one is in no other. */
START_TEST(rows_that_share_blocks_keep_their_own_bits)
{
    Rng rng = {77};
    SharedBits s;
    uint8_t(*rows)[SHARED_LENGTH] = g_malloc0(sizeof(uint8_t[SHARED_ROWS][SHARED_LENGTH]));
    shared_bits_init(&s, SHARED_ROWS, SHARED_LENGTH);
    for (uint32_t row = 1; row < SHARED_ROWS; row++) {
        uint32_t from = (uint32_t)rng_below(&rng, row), more = (uint32_t)rng_below(&rng, row);
        shared_bits_copy(&s, row, from);
        shared_bits_or(&s, row, more);
        for (uint32_t i = 0; i < SHARED_LENGTH; i++) rows[row][i] = rows[from][i] | rows[more][i];
        for (uint64_t n = rng_below(&rng, 30); n; n--) {
            uint32_t bit = (uint32_t)rng_below(&rng, SHARED_LENGTH);
            rows[row][bit] = rng_below(&rng, 4) > 0;
            shared_bits_put(&s, row, bit, rows[row][bit]);
        }
        for (uint32_t r = 0; r <= row; r++) check_row(&s, rows, r, &rng);
    }
    shared_bits_clear(&s);
    g_free(rows);
}
END_TEST

START_TEST(sets_of_markings_verify_and_mutations_do_not)
{
    Rng rng = {12};
    g_autofree char *path = temporary();
    unsigned proofs = 0;
    for (unsigned round = 0; round < rounds(); round++) {
        GenRandom kind = {.reads = true, .loops = true, .weight = 2, .inhibitors = rng_chance(&rng, 3), .sinks = true};
        g_autoptr(Net) net = gen_random_bounded(&rng, &kind);
        g_autoptr(GString) text = g_string_new(NULL);
        random_formula(&rng, net, 3, text);
        if (!prove(net, text->str, "explicit", NULL, path)) continue;
        Certificate c;
        ck_assert(certificate_read(&c, net, path, NULL));
        ck_assert(c.kind == CERTIFICATE_MARKINGS && verifies(&c, net));
        proofs++;
        uint64_t victim = rng_below(&rng, c.n);
        Certificate fewer = c; /* one marking is missing: it is the initial one or a firing leads to it */
        size_t size = c.n * c.words * sizeof(uint64_t);
        fewer.states = g_malloc(size + 8);
        memcpy(fewer.states, c.states, size);
        memmove(fewer.states + victim * c.words, c.states + (victim + 1) * c.words,
                (c.n - victim - 1) * c.words * sizeof(uint64_t));
        fewer.n--;
        ck_assert(!verifies(&fewer, net));
        g_free(fewer.states);
        Certificate other = c;
        other.goal = "true";
        ck_assert(!verifies(&other, net));
        certificate_clear(&c);
    }
    ck_assert_uint_gt(proofs, rounds() / 10);
    unlink(path);
}
END_TEST

START_TEST(no_changed_byte_goes_unnoticed)
{
    g_autoptr(Net) net = gen_net_of_size("philosophers-free", 3);
    g_autofree char *path = temporary();
    ck_assert(prove(net, "deadlock", "unfold", "loops", path));
    g_autofree char *data = NULL;
    gsize len;
    ck_assert(g_file_get_contents(path, &data, &len, NULL));
    for (gsize i = 0; i < len; i++)
        for (int bit = 0; bit < 8; bit += 3) {
            data[i] ^= (char)(1 << bit);
            ck_assert(g_file_set_contents_full(path, data, (gssize)len, G_FILE_SET_CONTENTS_NONE, 0600, NULL));
            Certificate c;
            bool read = certificate_read(&c, net, path, NULL);
            ck_assert_msg(!read, "a flipped bit %d in byte %zu is not noticed", bit, (size_t)i);
            data[i] ^= (char)(1 << bit);
        }
    for (gsize cut = 0; cut < len; cut += 7) {
        ck_assert(g_file_set_contents_full(path, data, (gssize)cut, G_FILE_SET_CONTENTS_NONE, 0600, NULL));
        Certificate c;
        ck_assert(!certificate_read(&c, net, path, NULL));
    }
    unlink(path);
}
END_TEST

/* Damage behind a right checksum: never a crash, and a false claim is never believed. */
/* That a net is safe, that a transition never fires: by pairs of places, against brute force. */
START_TEST(pairs_of_places_prove_what_is_true)
{
    unsigned safe = 0, dead = 0, asked = 0;
    g_autofree char *path = g_build_filename(g_get_tmp_dir(), "mazurka-pairs-XXXXXX", NULL);
    close(g_mkstemp(path));
    for (uint64_t seed = 1; seed <= 150; seed++) {
        Rng rng = {seed * 41};
        GenRandom kind = {.reads = rng_chance(&rng, 2), .inhibitors = rng_chance(&rng, 4), .sinks = true, .weight = 1};
        g_autoptr(Net) net = rng_chance(&rng, 4) ? gen_random_bounded(&rng, &kind) : gen_random_safe(&rng, &kind);
        g_autoptr(FormulaStore) store = formula_store_new(net);
        uint32_t t = (uint32_t)rng_below(&rng, net->n_transitions);
        const FormulaId goals[] = {formula_exceeds(store, 1), formula_fireable(store, &t, 1)};
        for (int i = 0; i < 2; i++) {
            Query query = {net, store, goals[i]};
            ProofFile file = {.path = path};
            EngineOptions options = {.certificate = &file};
            Budget budget = budget_unlimited();
            Result result = {0};
            engine_concurrency(&query, &options, &budget, &result);
            ck_assert(result.answer != ANSWER_REACHABLE);
            asked++;
            if (result.answer == ANSWER_UNREACHABLE) {
                Certificate c;
                ck_assert(naive_reach(net, store, goals[i], 3000, NULL) != NAIVE_YES);
                ck_assert(certificate_read(&c, net, path, NULL) && c.kind == CERTIFICATE_CLAUSES && verifies(&c, net));
                certificate_clear(&c);
                *(i ? &dead : &safe) += 1;
            }
            result_clear(&result);
        }
    }
    unlink(path);
    printf("pairs of places: %u questions, %u proofs of safeness, %u of dead transitions\n", asked, safe, dead);
    ck_assert_uint_gt(safe, 10);
    ck_assert_uint_gt(dead, 2);
}
END_TEST

/* Groups hold exactly one token at every reachable marking, and what traps and groups prove is true and checks. */
START_TEST(traps_and_groups_prove_what_is_true)
{
    unsigned proofs[2] = {0}, groups = 0;
    g_autofree char *path = temporary();
    for (uint64_t seed = 1; seed <= 300; seed++) {
        Rng rng = {seed * 43};
        GenRandom kind = {.reads = rng_chance(&rng, 2),
                          .inhibitors = rng_chance(&rng, 4),
                          .weight = rng_chance(&rng, 4) ? 2 : 1,
                          .sinks = rng_chance(&rng, 2)};
        g_autoptr(Net) net = rng_chance(&rng, 2) ? gen_random_bounded(&rng, &kind) : gen_random_safe(&rng, &kind);
        g_autoptr(FormulaStore) store = formula_store_new(net);
        Budget budget = budget_unlimited();
        groups += check_groups(net, &budget);
        for (int i = 0; i < 2; i++) {
            g_autoptr(GString) text = g_string_new(i ? "deadlock" : NULL);
            if (!i) random_formula(&rng, net, 2, text);
            Query query = {net, store, 0};
            ck_assert(expression_parse(store, text->str, "random", &query.goal, NULL));
            ProofFile file = {.path = path};
            EngineOptions options = {.certificate = &file};
            Result result = {0};
            engine_traps(&query, &options, &budget, &result);
            ck_assert(result.answer != ANSWER_REACHABLE);
            if (result.answer == ANSWER_UNREACHABLE) {
                Certificate c;
                ck_assert(naive_reach(net, store, query.goal, 3000, NULL) != NAIVE_YES);
                ck_assert(certificate_read(&c, net, path, NULL) && c.kind == CERTIFICATE_FACTS && verifies(&c, net));
                certificate_clear(&c);
                proofs[i]++;
            } else {
                ck_assert(result.reason && !strstr(result.reason, "does not check"));
                ck_assert(!strstr(result.reason, "do not exclude"));
            }
            result_clear(&result);
        }
    }
    unlink(path);
    printf("traps and groups: %u groups, %u proofs, %u of no deadlock\n", groups, proofs[0], proofs[1]);
    ck_assert_uint_gt(groups, 100);
    ck_assert_uint_gt(proofs[0], 10);
    ck_assert_uint_gt(proofs[1], 10);
}
END_TEST

/* A counter goes with the number of requests under way: only their sum says that it is not 0 while there is one. */
START_TEST(sums_are_needed_for_counters)
{
    g_autoptr(Net) net = small_net("i1 i2 i3 c0"
                                   "|a1: i1 c0 -> r1 c1|b1: i1 c1 -> r1 c2|d1: i1 c2 -> r1 c3"
                                   "|a2: i2 c0 -> r2 c1|b2: i2 c1 -> r2 c2|d2: i2 c2 -> r2 c3"
                                   "|a3: i3 c0 -> r3 c1|b3: i3 c1 -> r3 c2|d3: i3 c2 -> r3 c3"
                                   "|e1: r1 c1 -> i1 c0|f1: r1 c2 -> i1 c1|g1: r1 c3 -> i1 c2"
                                   "|e2: r2 c1 -> i2 c0|f2: r2 c2 -> i2 c1|g2: r2 c3 -> i2 c2"
                                   "|e3: r3 c1 -> i3 c0|f3: r3 c2 -> i3 c1|g3: r3 c3 -> i3 c2");
    g_autofree char *path = temporary();
    ck_assert(prove(net, "deadlock", "traps", NULL, path));
    ck_assert(prove(net, "c1 >= 1 && r1 >= 1 && r3 >= 1", "traps", NULL, path));
    Certificate c, changed;
    ck_assert(certificate_read(&c, net, path, NULL) && c.kind == CERTIFICATE_FACTS && verifies(&c, net));
    ck_assert_uint_gt(c.linear.bounds.len, 0);
    certificate_clear(&c);
    /* neither another value nor another factor is believed */
    for (int lie = 0; lie < 3; lie++) {
        ck_assert(certificate_read(&changed, net, path, NULL));
        if (lie == 0) changed.linear.bounds.data[0]++;
        if (lie == 1) changed.linear.atoms.terms.data[0].factor++;
        if (lie == 2) changed.linear.atoms.terms.data[0].number = net->n_places + 3;
        ck_assert(!verifies(&changed, net));
        certificate_clear(&changed);
    }
    unlink(path);
}
END_TEST

/* With 40 times the tokens a deadlock is 40 times as far, but it is found as near as before. */
START_TEST(walks_of_copies_find_what_is_far)
{
    g_autoptr(Net) net = gen_net_of_size("philosophers", 8);
    g_autoptr(FormulaStore) store = formula_store_new(net);
    for (uint32_t p = 0; p < net->n_places; p++) net->initial[p] *= 40;
    Query query = {net, store, formula_deadlock(store)};
    EngineOptions options = {.seed = 1, .threads = 1};
    uint64_t work = 0;
    Budget budget = budget_new(TEST_PLENTY, 0, 0);
    budget_by_work(&budget, &work, 1);
    Budget part = budget_child(&budget, 0.5, NULL);
    Result result = {0};
    engine_walk(&query, &options, &part, &result);
    ck_assert_msg(result.answer == ANSWER_REACHABLE, "%s", result.reason);
    g_autofree uint64_t *marking = g_memdup2(net->initial, net->n_places * sizeof *marking);
    ck_assert_uint_eq(replay_run(net, result.witness.data, result.witness.len, marking), result.witness.len);
    ck_assert(replay_is_dead(net, marking));
    ck_assert_uint_eq(result.witness.len % 40, 0);
    result_clear(&result);
}
END_TEST

START_TEST(a_false_claim_is_never_believed)
{
    g_autoptr(Net) net = gen_net_of_size("philosophers", 3); /* it has a deadlock */
    g_autoptr(Net) sound = gen_net_of_size("philosophers-free", 3);
    g_autofree char *path = temporary();
    ck_assert(prove(sound, "deadlock", "unfold", "loops", path));
    g_autofree char *data = NULL;
    gsize len;
    ck_assert(g_file_get_contents(path, &data, &len, NULL));
    gsize body = len - strlen("sha256 \n") - 64;
    g_autofree char *digest = digest_of(net);
    memcpy(strstr(data, "digest ") + strlen("digest "), digest, strlen(digest)); /* so that it is about this net */
    Rng rng = {3};
    unsigned read = 0;
    for (unsigned round = 0; round < rounds() * 10; round++) {
        g_autoptr(GString) damaged = g_string_new_len(data, (gssize)body);
        for (uint64_t k = rng_below(&rng, 4); k > 0; k--) damaged->str[rng_below(&rng, body)] = (char)rng_next(&rng);
        g_autofree char *sum =
            g_compute_checksum_for_data(G_CHECKSUM_SHA256, (const guchar *)damaged->str, damaged->len);
        g_string_append_printf(damaged, "sha256 %s\n", sum);
        ck_assert(
            g_file_set_contents_full(path, damaged->str, (gssize)damaged->len, G_FILE_SET_CONTENTS_NONE, 0600, NULL));
        Certificate c;
        if (!certificate_read(&c, net, path, NULL)) continue;
        read++;
        if (strcmp(c.goal, "deadlock") == 0) ck_assert(!verifies(&c, net));
        certificate_clear(&c);
    }
    ck_assert_uint_gt(read, 0);
    unlink(path);
}
END_TEST

/* Random clauses near the threshold: what the solver refutes the checker accepts, and no proof of satisfiable
 * clauses is accepted. */
START_TEST(the_proof_checker_follows_the_solver)
{
    Rng rng = {5};
    unsigned refuted = 0;
    for (unsigned round = 0; round < rounds(); round++) {
        Cnf cnf;
        Budget budget = budget_unlimited();
        cnf_init(&cnf, &budget);
        int n = 10 + (int)rng_below(&rng, 40);
        for (int i = 0; i < n; i++) cnf_variable(&cnf);
        for (int i = 0; i < n * 43 / 10; i++) {
            int32_t clause[3];
            for (int k = 0; k < 3; k++)
                clause[k] = (int32_t)(2 + rng_below(&rng, (uint64_t)n)) * (rng_chance(&rng, 2) ? 1 : -1);
            cnf_clause(&cnf, clause, 3);
        }
        uint8_t *proof;
        size_t len;
        SatAnswer answer = sat_proof(cnf.literals.data, cnf.literals.len, &budget, &proof, &len);
        ck_assert_int_ne(answer, SAT_UNKNOWN);
        char *problem = NULL;
        if (answer == SAT_NO) {
            ck_assert_msg(rup_check(&cnf, proof, len, &budget, &problem), "%s", problem);
            refuted++;
        } else {
            const uint8_t empty[] = {'a', 0};
            ck_assert(!rup_check(&cnf, empty, sizeof empty, &budget, &problem));
        }
        g_free(problem);
        g_free(proof);
        cnf_clear(&cnf);
    }
    ck_assert_uint_gt(refuted, rounds() / 10);
    ck_assert_uint_lt(refuted, rounds());
}
END_TEST

/* A sum over marked places as clauses, with its places set one way: its literal must follow, or not, as plain
 * arithmetic says. Many terms and large coefficients are added up in binary, few totals one by one. */
static void sum_is_right(Rng *rng, uint32_t n, bool large)
{
    static const int64_t extremes[] = {INT64_MAX, -INT64_MAX, INT64_MAX - 1, (int64_t)1 << 62, -((int64_t)1 << 62),
                                       1,         -1};
    Budget budget = budget_unlimited();
    Cnf cnf;
    cnf_init(&cnf, &budget);
    g_autofree FormulaTerm *terms = g_new(FormulaTerm, n);
    g_autofree int32_t *places = g_new(int32_t, n);
    __int128 total = 0; /* of fewer than 2^60 numbers of 64 bits */
    for (uint32_t i = 0; i < n; i++) {
        int64_t small = (int64_t)rng_below(rng, 9) - 4;
        int64_t coefficient = large ? rng_chance(rng, 2) ? extremes[rng_below(rng, G_N_ELEMENTS(extremes))]
                                                         : (int64_t)(rng_next(rng) >> 1) - ((int64_t)1 << 61)
                                    : small;
        terms[i] = (FormulaTerm){i, coefficient};
        places[i] = cnf_variable(&cnf);
        bool marked = rng_chance(rng, 2);
        cnf_clause_of(&cnf, marked ? places[i] : -places[i]);
        if (marked) total += coefficient;
    }
    int64_t near = total > INT64_MAX - 2 ? INT64_MAX : total < INT64_MIN + 4 ? INT64_MIN + 2 : (int64_t)total;
    int64_t bound = rng_chance(rng, 4) ? extremes[rng_below(rng, G_N_ELEMENTS(extremes))]
                                       : near + (near < INT64_MAX - 2 ? (int64_t)rng_below(rng, 3) - 1 : 0);
    int32_t literal = cnf_safe_at_most(&cnf, terms, n, bound, places);
    cnf_clause_of(&cnf, total <= bound ? -literal : literal);
    const uint8_t nothing[] = {'a', 0}; /* all is set, so that propagation decides */
    g_autofree char *problem = NULL;
    ck_assert_msg(rup_check(&cnf, nothing, sizeof nothing, &budget, &problem), "%u terms: %s", n, problem);
    ck_assert_uint_lt(cnf.literals.len, 2000 * (n + 50));
    cnf_clear(&cnf);
}

START_TEST(sums_are_exact_and_small)
{
    Rng rng = {77};
    for (unsigned round = 0; round < rounds(); round++) {
        bool large = rng_chance(&rng, 2);
        sum_is_right(&rng, 1 + (uint32_t)rng_below(&rng, 8), large);
        if (round % 10) continue;
        large = rng_chance(&rng, 2);
        sum_is_right(&rng, 30 + (uint32_t)rng_below(&rng, 60), large);
    }
    sum_is_right(&rng, 2000, false);
    sum_is_right(&rng, 2000, true);
}
END_TEST

static bool collect(const uint8_t *bytes, size_t n, void *data)
{
    g_byte_array_append(data, bytes, (guint)n);
    return true;
}

/* What zlib packs at any level comes out again; damaged bytes end, and never write beyond the sink's. */
START_TEST(unpacking_undoes_packing)
{
    Rng rng = {8};
    for (unsigned round = 0; round < rounds(); round++) {
        size_t len = rng_below(&rng, round % 20 ? 3000 : 200000);
        g_autofree uint8_t *plain = g_malloc(len + 1), *packed = g_malloc(len + 2000);
        uint64_t alphabet = 1 + rng_below(&rng, 256);
        for (size_t i = 0; i < len; i++)
            plain[i] = i > 300 && rng_chance(&rng, 3) ? plain[i - 1 - rng_below(&rng, 300)]
                                                      : (uint8_t)rng_below(&rng, alphabet);
        g_autoptr(GConverter) zlib =
            G_CONVERTER(g_zlib_compressor_new(G_ZLIB_COMPRESSOR_FORMAT_ZLIB, (int)rng_below(&rng, 10)));
        gsize consumed, n;
        ck_assert(g_converter_convert(zlib, plain, len, packed, len + 2000, G_CONVERTER_INPUT_AT_END, &consumed, &n,
                                      NULL) == G_CONVERTER_FINISHED);
        g_autoptr(GByteArray) out = g_byte_array_new(), other = g_byte_array_new();
        ck_assert(inflate_zlib(packed, n, collect, out));
        ck_assert(out->len == len && (len == 0 || memcmp(out->data, plain, len) == 0));
        ck_assert(!inflate_zlib(packed, n - 1, collect, other));
        g_byte_array_set_size(other, 0);
        packed[rng_below(&rng, n)] ^= (uint8_t)(1 << rng_below(&rng, 8));
        if (inflate_zlib(packed, n, collect, other))
            ck_assert(other->len == len && (len == 0 || memcmp(other->data, plain, len) == 0));
    }
}
END_TEST

/* The digest follows what a net means, not how it is written. */
START_TEST(digests_tell_nets_apart)
{
    g_autoptr(Net) net = small_net("p 0*q r | t: p -> q | u: q -> p");
    g_autofree char *digest = digest_of(net);
    static const char *const others[] = {"p 0*q 2*r | t: p -> q | u: q -> p", "p q r | t: p -> q | u: q -> p",
                                         "p 0*q r | t: p -> r | u: q -> p",   "p 0*q r | t: p -> q | v: q -> p",
                                         "p 0*q s | t: p -> q | u: q -> p",   "p 0*q r | t: p -> 2*q | u: q -> p",
                                         "p 0*q r | t: q -> p | u: p -> q",   "p 0*q r | t: p -> q"};
    for (size_t i = 0; i < G_N_ELEMENTS(others); i++) {
        g_autoptr(Net) other = small_net(others[i]);
        g_autofree char *wrong = digest_of(other);
        ck_assert_str_ne(digest, wrong);
    }
    g_autoptr(Net) renamed = small_net("r p 0*q | u: q -> p | t: p -> q");
    g_autofree char *same = digest_of(renamed);
    ck_assert_str_eq(digest, same);
}
END_TEST

/* What is taken away is away; what is open still works. */
START_TEST(the_sandbox_holds)
{
    int channel[2];
    ck_assert_int_eq(pipe(channel), 0);
    pid_t child = fork();
    if (child == 0) {
        char answer = 'n';
        if (sandbox_enter()) {
            g_autofree char *memory = g_malloc0(50 << 20);
            bool held = open("/dev/null", O_RDONLY) < 0 && fork() < 0 && socket(AF_INET, SOCK_STREAM, 0) < 0 &&
                        mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED &&
                        unlink("/nonexistent") < 0 && errno == EPERM && memory[1] == 0;
            answer = held ? 'y' : 'x';
        }
        _exit(write(channel[1], &answer, 1) == 1 ? 0 : 1);
    }
    char answer = 0;
    int status;
    ck_assert_int_eq(read(channel[0], &answer, 1), 1);
    ck_assert(waitpid(child, &status, 0) == child && status == 0);
    if (answer == 'n') puts("skipped: no sandbox here");
    ck_assert(answer != 'x');
}
END_TEST

/* a: x -> x u; b: x -> y; c: y u -> y v; d: y, no w -> y w; e: y, no u -> y z. */
static Net *growing_net(void)
{
    g_autoptr(NetBuilder) b = net_builder_new("growing");
    static const char *const places[] = {"x", "y", "u", "v", "w", "z"};
    for (uint32_t p = 0; p < G_N_ELEMENTS(places); p++) net_builder_place(b, places[p], NULL, p == 0);
    static const struct {
        const char *id;
        int in[2], out[2], inhibit;
    } transitions[] = {{"a", {0, -1}, {0, 2}, -1},
                       {"b", {0, -1}, {1, -1}, -1},
                       {"c", {1, 2}, {1, 3}, -1},
                       {"d", {1, -1}, {1, 4}, 4},
                       {"e", {1, -1}, {1, 5}, 2}};
    for (size_t i = 0; i < G_N_ELEMENTS(transitions); i++) {
        uint32_t t = net_builder_transition(b, transitions[i].id, NULL);
        for (int k = 0; k < 2; k++) {
            if (transitions[i].in[k] >= 0) net_builder_arc(b, ARC_PRE, (uint32_t)transitions[i].in[k], t, 1);
            if (transitions[i].out[k] >= 0) net_builder_arc(b, ARC_POST, (uint32_t)transitions[i].out[k], t, 1);
        }
        if (transitions[i].inhibit >= 0) net_builder_arc(b, ARC_INHIBIT, (uint32_t)transitions[i].inhibit, t, 1);
    }
    return net_builder_finish(b, NULL);
}

/* `parts` as in a certificate, by letters: "run a;loop a". */
static char *pumps(const Net *net, const char *parts, const char *place)
{
    Pump pump = {0};
    g_auto(GStrv) lines = g_strsplit(parts, ";", -1);
    for (char **line = lines; *line; line++) {
        g_autoptr(GString) text = g_string_new(g_str_has_prefix(*line, "loop") ? "loop" : "run");
        for (const char *c = *line + text->len; *c; c++)
            if (*c != ' ') g_string_append_printf(text, " %d", *c - 'a');
        ck_assert(pump_parse(&pump, text->str, net->n_transitions));
    }
    VecU32 places = {0};
    vec_push(&places, net_find_place(net, place));
    Budget budget = budget_unlimited();
    char *problem = NULL;
    ck_assert(pump_check(&pump, net, &places, &budget, &problem) == !problem);
    vec_free(&places);
    pump_clear(&pump);
    return problem ? problem : g_strdup("pumps");
}

START_TEST(pumps_repeat_what_can_be_repeated)
{
    static const struct {
        const char *parts, *place, *expected;
    } cases[] = {{"loop a", "u", "pumps"},
                 {"loop a", "v", "no place of the sum*"},
                 {"loop aa;run b;loop c", "v", "pumps"},
                 {"run aab;loop c", "v", "a loop leaves u with fewer*"},
                 {"run aabcc", "v", "no place of the sum*"},
                 {"loop a;run b;loop ccc;run c", "u", "pumps"},
                 {"run b;loop a", "u", "a is not enabled*"},
                 {"run b;loop d", "w", "a loop cannot be repeated: it raises a place that inhibits d"},
                 {"run b;loop e", "z", "pumps"},
                 {"run ab;loop e", "z", "e is not enabled*"},
                 {"run abc;loop e", "z", "pumps"},
                 {"loop a;run b;loop e", "z", "e is not enabled*"},
                 {"loop ab", "u", "a loop leaves *"},
                 {"", "u", "no place of the sum*"}};
    g_autoptr(Net) net = growing_net();
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *said = pumps(net, *cases[i].parts ? cases[i].parts : "run", cases[i].place);
        ck_assert_msg(g_pattern_match_simple(cases[i].expected, said), "%s: %s", cases[i].parts, said);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("certify");
    TEST_CASE(suite, sums_are_exact_and_small);
    TEST_CASE(suite, unpacking_undoes_packing);
    TEST_CASE(suite, digests_tell_nets_apart);
    TEST_CASE(suite, the_sandbox_holds);
    TEST_CASE(suite, prefix_proofs_verify_and_mutations_do_not);
    TEST_CASE(suite, causes_that_exclude_each_other_are_no_history);
    TEST_CASE(suite, rows_that_share_blocks_keep_their_own_bits);
    TEST_CASE(suite, sets_of_markings_verify_and_mutations_do_not);
    TEST_CASE(suite, no_changed_byte_goes_unnoticed);
    TEST_CASE(suite, pairs_of_places_prove_what_is_true);
    TEST_CASE(suite, traps_and_groups_prove_what_is_true);
    TEST_CASE(suite, sums_are_needed_for_counters);
    TEST_CASE(suite, walks_of_copies_find_what_is_far);
    TEST_CASE(suite, a_false_claim_is_never_believed);
    TEST_CASE(suite, the_proof_checker_follows_the_solver);
    TEST_CASE(suite, pumps_repeat_what_can_be_repeated);
    return test_run(suite);
}
