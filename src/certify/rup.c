#include "certify/rup.h"

#include "base/hash.h"

#include <stdlib.h>
#include <string.h>

/* Positions in the pool are 32-bit numbers. */
#define MOST_LITERALS ((size_t)1 << 31)

/* Literal l of variable v is 2v or 2v + 1 (negative). A clause lies in `pool` as its length and its literals; 0 is no
 * clause. The first two literals are watched. */
typedef struct Checker {
    uint32_t n_literals;
    int8_t *value; /* per literal: 1 true, -1 false, 0 open */
    VecU32 pool;
    VecU32 *watches; /* per literal: clauses that watch it */
    VecU32 trail;
    size_t done;       /* of the trail: propagated */
    uint32_t *reason;  /* per variable: the clause that made it, 0 for assumptions */
    GHashTable *index; /* hash of a clause's set of literals -> list of clauses, for deletions */
    uint8_t *marked;   /* per literal; all 0 between uses */
    Budget *budget;
    bool refuted, full;
} Checker;

static uint32_t code_of(int32_t literal)
{
    return literal > 0 ? 2 * (uint32_t)literal : 2 * (uint32_t)-literal + 1;
}

static void assign(Checker *k, uint32_t literal, uint32_t reason)
{
    k->value[literal] = 1;
    k->value[literal ^ 1] = -1;
    k->reason[literal / 2] = reason;
    vec_push(&k->trail, literal);
}

/* False at a conflict. */
static bool propagate(Checker *k)
{
    while (k->done < k->trail.len) {
        uint32_t falsified = k->trail.data[k->done++] ^ 1;
        VecU32 *list = &k->watches[falsified];
        size_t to = 0;
        budget_charge(k->budget, (uint32_t)MIN(list->len, 1000000) + 1);
        for (size_t i = 0; i < list->len; i++) {
            uint32_t clause = list->data[i];
            uint32_t *literals = k->pool.data + clause + 1, n = k->pool.data[clause];
            if (n == 0) continue; /* deleted: forget the watch */
            if (literals[0] == falsified) literals[0] = literals[1], literals[1] = falsified;
            list->data[to++] = clause;
            if (k->value[literals[0]] > 0) continue;
            uint32_t other = 2;
            while (other < n && k->value[literals[other]] < 0) other++;
            if (other < n) {
                literals[1] = literals[other];
                literals[other] = falsified;
                vec_push(&k->watches[literals[1]], clause);
                to--;
            } else if (k->value[literals[0]] == 0) {
                assign(k, literals[0], clause);
            } else { /* all false */
                while (++i < list->len) list->data[to++] = list->data[i];
                list->len = to;
                return false;
            }
        }
        list->len = to;
    }
    return true;
}

static void undo(Checker *k, size_t mark)
{
    while (k->trail.len > mark) {
        uint32_t literal = vec_pop(&k->trail);
        k->value[literal] = k->value[literal ^ 1] = 0;
    }
    k->done = mark;
}

static uint64_t set_hash(const uint32_t *literals, size_t n)
{
    uint64_t h = n; /* independent of order */
    for (size_t i = 0; i < n; i++) h += hash_mix(literals[i] + 1);
    return h;
}

/* Adds for good, after propagation is complete at the top level. Open literals come first, to be watched. */
static void add_clause(Checker *k, const uint32_t *given, size_t n)
{
    if (k->pool.len > MOST_LITERALS || n > MOST_LITERALS) {
        k->full = true;
        return;
    }
    uint32_t clause = (uint32_t)k->pool.len;
    vec_push(&k->pool, (uint32_t)n);
    vec_append(&k->pool, given, n);
    uint64_t *key = g_memdup2(&(uint64_t){set_hash(given, n)}, sizeof(uint64_t));
    GSList *same = g_hash_table_lookup(k->index, key);
    g_hash_table_insert(k->index, key, g_slist_prepend(same, GUINT_TO_POINTER(clause)));
    uint32_t *literals = k->pool.data + clause + 1;
    size_t open = 0;
    for (size_t i = 0; i < n; i++)
        if (k->value[literals[i]] >= 0) {
            uint32_t swap = literals[open];
            literals[open++] = literals[i];
            literals[i] = swap;
        }
    if (n >= 2) {
        vec_push(&k->watches[literals[0]], clause);
        vec_push(&k->watches[literals[1]], clause);
    }
    if (open == 0)
        k->refuted = true;
    else if (open == 1 && k->value[literals[0]] == 0) {
        assign(k, literals[0], clause);
        if (!propagate(k)) k->refuted = true;
    }
}

static bool follows(Checker *k, const uint32_t *literals, size_t n)
{
    size_t mark = k->trail.len;
    bool conflict = false;
    for (size_t i = 0; i < n && !conflict; i++) {
        if (k->value[literals[i]] > 0) conflict = true;
        if (k->value[literals[i]] == 0) assign(k, literals[i] ^ 1, 0);
    }
    conflict = conflict || !propagate(k);
    undo(k, mark);
    return conflict;
}

/* Is every literal of the clause marked? */
static bool is_marked(const Checker *k, const uint32_t *literals, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!k->marked[literals[i]]) return false;
    return true;
}

