#include "test.h"

#include "base/rng.h"
#include "explore/wakeup.h"
#include "traces_naive.h"

/* Wakeup trees against their definition, by random operations in a random order. A tree is told as the words that lead
 * to its nodes, in postorder: a node behind its children, which stand in their order. */

enum { LETTERS = 5, LONGEST = 4 };

typedef struct Word {
    uint32_t letter[32];
    guint n;
} Word;

static bool same_trace(const Indep *indep, const Word *a, const Word *b)
{
    g_autofree char *x = traces_foata(indep, a->letter, a->n, NULL), *y = traces_foata(indep, b->letter, b->n, NULL);
    return strcmp(x, y) == 0;
}

/* All arrangements of the missing letters behind the word. */
static void arrangements(Word word, guint *missing, guint left, GArray *all)
{
    if (!left) {
        g_array_append_val(all, word);
        return;
    }
    for (uint32_t l = 0; l < LETTERS; l++) {
        if (!missing[l]) continue;
        Word longer = word;
        longer.letter[longer.n++] = l;
        missing[l]--;
        arrangements(longer, missing, left - 1, all);
        missing[l]++;
    }
}

/* Have the words equivalent extensions? If so the least ones have every letter as often as the word
 * that has it more often. `rest`, when not NULL, gets what follows a then. */
static bool compatible(const Indep *indep, const Word *a, const Word *b, Word *rest)
{
    guint of_a[LETTERS] = {0}, of_b[LETTERS] = {0}, add_a[LETTERS], add_b[LETTERS], n_a = 0, n_b = 0;
    for (guint i = 0; i < a->n; i++) of_a[a->letter[i]]++;
    for (guint i = 0; i < b->n; i++) of_b[b->letter[i]]++;
    for (int l = 0; l < LETTERS; l++) {
        n_a += add_a[l] = of_b[l] > of_a[l] ? of_b[l] - of_a[l] : 0;
        n_b += add_b[l] = of_a[l] > of_b[l] ? of_a[l] - of_b[l] : 0;
    }
    GArray *from_a = g_array_new(FALSE, FALSE, sizeof(Word)), *from_b = g_array_new(FALSE, FALSE, sizeof(Word));
    arrangements(*a, add_a, n_a, from_a);
    arrangements(*b, add_b, n_b, from_b);
    bool found = false;
    for (guint i = 0; i < from_a->len && !found; i++)
        for (guint j = 0; j < from_b->len && !found; j++) {
            Word *x = &g_array_index(from_a, Word, i);
            found = same_trace(indep, x, &g_array_index(from_b, Word, j));
            if (!found || !rest) continue;
            rest->n = x->n - a->n;
            memcpy(rest->letter, x->letter + a->n, rest->n * sizeof(uint32_t));
        }
    g_array_free(from_a, TRUE);
    g_array_free(from_b, TRUE);
    return found;
}

/* How often does the letter stand in the word before position i? */
static guint count_before(const Word *w, uint32_t letter, guint end)
{
    guint n = 0;
    for (guint i = 0; i < end; i++) n += w->letter[i] == letter;
    return n;
}

/* w without what stands in `gone`, from the beginning of w. */
static Word without(const Word *w, const Word *gone)
{
    Word rest = {.n = 0};
    for (guint i = 0; i < w->n; i++)
        if (count_before(w, w->letter[i], i) >= count_before(gone, w->letter[i], gone->n))
            rest.letter[rest.n++] = w->letter[i];
    return rest;
}

static bool is_initial(const Indep *indep, uint32_t letter, const Word *w)
{
    return compatible(indep, &(Word){.n = 1, .letter = {letter}}, w, NULL);
}

/* ---- trees as words ---- */

static void postorder(const Wakeup *tree, uint32_t node, Word word, GArray *words)
{
    for (uint32_t c = tree->node.data[node].first; c != WAKEUP_NONE; c = tree->node.data[c].next) {
        Word longer = word;
        ck_assert_uint_lt(longer.n + LONGEST, G_N_ELEMENTS(longer.letter));
        longer.letter[longer.n++] = tree->node.data[c].label;
        postorder(tree, c, longer, words);
    }
    g_array_append_val(words, word);
}

static GArray *words_of(const Wakeup *tree)
{
    GArray *words = g_array_new(FALSE, FALSE, sizeof(Word));
    postorder(tree, 0, (Word){.n = 0}, words);
    return words;
}

static const Word *word_at(const GArray *words, guint i)
{
    return &g_array_index(words, Word, i);
}

