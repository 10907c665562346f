#include "home/bottoms.h"

#include "lts/components.h"

typedef struct Looker {
    const Explicit *search;
    const FormulaStore *formulas;
    const FormulaId *goals;
    size_t n_goals;
    VecU32 open; /* goals not seen in the component at hand */
    Bottoms *bottoms;
} Looker;

static void drop_seen(Looker *l, uint32_t marking)
{
    const uint64_t *state = store_state(&l->search->store, marking);
    for (size_t i = 0; i < l->open.len;) {
        if (formula_holds(l->formulas, l->goals[l->open.data[i]], l->search->stepper->lts, state))
            l->open.data[i] = vec_pop(&l->open);
        else
            i++;
    }
}

static void look_at_component(void *data, const Component *component)
{
    Looker *l = data;
    if (!component->bottom) return;
    l->bottoms->n++;
    vec_clear(&l->open);
    for (size_t i = 0; i < l->n_goals; i++) vec_push(&l->open, (uint32_t)i);
    uint32_t first = UINT32_MAX;
    for (size_t i = 0; i < component->n; i++) {
        if (l->open.len) drop_seen(l, component->member[i]);
        first = MIN(first, component->member[i]);
    }
    for (size_t i = 0; i < l->open.len; i++) {
        uint32_t *lost = &l->bottoms->lost_at[l->open.data[i]];
        *lost = MIN(*lost, first);
    }
}

bool bottoms_find(const Explicit *search, const FormulaStore *formulas, const FormulaId *goals, size_t n,
                  Budget *budget, Bottoms *bottoms)
{
    Looker looker = {search, formulas, goals, n, {0}, bottoms};
    bottoms->lost_at = g_new(uint32_t, n + 1);
    for (size_t i = 0; i <= n; i++) bottoms->lost_at[i] = STORE_NONE;
    ComponentVisitor visitor = {.component = look_at_component, .data = &looker};
    bool done = components_visit(search, &visitor, budget);
    vec_free(&looker.open);
    return done;
}

void bottoms_clear(Bottoms *bottoms)
{
    g_free(bottoms->lost_at);
    *bottoms = (Bottoms){0};
}

/* ---- transitions on the way ---- */

typedef struct Way {
    const Explicit *search;
    const FormulaStore *formulas;
    FormulaId goal;
    bool *reaches; /* per marking of a component that was told */
    bool found;    /* a firing out of the component at hand leads on the way */
    VecU32 fired;  /* in it */
    bool *on_run;
} Way;

static void note_firing(void *data, uint32_t from, uint32_t transition, uint32_t to)
{
    Way *w = data;
    (void)from;
    if (w->reaches[to]) {
        w->found = w->on_run[transition] = true;
        return;
    }
    vec_push(&w->fired, transition);
    vec_push(&w->fired, to);
}

static void close_way(void *data, const Component *component)
{
    Way *w = data;
    for (size_t i = 0; i < component->n && !w->found; i++)
        w->found = formula_holds(w->formulas, w->goal, w->search->stepper->lts,
                                 store_state(&w->search->store, component->member[i]));
    for (size_t i = 0; i < component->n; i++) w->reaches[component->member[i]] = w->found;
    for (size_t i = 0; i < w->fired.len; i += 2)
        if (w->reaches[w->fired.data[i + 1]]) w->on_run[w->fired.data[i]] = true;
    vec_clear(&w->fired);
    w->found = false;
}

bool bottoms_on_runs(const Explicit *search, const FormulaStore *formulas, FormulaId goal, Budget *budget, bool *on_run)
{
    if (!budget_allows(budget, search->store.len)) return false;
    g_autofree bool *reaches = g_new0(bool, search->store.len);
    Way way = {.search = search, .formulas = formulas, .goal = goal, .reaches = reaches, .on_run = on_run};
    ComponentVisitor visitor = {close_way, note_firing, &way};
    bool done = components_visit(search, &visitor, budget);
    vec_free(&way.fired);
    return done;
}
