#include "certify/twins.h"

#include "base/compare.h"

#include <stdlib.h>

typedef struct Question {
    size_t from, len;
    const uint64_t *words;
} Question;

/* What the transitions that ask for tokens of one place ask elsewhere, as a set of questions. */
typedef struct Questions {
    VecU64 words; /* each: place, need, limit of its arcs, by place */
    VEC(Question) list;
} Questions;

static void questions_clear(Questions *q)
{
    vec_free(&q->words);
    vec_free(&q->list);
}

static int compare_questions(const void *a, const void *b)
{
    const Question *x = a, *y = b;
    COMPARE(x->len, y->len);
    for (size_t i = 0; i < x->len; i++) COMPARE(x->words[i], y->words[i]);
    return 0;
}

COMPARE_BY(compare_places, ShrinkArc, place)

/* False when t asks for more than one token, or at another of the n places. */
static bool add_question(const ShrinkTransition *t, uint32_t p, const uint32_t *sorted, size_t n, Questions *q)
{
    g_autofree ShrinkArc *arcs = g_memdup2(t->arcs.data, t->arcs.len * sizeof *arcs);
    qsort(arcs, t->arcs.len, sizeof *arcs, compare_places);
    Question question = {.from = q->words.len};
    for (size_t i = 0; i < t->arcs.len; i++) {
        if (arcs[i].need == 0 && arcs[i].limit == SHRINK_NO_LIMIT) continue;
        if (arcs[i].place == p) {
            if (arcs[i].need != 1) return false;
            continue;
        }
        if (bsearch(&arcs[i].place, sorted, n, sizeof *sorted, compare_u32)) return false;
        vec_push(&q->words, arcs[i].place);
        vec_push(&q->words, (uint64_t)arcs[i].need);
        vec_push(&q->words, (uint64_t)arcs[i].limit);
    }
    question.len = q->words.len - question.from;
    vec_push(&q->list, question);
    return true;
}

/* In order, each once. */
static bool questions_at(Shrink *s, uint32_t p, const uint32_t *sorted, size_t n, Questions *q)
{
    VecU32 near = shrink_near(s, p);
    vec_clear(&q->words);
    vec_clear(&q->list);
    for (size_t i = 0; i < near.len; i++)
        if (shrink_arc(s, near.data[i], p).need > 0 &&
            !add_question(&s->transitions.data[near.data[i]], p, sorted, n, q))
            return false;
    for (size_t i = 0; i < q->list.len; i++) q->list.data[i].words = vec_from(&q->words, q->list.data[i].from);
    if (q->list.len) qsort(q->list.data, q->list.len, sizeof *q->list.data, compare_questions);
    size_t kept = 0;
    for (size_t i = 0; i < q->list.len; i++)
        if (!kept || compare_questions(&q->list.data[kept - 1], &q->list.data[i]))
            q->list.data[kept++] = q->list.data[i];
    q->list.len = kept;
    return true;
}

bool twins_are_asked_alike(Shrink *s, const uint32_t *places, size_t n)
{
    g_autofree uint32_t *sorted = g_memdup2(places, n * sizeof *places);
    Questions first = {0}, other = {0};
    qsort(sorted, n, sizeof *sorted, compare_u32);
    bool good = questions_at(s, places[0], sorted, n, &first);
    for (size_t i = 1; i < n && good; i++) {
        good = questions_at(s, places[i], sorted, n, &other) && other.list.len == first.list.len;
        for (size_t k = 0; k < first.list.len && good; k++)
            good = compare_questions(&first.list.data[k], &other.list.data[k]) == 0;
    }
    questions_clear(&first);
    questions_clear(&other);
    return good;
}
