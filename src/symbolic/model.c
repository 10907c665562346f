#include "symbolic/model.h"

#include "base/compare.h"
#include "base/exact.h"
#include "base/hash.h"

#include <assert.h>

/* ---- values ---- */

static uint32_t n_values(const ModelLevel *l)
{
    return l->from.len ? (uint32_t)l->from.len - 1 : 0;
}

static uint64_t hash_tokens(const ModelTokens *tokens, size_t n)
{
    return hash_words(n ? &tokens->slot : NULL, 2 * n);
}

static bool is_value(const Model *m, uint32_t level, uint32_t value, const ModelValue *wanted)
{
    size_t n;
    const ModelTokens *tokens = model_tokens(m, level, value, &n);
    return n == wanted->len && (n == 0 || memcmp(tokens, wanted->data, n * sizeof *tokens) == 0);
}

static void grow_table(Model *m, uint32_t level)
{
    ModelLevel *l = &m->levels[level];
    uint32_t size = l->table ? 2 * (l->table_mask + 1) : 8;
    g_free(l->table);
    l->table = g_new0(uint32_t, size);
    l->table_mask = size - 1;
    for (uint32_t value = 0; value < n_values(l); value++) {
        size_t n;
        const ModelTokens *tokens = model_tokens(m, level, value, &n);
        uint32_t i = (uint32_t)hash_tokens(tokens, n) & l->table_mask;
        while (l->table[i]) i = (i + 1) & l->table_mask;
        l->table[i] = value + 1;
    }
}

/* The value that is in scratch, or MODEL_NONE; *at is where it belongs in the table. */
static uint32_t find_value(const Model *m, uint32_t level, uint32_t *at)
{
    const ModelLevel *l = &m->levels[level];
    uint32_t i = (uint32_t)hash_tokens(m->scratch.data, m->scratch.len) & l->table_mask;
    while (l->table[i] && !is_value(m, level, l->table[i] - 1, &m->scratch)) i = (i + 1) & l->table_mask;
    *at = i;
    return l->table[i] ? l->table[i] - 1 : MODEL_NONE;
}

/* The same, and new if need be. */
static uint32_t make_value(Model *m, uint32_t level)
{
    ModelLevel *l = &m->levels[level];
    if (!l->table || n_values(l) > l->table_mask / 4 * 3) grow_table(m, level);
    uint32_t at, value = find_value(m, level, &at);
    if (value != MODEL_NONE) return value;
    if (n_values(l) == DIAGRAM_MAX_VALUES) {
        m->fault = "a place, or a unit, has too many different counts for diagrams";
        return MODEL_NONE;
    }
    if (l->from.len == 0) vec_push(&l->from, 0);
    vec_append(&l->tokens, m->scratch.data, m->scratch.len);
    vec_push(&l->from, l->tokens.len);
    return (l->table[at] = n_values(l)) - 1;
}

/* What the level's places have at a marking goes to scratch. */
static void look_at(Model *m, uint32_t level, const uint64_t *marking)
{
    const VecU32 *places = &m->levels[level].places;
    vec_clear(&m->scratch);
    for (size_t i = 0; i < places->len; i++) {
        ModelTokens tokens = {i, marking[places->data[i]]};
        if (tokens.count) vec_push(&m->scratch, tokens);
    }
}

bool model_locate(Model *m, const uint64_t *marking, uint32_t *values)
{
    for (uint32_t p = 0; p < m->net->n_places; p++)
        if (m->of_place[p] == NET_NONE && marking[p] != m->net->initial[p]) return false;
    for (uint32_t k = 0; k < m->n_levels; k++) {
        uint32_t at;
        look_at(m, k, marking);
        values[k] = find_value(m, k, &at);
        if (values[k] == MODEL_NONE) return false;
    }
    return true;
}

/* ---- functions ---- */

