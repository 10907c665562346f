#include "colour/expand.h"

#include "base/error.h"
#include "base/exact.h"
#include "base/hash.h"
#include "base/machine.h"
#include "colour/expansion.h"
#include "colour/merge.h"

#include <assert.h>

enum { MAX_NODES = (1u << 29) - 2, FIRST_SIZE = 16 };
#define MAX_ARCS ((uint64_t)UINT32_MAX - 2)

/* What NetBuilder takes at least for a Net of this size. */
enum { BYTES_PER_ARC = 8, BYTES_PER_NODE = 20, LOOK_AFTER = 1 << 16 };

typedef struct Trigger {
    uint32_t transition;
    Plan *plan;
} Trigger;

typedef struct Search {
    Expansion x;
    Pattern **patterns;      /* of each transition; its Bindings own it */
    Pattern **markings;      /* of each place */
    VEC(Trigger) * triggers; /* of each place */
    Plan **plans;            /* of each transition that is looked for again */
    VecU32 waiting;          /* places with tokens that are not known yet, maybe */
    uint64_t next_look;      /* at so many nodes and arcs */
    ColourPart part;
    /* The open join. */
    uint32_t transition, token;
    Plan *plan;
    uint32_t *binding;
    VecCounts counts;
} Search;

/* ---- limits ----
 *
 * What is certain not to fit is not built. What may fit is built, and NetBuilder asks before each large array. */

static bool stop(Search *s, const char *why)
{
    if (!s->x.full) s->x.full = why;
    return false;
}

static bool fits(Search *s)
{
    Expansion *x = &s->x;
    if (x->n_tokens > MAX_NODES || x->n_bindings > MAX_NODES) return stop(s, "more than 2^29 places or transitions");
    if (x->n_arcs > MAX_ARCS) return stop(s, "more than 2^32 arcs");
    if (x->n_text > UINT32_MAX) return stop(s, "more than 4 GB of names");
    uint64_t nodes = x->n_tokens + x->n_bindings;
    if (nodes + x->n_arcs < s->next_look) return true;
    s->next_look = nodes + x->n_arcs + LOOK_AFTER;
    uint64_t more = x->n_text + x->n_arcs * BYTES_PER_ARC + nodes * BYTES_PER_NODE;
    return budget_allows(x->budget, more) || stop(s, budget_text(x->budget));
}

/* The budget ended; or the tokens of an inscription, before something is subtracted from them, could not be counted. */
static bool spent(Search *s)
{
    return stop(s, budget_ended(s->x.budget) ? budget_text(s->x.budget) : "more than 2^64 - 1 tokens of one colour");
}

/* ---- tokens and bindings ---- */

static uint32_t add_token(Search *s, uint32_t place, uint64_t colour)
{
    Tokens *tokens = &s->x.tokens[place];
    size_t before = tokens->colours.len;
    uint32_t token = tokens_add(tokens, colour);
    if (tokens->colours.len > before) {
        s->x.n_tokens++;
        s->x.n_text += strlen(s->x.net->places.data[place].id) + 2 * tokens->n_leaves;
        vec_push(&s->waiting, place);
    }
    return token;
}

static bool add_marking(Search *s, uint32_t place, const Pattern *pattern)
{
    VecU64 *initial = &s->x.initial[place];
    for (size_t i = 0; i < pattern->parts.len; i++)
        if (!pattern_part_tokens(pattern, &pattern->parts.data[i], NULL, s->x.budget, &s->counts)) return spent(s);
    for (size_t i = 0; i < s->counts.len; i++) {
        uint32_t token = add_token(s, place, s->counts.data[i].colour);
        while (initial->len <= token) vec_push(initial, 0);
        if (!checked_add(initial->data[token], s->counts.data[i].count, &initial->data[token]))
            return stop(s, "more than 2^64 - 1 tokens of one colour");
        if (!fits(s)) return false;
    }
    vec_clear(&s->counts);
    return true;
}

static uint64_t binding_hash(const uint32_t *binding, uint32_t n)
{
    uint64_t hash = n;
    /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): n of them are there */
    for (uint32_t i = 0; i < n; i++) hash = hash_mix(hash ^ binding[i]);
    return hash;
}

/* Where it is, or would be. */
static uint32_t binding_slot(const Bindings *b, const uint32_t *binding)
{
    uint32_t n = b->pattern->n_leaves, slot = (uint32_t)binding_hash(binding, n) & b->mask;
    for (; b->table[slot]; slot = (slot + 1) & b->mask)
        /* NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker): n of them are there */
        if (!n || memcmp(b->colours.data + (size_t)(b->table[slot] - 1) * n, binding, n * sizeof *binding) == 0) break;
    return slot;
}

