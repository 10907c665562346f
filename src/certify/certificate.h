/* Evidence that no reachable marking of a net satisfies a goal, as a file that mazurka-verify(1) checks. The file is
 * lines of text with binary parts:
 *
 *   mazurka-certificate 2
 *   net PLACES TRANSITIONS ARCS
 *   digest HEX                                   (of the net, digest.h)
 *   goal EXPRESSION                              (\n for a line feed, \\ for a backslash)
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
 *   kind linear, or kind linear last       (last.h)
 *   atoms N, traps N, siphons N, lemmas N, each followed by N lines as in linear.h
 *   bytes LEN, then the proof
 *
 *   kind stubborn WIDTH, then as markings
 *
 *   kind none
 *
 * Steps (steps.h) make the net smaller and put the goal in its terms; all that follows is about what they leave. "none"
 * says that the goal is then constantly false.
 *
 * Events are numbered from 0; t is the number of a transition, c are immediate causes, the companion of a cutoff is an
 * event or "-" for the initial marking. The proof is binary DRAT for the clauses of listing.h, inductive.h or linear.h.
 * A set of markings must contain the initial one, be closed under firing, and contain none that satisfies the goal; for
 * stubborn closed under the firings that stubborn_sets.h asks for. */
#pragma once
#include "base/budget.h"
#include "certify/inductive.h"
#include "certify/linear.h"
#include "certify/listing.h"
#include "certify/steps.h"

#define CERTIFICATE_FORMAT "mazurka-certificate 2"

typedef enum {
#define KIND(constant, name, clauses, check) CERTIFICATE_##constant,
#include "certify/kinds.def"
#undef KIND
    N_CERTIFICATE_KINDS
} CertificateKind;

typedef struct Certificate {
    CertificateKind kind;
    char *goal;
    NetSteps steps;
    uint32_t places, transitions; /* of the net that the rest is about */
    Listing events;
    Inductive set;
    Linear linear;
    uint8_t *proof;
    size_t proof_len;
    unsigned width; /* bits per place: 1, 2, 4 ... 64 */
    uint32_t words; /* per marking */
    uint64_t n;
    uint64_t *states; /* n * words, sorted, each once */
} Certificate;

void certificate_clear(Certificate *certificate);

/* Does the file begin as certificates of any version do? */
bool certificate_is_at(const char *path);
/* Only the programs that make certificates have these two (certificate_write.c). */
bool certificate_write(const Certificate *certificate, const Net *net, const char *path, GError **error);
/* Errors have file and line; a certificate for another net is one. The contents are not believed: certificate_check()
 * does that. */
bool certificate_read(Certificate *certificate, const Net *net, const char *path, GError **error);
bool certificate_read_bytes(Certificate *certificate, const Net *net, const char *text, size_t len, const char *file,
                            GError **error);
/* The clauses that the proof of a prefix, of inductive clauses or of linear inequalities refutes, added to an
 * initialised Cnf. They depend on the goal as the certificate spells it, so whoever makes a proof takes them from here.
 * False: *problem says why there are none. */
bool certificate_clauses(const Certificate *certificate, const Net *net, Cnf *cnf, Budget *budget, char **problem);
/* The goal in a store of the net, by the parser that certificate_check() uses. */
bool certificate_goal(const Certificate *certificate, FormulaStore *store, FormulaId *goal, GError **error);
/* Does it prove its goal unreachable in this net? Otherwise *problem says why not (owned by the caller). */
bool certificate_check(const Certificate *certificate, const Net *net, Budget *budget, char **problem);

/* What kind of proof it is and how large, in a few words. */
char *certificate_describe(const Certificate *certificate);
/* All arcs of a net, of all kinds. */
uint64_t certificate_arcs(const Net *net);

/* Negative, 0, positive, in the order of `states`. */
int certificate_compare(const uint64_t *a, const uint64_t *b, uint32_t words);
/* Sorts n states of `words` words in place, as `states` wants them. */
void certificate_sort(uint64_t *states, size_t n, uint32_t words);
