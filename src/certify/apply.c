#include "certify/apply.h"

#include "certify/shrink.h"
#include "certify/twins.h"

/* What a few lines of text can make of a net is bounded by this. */
enum { MOST_ARCS = 50 * 1000 * 1000, MOST_PORTIONS = 64 };

/* Checkers return NULL when the step was right and is done, otherwise why it is refused. */
typedef const char *Refusal;

static bool tests(ShrinkArc arc)
{
    return arc.need > 0 || arc.limit != SHRINK_NO_LIMIT;
}

/* ---- constant ---- */

static Refusal constant(Shrink *s, const uint32_t *nodes, size_t n)
{
    (void)n;
    uint32_t p = nodes[0];
    ShrinkPlace *place = &s->places[p];
    VecU32 near = shrink_near(s, p);
    bool rises = false, falls = false;
    for (size_t i = 0; i < near.len; i++) {
        rises |= shrink_arc(s, near.data[i], p).delta > 0;
        falls |= shrink_arc(s, near.data[i], p).delta < 0;
    }
    if (rises && falls) return "the place's count both rises and falls";
    for (size_t i = 0; i < near.len; i++) {
        ShrinkArc arc = shrink_arc(s, near.data[i], p);
        bool never =
            arc.need >= arc.limit || (!rises && arc.need > place->tokens) || (!falls && arc.limit <= place->tokens);
        if (never) {
            shrink_remove_transition(s, near.data[i]);
            continue;
        }
        if (!falls && arc.need <= place->tokens) arc.need = 0;
        if (!rises && arc.limit > place->tokens) arc.limit = SHRINK_NO_LIMIT;
        shrink_put(s, near.data[i], arc);
    }
    if (rises || falls) return NULL;
    shrink_remove_place(s, p);
    place->known = true;
    place->like = NET_NONE;
    place->plus = place->tokens;
    return NULL;
}

/* ---- siphon ---- */

/* First who asks for tokens of these places, then whether anybody else adds some. */
static Refusal siphon(Shrink *s, const uint32_t *nodes, size_t n)
{
    s->n_siphons++;
    for (size_t i = 0; i < n; i++) {
        if (s->places[nodes[i]].tokens) return "a place of the siphon has tokens";
        VecU32 near = shrink_near(s, nodes[i]);
        for (size_t k = 0; k < near.len; k++)
            if (shrink_arc(s, near.data[k], nodes[i]).need > 0) s->transitions.data[near.data[k]].asks = s->n_siphons;
    }
    for (size_t i = 0; i < n; i++) {
        VecU32 near = shrink_near(s, nodes[i]);
        for (size_t k = 0; k < near.len; k++)
            if (shrink_arc(s, near.data[k], nodes[i]).delta > 0 &&
                s->transitions.data[near.data[k]].asks != s->n_siphons)
                return "a transition marks the siphon from outside";
    }
    for (size_t i = 0; i < n; i++) {
        VecU32 near = shrink_near(s, nodes[i]);
        for (size_t k = 0; k < near.len; k++)
            if (shrink_arc(s, near.data[k], nodes[i]).need > 0) shrink_remove_transition(s, near.data[k]);
    }
    return NULL;
}

/* ---- forget, useless, weaker ---- */

static Refusal forget(Shrink *s, const uint32_t *nodes, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (s->places[nodes[i]].gone) return "a place is listed twice";
        if (s->places[nodes[i]].shown) return "the goal depends on a place";
        VecU32 near = shrink_near(s, nodes[i]);
        for (size_t k = 0; k < near.len && s->deadlock; k++)
            if (tests(shrink_arc(s, near.data[k], nodes[i])))
                return "a transition tests a place, and the goal speaks of deadlock";
        shrink_remove_place(s, nodes[i]);
    }
    return NULL;
}

static Refusal useless(Shrink *s, const uint32_t *nodes, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const ShrinkTransition *t = &s->transitions.data[nodes[i]];
        if (t->gone) return "a transition is listed twice";
        for (size_t k = 0; k < t->arcs.len; k++) {
            ShrinkArc arc = t->arcs.data[k];
            const ShrinkPlace *place = &s->places[arc.place];
            if (arc.delta == 0) continue;
            if (s->deadlock) return "a transition has an effect, and the goal speaks of deadlock";
            if (arc.delta > 0) return "a transition adds tokens";
            if (place->shown) return "a transition changes a place that the goal depends on";
            if (place->limits) return "a transition takes from a place at which one has a limit";
        }
        shrink_remove_transition(s, nodes[i]);
    }
    return NULL;
}

