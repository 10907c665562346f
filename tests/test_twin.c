#include "test.h"

#include "home/home.h"
#include "home/live.h"
#include "net/write.h"
#include "odd_net.h"
#include "prop/expression.h"
#include "reduce/reduce.h"
#include "verify/examination.h"

/* Every engine, relation and examination on odd nets, against a search of its own. Where that search does not end, what
 * it met is still reachable and runs still replay, so each answer is held against all that is known. */

enum { MOST_MARKINGS = 1500, FORMULAS = 6 };

typedef struct Twin {
    Net *net, *bare; /* bare: without the ballast */
    uint32_t ballast;
    ExtremeSpace space;
    uint64_t seed, triples, answered;
} Twin;

/* NULL as relation: the engine's own. */
typedef struct Way {
    const char *engine, *relation;
    double seconds;
    enum { AS_GIVEN, REDUCED, REDUCED_SAFELY } net;
} Way;

static const Way ways[] = {
    {"explicit", NULL, 2, AS_GIVEN},     {"explicit", NULL, 2, REDUCED},      {"stubborn", NULL, 2, AS_GIVEN},
    {"stubborn", NULL, 2, REDUCED},      {"best", NULL, 2, AS_GIVEN},         {"walk", NULL, 0.001, AS_GIVEN},
    {"unfold", NULL, 2, AS_GIVEN},       {"unfold", NULL, 2, REDUCED_SAFELY}, {"unfold", "classic", 2, AS_GIVEN},
    {"unfold", "read", 2, AS_GIVEN},     {"unfold", "loops", 2, AS_GIVEN},    {"explore", NULL, 2, AS_GIVEN},
    {"explore", "classic", 2, AS_GIVEN}, {"explore", NULL, 2, REDUCED},       {"pdr", NULL, 2, AS_GIVEN},
    {"pdr", NULL, 2, REDUCED_SAFELY},    {"equation", NULL, 2, AS_GIVEN},     {"certified", NULL, 1, AS_GIVEN},
    {"auto", NULL, 1, AS_GIVEN}};

/* The net goes to a file, for the commands. */
static void refuted(const Twin *twin, const char *who, const char *what)
{
    g_autofree char *path = g_strdup_printf("twin-%lu.pnml", twin->seed);
    net_write_file(twin->net, path, NULL);
    ck_abort_msg("%s is wrong on %s (MAZURKA_SEED=%lu): %s", who, path, twin->seed, what);
}

/* ---- reachability ---- */

static void tame(Extreme *f, Rng *rng, const ExtremePart *marking)
{
    if (f->left) tame(f->left, rng, marking);
    if (f->right) tame(f->right, rng, marking);
    for (uint32_t i = 0; i < f->n; i++)
        f->factor[i] = f->factor[i] < 0 ? -(f->factor[i] & 3) - 1 : (f->factor[i] & 3) + 1;
    ExtremeSum sum = extreme_value(f, marking);
    if (f->n)
        f->bound =
            sum.high || sum.low > 9 ? (int64_t)rng_below(rng, 4) : (int64_t)sum.low + (int64_t)rng_below(rng, 3) - 1;
}

static void behind_ballast(Extreme *f, uint32_t ballast)
{
    if (f->left) behind_ballast(f->left, ballast);
    if (f->right) behind_ballast(f->right, ballast);
    for (uint32_t i = 0; i < f->n; i++) f->place[i] += ballast;
    f->transition += ballast;
}

static bool replays(const Twin *twin, const Extreme *formula, const VecU32 *run)
{
    g_autofree ExtremePart *marking =
        g_memdup2(extreme_marking(&twin->space, 0), twin->net->n_places * sizeof *marking);
    for (size_t i = 0; i < run->len; i++) {
        if (!extreme_enabled(twin->net, marking, run->data[i])) return false;
        extreme_fire(twin->net, marking, run->data[i]);
    }
    return extreme_holds(formula, twin->net, marking);
}

static bool is_reachable(const Twin *twin, const Extreme *formula)
{
    for (guint i = 0; i < twin->space.markings->len; i++)
        if (extreme_holds(formula, twin->net, extreme_marking(&twin->space, i))) return true;
    return false;
}

static bool is_auto(const Way *way)
{
    return strcmp(way->engine, "auto") == 0;
}

