/* Addresses of a program in the words of its source: functions and lines by addr2line, variables by nm (both come with
 * every C compiler's linker). Where they are missing an address stays a number. */
#pragma once
#include "native/result.h"

typedef struct Symbols Symbols;

/* For a program loaded at `base`. Asks for all addresses of the result at once. */
Symbols *symbols_new(const char *program, const NativeResult *result);
void symbols_free(Symbols *symbols);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Symbols, symbols_free)

/* "file.c:12"; the strings live as long as the symbols. */
const char *symbols_line(Symbols *symbols, uint64_t pc);
/* The file of the line with its folders, or NULL. */
const char *symbols_path(Symbols *symbols, uint64_t pc);
const char *symbols_function(Symbols *symbols, uint64_t pc);
/* "name", "name+8", or the number. */
const char *symbols_object(Symbols *symbols, uint64_t address);
