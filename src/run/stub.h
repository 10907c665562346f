/* Functions that look at the registers of their caller: to know whether a thread came back to the same state (api.h).
 *
 * On x86-64 a stub saves the registers of the caller, for run_api_read(), and passes them as the sixth argument.
 * Elsewhere there are no registers to look at. */
#pragma once
#include "run/api.h"

#if defined(__x86_64__)
#define STUB(name, body)                                                                                               \
    __asm__(".text\n.globl " #name "\n.type " #name ",@function\n" #name ":\n"                                         \
            "  pushq %rbp\n  pushq %rbx\n  pushq %r12\n  pushq %r13\n  pushq %r14\n  pushq %r15\n"                     \
            "  movq %rsp, %r9\n  subq $8, %rsp\n  call " #body "\n  addq $56, %rsp\n  ret\n"                           \
            ".size " #name ",.-" #name "\n");
#define BODY(result, name, body)                                                                                       \
    STUB(name, body)                                                                                                   \
    __attribute__((used)) result body(uintptr_t address, uint64_t a, uint64_t b, uint64_t c, uint64_t d,               \
                                      const Registers *registers);                                                     \
    result body(uintptr_t address, uint64_t a, uint64_t b, uint64_t c, uint64_t d, const Registers *registers)
#define PC registers->pc
#else
#define BODY(result, name, body)                                                                                       \
    static inline result body(uintptr_t address, uint64_t a, uint64_t b, uint64_t c, uint64_t d, uintptr_t PC,         \
                              const Registers *registers);                                                             \
    PUBLIC result name(uintptr_t address, uint64_t a, uint64_t b, uint64_t c, uint64_t d);                             \
    result name(uintptr_t address, uint64_t a, uint64_t b, uint64_t c, uint64_t d)                                     \
    {                                                                                                                  \
        return body(address, a, b, c, d, HERE, NULL);                                                                  \
    }                                                                                                                  \
    static inline result body(uintptr_t address, uint64_t a, uint64_t b, uint64_t c, uint64_t d, uintptr_t PC,         \
                              const Registers *registers)
#endif