/* The count of a place, found from *at on, and *at moves behind it. */
static uint64_t count_of(const ModelTokens *tokens, size_t n, uint64_t slot, size_t *at)
{
    while (*at < n && tokens[*at].slot < slot) (*at)++;
    return *at < n && tokens[*at].slot == slot ? tokens[(*at)++].count : 0;
}

static bool is_enabled(const ModelChange *changes, uint32_t n_changes, const ModelTokens *tokens, size_t n)
{
    size_t at = 0;
    for (uint32_t i = 0; i < n_changes; i++) {
        uint64_t count = count_of(tokens, n, changes[i].slot, &at);
        if (count < changes[i].least || (changes[i].below && count >= changes[i].below)) return false;
    }
    return true;
}

/* What the changes make of it goes to scratch. */
static bool change_tokens(Model *m, const ModelChange *changes, uint32_t n_changes, const ModelTokens *tokens, size_t n)
{
    size_t at = 0;
    vec_clear(&m->scratch);
    for (uint32_t i = 0; i < n_changes; i++) {
        size_t from = at;
        ModelTokens now = {changes[i].slot, count_of(tokens, n, changes[i].slot, &at)};
        for (; from < at && tokens[from].slot < now.slot; from++) vec_push(&m->scratch, tokens[from]);
        if (!checked_add(now.count - changes[i].take, changes[i].give, &now.count)) {
            m->fault = "a count passes 2^64 - 1";
            return false;
        }
        if (now.count) vec_push(&m->scratch, now);
    }
    vec_append(&m->scratch, tokens + at, n - at);
    return true;
}

uint32_t model_step_slowly(Model *m, uint32_t function, uint32_t value)
{
    ModelFunction *f = &m->functions.data[function];
    const ModelChange *changes = m->changes.data + f->from;
    size_t n;
    const ModelTokens *tokens = model_tokens(m, f->level, value, &n);
    bool possible = is_enabled(changes, f->len, tokens, n) && change_tokens(m, changes, f->len, tokens, n);
    uint32_t to = possible ? make_value(m, f->level) : MODEL_NONE;
    while (f->next.len <= value) vec_push(&f->next, MODEL_UNKNOWN);
    return f->next.data[value] = to;
}

const ModelMove *model_moves(Model *m, uint32_t level, uint32_t value, uint32_t *n)
{
    ModelLevel *l = &m->levels[level];
    while (l->moves_of.len <= value) {
        ModelMoves unknown = {0, MODEL_UNKNOWN};
        vec_push(&l->moves_of, unknown);
    }
    if (l->moves_of.data[value].len == MODEL_UNKNOWN) {
        size_t from = l->moves.len;
        for (size_t i = 0; i < l->events.len; i++) {
            const ModelEvent *e = &l->events.data[i];
            ModelMove move = {model_step(m, e->function, value), e->tail, e->times, e->idle};
            if (move.to != MODEL_NONE) vec_push(&l->moves, move);
        }
        l->moves_of.data[value] = (ModelMoves){from, (uint32_t)(l->moves.len - from)};
    }
    *n = l->moves_of.data[value].len;
    return vec_from(&l->moves, l->moves_of.data[value].from);
}

/* ---- from a net ---- */

typedef struct Part {
    uint32_t level;
    ModelChange change;
} Part;
typedef VEC(Part) Parts;

typedef struct Making {
    Model *model;
    GHashTable *functions, *tails, *events; /* bytes -> number + 1 */
    Parts parts;
    VecU64 key;
} Making;

/* The number of what these bytes are: `fresh` when they are new. */
static uint32_t number_of(GHashTable *table, const void *bytes, size_t n, uint32_t fresh, bool *is_new)
{
    GBytes *key = g_bytes_new(bytes, n);
    gpointer found = g_hash_table_lookup(table, key);
    *is_new = !found;
    if (found)
        g_bytes_unref(key);
    else
        g_hash_table_insert(table, key, GUINT_TO_POINTER(fresh + 1));
    return found ? GPOINTER_TO_UINT(found) - 1 : fresh;
}

