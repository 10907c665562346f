/* Evidence that no reachable marking of a net satisfies a goal, as a file that mazurka-verify(1) checks. The file is
 * lines of text with binary parts:
 *
 *   mazurka-certificate 1
 *   net PLACES TRANSITIONS ARCS
 *   goal EXPRESSION
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
 *   kind linear
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
 * stubborn closed under the firings that needed.h asks for. */
#pragma once
#include "base/budget.h"
#include "certify/inductive.h"
#include "certify/linear.h"
#include "certify/listing.h"
#include "certify/steps.h"

typedef enum {
    CERTIFICATE_PREFIX,
    CERTIFICATE_MARKINGS,
    CERTIFICATE_CLAUSES,
    CERTIFICATE_LINEAR,
    CERTIFICATE_NONE,
    CERTIFICATE_STUBBORN
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
bool certificate_write(const Certificate *certificate, const Net *net, const char *path, GError **error);
/* Errors have file and line. The contents are not believed: certificate_check() does that. */
bool certificate_read(Certificate *certificate, const Net *net, const char *path, GError **error);
bool certificate_read_bytes(Certificate *certificate, const Net *net, const char *text, size_t len, const char *file,
                            GError **error);
/* The clauses that the proof of a prefix, of inductive clauses or of linear inequalities refutes, added to an
 * initialised Cnf. They depend on the goal as the certificate spells it, so whoever makes a proof takes them from here.
 * False: *problem says why there are none. */
bool certificate_clauses(const Certificate *certificate, const Net *net, Cnf *cnf, Budget *budget, char **problem);
/* Does it prove its goal unreachable in this net? Otherwise *problem says why not (owned by the caller). */
bool certificate_check(const Certificate *certificate, const Net *net, Budget *budget, char **problem);

/* Sorts n states of `words` words in place, as `states` wants them. */
void certificate_sort(uint64_t *states, size_t n, uint32_t words);