static Refusal weaker(Shrink *s, const uint32_t *nodes, size_t n)
{
    (void)n;
    uint32_t pair[2] = {nodes[0], nodes[1]};
    if (pair[0] == pair[1]) return "a transition is compared with itself";
    for (int side = 0; side < 2; side++) {
        const ShrinkTransition *one = &s->transitions.data[pair[side]];
        for (size_t i = 0; i < one->arcs.len; i++) {
            ShrinkArc strong = shrink_arc(s, pair[0], one->arcs.data[i].place),
                      weak = shrink_arc(s, pair[1], one->arcs.data[i].place);
            if (strong.delta != weak.delta) return "the transitions have different effects";
            if (weak.need > strong.need || weak.limit < strong.limit) return "the transition that stays asks for more";
        }
    }
    shrink_remove_transition(s, pair[0]);
    return NULL;
}

/* ---- same_place ---- */

static bool same_changes(Shrink *s, uint32_t p, uint32_t q)
{
    for (int side = 0; side < 2; side++) {
        VecU32 near = shrink_near(s, side ? q : p);
        for (size_t i = 0; i < near.len; i++)
            if (shrink_arc(s, near.data[i], p).delta != shrink_arc(s, near.data[i], q).delta) return false;
    }
    return true;
}

static Refusal same_place(Shrink *s, const uint32_t *nodes, size_t n)
{
    (void)n;
    uint32_t p = nodes[0], q = nodes[1];
    int64_t more = s->places[p].tokens - s->places[q].tokens;
    if (p == q) return "a place is compared with itself";
    if (more < 0) return "the place has fewer tokens than the one that stays";
    if (!same_changes(s, p, q)) return "a transition changes the places differently";
    VecU32 near = shrink_near(s, p);
    for (size_t i = 0; i < near.len; i++) {
        uint32_t t = near.data[i];
        ShrinkArc from = shrink_arc(s, t, p), to = shrink_arc(s, t, q);
        if (from.limit <= more) {
            shrink_remove_transition(s, t);
            continue;
        }
        to.need = MAX(to.need, from.need - more);
        if (from.limit != SHRINK_NO_LIMIT) to.limit = MIN(to.limit, from.limit - more);
        shrink_put(s, t, to);
    }
    shrink_remove_place(s, p);
    s->places[p].known = true;
    s->places[p].like = q;
    s->places[p].plus = more;
    s->places[q].shown |= s->places[p].shown;
    return NULL;
}

/* ---- fuse ---- */

/* Does t fire whenever p has a token? */
static bool asks_for_one(const ShrinkTransition *t, uint32_t p)
{
    for (size_t i = 0; i < t->arcs.len; i++) {
        ShrinkArc arc = t->arcs.data[i];
        if (arc.limit != SHRINK_NO_LIMIT || arc.need > (arc.place == p)) return false;
    }
    return true;
}

static bool leaves_alone(Shrink *s, uint32_t p)
{
    VecU32 near = shrink_near(s, p);
    for (size_t i = 0; i < near.len; i++)
        if (asks_for_one(&s->transitions.data[near.data[i]], p)) return true;
    return false;
}

static bool all_leave_alone(Shrink *s, const uint32_t *nodes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!leaves_alone(s, nodes[i])) return false;
    return true;
}

static bool in_range(int64_t number)
{
    return number <= SHRINK_MOST && number >= -SHRINK_MOST;
}

static Refusal fuse_into(Shrink *s, uint32_t p, uint32_t keep)
{
    VecU32 near = shrink_near(s, p);
    for (size_t i = 0; i < near.len; i++) {
        ShrinkArc from = shrink_arc(s, near.data[i], p), to = shrink_arc(s, near.data[i], keep);
        to.need += from.need;
        to.delta += from.delta;
        if (!in_range(to.need) || !in_range(to.delta)) return "a count is too large";
        shrink_put(s, near.data[i], to);
    }
    s->places[keep].tokens += s->places[p].tokens;
    if (!in_range(s->places[keep].tokens)) return "a count is too large";
    shrink_remove_place(s, p);
    return NULL;
}

static Refusal fuse(Shrink *s, const uint32_t *nodes, size_t n)
{
    if (n < 2) return "at least two places are needed";
    for (size_t i = 0; i < n; i++) {
        if (s->places[nodes[i]].shown) return "the goal depends on a place";
        if (s->places[nodes[i]].limits) return "a transition has a limit at a place";
    }
    if (s->deadlock && !all_leave_alone(s, nodes, n) && !twins_are_asked_alike(s, nodes, n))
        return "tokens are not free to leave a place, and the goal speaks of deadlock";
    for (size_t i = 1; i < n; i++) {
        if (nodes[i] == nodes[0] || s->places[nodes[i]].gone) return "a place is listed twice";
        Refusal refusal = fuse_into(s, nodes[i], nodes[0]);
        if (refusal) return refusal;
    }
    return NULL;
}

