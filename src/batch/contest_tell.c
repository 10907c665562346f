#include "batch/contest_tell.h"

#include "base/visible.h"
#include "batch/technique.h"
#include "verify/portfolio.h"
#include "verify/witness.h"

#include <string.h>

/* Without a time limit, a proof that is only wanted as evidence gets so long. */
#define PROOF_SECONDS 60.0
/* An answer that came without a run is not asked for one longer than this part of what is left. */
#define RUN_SHARE 0.5
#define RUN_SECONDS 20.0

G_GNUC_PRINTF(2, 3) static void say(const Contest *c, const char *format, ...)
{
    if (!c->run->log) return;
    va_list args;
    va_start(args, format);
    g_autofree char *line = g_strdup_vprintf(format, args);
    va_end(args);
    visible_print(c->run->log, "%s\n", line);
}

static void log_line(const char *line, void *data)
{
    say(data, "%s", line);
}

EngineOptions contest_engine_options(const Contest *c)
{
    return (EngineOptions){
        .seed = c->run->seed, .threads = c->run->threads, .log = c->run->log ? log_line : NULL, .log_data = (void *)c};
}

static void tell(const Contest *c, Record record)
{
    c->run->tell(&record, c->run->data);
}

ContestQuery contest_announce(Contest *c, QueryKind kind, const char *id)
{
    ContestQuery query = {c->n_queries++, id ? id : record_query_id(kind)};
    if (kind == QUERY_WHOLE) query.id = question_name(c->run->question);
    tell(c, (Record){.kind = RECORD_QUERY, .detail = kind, .query = query.number, .text = id});
    return query;
}

void contest_answer(const Contest *c, ContestQuery query, Verdict verdict, Total value, const char *engine)
{
    tell(c, (Record){.kind = RECORD_ANSWER,
                     .detail = verdict,
                     .query = query.number,
                     .value = verdict == VERDICT_NUMBER ? value : 0,
                     .techniques = techniques_of_engine(engine),
                     .engine = engine});
}

static void tell_reason(const Contest *c, ContestQuery query, ReasonKind kind, const char *reason)
{
    tell(c, (Record){.kind = RECORD_REASON, .detail = kind, .query = query.number, .text = reason});
    say(c, "%s: %s", query.id, reason);
}

void contest_reason(const Contest *c, ContestQuery query, const char *reason)
{
    tell_reason(c, query, REASON_UNDECIDED, reason ? reason : "undecided");
}

void contest_not_asked(const Contest *c, ContestQuery query, const Property *property, const char *otherwise)
{
    tell_reason(c, query, property->kind == PROPERTY_FAULTY ? REASON_FAULT : REASON_UNDECIDED,
                property->reason ? property->reason : otherwise);
}

void contest_refuse(const Contest *c, Refusal refusal, const char *reason)
{
    if (!reason) reason = "undecided";
    tell(c, (Record){.kind = RECORD_REFUSAL, .detail = refusal, .text = reason});
    say(c, "%s: %s", question_name(c->run->question), reason);
}

/* ---- evidence ---- */

static void tell_evidence(const Contest *c, ContestQuery query, EvidenceKind kind, bool kept, GError *error)
{
    if (kept) tell(c, (Record){.kind = RECORD_EVIDENCE, .detail = kind, .query = query.number});
    if (error) {
        tell(c, (Record){.kind = RECORD_LOSS, .detail = kind, .query = query.number, .text = error->message});
        say(c, "%s: %s", query.id, error->message);
    }
    g_clear_error(&error);
}

void contest_keep_run(const Contest *c, ContestQuery query, const VecU32 *run)
{
    if (!c->run->evidence.witnesses) return;
    g_autofree char *name = NULL;
    GError *error = NULL;
    bool kept = evidence_keep_run(&c->run->evidence, c->net, query.id, run, &name, &error);
    tell_evidence(c, query, EVIDENCE_WITNESS, kept, error);
}

void contest_keep_short_run(const Contest *c, ContestQuery query, FormulaId goal, VecU32 *run)
{
    Query asked = {c->net, c->formulas, goal};
    if (!c->run->evidence.witnesses || !witness_replays(&asked, run->data, run->len)) return;
    witness_shorten(&asked, run, c->budget);
    contest_keep_run(c, query, run);
}

void contest_keep_proof(const Contest *c, ContestQuery query, FormulaId goal, double share)
{
    if (!c->run->evidence.certificates || budget_look(c->budget)) return;
    double left = c->budget->deadline > 0 ? (c->budget->deadline - budget_now()) * share : PROOF_SECONDS;
    Budget part = budget_child(c->budget, MAX(left, 0.01), NULL);
    Query asked = {c->net, c->formulas, goal};
    EngineOptions options = contest_engine_options(c);
    g_autofree char *name = NULL;
    GError *error = NULL;
    bool kept = evidence_keep_proof(&c->run->evidence, &asked, query.id, &options, &part, &name, &error);
    tell_evidence(c, query, EVIDENCE_CERTIFICATE, kept, error);
}

void contest_keep_evidence(const Contest *c, ContestQuery query, FormulaId goal, bool reachable)
{
    if (!reachable) contest_keep_proof(c, query, goal, 1);
    if (!reachable || !c->run->evidence.witnesses || budget_look(c->budget)) return;
    double left = c->budget->deadline > 0 ? (c->budget->deadline - budget_now()) * RUN_SHARE : RUN_SECONDS;
    Budget part = budget_child(c->budget, CLAMP(left, 0.01, RUN_SECONDS), NULL);
    Result result = {0};
    PortfolioOptions options = {.engine = contest_engine_options(c)};
    portfolio_run(c->net, c->formulas, &goal, 1, &options, &part, &result);
    if (result.answer == ANSWER_REACHABLE) contest_keep_short_run(c, query, goal, &result.witness);
    result_clear(&result);
}
