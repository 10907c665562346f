/* Certificates of what can always still happen (certify/certificate.h): for a goal that can always be reached again a
 * ranked set of markings if they are few, otherwise a rank that can always be lowered (downhill.h); a run with a proof
 * about the net from there on for one that is lost; for a net that is live and a workflow net that is sound the rank
 * theorem, where they are free-choice. */
#pragma once
#include "home/sound.h"

/* Writes one for a question that was answered with HOLDS (it has one goal, or is about all transitions) or VIOLATED;
 * each is checked first. False: nothing was written, and the error says why. */
bool home_proof_write(const HomeQuestion *question, const HomeResult *result, const EngineOptions *options,
                      const ProofFile *file, Budget *budget, GError **error);
/* The same that a workflow net is sound. */
bool home_proof_write_sound(const Workflow *workflow, const ProofFile *file, Budget *budget, GError **error);
/* The same that a transition of it can never fire. */
bool home_proof_write_dead(const Workflow *workflow, uint32_t transition, const EngineOptions *options,
                           const ProofFile *file, Budget *budget, GError **error);
