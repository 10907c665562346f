/* Translates the body of one thread instance into its code. */
#pragma once
#include "program/code.h"
#include "program/names.h"

/* Notes which thread groups some statement creates or joins, reached or not. */
void body_mark_threads(Code *code, Names *names, const Stmt *s);
/* Fills code, slots, labels and max_stack of thread t. Errors are left in names. */
void body_generate(Code *code, Names *names, uint32_t t);
