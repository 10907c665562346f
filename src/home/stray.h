/* Walks that look for a marking after which a goal is lost for good. What is found is certain: the arcs alone exclude
 * the goal from there on (outlook.h), or, where asked for, engines proved it unreachable from there. */
#pragma once
#include "home/home.h"

typedef struct Stray {
    VecU32 run; /* owned by the caller */
    size_t goal;
    const char *engine;
} Stray;

/* False when nothing was found. `prove`: engines are asked about markings where walks end, as long as the budget lasts.
 */
bool stray_find(const HomeQuestion *question, const EngineOptions *options, bool prove, Budget *budget, Stray *found);
