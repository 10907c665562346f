/* Runs that were found on a net whose alike colours are one (colour/merge.h) are replayed on the coloured net of the
 * file before the answer is told, and kept as evidence by its names. That net is read when it is first needed. */
#pragma once
#include "batch/contest_tell.h"
#include "colour/unmerge.h"

typedef struct ContestColours {
    const Net *net;
    const char *model; /* its file; borrowed */
    Budget *budget;
    bool tried;
    ColourNet *coloured;
    Unmerge *unmerge;
} ContestColours;

void contest_colours_clear(ContestColours *colours);

bool contest_colours_merged(const Contest *contest);
/* NULL: the file cannot be read again, or the time is over. */
Unmerge *contest_colours_unmerge(const Contest *contest);
/* The run is none of the file's net. Not said of nets that are as in the file, nor when the time is over. */
bool contest_colours_run_fails(const Contest *contest, const VecU32 *run);
