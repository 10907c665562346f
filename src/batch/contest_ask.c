#include "batch/contest_ask.h"

#include "base/visible.h"
#include "batch/contest_colours.h"

typedef struct Queries {
    Contest *contest;
    const ContestQuery *of; /* property -> query */
} Queries;

static void answered(size_t i, const AskedProperty *asked, void *data)
{
    const Queries *q = data;
    if (asked->result && contest_colours_run_fails(q->contest, &asked->result->witness)) {
        contest_tell_reason(q->contest, q->of[i], "the run that was found is none of the file's net; ignored");
        return;
    }
    const ExaminationBound *bound = asked->bound;
    Said said = !bound            ? (asked->verdict == VERDICT_HOLDS ? SAID_TRUE : SAID_FALSE)
                : bound->infinite ? SAID_INFINITE
                                  : SAID_NUMBER;
    contest_tell_answer(q->contest, q->of[i], said, bound ? bound->value : 0, asked->engine);
}

static void finished(size_t i, const AskedProperty *asked, void *data)
{
    const Queries *q = data;
    bool asked_at_all = asked->result || asked->bound; /* others were told when announced */
    if (asked_at_all && asked->verdict == VERDICT_UNKNOWN) contest_tell_reason(q->contest, q->of[i], asked->reason);
}

static void kept(size_t i, EvidenceKind kind, void *data)
{
    const Queries *q = data;
    contest_tell_kept(q->contest, q->of[i], kind);
}

static void lost(size_t i, EvidenceKind kind, const GError *error, void *data)
{
    const Queries *q = data;
    contest_tell_lost(q->contest, q->of[i], kind, error);
}

static void ask(Contest *c, const PropertySet *set, const ContestQuery *queries, AskKinds kinds)
{
    Queries told = {c, queries};
    AskProperties asked = {.net = c->net,
                           .formulas = c->formulas,
                           .set = set,
                           .kinds = kinds,
                           .options = {.engine = contest_tell_engine_options(c), .engines = c->run->engine},
                           .evidence = c->run->evidence,
                           .answered = answered,
                           .finished = finished,
                           .kept = kept,
                           .lost = lost,
                           .data = &told};
    ask_properties(&asked, c->budget);
}

void contest_ask_deadlock(Contest *c)
{
    if (c->run->log && c->net->final)
        visible_print(c->run->log,
                      "final markings of the file count as deadlocks here; check --deadlock accepts them\n");
    ContestQuery query = contest_tell_query(c, QUERY_WHOLE, NULL);
    Property deadlock = {.id = (char *)query.id, .kind = PROPERTY_EXISTS, .formula = formula_deadlock(c->formulas)};
    PropertySet set = {.properties = {.data = &deadlock, .len = 1}};
    ask(c, &set, &query, ASK_FORMULAS);
}

void contest_ask_properties(Contest *c, const PropertySet *set, AskKinds kinds)
{
    g_autofree ContestQuery *queries = g_new(ContestQuery, set->properties.len + 1);
    for (size_t i = 0; i < set->properties.len; i++) {
        const Property *p = &set->properties.data[i];
        queries[i] = contest_tell_query(c, QUERY_PROPERTY, p->id);
        bool formula = p->kind == PROPERTY_EXISTS || p->kind == PROPERTY_ALWAYS, bound = p->kind == PROPERTY_BOUND;
        if (!(kinds & ASK_FORMULAS ? formula : bound))
            contest_tell_not_asked(c, queries[i], p,
                                   kinds & ASK_FORMULAS ? "a bound is not a formula" : "a formula is not a bound");
    }
    ask(c, set, queries, kinds);
}