COMPARE_BY_BOTH(compare_parts, Part, level, change.slot)

/* Several arcs between two nodes are one part. */
static void join(ModelChange *change, const ModelChange *other)
{
    change->least = MAX(change->least, other->least);
    change->below = MAX(change->below, other->below);
    change->take = MAX(change->take, other->take);
    change->give = MAX(change->give, other->give);
}

static void sort_and_join(Parts *parts)
{
    if (parts->len) qsort(parts->data, parts->len, sizeof *parts->data, compare_parts);
    size_t kept = 0;
    for (size_t i = 0; i < parts->len; i++) {
        if (kept && compare_parts(&parts->data[kept - 1], &parts->data[i]) == 0)
            join(&parts->data[kept - 1].change, &parts->data[i].change);
        else
            parts->data[kept++] = parts->data[i];
    }
    parts->len = kept;
}

static ModelChange change_by(ArcKind kind, uint32_t slot, uint64_t weight)
{
    return (ModelChange){.slot = slot,
                         .least = kind == ARC_PRE || kind == ARC_READ ? weight : 0,
                         .below = kind == ARC_INHIBIT ? weight : 0,
                         .take = kind == ARC_PRE ? weight : 0,
                         .give = kind == ARC_POST ? weight : 0};
}

/* The parts of a transition, lowest level first; false when a place that never changes forbids it. */
static bool collect_parts(Making *making, uint32_t t)
{
    const Model *m = making->model;
    Parts *parts = &making->parts;
    vec_clear(parts);
    for (ArcKind kind = ARC_PRE; kind < N_ARC_KINDS; kind++) {
        NetRow row = net_places(m->net, kind, t);
        for (uint32_t i = 0; i < row.len; i++) {
            uint32_t p = row.node[i], level = m->of_place[p];
            Part part = {level, change_by(kind, level == NET_NONE ? p : m->slot[p], net_weight(row, i))};
            vec_push(parts, part);
        }
    }
    sort_and_join(parts);
    for (; parts->len && vec_last(parts).level == NET_NONE; parts->len--) { /* those are the last */
        const ModelChange *c = &vec_last(parts).change;
        uint64_t count = m->net->initial[c->slot];
        if (count < c->least || (c->below && count >= c->below)) return false;
    }
    return true;
}

/* The function of parts[from..to-1], which are of one level. */
static uint32_t make_function(Making *making, size_t from, size_t to)
{
    Model *m = making->model;
    uint32_t level = making->parts.data[from].level;
    vec_clear(&making->key);
    vec_push(&making->key, level);
    for (size_t i = from; i < to; i++) {
        const ModelChange *c = &making->parts.data[i].change;
        uint64_t words[] = {c->slot, c->least, c->below, c->take, c->give};
        vec_append(&making->key, words, G_N_ELEMENTS(words));
    }
    bool is_new;
    uint32_t number = number_of(making->functions, making->key.data, making->key.len * sizeof *making->key.data,
                                (uint32_t)m->functions.len, &is_new);
    if (!is_new) return number;
    ModelFunction function = {.level = level, .from = (uint32_t)m->changes.len, .len = (uint32_t)(to - from)};
    for (size_t i = from; i < to; i++) vec_push(&m->changes, making->parts.data[i].change);
    vec_push(&m->functions, function);
    return number;
}

static uint32_t make_tail(Making *making, ModelTail tail)
{
    bool is_new;
    uint32_t number = number_of(making->tails, &tail, sizeof tail, (uint32_t)making->model->tails.len, &is_new);
    if (is_new) vec_push(&making->model->tails, tail);
    return number;
}

static bool changes_something(const Parts *parts)
{
    for (size_t i = 0; i < parts->len; i++)
        if (parts->data[i].change.take != parts->data[i].change.give) return true;
    return false;
}

