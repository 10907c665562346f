/* The classic unfolding: a complete finite prefix of the branching process of a safe net (McMillan;
 * Esparza, Roemer, Vogler), built by size of the local configuration (unfold/schedule.h).
 *
 * A candidate's size and marking come from the newest event of its preset by walking only over the
 * other causes outside [e]. Conditions of cutoffs enter no co-set. Safeness is checked on the way: a new condition
 * that is concurrent with one on the same place ends the unfolding with a run that shows both tokens
 * (smallest unsafe configurations contain no cutoff, so none is missed). A transition without preset
 * is an event once; with outputs, firing it twice shows the net unsafe. */
#pragma once
#include "unfold/unfold.h"

/* As unfold(). options->relation is not looked at. */
Prefix *classic_unfold(const Net *net, const UnfoldOptions *options, Budget *budget, GError **error);
