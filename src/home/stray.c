#include "home/stray.h"

#include "home/outlook.h"
#include "lts/replay.h"
#include "lts/walk.h"
#include "verify/portfolio.h"

#include <math.h>

/* Markings between two looks, of a walk. */
enum { LOOK_EVERY = 32, MOST_PROOFS = 40 };
#define PROOF_SECONDS 1.0

typedef struct Watch {
    const HomeQuestion *question;
    Outlook *outlook;
    uint64_t asked;
    size_t lost;
} Watch;

static bool loses(Watch *w, const uint64_t *marking)
{
    outlook_at(w->outlook, marking);
    for (size_t i = 0; i < w->question->n; i++) {
        if (outlook_allows(w->outlook, w->question->formulas, w->question->goals[i])) continue;
        w->lost = i;
        return true;
    }
    return false;
}

static bool loses_now_and_then(void *data, const uint64_t *marking)
{
    Watch *w = data;
    return w->asked++ % LOOK_EVERY == 0 && loses(w, marking);
}

/* Dead: the goal holds here or never again. */
static bool loses_dead(void *data, const uint64_t *marking)
{
    Watch *w = data;
    const HomeQuestion *q = w->question;
    g_autoptr(NetLts) lts = netlts_new(q->net, 64);
    for (size_t i = 0; i < q->n; i++) {
        if (formula_holds(q->formulas, q->goals[i], lts, marking)) continue;
        w->lost = i;
        return true;
    }
    return false;
}

static bool walk(Watch *w, const EngineOptions *options, Budget *budget, Stray *found)
{
    const Net *net = w->question->net;
    uint32_t size = net->n_places + net->n_transitions;
    WalkGoal goals[] = {{.holds = loses_dead, .data = w, .only_dead = true},
                        {.holds = loses_now_and_then, .data = w, .units = size / 2}};
    for (size_t i = 0; i < G_N_ELEMENTS(goals); i++) {
        Walk walked = {0};
        Budget own = budget_part(budget, i ? 1 : 0.3, 0, NULL);
        if (isinf(budget_left(&own))) own = budget_child(budget, PROOF_SECONDS, NULL);
        if (!walk_run(&walked, net, &goals[i], options->seed, &own, &found->run)) {
            vec_free(&found->run);
            continue;
        }
        found->goal = w->lost;
        found->engine = "walk";
        return true;
    }
    return false;
}

/* ---- engines on the net from a marking on ---- */

static bool proves_lost(const HomeQuestion *q, const EngineOptions *options, uint64_t *marking, Budget *budget,
                        size_t *lost, const char **engine)
{
    Net from = home_net_from(q->net, marking);
    FormulaStore *formulas = q->formulas;
    const Net *before = formulas->net;
    bool proved = false;
    formulas->net = &from;
    for (size_t i = 0; i < q->n && !proved && !budget_look(budget); i++) {
        Result result = {0};
        Budget own = budget_part(budget, 1, PROOF_SECONDS, NULL);
        PortfolioOptions portfolio = {.engine = *options};
        portfolio.engine.certificate = NULL;
        portfolio_run(&from, formulas, &q->goals[i], 1, &portfolio, &own, &result);
        proved = result.answer == ANSWER_UNREACHABLE;
        *engine = result.engine;
        *lost = i;
        result_clear(&result);
    }
    formulas->net = before;
    return proved;
}

/* A walk that goes on for so many firings, or to its end. */
typedef struct Countdown {
    uint64_t left;
} Countdown;

static bool count_down(void *data, const uint64_t *marking)
{
    (void)marking;
    Countdown *c = data;
    return c->left-- == 0;
}

static bool prove_somewhere(Watch *w, const EngineOptions *options, Budget *budget, Stray *found)
{
    const HomeQuestion *q = w->question;
    for (uint64_t k = 0; k < MOST_PROOFS && !budget_look(budget); k++) {
        VecU32 run = {0};
        Countdown countdown = {UINT64_C(8) << (k % 10)};
        WalkGoal far = {.holds = count_down, .data = &countdown};
        Walk walked = {0};
        Budget own = budget_child(budget, PROOF_SECONDS, NULL);
        bool arrived = walk_run(&walked, q->net, &far, options->seed + k, &own, &run);
        g_autofree uint64_t *marking = replay_start(q->net);
        if (arrived && replay_run(q->net, run.data, run.len, marking) == run.len &&
            proves_lost(q, options, marking, budget, &found->goal, &found->engine)) {
            found->run = run;
            return true;
        }
        vec_free(&run);
    }
    return false;
}

bool stray_find(const HomeQuestion *question, const EngineOptions *options, bool prove, Budget *budget, Stray *found)
{
    g_autoptr(Outlook) outlook = outlook_new(question->net);
    Watch watch = {.question = question, .outlook = outlook};
    if (walk(&watch, options, budget, found)) return true;
    return prove && question->n <= 4 && prove_somewhere(&watch, options, budget, found);
}
