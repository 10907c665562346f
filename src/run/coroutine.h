/* Threads of the program as coroutines of one thread of the system. A switch saves the registers that calls keep,
 * nothing else: no system call, no signal mask. */
#pragma once

/* Runs what `to` points at; returns when somebody switches back to what was saved in *from. */
void coroutine_switch(void **from, void *to);
/* Prepares the stack that ends at `top` so that the first switch to the result calls entry(), which must not return. */
void *coroutine_prepare(void *top, void (*entry)(void));
