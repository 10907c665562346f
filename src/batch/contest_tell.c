#include "batch/contest_tell.h"

#include "base/visible.h"
#include "batch/technique.h"

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

EngineOptions contest_tell_engine_options(const Contest *c)
{
    return (EngineOptions){
        .seed = c->run->seed, .threads = c->run->threads, .log = c->run->log ? log_line : NULL, .log_data = (void *)c};
}

static void tell(const Contest *c, Record record)
{
    c->run->tell(&record, c->run->data);
}

ContestQuery contest_tell_query(Contest *c, QueryKind kind, const char *id)
{
    ContestQuery query = {c->n_queries++, id ? id : record_query_id(kind)};
    if (kind == QUERY_WHOLE) query.id = task_name(c->run->task);
    tell(c, (Record){.kind = RECORD_QUERY, .detail = kind, .query = query.number, .text = id});
    return query;
}

void contest_tell_answer(const Contest *c, ContestQuery query, Said verdict, Total value, const char *engine)
{
    tell(c, (Record){.kind = RECORD_ANSWER,
                     .detail = verdict,
                     .query = query.number,
                     .value = verdict == SAID_NUMBER ? value : 0,
                     .techniques = techniques_of_engine(engine),
                     .engine = engine});
}

void contest_tell_digits(const Contest *c, ContestQuery query, const char *digits, const char *engine)
{
    tell(c, (Record){.kind = RECORD_ANSWER,
                     .detail = SAID_DIGITS,
                     .query = query.number,
                     .techniques = techniques_of_engine(engine),
                     .engine = engine,
                     .text = digits});
}

static void tell_reason(const Contest *c, ContestQuery query, ReasonKind kind, const char *reason)
{
    tell(c, (Record){.kind = RECORD_REASON, .detail = kind, .query = query.number, .text = reason});
    say(c, "%s: %s", query.id, reason);
}

void contest_tell_reason(const Contest *c, ContestQuery query, const char *reason)
{
    tell_reason(c, query, REASON_UNDECIDED, reason ? reason : "undecided");
}

void contest_tell_not_asked(const Contest *c, ContestQuery query, const Property *property, const char *otherwise)
{
    tell_reason(c, query, property->kind == PROPERTY_FAULTY ? REASON_FAULT : REASON_UNDECIDED,
                property->reason ? property->reason : otherwise);
}

void contest_tell_refusal(const Contest *c, Refusal refusal, const char *reason)
{
    if (!reason) reason = "undecided";
    tell(c, (Record){.kind = RECORD_REFUSAL, .detail = refusal, .text = reason});
    say(c, "%s: %s", task_name(c->run->task), reason);
}

/* ---- evidence ---- */

void contest_tell_kept(const Contest *c, ContestQuery query, EvidenceKind kind)
{
    tell(c, (Record){.kind = RECORD_EVIDENCE, .detail = kind, .query = query.number});
}

void contest_tell_lost(const Contest *c, ContestQuery query, EvidenceKind kind, const GError *error)
{
    tell(c, (Record){.kind = RECORD_LOSS, .detail = kind, .query = query.number, .text = error->message});
    say(c, "%s: %s", query.id, error->message);
}

void contest_tell_evidence(const Contest *c, ContestQuery query, FormulaId goal, bool reachable)
{
    Query asked = {c->net, c->formulas, goal};
    EngineOptions options = contest_tell_engine_options(c);
    EvidenceKind kind = reachable ? EVIDENCE_WITNESS : EVIDENCE_CERTIFICATE;
    const EvidencePlace *place = &c->run->evidence;
    g_autofree char *name = NULL;
    g_autoptr(GError) error = NULL;
    if (reachable)
        evidence_find_run(place, &asked, query.id, &options, c->budget, NULL, &name, &error);
    else
        evidence_keep_proof(place, &asked, NULL, query.id, &options, 1, c->budget, &name, &error);
    if (name) contest_tell_kept(c, query, kind);
    if (error) contest_tell_lost(c, query, kind, error);
}