/* On the smaller net, and the run back on the given one; what cannot be carried back is no answer. */
static void ask_reduced(const Way *way, const Query *query, const EngineOptions *options, Budget *budget,
                        Result *result)
{
    ReduceOptions how = {.safe = way->net == REDUCED_SAFELY};
    g_autoptr(Reduction) r = reduce_new(query->net, query->formulas, &query->goal, 1, &how, budget);
    if (!r) return;
    engine_find(way->engine)->run(&(Query){r->net, r->formulas, r->goals[0]}, options, budget, result);
    if (result->answer == ANSWER_REACHABLE && !reduce_lift(r, true, budget, &result->witness))
        result->answer = ANSWER_UNKNOWN;
}

static void ask(Twin *twin, const Way *way, const Query *query, Result *result)
{
    EngineOptions options = {.threads = 1, .seed = twin->seed, .relation = way->relation};
    Budget budget = budget_new(way->seconds, 0, 5000);
    PortfolioOptions all = {.engine = options};
    if (is_auto(way))
        portfolio_run(twin->net, query->formulas, &query->goal, 1, &all, &budget, result);
    else if (way->net != AS_GIVEN)
        ask_reduced(way, query, &options, &budget, result);
    else
        engine_find(way->engine)->run(query, &options, &budget, result);
}

static void compare(Twin *twin, const Way *way, const Query *query, const Extreme *formula, const char *text,
                    bool reachable)
{
    Result result = {0};
    ask(twin, way, query, &result);
    twin->triples++;
    twin->answered += result.answer != ANSWER_UNKNOWN;
    bool wrong = (result.answer == ANSWER_REACHABLE && !replays(twin, formula, &result.witness)) ||
                 (result.answer == ANSWER_UNREACHABLE && reachable);
    if (wrong) refuted(twin, way->net == AS_GIVEN ? way->engine : "reduction", text);
    result_clear(&result);
}

/* These start a process for Z3. */
static bool is_dear(const Way *way)
{
    return is_auto(way) || strcmp(way->engine, "certified") == 0 || strcmp(way->engine, "equation") == 0;
}

static void compare_formula(Twin *twin, Rng *rng, bool all)
{
    guint seen = (guint)rng_below(rng, twin->space.markings->len);
    const ExtremePart *near = extreme_marking(&twin->space, seen) + twin->ballast;
    g_autoptr(Extreme) formula = extreme_formula(rng, twin->bare, near, (int)rng_below(rng, 4));
    if (!rng_chance(rng, 3)) tame(formula, rng, near);
    behind_ballast(formula, twin->ballast);
    g_autoptr(GString) text = g_string_new(NULL);
    extreme_text(formula, twin->net, text);
    g_autoptr(FormulaStore) store = formula_store_new(twin->net);
    g_autoptr(GError) error = NULL;
    Query query = {twin->net, store, 0};
    if (!expression_parse(store, text->str, "twin", &query.goal, &error)) {
        if (!strstr(error->message, "64 bits")) refuted(twin, "the parser", error->message);
        return;
    }
    bool reachable = is_reachable(twin, formula);
    for (size_t i = 0; i < G_N_ELEMENTS(ways); i++)
        if (all || !is_dear(&ways[i])) compare(twin, &ways[i], &query, formula, text->str, reachable);
}

/* ---- examinations ---- */

typedef struct Facts {
    bool one_safe, quasi_live, stable;
    ExtremePart *least, *most;
} Facts;

static void facts_init(Facts *facts, const Twin *twin)
{
    const Net *net = twin->net;
    *facts = (Facts){true, true, false, g_new(ExtremePart, net->n_places), g_new(ExtremePart, net->n_places)};
    for (uint32_t p = 0; p < net->n_places; p++) {
        facts->least[p] = facts->most[p] = extreme_marking(&twin->space, 0)[p];
        for (guint i = 1; i < twin->space.markings->len; i++) {
            ExtremePart count = extreme_marking(&twin->space, i)[p];
            facts->least[p] = MIN(facts->least[p], count);
            facts->most[p] = MAX(facts->most[p], count);
        }
        facts->one_safe = facts->one_safe && facts->most[p] <= 1;
        facts->stable = facts->stable || facts->least[p] == facts->most[p];
    }
    for (uint32_t t = 0; t < net->n_transitions; t++) {
        bool fires = false;
        for (guint i = 0; i < twin->space.markings->len && !fires; i++)
            fires = extreme_enabled(net, extreme_marking(&twin->space, i), t);
        facts->quasi_live = facts->quasi_live && fires;
    }
}

