/* Questions in coloured terms on random coloured nets: the global examinations, reachability of sums and of coloured
 * transitions, and upper bounds, against all markings of the expanded net. MAZURKA_SOAK=1 takes longer. */
#include "test.h"

#include "coloured_text.h"
#include "random_coloured.h"

#include "base/exact.h"
#include "colour/expand.h"
#include "colour/open.h"
#include "colour/read.h"
#include "net/colours.h"
#include "prop/expression.h"
#include "home/live.h"
#include "verify/portfolio.h"

#include <string.h>

enum { MOST_MARKINGS = 120, MOST_TOKENS = 3 };

typedef struct Space {
    const Net *net;
    const Net *asked; /* the same, or a part of it */
    GPtrArray *markings;
    VecU32 from, to, by; /* firings */
} Space;

static uint32_t find_or_add(Space *s, const uint64_t *marking, size_t size)
{
    for (guint i = 0; i < s->markings->len; i++)
        if (memcmp(s->markings->pdata[i], marking, size) == 0) return i;
    g_ptr_array_add(s->markings, g_memdup2(marking, size));
    return s->markings->len - 1;
}

/* False: too many markings. */
static bool explore_all(Space *s)
{
    size_t size = s->net->n_places * sizeof(uint64_t);
    g_autofree uint64_t *now = g_malloc(size);
    g_ptr_array_add(s->markings, g_memdup2(s->net->initial, size));
    for (uint32_t i = 0; i < s->markings->len && s->markings->len <= MOST_MARKINGS; i++)
        for (uint32_t t = 0; t < s->net->n_transitions; t++) {
            memcpy(now, s->markings->pdata[i], size);
            if (!net_enabled(s->net, now, t)) continue;
            if (!net_fire(s->net, now, t)) return false;
            vec_push(&s->from, i);
            vec_push(&s->by, t);
            vec_push(&s->to, find_or_add(s, now, size));
        }
    return s->markings->len <= MOST_MARKINGS;
}

static uint64_t tokens(const Space *s, uint32_t marking, uint32_t place)
{
    NetRange range = net_colours_asked_places(s->net, place);
    uint64_t sum = 0;
    for (uint32_t p = range.from; p < range.to; p++) sum += ((uint64_t *)s->markings->pdata[marking])[p];
    return sum;
}

static uint64_t most_tokens(const Space *s, uint32_t place)
{
    uint64_t most = 0;
    for (guint i = 0; i < s->markings->len; i++) most = MAX(most, tokens(s, i, place));
    return most;
}

static bool is_stable(const Space *s, uint32_t place)
{
    for (guint i = 0; i < s->markings->len; i++)
        if (tokens(s, i, place) != tokens(s, 0, place)) return false;
    return true;
}

/* From this marking some run fires the coloured transition. */
static bool can_fire(const Space *s, uint32_t marking, uint32_t transition)
{
    NetRange range = net_colours_asked_transitions(s->net, transition);
    g_autofree bool *seen = g_new0(bool, s->markings->len);
    seen[marking] = true;
    for (bool more = true; more;) {
        more = false;
        for (size_t i = 0; i < s->from.len; i++) {
            if (!seen[s->from.data[i]]) continue;
            if (s->by.data[i] >= range.from && s->by.data[i] < range.to) return true;
            if (!seen[s->to.data[i]]) seen[s->to.data[i]] = more = true;
        }
    }
    return false;
}

static bool is_enabled(const Space *s, uint32_t marking, NetRange range)
{
    for (uint32_t t = range.from; t < range.to; t++)
        if (net_enabled(s->net, s->markings->pdata[marking], t)) return true;
    return false;
}

/* Somewhere the coloured transition has no enabled binding. */
static bool some_disabled(const Space *s, uint32_t transition)
{
    for (guint i = 0; i < s->markings->len; i++)
        if (!is_enabled(s, i, net_colours_asked_transitions(s->net, transition))) return true;
    return false;
}

static bool some_dead(const Space *s)
{
    for (guint i = 0; i < s->markings->len; i++)
        if (!is_enabled(s, i, (NetRange){0, s->net->n_transitions})) return true;
    return false;
}

static Truth truth(bool yes)
{
    return yes ? TRUTH_YES : TRUTH_NO;
}

typedef struct Tally {
    uint32_t asked, known;
} Tally;

static void check_truth(Tally *tally, const Space *s, Truth (*ask)(Examination *, Budget *), bool expected,
                        const char *what, uint64_t seed)
{
    Examination x = {.net = s->asked, .options = {.seed = seed, .threads = 1}};
    Budget budget = budget_new(0.6, 0, 0);
    Truth found = ask(&x, &budget);
    /* Of a part of a net only what runs show counts. */
    if (net_colours_partial(s->asked) && found != (ask == examination_quasi_live ? TRUTH_YES : TRUTH_NO))
        found = TRUTH_UNKNOWN;
    if (net_colours_partial(s->asked) && ask == live_examine) found = TRUTH_UNKNOWN;
    tally->asked++;
    tally->known += found != TRUTH_UNKNOWN;
    ck_assert_msg(found == TRUTH_UNKNOWN || found == truth(expected), "seed %" G_GUINT64_FORMAT ": %s by %s", seed,
                  what, x.engine);
    g_free(x.reason);
}

