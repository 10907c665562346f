/* Evidence that no reachable marking of a net satisfies a goal, or of what the largest value of a sum of places is, as
 * a file that mazurka-verify(1) checks. The file is lines of text with binary parts:
 *
 *   mazurka-certificate 2
 *   net PLACES TRANSITIONS ARCS
 *   digest HEX                                   (of the net, digest.h)
 *   goal EXPRESSION                              (\n for a line feed, \\ for a backslash)
 *      or bound VALUE PLACE ..., run TRANSITION ...      or bound inf PLACE ...     (bound.h)
 *   steps N, then N lines NAME NODE NODE ...     (both may be missing)
 *   reduced PLACES TRANSITIONS
 *   kind prefix RELATION               kind markings WIDTH
 *   events N                           markings N
 *   t c c c [/ COMPANION] (N lines)    bytes LEN, then zlib: sorted packed markings
 *   bytes LEN, then the proof
 *   sha256 HEX
 *
 *   kind clauses
 *   groups N, then N lines of places (place + 1)
 *   clauses N, then N lines of places (place + 1, negative for "empty")
 *   bytes LEN, then the proof
 *
 *   kind facts                             (facts.h)
 *   groups N and traps N, each followed by N lines of places (place + 1)
 *   sums N, then N lines "VALUE place*factor ..."
 *   bytes LEN, then the proof
 *
 *   kind linear, or kind linear last       (last_firing.h)
 *   atoms N, traps N, siphons N, lemmas N, each followed by N lines as in linear.h
 *   bytes LEN, then the proof
 *
 *   kind stubborn WIDTH, then as markings
 *
 *   kind symmetric WIDTH                   (symmetries.h)
 *   lines symmetry NODE IMAGE NODE IMAGE ..., then as markings
 *
 *   kind ranks WIDTH, then as markings, and once more bytes LEN, then zlib: a rank of 32 bits for each
 *
 *   kind free_choice                       (free_choice.h: the only kind for live and sound, and for nothing else)
 *   lines tokens PLACE ..., lines flow TRANSITION ...
 *
 *   kind none
 *
 *   kind pump                              (pump.h: the only kind for bound inf, and for nothing else)
 *   parts N, then N lines run TRANSITION ... or loop TRANSITION ...
 *
 * Steps (steps.h) make the net smaller and put the goal in its terms; all that follows is about what they leave. "none"
 * says that the goal is then constantly false.
 *
 * Instead of "goal" there may be "lost EXPRESSION" and a line "run" with transitions: then all that follows is about
 * the net from the marking on to which they lead. "home EXPRESSION" claims that such a marking can always be reached
 * again: by the kind ranks (closed_markings.h), without steps, or by the lines of descent.h and any other kind, which
 * is then about what is stuck. "live" claims that every transition can always fire again, "sound SOURCE SINK" that the
 * net is a sound workflow net between these places (free_choice.h).
 *
 * Events are numbered from 0; t is the number of a transition, c are immediate causes, the companion of a cutoff is an
 * event or "-" for the initial marking. The proof is binary DRAT for the clauses of event_list.h, inductive.h, facts.h
 * or linear.h. A set of markings must contain the initial one, be closed under firing, and contain none that satisfies
 * the goal; for stubborn closed under the firings that stubborn_sets.h asks for. */
#pragma once
#include "base/budget.h"
#include "certify/bound.h"
#include "certify/descent.h"
#include "certify/free_choice.h"
#include "certify/inductive.h"
#include "certify/linear.h"
#include "certify/event_list.h"
#include "certify/pump.h"
#include "certify/steps.h"

#define CERTIFICATE_FORMAT "mazurka-certificate 2"

typedef enum {
#define KIND(constant, name, content, clauses, check) CERTIFICATE_##constant,
#include "certify/kinds.def"
#undef KIND
    N_CERTIFICATE_KINDS
} CertificateKind;

