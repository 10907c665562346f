/* The writable memory of the executable and its libraries, as it was before main(), and how it is put back. Pages that
 * differ after the first execution are copied back before each other one. The rest is write-protected then: a page that
 * is written later joins them. So the cost of an execution is that of the pages that the program uses, and faults,
 * which the system does not forgive when it writes there itself, are rare. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Records all pages but those of `run`. */
void pages_record(void);
/* After an execution. */
void pages_restore(void);
/* A write fault: true when the page is one of ours and may be written now. */
bool pages_fault(uintptr_t address);
/* The system will write there. */
void pages_touch(uintptr_t start, size_t bytes);
