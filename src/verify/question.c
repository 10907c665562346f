#include "verify/question.h"

#include "base/error.h"
#include "net/colours.h"
#include "prop/expression.h"

bool question_accepted(FormulaStore *formulas, const char *final, FormulaId *accepted, GError **error)
{
    const struct {
        const char *text, *where;
    } named[] = {{formulas->net->final, "final markings of the net"}, {final, "--final"}};
    FormulaId parts[G_N_ELEMENTS(named)];
    size_t n = 0;
    for (size_t i = 0; i < G_N_ELEMENTS(named); i++)
        if (named[i].text && !expression_parse(formulas, named[i].text, named[i].where, &parts[n++], error))
            return false;
    *accepted = formula_or(formulas, parts, n);
    return true;
}

/* Dead markings minus the accepted ones. */
static bool deadlock_goal(Question *q, const char *final, GError **error)
{
    FormulaId accepted;
    if (!question_accepted(q->formulas, final, &accepted, error)) return false;
    FormulaId parts[] = {formula_deadlock(q->formulas), formula_not(q->formulas, accepted)};
    q->query.goal = formula_and(q->formulas, parts, G_N_ELEMENTS(parts));
    return true;
}

static bool fireable_goal(Question *q, const char *id, GError **error)
{
    NetRange range;
    if (!net_colours_named_transitions(q->query.net, id, &range)) {
        const char *near = expression_nearest(q->query.net, id, false);
        error_at(error, ERROR_USAGE, "--fireable", 0, 0, "there is no transition '%s'%s%s%s", id,
                 near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
        return false;
    }
    g_autofree uint32_t *transitions = g_new(uint32_t, (size_t)(range.to - range.from) + 1);
    for (uint32_t t = range.from; t < range.to; t++) transitions[t - range.from] = t;
    q->query.goal = formula_fireable(q->formulas, transitions, range.to - range.from);
    return true;
}

static bool make_goal(Question *q, const char *argument, const char *final, GError **error)
{
    switch (q->kind) {
    case QUESTION_DEADLOCK: q->text = g_strdup("deadlock"); return deadlock_goal(q, final, error);
    case QUESTION_REACH:
        q->text = g_strdup_printf("reach %s", argument);
        return expression_parse(q->formulas, argument, "--reach", &q->query.goal, error);
    case QUESTION_INVARIANT:
        q->text = g_strdup_printf("invariant %s", argument);
        if (!expression_parse(q->formulas, argument, "--invariant", &q->query.goal, error)) return false;
        q->query.goal = formula_not(q->formulas, q->query.goal);
        return true;
    case QUESTION_FIREABLE:
        q->text = g_strdup_printf("fireable %s", argument);
        return fireable_goal(q, argument, error);
    case QUESTION_SAFE:
        q->text = g_strdup("safe");
        q->query.goal = formula_exceeds(q->formulas, 1);
        return true;
    }
    return false;
}

bool question_init(Question *q, const Net *net, QuestionKind kind, const char *argument, const char *final,
                   GError **error)
{
    *q = (Question){.kind = kind, .formulas = formula_store_new(net)};
    q->query = (Query){.net = net, .formulas = q->formulas};
    if (make_goal(q, argument, final, error)) return true;
    question_clear(q);
    return false;
}

void question_clear(Question *q)
{
    formula_store_free(q->formulas);
    g_free(q->text);
    *q = (Question){0};
}

Verdict question_verdict(const Question *q, Answer answer)
{
    if (answer == ANSWER_UNKNOWN) return VERDICT_UNKNOWN;
    bool wanted = q->kind == QUESTION_REACH || q->kind == QUESTION_FIREABLE;
    return (answer == ANSWER_REACHABLE) == wanted ? VERDICT_HOLDS : VERDICT_VIOLATED;
}

const char *question_verdict_text(Verdict verdict)
{
    switch (verdict) {
    case VERDICT_HOLDS: return "holds";
    case VERDICT_VIOLATED: return "violated";
    case VERDICT_UNKNOWN: break;
    }
    return "unknown";
}
