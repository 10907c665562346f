/* All properties of a contest file, asked together: formulas by one portfolio (or the engines that the user names),
 * then bounds; each with its verdict and, where wanted, files of evidence. */
#pragma once
#include "prop/property.h"
#include "verify/ask.h"
#include "verify/evidence.h"
#include "verify/examination.h"

typedef enum { ASK_FORMULAS = 1, ASK_BOUNDS = 2, ASK_ALL = ASK_FORMULAS | ASK_BOUNDS } AskKinds;

/* What is known about one of them. */
typedef struct AskedProperty {
    const Property *property;
    Verdict verdict;                   /* of a bound that is known: HOLDS */
    const ExaminationBound *bound;     /* of a bound that was asked, else NULL */
    const Result *result;              /* of a formula that was asked, else NULL */
    const char *engine, *reason;       /* may be NULL */
    const char *run_file, *proof_file; /* their names in the folders of evidence; NULL: none */
    bool proof_due;                    /* a proof is what would show it, as far as proofs can */
} AskedProperty;

typedef struct AskProperties {
    const Net *net;
    FormulaStore *formulas;
    const PropertySet *set;
    AskKinds kinds;     /* others are told finished, with a reason and without having been asked */
    AskOptions options; /* its callbacks and data are not used */
    EvidencePlace evidence;
    bool runs_shown; /* `finished` looks at the runs: they are shortened even where none is kept as evidence */
    /* Told as soon as the verdict is known: without files, its run still long. Calls do not overlap. May be NULL. */
    void (*answered)(size_t property, const AskedProperty *asked, void *data);
    /* Told of every property once: formulas in order, then the others. */
    void (*finished)(size_t property, const AskedProperty *asked, void *data);
    /* A file of evidence was written (a run's perhaps again, when it is shorter), or could not be. kept may be NULL. */
    void (*kept)(size_t property, EvidenceKind kind, void *data);
    void (*lost)(size_t property, EvidenceKind kind, const GError *error, void *data);
    void *data;
} AskProperties;

void ask_properties(const AskProperties *asked, Budget *budget);