static void check_examinations(Tally *tally, const Space *s, uint64_t seed)
{
    const Net *coloured = net_colours_asked(s->net);
    bool safe = true, quasi_live = true, stable = false, live = true;
    for (uint32_t p = 0; p < coloured->n_places; p++) {
        safe = safe && most_tokens(s, p) <= 1;
        stable = stable || is_stable(s, p);
    }
    for (uint32_t t = 0; t < coloured->n_transitions; t++) {
        quasi_live = quasi_live && can_fire(s, 0, t);
        for (guint i = 0; i < s->markings->len && live; i++) live = can_fire(s, i, t);
    }
    check_truth(tally, s, examination_one_safe, safe, "OneSafe", seed);
    check_truth(tally, s, examination_quasi_live, quasi_live, "QuasiLiveness", seed);
    check_truth(tally, s, examination_stable_marking, stable, "StableMarking", seed);
    check_truth(tally, s, live_examine, live, "Liveness", seed);
}

static void check_goals(Tally *tally, const Space *s, uint64_t seed)
{
    const Net *coloured = net_colours_asked(s->net);
    g_autoptr(FormulaStore) formulas = formula_store_new(s->asked);
    VecU32 goals = {0}, expected = {0};
    for (uint32_t p = 0; p < coloured->n_places; p++)
        for (unsigned k = 0; k <= MOST_TOKENS; k++) {
            FormulaId goal;
            g_autofree char *text = g_strdup_printf("%s > %u", net_place_id(coloured, p), k);
            ck_assert(expression_parse(formulas, text, "", &goal, NULL));
            vec_push(&goals, goal);
            vec_push(&expected, most_tokens(s, p) > k);
        }
    vec_push(&goals, formula_deadlock(formulas));
    vec_push(&expected, some_dead(s));
    for (uint32_t t = 0; t < coloured->n_transitions; t++) {
        FormulaId goal;
        g_autofree char *text = g_strdup_printf("fireable(%s)", net_transition_id(coloured, t));
        ck_assert(expression_parse(formulas, text, "", &goal, NULL));
        vec_push(&goals, goal);
        vec_push(&expected, can_fire(s, 0, t));
        vec_push(&goals, formula_not(formulas, goal));
        vec_push(&expected, some_disabled(s, t));
    }
    Result *results = g_new0(Result, goals.len);
    Budget budget = budget_new(3, 0, 0);
    portfolio_run(s->asked, formulas, goals.data, goals.len, &(PortfolioOptions){.engine = {.threads = 1}}, &budget,
                  results);
    for (size_t i = 0; i < goals.len; i++) {
        tally->asked++;
        tally->known += results[i].answer != ANSWER_UNKNOWN;
        bool wrong = results[i].answer == (expected.data[i] ? ANSWER_UNREACHABLE : ANSWER_REACHABLE);
        ck_assert_msg(!wrong, "seed %" G_GUINT64_FORMAT ", goal %zu, by %s", seed, i, results[i].engine);
        result_clear(&results[i]);
    }
    g_free(results);
    vec_free(&goals);
    vec_free(&expected);
}

static void check_bounds(Tally *tally, const Space *s, uint64_t seed)
{
    uint32_t n = net_colours_asked(s->net)->n_places;
    VecU32 *sums = g_new0(VecU32, n);
    ExaminationBound *bounds = g_new0(ExaminationBound, n);
    for (uint32_t p = 0; p < n; p++)
        for (uint32_t i = net_colours_asked_places(s->asked, p).from; i < net_colours_asked_places(s->asked, p).to; i++)
            vec_push(&sums[p], i);
    Examination x = {.net = s->asked, .options = {.seed = seed, .threads = 1}};
    Budget budget = budget_new(1, 0, 0);
    examination_bounds(&x, sums, n, &budget, bounds, NULL, NULL);
    for (uint32_t p = 0; p < n; p++) {
        tally->asked++;
        tally->known += bounds[p].known;
        ck_assert_msg(!bounds[p].known || (!bounds[p].infinite && bounds[p].value == most_tokens(s, p)),
                      "seed %" G_GUINT64_FORMAT ": bound of place %u by %s", seed, p, bounds[p].engine);
        examination_bound_clear(&bounds[p]);
        vec_free(&sums[p]);
    }
    g_free(sums);
    g_free(bounds);
}

static Net *random_net(uint64_t seed)
{
    g_autofree char *text = random_coloured(seed);
    g_autoptr(Input) input = input_bytes(text, strlen(text), "f", NULL);
    return colour_open(input, NULL, NULL, NULL);
}

/* Alike colours are one, and of each transition few bindings are left; NULL: no such part. */
static Net *part_of(const char *text, uint32_t kept)
{
    g_autoptr(Input) input = input_bytes(text, strlen(text), "f", NULL);
    Net *plain;
    g_autoptr(ColourNet) coloured = NULL;
    ck_assert(colour_read(input, NULL, &plain, &coloured, NULL));
    Net *part = colour_expand_merged(coloured, (ColourPart){.many = kept, .kept = kept}, "f", NULL, NULL);
    if (part && net_colours_partial(part)) return part;
    net_free(part);
    return NULL;
}