static bool begins_with(const Word *w, const Word *head)
{
    return w->n >= head->n && memcmp(w->letter, head->letter, head->n * sizeof *w->letter) == 0;
}

static bool is_leaf(const GArray *words, const Word *w)
{
    for (guint i = 0; i < words->len; i++)
        if (word_at(words, i)->n > w->n && begins_with(word_at(words, i), w)) return false;
    return true;
}

static uint32_t node_of(const Wakeup *tree, const Word *w)
{
    uint32_t at = 0;
    for (guint i = 0; i < w->n; i++) {
        at = tree->node.data[at].first;
        while (tree->node.data[at].label != w->letter[i]) at = tree->node.data[at].next;
    }
    return at;
}

/* The tree is what these words say, and keeps no more nodes than it ever had at one time. */
static void is_told_by(const Wakeup *tree, const GArray *words)
{
    g_autoptr(GArray) there = words_of(tree);
    ck_assert_uint_eq(there->len, words->len);
    for (guint i = 0; i < words->len; i++)
        ck_assert(word_at(there, i)->n == word_at(words, i)->n && begins_with(word_at(there, i), word_at(words, i)));
    ck_assert(wakeup_check(tree, 0));
    ck_assert_uint_eq(tree->live, words->len);
    ck_assert_uint_eq(tree->most, tree->node.len);
}

/* ---- insertion ---- */

/* Labels of the children of `above` that are elder than the one on the way to w, of all when it ends there. */
static guint elder(const GArray *words, const Word *above, const Word *w, uint32_t *label)
{
    guint n = 0;
    for (guint i = 0; i < words->len; i++) {
        const Word *child = word_at(words, i);
        if (child->n != above->n + 1 || !begins_with(child, above)) continue;
        if (begins_with(w, child)) return n;
        label[n++] = child->letter[above->n];
    }
    return n;
}

/* Marks the first letter of rest that depends on this one. */
static void wake(const Indep *indep, const Word *rest, uint32_t letter, bool *kept)
{
    for (guint i = 0; i < rest->n; i++)
        if (indep_dependent(indep, letter, rest->letter[i])) {
            kept[i] = true;
            return;
        }
}

/* What wakeup.h says is added of rest below a node: the last letter, what wakes each sleeping one and each elder
 * sibling on the way, and what these letters depend on. */
static Word part_to_add(const GArray *words, const Indep *indep, const Word *below, const Word *rest, uint64_t sleep)
{
    bool kept[32] = {false};
    kept[rest->n - 1] = true;
    for (uint32_t l = 0; l < LETTERS; l++)
        if ((sleep >> l & 1)) wake(indep, rest, l, kept);
    for (guint depth = 0; depth <= below->n; depth++) {
        Word above = *below;
        above.n = depth;
        uint32_t label[LETTERS];
        for (guint n = elder(words, &above, below, label); n--;) wake(indep, rest, label[n], kept);
    }
    for (guint again = rest->n; again--;)
        for (guint i = 0; i < rest->n; i++)
            for (guint j = i + 1; j < rest->n; j++)
                if (kept[j] && indep_dependent(indep, rest->letter[i], rest->letter[j])) kept[i] = true;
    Word part = {.n = 0};
    for (guint i = 0; i < rest->n; i++)
        if (kept[i]) part.letter[part.n++] = rest->letter[i];
    return part;
}

/* [ODPOR14]: below the first node in postorder that is compatible with w, unless it is a leaf or nothing of w is left,
 * the rest of w becomes the youngest branch; of it, what is needed when it is to be short. */
static void insert(Wakeup *tree, const Indep *indep, const Word *w, bool short_one, uint64_t sleep, guint *covered)
{
    g_autoptr(GArray) words = words_of(tree);
    guint at = 0;
    while (!compatible(indep, word_at(words, at), w, NULL)) at++;
    Word below = *word_at(words, at), rest = without(w, &below);
    bool adds = words->len == 1 || (rest.n && !is_leaf(words, &below));
    bool busy = words->len > 1 && !is_initial(indep, tree->node.data[tree->node.data[0].first].label, w);
    ck_assert_int_eq(wakeup_insert(tree, 0, busy, w->letter, w->n, short_one ? &sleep : NULL), adds);
    Word part = !adds || !short_one ? rest : part_to_add(words, indep, &below, &rest, sleep);
    for (guint n = 1; adds && n <= part.n; n++) { /* the deepest node comes first */
        Word node = below;
        memcpy(node.letter + node.n, part.letter, n * sizeof *node.letter);
        node.n += n;
        g_array_insert_val(words, at, node);
    }
    is_told_by(tree, words);
    *covered += !adds;
    if (!adds) return;
    Word leaf = *word_at(words, at);
    ck_assert(compatible(indep, &leaf, w, NULL));
    for (uint32_t l = 0; short_one && l < LETTERS; l++) ck_assert(!(sleep >> l & 1) || !is_initial(indep, l, &leaf));
}