/* ---- post and pre ---- */

typedef struct Passage {
    uint32_t place;
    int64_t portion;
    VecU32 producers, consumers;
} Passage;

static void passage_clear(Passage *g)
{
    vec_free(&g->producers);
    vec_free(&g->consumers);
}

static Refusal look_at_passage(Shrink *s, uint32_t p, Passage *g)
{
    if (s->places[p].shown) return "the goal depends on the place";
    if (s->places[p].limits) return "a transition has a limit at the place";
    VecU32 near = shrink_near(s, p);
    for (size_t i = 0; i < near.len; i++) {
        ShrinkArc arc = shrink_arc(s, near.data[i], p);
        if (arc.delta > 0 && arc.need == 0) {
            vec_push(&g->producers, near.data[i]);
        } else if (arc.delta < 0 && arc.need == -arc.delta) {
            if (g->portion && g->portion != arc.need) return "consumers take different numbers of tokens";
            g->portion = arc.need;
            vec_push(&g->consumers, near.data[i]);
        } else {
            return "a transition at the place is neither a producer nor a consumer";
        }
    }
    return g->consumers.len ? NULL : "the place has no consumer";
}

/* Replaces producers and consumers by their sequences. */
static Refusal pass(Shrink *s, const Passage *g)
{
    for (size_t i = 0; i < g->producers.len; i++)
        for (size_t k = 0; k < g->consumers.len; k++) {
            int64_t times = shrink_arc(s, g->producers.data[i], g->place).delta / g->portion;
            if (!shrink_add_sequence(s, g->producers.data[i], g->consumers.data[k], times, g->place))
                return "a count is too large";
            if (s->n_arcs > MOST_ARCS) return "the net becomes too large";
        }
    for (size_t i = 0; i < g->producers.len; i++) shrink_remove_transition(s, g->producers.data[i]);
    for (size_t i = 0; i < g->consumers.len; i++) shrink_remove_transition(s, g->consumers.data[i]);
    shrink_remove_place(s, g->place);
    return NULL;
}

static Refusal only_adds(const Shrink *s, uint32_t f, uint32_t p)
{
    const ShrinkTransition *t = &s->transitions.data[f];
    for (size_t i = 0; i < t->arcs.len; i++)
        if (t->arcs.data[i].place != p && tests(t->arcs.data[i])) return "a consumer tests another place";
    for (size_t i = 0; i < t->arcs.len; i++) {
        ShrinkArc arc = t->arcs.data[i];
        if (arc.place == p) continue;
        if (s->places[arc.place].shown) return "a consumer changes a place that the goal depends on";
        if (s->places[arc.place].limits) return "a consumer adds to a place at which one has a limit";
    }
    return NULL;
}

static Refusal check_post(const Shrink *s, const Passage *g)
{
    bool single = g->consumers.len == 1;
    for (size_t i = 0; i < g->producers.len; i++) {
        int64_t made = shrink_arc(s, g->producers.data[i], g->place).delta;
        if (made != g->portion && (!single || made % g->portion)) return "a producer does not make what consumers take";
        if (made / g->portion > MOST_PORTIONS) return "a producer makes too many portions";
    }
    if (s->places[g->place].tokens >= g->portion && !single) return "the place has tokens for more than one consumer";
    for (size_t i = 0; i < g->consumers.len; i++) {
        Refusal refusal = only_adds(s, g->consumers.data[i], g->place);
        if (refusal) return refusal;
    }
    return NULL;
}

/* Consumers only add, so the arcs beside the place say all. */
static Refusal fire_at_first(Shrink *s, const Passage *g)
{
    const ShrinkTransition *f = &s->transitions.data[g->consumers.data[0]];
    int64_t times = s->places[g->place].tokens / g->portion;
    for (size_t i = 0; i < f->arcs.len; i++) {
        int64_t *tokens = &s->places[f->arcs.data[i].place].tokens, added;
        if (__builtin_mul_overflow(f->arcs.data[i].delta, times, &added) || !in_range(added) ||
            !in_range(*tokens + added))
            return "a count is too large";
        *tokens += added;
    }
    return NULL;
}