static Net *random_part(uint64_t seed)
{
    g_autofree char *text = random_coloured(seed);
    return part_of(text, 2);
}

static void space_clear(Space *s)
{
    g_ptr_array_unref(s->markings);
    vec_free(&s->from);
    vec_free(&s->to);
    vec_free(&s->by);
}

static void ask_all(uint32_t wanted, bool parts, Tally *tally)
{
    uint32_t done = 0;
    for (uint64_t seed = 100000; done < wanted; seed++) {
        g_autoptr(Net) net = random_net(seed), part = parts ? random_part(seed) : NULL;
        if (parts && !part) continue;
        Space s = {.net = net, .asked = part ? part : net, .markings = g_ptr_array_new_with_free_func(g_free)};
        if (net->n_places && net->n_transitions && explore_all(&s) && (s.markings->len > 2 || seed % 8 == 0)) {
            check_examinations(tally, &s, seed);
            check_goals(tally, &s, seed);
            check_bounds(tally, &s, seed);
            done++;
        }
        space_clear(&s);
    }
}

START_TEST(test_questions)
{
    Tally tally = {0};
    ask_all(test_rounds(20, 2000), false, &tally);
    ck_assert_msg(tally.known * 10 >= tally.asked * 9, "%u of %u known", tally.known, tally.asked);
}
END_TEST

/* Of a part of a net fewer answers are known, and they are those of the whole. */
START_TEST(test_parts)
{
    Tally tally = {0};
    ask_all(test_rounds(8, 500), true, &tally);
    ck_assert_msg(tally.known * 4 >= tally.asked, "%u of %u known", tally.known, tally.asked);
}
END_TEST

/* ---- parts that would mislead ---- */

#define SEVEN                                                                                                          \
    SORT("s",                                                                                                          \
         CYCLIC(CONSTANT("a") CONSTANT("b") CONSTANT("c") CONSTANT("d") CONSTANT("e") CONSTANT("f") CONSTANT("g")))    \
    VARIABLE("x", "s")
/* A token goes round; of this one binding is kept. */
#define ROUND                                                                                                          \
    DECLARE(SEVEN)                                                                                                     \
    PLACE("p", "s", OP("a"))                                                                                           \
    PLACE("r", "dot", DOT)                                                                                             \
    EMPTY_PLACE("q", "dot") TRANSITION("next") ARC("p", "next", VAR("x")) ARC("next", "p", ONE("successor", VAR("x")))

static const struct {
    const char *text;
    bool has_part;
} misleading[] = {
    /* after one step the part is dead and "look" has no binding: in the whole net both go on */
    {NET(ROUND TRANSITION("look") ARC("p", "look", VAR("x")) ARC("look", "p", VAR("x")) TRANSITION("end")
             ARC("p", "end", OP("a")) ARC("r", "end", DOT) ARC("end", "p", OP("a")) ARC("end", "q", DOT)),
     true},
    /* the token of "end" is never reached in the part: q would be constant */
    {NET(ROUND TRANSITION("end") ARC("p", "end", OP("c")) ARC("r", "end", DOT) ARC("end", "p", OP("c"))
             ARC("end", "q", DOT)),
     true},
    /* nor found at all: "end" would have no binding */
    {NET(ROUND PLACE("o", "dot", DOT) TRANSITION("end") ARC("p", "end", OP("f")) ARC("r", "end", DOT)
             ARC("end", "p", OP("f")) ARC("end", "o", DOT) TRANSITION("back") ARC("o", "back", TIMES(2, DOT))
                 ARC("back", "o", DOT) ARC("back", "q", DOT)),
     false},
    /* for x = a nothing comes to w, for others one */
    {NET(ROUND PLACE("w", "s", OP("b")) TRANSITION("end") ARC("p", "end", VAR("x")) ARC("r", "end", DOT)
             ARC("end", "q", DOT) ARC("end", "w", TWO("subtract", VAR("x"), OP("a")))),
     false},
};

START_TEST(test_misleading)
{
    for (size_t i = 0; i < G_N_ELEMENTS(misleading); i++) {
        const char *text = misleading[i].text;
        g_autoptr(Input) input = input_bytes(text, strlen(text), "f", NULL);
        g_autoptr(Net) net = colour_open(input, NULL, NULL, NULL), part = part_of(text, 1);
        Tally tally = {0};
        if (part) {
            Space s = {.net = net, .asked = part, .markings = g_ptr_array_new_with_free_func(g_free)};
            ck_assert(explore_all(&s));
            check_examinations(&tally, &s, i);
            check_goals(&tally, &s, i);
            check_bounds(&tally, &s, i);
            space_clear(&s);
        }
        ck_assert_msg((part != NULL) == misleading[i].has_part, "%zu", i);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("colour_questions");
    TEST_CASE(suite, test_questions);
    TEST_CASE(suite, test_parts);
    TEST_CASE(suite, test_misleading);
    return test_run(suite);
}