/* A clause that forced a literal at the top level stays: its consequence is used. Literals of a clause differ, so
 * equally many, all marked, are the same. */
static void delete_clause(Checker *k, const uint32_t *literals, size_t n)
{
    uint64_t key = set_hash(literals, n);
    GSList *list = g_hash_table_lookup(k->index, &key), *item = list;
    for (size_t i = 0; i < n; i++) k->marked[literals[i]] = 1;
    for (; item; item = item->next) {
        uint32_t clause = GPOINTER_TO_UINT(item->data);
        if (k->pool.data[clause] == n && is_marked(k, k->pool.data + clause + 1, n)) break;
    }
    for (size_t i = 0; i < n; i++) k->marked[literals[i]] = 0;
    if (!item) return;
    uint32_t clause = GPOINTER_TO_UINT(item->data), first = n ? k->pool.data[clause + 1] : 0;
    if (n && k->value[first] > 0 && k->reason[first / 2] == clause) return;
    k->pool.data[clause] = 0;
    g_hash_table_insert(k->index, g_memdup2(&key, sizeof key), g_slist_delete_link(list, item));
}

/* ---- reading ---- */

static bool read_number(const uint8_t *proof, size_t len, size_t *at, uint32_t *number)
{
    uint64_t value = 0;
    for (unsigned shift = 0; *at < len && shift < 35; shift += 7) {
        uint8_t byte = proof[(*at)++];
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte & 0x80) continue;
        *number = (uint32_t)value;
        return value <= UINT32_MAX;
    }
    return false;
}

/* Appends a literal unless it is there already; what is there is marked. */
static void add_literal(Checker *k, VecU32 *clause, uint32_t literal)
{
    if (k->marked[literal]) return;
    k->marked[literal] = 1;
    vec_push(clause, literal);
}

static void unmark(Checker *k, const VecU32 *clause)
{
    for (size_t i = 0; i < clause->len; i++) k->marked[clause->data[i]] = 0;
}

static bool read_lemma(Checker *k, const uint8_t *proof, size_t len, size_t *at, VecU32 *lemma)
{
    vec_clear(lemma);
    uint32_t literal;
    bool ok;
    while ((ok = read_number(proof, len, at, &literal)) && literal >= 2 && literal < k->n_literals)
        add_literal(k, lemma, literal);
    unmark(k, lemma);
    return ok && literal == 0;
}

static void init(Checker *k, const Cnf *cnf)
{
    k->n_literals = 2 * (uint32_t)cnf->n_variables + 2;
    k->value = g_new0(int8_t, k->n_literals);
    k->marked = g_new0(uint8_t, k->n_literals);
    k->watches = g_new0(VecU32, k->n_literals);
    k->reason = g_new0(uint32_t, k->n_literals / 2);
    k->index = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    vec_push(&k->pool, 0); /* so that no clause is number 0 */
    VecU32 clause = {0};
    for (size_t i = 0; i < cnf->literals.len && !k->refuted && !k->full; i++) {
        if (cnf->literals.data[i]) {
            add_literal(k, &clause, code_of(cnf->literals.data[i]));
            continue;
        }
        unmark(k, &clause);
        add_clause(k, clause.data, clause.len);
        vec_clear(&clause);
    }
    vec_free(&clause);
}

static void clear(Checker *k)
{
    for (uint32_t i = 0; i < k->n_literals; i++) vec_free(&k->watches[i]);
    GHashTableIter it;
    gpointer list;
    g_hash_table_iter_init(&it, k->index);
    while (g_hash_table_iter_next(&it, NULL, &list)) g_slist_free(list);
    g_hash_table_unref(k->index);
    g_free(k->value);
    g_free(k->marked);
    g_free(k->watches);
    g_free(k->reason);
    vec_free(&k->pool);
    vec_free(&k->trail);
}

bool rup_check(const Cnf *cnf, const uint8_t *proof, size_t len, Budget *budget, char **problem)
{
    Checker k = {.budget = budget};
    init(&k, cnf);
    VecU32 lemma = {0};
    size_t at = 0, number = 0;
    *problem = NULL;
    while (!k.refuted && !k.full && at < len && !*problem) {
        uint8_t kind = proof[at++];
        number++;
        if ((kind != 'a' && kind != 'd') || !read_lemma(&k, proof, len, &at, &lemma))
            *problem = g_strdup_printf("step %zu of the proof is malformed", number);
        else if (kind == 'd')
            delete_clause(&k, lemma.data, lemma.len);
        else if (!follows(&k, lemma.data, lemma.len))
            *problem = g_strdup_printf("lemma %zu of the proof does not follow by unit propagation", number);
        else
            add_clause(&k, lemma.data, lemma.len);
        if (!*problem && budget_spent(budget)) *problem = g_strdup(budget_text(budget));
    }
    if (!*problem && cnf->stopped) *problem = g_strdup(cnf->stopped);
    if (!*problem && k.full) *problem = g_strdup("the proof is too large");
    if (!*problem && budget_spent(budget)) *problem = g_strdup(budget_text(budget));
    if (!*problem && !k.refuted) *problem = g_strdup("the proof does not reach a contradiction");
    bool refuted = k.refuted && !*problem;
    vec_free(&lemma);
    clear(&k);
    return refuted;
}