/* What is said of the goal. */
typedef enum {
    CLAIM_NEVER, /* no reachable marking satisfies it */
    CLAIM_LOST,  /* none that is reachable after `run` does, so it cannot always be reached again */
    CLAIM_HOME,  /* from every reachable marking one that satisfies it is reachable */
    CLAIM_LIVE,  /* there is none: every transition can always fire again */
    CLAIM_SOUND, /* there is none: a sound workflow net between `ends` */
    N_CERTIFICATE_CLAIMS
} CertificateClaim;

typedef struct Certificate {
    CertificateKind kind;
    char *goal; /* NULL when it is about a bound, or not about a goal */
    CertificateClaim claim;
    VecU32 run;       /* CLAIM_LOST: the rest is about the net from the marking on that it leads to */
    Descent descent;  /* CLAIM_HOME, but of the kind ranks */
    uint32_t ends[2]; /* CLAIM_SOUND: source and sink */
    BoundClaim bound; /* not claimed when it is about a goal */
    NetSteps steps;
    uint32_t places, transitions; /* of the net that the rest is about */
    EventList events;
    Inductive set;
    Linear linear;
    Pump pump;
    FreeChoice free_choice;
    uint8_t *proof;
    size_t proof_len;
    unsigned width; /* bits per place: 1, 2, 4 ... 64 */
    uint32_t words; /* per marking */
    uint64_t n;
    uint64_t *states;  /* n * words, sorted, each once */
    uint32_t *ranks;   /* of the kind ranks: one for each */
    VecU32 symmetries; /* of the kind symmetric: lists of symmetries.h */
} Certificate;

void certificate_clear(Certificate *certificate);

/* Removes the file if it begins as certificates of any version do: one of an earlier run must not be taken for that of
 * the next. */
void certificate_forget(const char *path);
/* Only the programs that make certificates have these (certificate_write.c). The text that a file would have, or NULL;
 * `name` is for messages. */
GString *certificate_text(const Certificate *certificate, const Net *net, const char *name, GError **error);
bool certificate_write(const Certificate *certificate, const Net *net, const char *path, GError **error);
/* Errors have file and line; a certificate for another net is one. The contents are not believed: certificate_check()
 * does that. */
bool certificate_read_bytes(Certificate *certificate, const Net *net, const char *text, size_t len, const char *file,
                            GError **error);
/* For tests: the same from a file; mazurka-verify has no part of it either. */
bool certificate_read(Certificate *certificate, const Net *net, const char *path, GError **error);
/* The clauses that the proof of a prefix, of inductive clauses or of linear inequalities refutes, added to an
 * initialised Cnf. They depend on the goal as the certificate spells it, so whoever makes a proof takes them from here.
 * False: *problem says why there are none. */
bool certificate_clauses(const Certificate *certificate, const Net *net, Cnf *cnf, Budget *budget, char **problem);
/* The goal in a store of the net, by the parser that certificate_check() uses; for a bound that more is reached. There
 * is none for a sum without bound, nor for live and sound. */
bool certificate_goal(const Certificate *certificate, FormulaStore *store, FormulaId *goal, GError **error);
/* Does it prove its claim for this net? Otherwise *problem says why not (owned by the caller). */
bool certificate_check(const Certificate *certificate, const Net *net, Budget *budget, char **problem);

/* The word before the goal in the file. */
static inline const char *certificate_claim_word(CertificateClaim claim)
{
    static const char *const words[] = {"goal", "lost", "home", "live", "sound"};
    return words[claim];
}
/* Is it about a goal? */
static inline bool certificate_claim_has_goal(CertificateClaim claim)
{
    return claim != CLAIM_LIVE && claim != CLAIM_SOUND;
}
/* What it claims: "no reachable marking satisfies ...". */
char *certificate_claim(const Certificate *certificate, const Net *net);
/* What kind of proof it is and how large, in a few words. */
char *certificate_describe(const Certificate *certificate);
/* All arcs of a net, of all kinds. */
uint64_t certificate_arcs(const Net *net);
