/* Which local slots still matter at an instruction. A thread at rest keeps only those, so that states
 * which differ in values nobody will look at are one state, and one place of the net. */
#pragma once
#include "program/code.h"

/* Fills thread->live and live_words; false, with an error, when the budget of the program is spent. */
bool program_live_compute(const Ast *ast, Thread *thread, GError **error);
