#include "run/coroutine.h"

#include <stdint.h>

#if defined(__x86_64__)

__asm__(".text\n.globl coroutine_switch\n.hidden coroutine_switch\n.type coroutine_switch,@function\n"
        "coroutine_switch:\n"
        "  pushq %rbp\n  pushq %rbx\n  pushq %r12\n  pushq %r13\n  pushq %r14\n  pushq %r15\n"
        "  subq $8, %rsp\n  stmxcsr (%rsp)\n  fnstcw 4(%rsp)\n"
        "  movq %rsp, (%rdi)\n  movq %rsi, %rsp\n"
        "  ldmxcsr (%rsp)\n  fldcw 4(%rsp)\n  addq $8, %rsp\n"
        "  popq %r15\n  popq %r14\n  popq %r13\n  popq %r12\n  popq %rbx\n  popq %rbp\n"
        "  ret\n.size coroutine_switch,.-coroutine_switch\n");

enum { SAVED = 7 }; /* words below the return address */

void *coroutine_prepare(void *top, void (*entry)(void))
{
    uint64_t *sp = (uint64_t *)((uintptr_t)top & ~(uintptr_t)15) - 1; /* as after a call */
    *sp = 0;
    *--sp = (uint64_t)(uintptr_t)entry;
    for (int i = 0; i < SAVED; i++) *--sp = 0;
    *sp = UINT64_C(0x0000037f00001f80); /* control words as the system starts programs */
    return sp;
}

#elif defined(__aarch64__)

__asm__(".text\n.globl coroutine_switch\n.hidden coroutine_switch\n.type coroutine_switch,%function\n"
        "coroutine_switch:\n"
        "  sub sp, sp, #160\n"
        "  stp x19, x20, [sp]\n  stp x21, x22, [sp, #16]\n  stp x23, x24, [sp, #32]\n  stp x25, x26, [sp, #48]\n"
        "  stp x27, x28, [sp, #64]\n  stp x29, x30, [sp, #80]\n  stp d8, d9, [sp, #96]\n  stp d10, d11, [sp, #112]\n"
        "  stp d12, d13, [sp, #128]\n  stp d14, d15, [sp, #144]\n"
        "  mov x9, sp\n  str x9, [x0]\n  mov sp, x1\n"
        "  ldp x19, x20, [sp]\n  ldp x21, x22, [sp, #16]\n  ldp x23, x24, [sp, #32]\n  ldp x25, x26, [sp, #48]\n"
        "  ldp x27, x28, [sp, #64]\n  ldp x29, x30, [sp, #80]\n  ldp d8, d9, [sp, #96]\n  ldp d10, d11, [sp, #112]\n"
        "  ldp d12, d13, [sp, #128]\n  ldp d14, d15, [sp, #144]\n"
        "  add sp, sp, #160\n  ret\n.size coroutine_switch,.-coroutine_switch\n");

void *coroutine_prepare(void *top, void (*entry)(void))
{
    uint64_t *sp = (uint64_t *)((uintptr_t)top & ~(uintptr_t)15) - 20;
    for (int i = 0; i < 20; i++) sp[i] = 0;
    sp[11] = (uint64_t)(uintptr_t)entry; /* the link register */
    return sp;
}

#else

#include "run/own.h"

#include <ucontext.h>

void coroutine_switch(void **from, void *to)
{
    ucontext_t here;
    /* cppcheck-suppress autoVariables ; the frame is left only after the switch back */
    *from = &here;
    swapcontext(&here, to);
}

enum { OLDEST = 1 << 16 };

void *coroutine_prepare(void *top, void (*entry)(void))
{
    ucontext_t *context = (ucontext_t *)((uintptr_t)top & ~(uintptr_t)15) - 1;
    getcontext(context);
    context->uc_stack.ss_sp = (char *)context - OLDEST;
    context->uc_stack.ss_size = OLDEST;
    context->uc_link = 0;
    makecontext(context, entry, 0);
    return context;
}

#endif