static void facts_clear(Facts *facts)
{
    g_free(facts->least);
    g_free(facts->most);
}

/* Markings of a complete space where something holds become those from where one can be reached: by its definition,
 * going back. */
static void can_come(const Twin *twin, bool *can)
{
    guint n = twin->space.markings->len;
    size_t size = twin->net->n_places * sizeof(ExtremePart);
    g_autoptr(GHashTable) number = g_hash_table_new(g_bytes_hash, g_bytes_equal);
    for (guint i = 0; i < n; i++)
        g_hash_table_insert(number, g_ptr_array_index(twin->space.markings, i), GUINT_TO_POINTER(i));
    g_autofree ExtremePart *marking = g_malloc(size);
    for (bool more = true; more;) {
        more = false;
        for (guint i = n; i-- > 0;)
            for (uint32_t u = 0; u < twin->net->n_transitions && !can[i]; u++) {
                if (!extreme_enabled(twin->net, extreme_marking(&twin->space, i), u)) continue;
                memcpy(marking, extreme_marking(&twin->space, i), size);
                extreme_fire(twin->net, marking, u);
                g_autoptr(GBytes) bytes = g_bytes_new(marking, size);
                can[i] = can[GPOINTER_TO_UINT(g_hash_table_lookup(number, bytes))];
                more = more || can[i];
            }
    }
}

static bool everywhere(const Twin *twin, const bool *can)
{
    for (guint i = 0; i < twin->space.markings->len; i++)
        if (!can[i]) return false;
    return true;
}

static bool is_live(const Twin *twin)
{
    bool live = true;
    g_autofree bool *can = g_new(bool, twin->space.markings->len);
    for (uint32_t t = 0; t < twin->net->n_transitions && live; t++) {
        for (guint i = 0; i < twin->space.markings->len; i++)
            can[i] = extreme_enabled(twin->net, extreme_marking(&twin->space, i), t);
        can_come(twin, can);
        live = everywhere(twin, can);
    }
    return live;
}

/* `settled`: what was met decides, although the space is not complete. */
static void compare_truth(Twin *twin, const char *name, Truth truth, bool expected, bool settled)
{
    twin->triples++;
    twin->answered += truth != TRUTH_UNKNOWN;
    if ((twin->space.complete || settled) && truth != TRUTH_UNKNOWN && (truth == TRUTH_YES) != expected)
        refuted(twin, name, truth == TRUTH_YES ? "it says yes" : "it says no");
}

static Truth examine(Twin *twin, Truth (*question)(Examination *examination, Budget *budget))
{
    Examination examination = {.net = twin->net, .options = {.threads = 1, .seed = twin->seed}};
    Budget budget = budget_new(1, 0, 5000);
    Truth truth = question(&examination, &budget);
    g_free(examination.reason);
    return truth;
}

static void compare_bounds(Twin *twin, const Facts *facts)
{
    uint32_t n = twin->net->n_places;
    g_autofree VecU32 *sums = g_new0(VecU32, n);
    g_autofree ExaminationBound *bounds = g_new0(ExaminationBound, n);
    for (uint32_t p = 0; p < n; p++) vec_push(&sums[p], p);
    Examination examination = {.net = twin->net, .options = {.threads = 1, .seed = twin->seed}};
    Budget budget = budget_new(1, 0, 5000);
    examination_bounds(&examination, sums, n, &budget, bounds, NULL, NULL);
    for (uint32_t p = 0; p < n; p++) {
        const ExaminationBound *b = &bounds[p];
        twin->triples++;
        twin->answered += b->known;
        if (b->known && b->infinite && twin->space.complete) refuted(twin, "UpperBounds", "infinite");
        ExtremePart value = (ExtremePart)b->value;
        if (b->known && !b->infinite && (value < facts->most[p] || (twin->space.complete && value > facts->most[p])))
            refuted(twin, "UpperBounds", net_place_id(twin->net, p));
        vec_free(&sums[p]);
        g_free(b->reason);
    }
    g_free(examination.reason);
}

static void compare_examinations(Twin *twin)
{
    Facts facts;
    facts_init(&facts, twin);
    compare_truth(twin, "OneSafe", examine(twin, examination_one_safe), facts.one_safe, !facts.one_safe);
    compare_truth(twin, "QuasiLiveness", examine(twin, examination_quasi_live), facts.quasi_live, facts.quasi_live);
    compare_truth(twin, "StableMarking", examine(twin, examination_stable_marking), facts.stable, !facts.stable);
    bool live = twin->space.complete && is_live(twin);
    compare_truth(twin, "Liveness", examine(twin, live_examine), live, false);
    compare_bounds(twin, &facts);
    facts_clear(&facts);
}