static void add_event(Making *making, uint32_t function, uint32_t tail, bool idle)
{
    ModelLevel *l = &making->model->levels[making->model->functions.data[function].level];
    uint32_t key[] = {function, tail};
    bool is_new;
    uint32_t number = number_of(making->events, key, sizeof key, (uint32_t)l->events.len, &is_new);
    ModelEvent event = {function, tail, 1, idle};
    if (is_new)
        vec_push(&l->events, event);
    else
        l->events.data[number].times++;
}

/* A transition from its lowest level upwards. */
static uint32_t make_chain(Making *making, uint32_t t)
{
    if (!collect_parts(making, t)) return MODEL_NONE;
    const Parts *parts = &making->parts;
    uint32_t tail = MODEL_END, function = 0, below = MODEL_END;
    for (size_t from = 0, to; from < parts->len; from = to) {
        for (to = from + 1; to < parts->len && parts->data[to].level == parts->data[from].level;) to++;
        function = make_function(making, from, to);
        below = tail;
        tail = make_tail(making, (ModelTail){function, below});
    }
    if (tail == MODEL_END)
        making->model->n_always++;
    else
        add_event(making, function, below, !changes_something(parts));
    return tail;
}

static int ends_first(const void *a, const void *b)
{
    const ModelEvent *x = a, *y = b;
    return (x->tail > y->tail) - (x->tail < y->tail);
}

static void lay_out(Model *m)
{
    for (uint32_t p = 0; p < m->net->n_places; p++) {
        if (m->of_place[p] == NET_NONE) continue;
        ModelLevel *l = &m->levels[m->of_place[p]];
        m->slot[p] = (uint32_t)l->places.len;
        vec_push(&l->places, p);
    }
    for (uint32_t k = 0; k < m->n_levels; k++) {
        look_at(m, k, m->net->initial);
        m->levels[k].initial = make_value(m, k);
    }
}

static GHashTable *numbers_new(void)
{
    return g_hash_table_new_full(g_bytes_hash, g_bytes_equal, (GDestroyNotify)g_bytes_unref, NULL);
}

Model *model_new(const Net *net, const Levels *levels)
{
    Model *m = g_new0(Model, 1);
    m->net = net;
    m->n_levels = levels->n;
    m->of_place = levels->of_place;
    m->levels = g_new0(ModelLevel, (size_t)levels->n + 1);
    m->slot = g_new0(uint32_t, (size_t)net->n_places + 1);
    lay_out(m);
    Making making = {.model = m, .functions = numbers_new(), .tails = numbers_new(), .events = numbers_new()};
    make_tail(&making, (ModelTail){MODEL_NONE, MODEL_NONE}); /* MODEL_END */
    for (uint32_t t = 0; t < net->n_transitions; t++) vec_push(&m->chain, make_chain(&making, t));
    for (uint32_t k = 0; k < m->n_levels; k++)
        if (m->levels[k].events.len)
            qsort(m->levels[k].events.data, m->levels[k].events.len, sizeof(ModelEvent), ends_first);
    g_hash_table_destroy(making.functions);
    g_hash_table_destroy(making.tails);
    g_hash_table_destroy(making.events);
    vec_free(&making.parts);
    vec_free(&making.key);
    return m;
}

static void level_clear(ModelLevel *l)
{
    vec_free(&l->places);
    vec_free(&l->tokens);
    vec_free(&l->from);
    vec_free(&l->events);
    vec_free(&l->moves_of);
    vec_free(&l->moves);
    g_free(l->table);
}

void model_free(Model *m)
{
    if (!m) return;
    for (uint32_t k = 0; k < m->n_levels; k++) level_clear(&m->levels[k]);
    for (size_t i = 0; i < m->functions.len; i++) vec_free(&m->functions.data[i].next);
    g_free(m->levels);
    g_free(m->slot);
    vec_free(&m->functions);
    vec_free(&m->changes);
    vec_free(&m->tails);
    vec_free(&m->chain);
    vec_free(&m->scratch);
    g_free(m);
}
