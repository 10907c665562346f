#include "run/op.h"

unsigned op_flags(unsigned kind)
{
    static const uint8_t flags[] = {
#define OP(constant, words, flags) flags,
#include "run/ops.def"
#undef OP
    };
    return flags[kind];
}

const char *op_words(unsigned kind)
{
    static const char *const all[] = {
#define OP(constant, words, flags) words,
#include "run/ops.def"
#undef OP
    };
    return all[kind];
}