static void grow_bindings(Bindings *b)
{
    g_free(b->table);
    b->mask = 2 * b->mask + 1;
    b->table = g_new0(uint32_t, (size_t)b->mask + 1);
    for (uint32_t i = 0; i < b->n; i++)
        b->table[binding_slot(b, vec_from(&b->colours, (size_t)i * b->pattern->n_leaves))] = i + 1;
}

/* Some transition has too many bindings: those found first are kept, of it and of others, and no more are looked for.
 */
static void keep_first(Search *s)
{
    for (size_t t = 0; t < s->x.net->transitions.len; t++) {
        Bindings *b = &s->x.bindings[t];
        if (b->n < s->part.kept) continue;
        s->x.n_bindings -= b->n - s->part.kept;
        b->n = s->part.kept;
        b->colours.len = (size_t)b->n * b->pattern->n_leaves;
    }
    s->x.partial = true;
}

static bool has_enough(const Search *s, uint32_t transition)
{
    return s->x.partial && s->x.bindings[transition].n >= s->part.kept;
}

/* False: it was found before. */
static bool is_new(Bindings *b, const uint32_t *binding)
{
    if (!b->again) return true;
    uint32_t slot = binding_slot(b, binding);
    if (b->table[slot]) return false;
    b->table[slot] = b->n + 1;
    return true;
}

static void keep_binding(Search *s, Bindings *b)
{
    const Pattern *pattern = b->pattern;
    vec_append(&b->colours, s->binding, pattern->n_leaves);
    b->n++;
    s->x.n_bindings++;
    s->x.n_text += b->least_text;
    if (b->again && (uint64_t)b->n * 3 / 2 > b->mask) grow_bindings(b);
}

/* Is the token that started this join that of an earlier item too? Then that one's join finds the binding. */
static bool belongs_to_earlier(const Search *s)
{
    const Pattern *pattern = s->plan->pattern;
    uint32_t trigger = s->plan->trigger, place = UINT32_MAX;
    for (size_t i = pattern->parts.len; i-- > 0;) {
        const Part *part = &pattern->parts.data[i];
        if (part->output) continue;
        if (trigger >= part->item && trigger < part->item + part->n_plus) place = part->place;
        if (part->place != place) continue;
        uint32_t sort = s->x.net->places.data[place].sort;
        for (uint32_t k = part->item; k < part->item + part->n_plus && k < trigger; k++)
            if (pattern_item_colour(pattern, &pattern->items.data[k], sort, s->binding) ==
                s->x.tokens[place].colours.data[s->token])
                return true;
    }
    return false;
}

/* Inputs that the join did not look at. */
static bool inputs_exist(Search *s, const Pattern *pattern)
{
    for (size_t i = 0; i < pattern->parts.len; i++) {
        const Part *part = &pattern->parts.data[i];
        if (part->output) continue;
        vec_clear(&s->counts);
        if (!pattern_part_tokens(pattern, part, s->binding, s->x.budget, &s->counts)) return spent(s);
        for (size_t k = 0; k < s->counts.len; k++)
            if (tokens_find(&s->x.tokens[part->place], s->counts.data[k].colour) == TOKEN_NONE) return false;
        s->x.n_arcs += s->counts.len;
    }
    return true;
}

static bool add_outputs(Search *s, const Pattern *pattern)
{
    for (size_t i = 0; i < pattern->parts.len; i++) {
        const Part *part = &pattern->parts.data[i];
        if (!part->output) {
            s->x.n_arcs += part->n_plus;
            continue;
        }
        vec_clear(&s->counts);
        if (!pattern_part_tokens(pattern, part, s->binding, s->x.budget, &s->counts)) return spent(s);
        for (size_t k = 0; k < s->counts.len; k++) add_token(s, part->place, s->counts.data[k].colour);
        s->x.n_arcs += s->counts.len;
        if (!fits(s)) return false;
    }
    return fits(s);
}

static bool found(void *data)
{
    Search *s = data;
    Bindings *b = &s->x.bindings[s->transition];
    if (b->again) {
        if (!inputs_exist(s, b->pattern)) return !s->x.full;
    } else if (belongs_to_earlier(s)) {
        return true;
    }
    if (!is_new(b, s->binding)) return true;
    keep_binding(s, b);
    if (!add_outputs(s, b->pattern)) return false;
    if (s->part.many && b->n > s->part.many && !s->x.partial) keep_first(s);
    return !has_enough(s, s->transition);
}

