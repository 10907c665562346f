/* The techniques behind an answer, as the Model Checking Contest names them: a set of what techniques.def lists. */
#pragma once
#include <glib.h>
#include <stdint.h>

typedef enum {
#define TECHNIQUE(name) TECHNIQUE_BIT_##name,
#include "batch/techniques.def"
#undef TECHNIQUE
    N_TECHNIQUES
} TechniqueBit;

typedef enum {
#define TECHNIQUE(name) TECHNIQUE_##name = 1u << TECHNIQUE_BIT_##name,
#include "batch/techniques.def"
#undef TECHNIQUE
    TECHNIQUES_ALL = (1u << N_TECHNIQUES) - 1,
} Technique;

/* Those of an engine or of another way to an answer; never empty. engine may be NULL. */
uint32_t techniques_of_engine(const char *engine);
/* Names joined by spaces. */
void techniques_print(uint32_t techniques, GString *out);