static Refusal post(Shrink *s, const uint32_t *nodes, size_t n)
{
    (void)n;
    Passage g = {.place = nodes[0]};
    Refusal refusal = look_at_passage(s, g.place, &g);
    if (!refusal) refusal = check_post(s, &g);
    if (!refusal) refusal = fire_at_first(s, &g);
    if (!refusal) refusal = pass(s, &g);
    passage_clear(&g);
    return refusal;
}

static Refusal can_wait(Shrink *s, uint32_t h, uint32_t p)
{
    for (size_t i = 0; i < s->transitions.data[h].arcs.len; i++) {
        ShrinkArc arc = s->transitions.data[h].arcs.data[i];
        if (arc.place == p) continue;
        if (arc.delta >= 0 || arc.need != -arc.delta || arc.limit != SHRINK_NO_LIMIT)
            return "a producer does more than take tokens elsewhere";
        if (s->places[arc.place].shown) return "a producer changes a place that the goal depends on";
        VecU32 near = shrink_near(s, arc.place);
        for (size_t k = 0; k < near.len; k++)
            if (near.data[k] != h && tests(shrink_arc(s, near.data[k], arc.place)))
                return "another transition tests what a producer takes";
    }
    return NULL;
}

static Refusal pre(Shrink *s, const uint32_t *nodes, size_t n)
{
    (void)n;
    Passage g = {.place = nodes[0]};
    Refusal refusal = look_at_passage(s, g.place, &g);
    if (!refusal && s->places[g.place].tokens >= g.portion) refusal = "the place has tokens for a consumer";
    for (size_t i = 0; i < g.producers.len && !refusal; i++) {
        bool enough = shrink_arc(s, g.producers.data[i], g.place).delta == g.portion;
        refusal = enough ? can_wait(s, g.producers.data[i], g.place) : "a producer does not make what consumers take";
    }
    if (!refusal) refusal = pass(s, &g);
    passage_clear(&g);
    return refusal;
}

/* ---- all ---- */

static const struct {
    const char *nodes;
    Refusal (*check)(Shrink *s, const uint32_t *nodes, size_t n);
} kinds[] = {
#define STEP(constant, name, nodes) {nodes, name},
#include "certify/steps.def"
#undef STEP
};

/* The number of nodes is what steps.def says, and each is still there. */
static Refusal look_at_nodes(const Shrink *s, const char *wanted, const uint32_t *nodes, size_t n)
{
    bool places = *wanted == 'P';
    size_t exactly = g_str_has_suffix(wanted, "...") ? 0 : (strlen(wanted) + 1) / 2;
    if (n == 0 || (exactly && n != exactly)) return "it lists the wrong number of nodes";
    for (size_t i = 0; i < n; i++) {
        if (places && !shrink_has_place(s, nodes[i])) return "it names a place that is not there";
        if (!places && !shrink_has_transition(s, nodes[i])) return "it names a transition that is not there";
    }
    return NULL;
}

void apply_clear(Applied *applied)
{
    formula_store_free(applied->formulas);
    net_free(applied->net);
    *applied = (Applied){0};
}

static bool apply_all(Shrink *s, const NetSteps *steps, Budget *budget, char **problem)
{
    for (size_t i = 0; i < steps->list.len; i++) {
        size_t n;
        const uint32_t *nodes = steps_nodes(steps, i, &n);
        StepKind kind = steps->list.data[i].kind;
        Refusal refusal = look_at_nodes(s, kinds[kind].nodes, nodes, n);
        if (!refusal) refusal = kinds[kind].check(s, nodes, n);
        if (!refusal && budget_spent(budget)) refusal = budget_text(budget);
        if (!refusal) continue;
        g_autoptr(GString) text = g_string_new(NULL);
        steps_text(steps, i, text);
        if (text->len > 60) g_string_overwrite(g_string_truncate(text, 60), 57, "...");
        *problem = g_strdup_printf("step %zu (%s): %s", i + 1, text->str, refusal);
        return false;
    }
    return true;
}

bool apply_steps(const Net *net, const FormulaStore *formulas, FormulaId goal, const NetSteps *steps, Budget *budget,
                 Applied *applied, char **problem)
{
    *applied = (Applied){0};
    g_autoptr(Shrink) s = shrink_new(net, formulas, goal, problem);
    if (!s || !apply_all(s, steps, budget, problem)) return false;
    applied->net = shrink_net(s);
    if (applied->net) {
        applied->formulas = formula_store_new(applied->net);
        if (shrink_goal(s, applied->formulas, &applied->goal)) return true;
    }
    *problem = g_strdup("after the steps a number is too large");
    apply_clear(applied);
    return false;
}