static bool join(Search *s, uint32_t transition, Plan *plan, uint32_t token)
{
    s->transition = transition;
    s->plan = plan;
    s->token = token;
    if (has_enough(s, transition) || join_run(plan, token, s->binding, s->x.budget, found, s)) return true;
    return (has_enough(s, transition) && !s->x.full && !budget_ended(s->x.budget)) || spent(s);
}

/* ---- the fixed point ---- */

static bool learn_all(Search *s)
{
    while (s->waiting.len) {
        uint32_t place = vec_pop(&s->waiting);
        for (uint32_t token; (token = tokens_learn(&s->x.tokens[place])) != TOKEN_NONE;)
            for (size_t i = 0; i < s->triggers[place].len; i++) {
                const Trigger *trigger = &s->triggers[place].data[i];
                if (!join(s, trigger->transition, trigger->plan, token)) return false;
            }
    }
    return true;
}

static uint64_t count_inputs(const Search *s, const Pattern *pattern)
{
    uint64_t n = 1;
    for (size_t i = 0; i < pattern->parts.len; i++)
        if (!pattern->parts.data[i].output) n += s->x.tokens[pattern->parts.data[i].place].known;
    return n;
}

static bool search(Search *s)
{
    bool more = true;
    while (more) {
        if (!learn_all(s)) return false;
        more = false;
        for (uint32_t t = 0; t < s->x.net->transitions.len; t++) {
            Bindings *b = &s->x.bindings[t];
            uint64_t inputs = b->again ? count_inputs(s, b->pattern) : b->inputs;
            if (inputs == b->inputs) continue;
            b->inputs = inputs;
            more = true;
            if (!join(s, t, s->plans[t], TOKEN_NONE) || !learn_all(s)) return false;
        }
    }
    return true;
}

/* ---- begin and end ---- */

/* Every input item takes one token, from whose colour its variables follow. */
static bool starts_from_tokens(const Pattern *pattern)
{
    assert(pattern);
    bool some = false;
    for (size_t i = 0; i < pattern->parts.len; i++) {
        const Part *part = &pattern->parts.data[i];
        if (part->output) continue;
        for (uint32_t k = part->item; k < part->item + part->n_plus; k++) {
            /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): a part has its items */
            const Leaf *leaf = vec_from(&pattern->leaves, pattern->items.data[k].leaf);
            uint32_t sort = pattern->net->places.data[part->place].sort;
            if (!join_binds(pattern, part, k)) return false;
            for (uint32_t n = sort_at(&pattern->net->sorts, sort)->n_leaves; n-- > 0; leaf++)
                if (leaf->variable != LEAF_CONSTANT && leaf->blocks != SORT_NONE) return false;
            some = true;
        }
    }
    return some;
}

/* Bytes of the shortest name that a binding may have. */
static uint32_t least_text(const ColourNet *net, uint32_t transition, const Pattern *pattern)
{
    size_t n = strlen(net->transitions.data[transition].id) + 1;
    for (size_t i = 0; i < pattern->variables.len; i++)
        n += strlen(net->variables.data[pattern->variables.data[i]].name) + 4;
    return (uint32_t)(n + 2 * pattern->n_leaves);
}

static void make_plans(Search *s, uint32_t t)
{
    Bindings *b = &s->x.bindings[t];
    b->least_text = least_text(s->x.net, t, b->pattern);
    b->again = !starts_from_tokens(b->pattern);
    if (b->again) {
        b->mask = FIRST_SIZE - 1;
        b->table = g_new0(uint32_t, FIRST_SIZE);
        s->plans[t] = join_plan(b->pattern, s->x.tokens, ITEM_NONE);
        return;
    }
    for (size_t i = 0; i < b->pattern->parts.len; i++) {
        const Part *part = &b->pattern->parts.data[i];
        for (uint32_t k = part->item; k < part->item + part->n_plus && !part->output; k++) {
            Trigger trigger = {t, join_plan(b->pattern, s->x.tokens, k)};
            vec_push(&s->triggers[part->place], trigger);
        }
    }
}

static bool make_patterns(Search *s, XmlPosition *at, GError **error)
{
    const ColourNet *net = s->x.net;
    for (uint32_t t = 0; t < net->transitions.len; t++) {
        s->x.bindings[t].pattern = s->patterns[t] = pattern_of_transition(net, t, at, error);
        if (!s->patterns[t]) return false;
    }
    for (uint32_t p = 0; p < net->places.len; p++) {
        s->markings[p] = pattern_of_marking(net, p, at, error);
        if (!s->markings[p]) return false;
    }
    return true;
}