static void insert_something(Wakeup *tree, const Indep *indep, Rng *rng, guint *covered)
{
    Word w = {.n = 1 + (guint)rng_below(rng, LONGEST)};
    for (guint i = 0; i < w.n; i++) w.letter[i] = (uint32_t)rng_below(rng, LETTERS);
    uint64_t sleep = 0;
    for (uint32_t l = 0; l < LETTERS; l++)
        if (rng_chance(rng, 2) && !is_initial(indep, l, &w)) sleep |= UINT64_C(1) << l;
    insert(tree, indep, &w, !rng_chance(rng, 3), sleep, covered);
}

/* ---- the other operations, on the way that a search is on: from eldest child to eldest child ---- */

static Word eldest(const Wakeup *tree, guint depth)
{
    Word w = {.n = 0};
    for (uint32_t at = tree->node.data[0].first; at != WAKEUP_NONE && w.n < depth; at = tree->node.data[at].first)
        w.letter[w.n++] = tree->node.data[at].label;
    return w;
}

static void remove_below(GArray *words, const Word *w)
{
    for (guint i = words->len; i--;)
        if (word_at(words, i)->n > w->n && begins_with(word_at(words, i), w)) g_array_remove_index(words, i);
}

static void cut(Wakeup *tree, Rng *rng)
{
    g_autoptr(GArray) words = words_of(tree);
    Word w = eldest(tree, (guint)rng_below(rng, LONGEST));
    remove_below(words, &w);
    wakeup_cut(tree, node_of(tree, &w));
    is_told_by(tree, words);
}

static void drop(Wakeup *tree)
{
    g_autoptr(GArray) words = words_of(tree);
    if (words->len == 1) return;
    g_array_remove_index(words, 0); /* the eldest leaf */
    Word w = eldest(tree, LONGEST * LETTERS);
    w.n--;
    wakeup_drop_first(tree, node_of(tree, &w));
    is_told_by(tree, words);
}

static void grow(Wakeup *tree, Rng *rng)
{
    g_autoptr(GArray) words = words_of(tree);
    Word w = eldest(tree, LONGEST * LETTERS);
    if (w.n >= LONGEST) return;
    uint32_t at = node_of(tree, &w);
    w.letter[w.n++] = (uint32_t)rng_below(rng, LETTERS);
    uint32_t child = wakeup_grow(tree, at, w.letter[w.n - 1]);
    ck_assert_uint_eq(child, node_of(tree, &w));
    g_array_insert_val(words, 0, w);
    is_told_by(tree, words);
}

static Indep *some_relation(Rng *rng)
{
    VecU32 pairs = {0};
    for (uint32_t a = 0; a < LETTERS; a++)
        for (uint32_t b = 0; b < a; b++)
            if (rng_chance(rng, 2)) {
                vec_push(&pairs, a);
                vec_push(&pairs, b);
            }
    Indep *indep = indep_from_pairs(LETTERS, pairs.data, pairs.len / 2);
    vec_free(&pairs);
    return indep;
}

START_TEST(like_the_definition)
{
    Rng rng = {5};
    guint rounds = test_rounds(1200, 40000), covered = 0, large = 0;
    for (guint round = 0; round < rounds; round++) {
        g_autoptr(Indep) indep = some_relation(&rng);
        Wakeup tree;
        wakeup_init(&tree, indep);
        for (int k = 0; k < 10; k++) switch (rng_below(&rng, 9)) {
            case 0: cut(&tree, &rng); break;
            case 1: drop(&tree); break;
            case 2: grow(&tree, &rng); break;
            default: insert_something(&tree, indep, &rng, &covered);
            }
        large += tree.most > 10;
        wakeup_clear(&tree);
    }
    ck_assert_uint_gt(covered, rounds / 2);
    ck_assert_uint_gt(large, rounds / 5);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("wakeup");
    TEST_CASE(suite, like_the_definition);
    return test_run(suite);
}