/* ---- what can always still happen ---- */

/* Where the run leads: its number among all markings. */
static guint arrive(const Twin *twin, const VecU32 *run)
{
    size_t size = twin->net->n_places * sizeof(ExtremePart);
    g_autofree ExtremePart *marking = g_memdup2(extreme_marking(&twin->space, 0), size);
    for (size_t i = 0; i < run->len; i++) {
        if (!extreme_enabled(twin->net, marking, run->data[i])) refuted(twin, "home", "the run does not replay");
        extreme_fire(twin->net, marking, run->data[i]);
    }
    guint at = 0;
    while (memcmp(extreme_marking(&twin->space, at), marking, size) != 0) at++;
    return at;
}

static void compare_home(Twin *twin, Rng *rng)
{
    guint seen = (guint)rng_below(rng, twin->space.markings->len);
    const ExtremePart *near = extreme_marking(&twin->space, seen) + twin->ballast;
    g_autoptr(Extreme) formula = extreme_formula(rng, twin->bare, near, (int)rng_below(rng, 3));
    if (!rng_chance(rng, 3)) tame(formula, rng, near);
    behind_ballast(formula, twin->ballast);
    g_autoptr(GString) text = g_string_new(NULL);
    extreme_text(formula, twin->net, text);
    g_autoptr(FormulaStore) store = formula_store_new(twin->net);
    FormulaId goal;
    if (!expression_parse(store, text->str, "twin", &goal, NULL)) return;
    HomeResult result = {0};
    Budget budget = budget_new(1, 0, 5000);
    home_ask(&(HomeQuestion){.net = twin->net, .formulas = store, .goals = &goal, .n = 1},
             &(EngineOptions){.threads = 1, .seed = twin->seed}, &budget, &result);
    twin->triples++;
    twin->answered += result.verdict != VERDICT_UNKNOWN;
    if (twin->space.complete && result.verdict != VERDICT_UNKNOWN) {
        g_autofree bool *can = g_new(bool, twin->space.markings->len);
        for (guint i = 0; i < twin->space.markings->len; i++)
            can[i] = extreme_holds(formula, twin->net, extreme_marking(&twin->space, i));
        can_come(twin, can);
        if (everywhere(twin, can) != (result.verdict == VERDICT_HOLDS)) refuted(twin, "home", text->str);
        if (result.verdict == VERDICT_VIOLATED && can[arrive(twin, &result.run)])
            refuted(twin, "home", "not lost where the run leads");
    }
    home_result_clear(&result);
}

static const uint32_t ballasts[] = {0, 0, 0, 0, 64, 0, 0, 0, 0, 130, 0};

START_TEST(every_engine_answers_as_a_search_of_its_own)
{
    uint64_t first = test_number("MAZURKA_SEED", 1), triples = 0, answered = 0, complete = 0;
    uint64_t n = test_rounds(400, 10000);
    for (uint64_t seed = first; seed < first + n; seed++) {
        Rng rng = {seed};
        Rng again = rng;
        Twin twin = {.seed = seed, .ballast = ballasts[seed % G_N_ELEMENTS(ballasts)]};
        twin.bare = odd_net(&again, 0);
        twin.net = odd_net(&rng, twin.ballast);
        extreme_space_init(&twin.space, twin.net, MOST_MARKINGS);
        bool dear = seed % 8 == 0;
        for (int i = 0; i < FORMULAS; i++) compare_formula(&twin, &rng, dear && i == 0);
        if (dear) compare_examinations(&twin);
        for (int i = 0; i < 2 && seed % 4 == 1; i++) compare_home(&twin, &rng);
        triples += twin.triples;
        answered += twin.answered;
        complete += twin.space.complete;
        g_ptr_array_unref(twin.space.markings);
        net_free(twin.net);
        net_free(twin.bare);
    }
    printf("seeds %lu to %lu: %lu triples, %lu answered, %lu nets searched to the end\n", first, first + n - 1, triples,
           answered, complete);
    ck_assert_uint_gt(answered, triples / 2);
    ck_assert_uint_gt(complete, n / 3);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("twin");
    TEST_CASE(suite, every_engine_answers_as_a_search_of_its_own);
    return test_run(suite);
}