static void prepare(Search *s)
{
    const ColourNet *net = s->x.net;
    uint32_t most = 0;
    for (uint32_t p = 0; p < net->places.len; p++) tokens_init(&s->x.tokens[p], &net->sorts, net->places.data[p].sort);
    for (uint32_t t = 0; t < net->transitions.len; t++) {
        most = MAX(most, s->patterns[t]->n_leaves);
        make_plans(s, t);
    }
    s->binding = g_new0(uint32_t, most + 1);
    for (uint32_t p = 0; p < net->places.len; p++)
        if (!add_marking(s, p, s->markings[p])) return; /* full: said later */
}

static void begin(Search *s, const ColourNet *net)
{
    size_t places = net->places.len + 1, transitions = net->transitions.len + 1;
    s->x.tokens = g_new0(Tokens, places);
    s->x.initial = g_new0(VecU64, places);
    s->x.bindings = g_new0(Bindings, transitions);
    s->patterns = g_new0(Pattern *, transitions);
    s->markings = g_new0(Pattern *, places);
    s->triggers = g_malloc0_n(places, sizeof *s->triggers);
    s->plans = g_new0(Plan *, transitions);
}

/* Frees what only the search needs. */
static void end_search(Search *s)
{
    for (size_t p = 0; p < s->x.net->places.len; p++) {
        for (size_t i = 0; i < s->triggers[p].len; i++) join_plan_free(s->triggers[p].data[i].plan);
        vec_free(&s->triggers[p]);
        pattern_free(s->markings[p]);
    }
    for (size_t t = 0; t < s->x.net->transitions.len; t++) {
        join_plan_free(s->plans[t]);
        g_clear_pointer(&s->x.bindings[t].table, g_free);
    }
    g_clear_pointer(&s->patterns, g_free);
    g_clear_pointer(&s->markings, g_free);
    g_clear_pointer(&s->triggers, g_free);
    g_clear_pointer(&s->plans, g_free);
    g_clear_pointer(&s->binding, g_free);
    vec_free(&s->waiting);
    vec_free(&s->counts);
}

static void end(Search *s)
{
    for (size_t p = 0; p < s->x.net->places.len; p++) {
        tokens_clear(&s->x.tokens[p]);
        vec_free(&s->x.initial[p]);
    }
    for (size_t t = 0; t < s->x.net->transitions.len; t++) {
        vec_free(&s->x.bindings[t].colours);
        pattern_free(s->x.bindings[t].pattern);
    }
    g_free(s->x.tokens);
    g_free(s->x.initial);
    g_free(s->x.bindings);
}

static void set_spent(const Search *s, GError **error)
{
    g_set_error(error, MAZURKA_ERROR, ERROR_SPENT,
                "%s: the coloured net is too large to expand (%s): %" G_GUINT64_FORMAT " places and %" G_GUINT64_FORMAT
                " transitions so far",
                s->x.file, s->x.full, s->x.n_tokens, s->x.n_bindings);
}

/* Never more memory than the machine has: one inscription may stand for billions of tokens. */
static Budget limited(const Budget *budget)
{
    Budget within = budget_child(budget, 0, NULL);
    uint64_t given = budget_memory(budget), usual = machine_usual_memory();
    budget_limit_memory(&within, given ? MIN(given, usual) : usual);
    return within;
}

/* `merged` is the net, if it may be changed; else NULL. */
static Net *expand(const ColourNet *net, ColourNet *merged, ColourPart part, const char *file, const Budget *budget,
                   GError **error)
{
    Budget unlimited = budget_unlimited(), within = limited(budget ? budget : &unlimited);
    Search s = {.x = {.net = net, .file = file, .budget = &within}, .part = part};
    g_autoptr(GError) problem = NULL;
    XmlPosition at = {0};
    Net *result = NULL;
    begin(&s, net);
    bool ready = make_patterns(&s, &at, &problem);
    if (ready && merged) s.x.merged = merge_alike(merged, s.patterns, s.markings, s.x.budget);
    if (ready) prepare(&s);
    if (ready && !s.x.full) search(&s);
    end_search(&s);
    if (!ready)
        error_at(error, (ErrorCode)problem->code, file, at.line, at.column, "%s", problem->message);
    else if (s.x.full || !(result = expansion_build(&s.x, error)))
        if (s.x.full) set_spent(&s, error);
    end(&s);
    return result;
}

Net *colour_expand(const ColourNet *net, const char *file, Budget *budget, GError **error)
{
    return expand(net, NULL, (ColourPart){0, 0}, file, budget, error);
}

Net *colour_expand_merged(ColourNet *net, ColourPart part, const char *file, Budget *budget, GError **error)
{
    assert(part.many >= part.kept);
    return expand(net, net, part, file, budget, error);
}
