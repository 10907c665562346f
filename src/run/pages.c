#include "run/pages.h"

#include "run/heap.h"
#include "run/run.h"

#include <link.h>
#include <string.h>
#include <sys/mman.h>

enum { MAX_RANGES = 128 };

typedef struct Range {
    uintptr_t start, end;
    char *copy;
    uint8_t *written;
} Range;

typedef struct Pages {
    Range range[MAX_RANGES];
    unsigned n;
    bool learnt; /* the first execution is over */
    struct {
        char *page;
        const char *copy;
    } * hot;
    uint32_t n_hot;
} Pages;

static Pages *pages(void)
{
    static Pages *kept; /* set before the memory is recorded */
    if (!kept) kept = own_pages(0, sizeof *kept);
    return kept;
}

static void add_range(uintptr_t start, uintptr_t end)
{
    Pages *p = pages();
    start &= ~(uintptr_t)(PAGE - 1);
    end = (end + PAGE - 1) & ~(uintptr_t)(PAGE - 1);
    if (start >= end || p->n == MAX_RANGES) return;
    uintptr_t own = (uintptr_t)&run_pages, own_end = own + sizeof run_pages;
    if (start < own_end && own < end) {
        add_range(start, own);
        add_range(own_end, end);
        return;
    }
    p->range[p->n++] = (Range){.start = start, .end = end};
}

/* Writable segments without the part that the loader made read-only. */
static int object_ranges(struct dl_phdr_info *info, size_t size, void *data)
{
    uintptr_t relro = 0, relro_end = 0;
    (void)size;
    (void)data;
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_GNU_RELRO) {
            relro = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
            relro_end = (relro + info->dlpi_phdr[i].p_memsz) & ~(uintptr_t)(PAGE - 1);
            relro &= ~(uintptr_t)(PAGE - 1);
        }
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_W)) continue;
        uintptr_t start = (info->dlpi_addr + segment->p_vaddr) & ~(uintptr_t)(PAGE - 1);
        uintptr_t end = info->dlpi_addr + segment->p_vaddr + segment->p_memsz;
        if (relro >= start && relro < end) {
            add_range(start, relro);
            start = relro_end > start ? relro_end : start;
        }
        add_range(start, end);
    }
    return 0;
}

void pages_record(void)
{
    uintptr_t heap_start;
    size_t heap_bytes, total = 0;
    dl_iterate_phdr(object_ranges, NULL);
    heap_recorded(&heap_start, &heap_bytes);
    if (heap_bytes) add_range(heap_start, heap_start + heap_bytes);
    Pages *p = pages();
    for (unsigned i = 0; i < p->n; i++) total += p->range[i].end - p->range[i].start;
    p->hot = own_pages(0, total / PAGE * sizeof *p->hot + PAGE);
    for (unsigned i = 0; i < p->n; i++) {
        Range *range = &p->range[i];
        size_t bytes = range->end - range->start;
        range->copy = own_pages(0, bytes);
        range->written = own_pages(0, bytes / PAGE + 1);
        memcpy(range->copy, (void *)range->start, bytes);
    }
}

static void heat(Pages *p, Range *range, size_t page)
{
    range->written[page] = 1;
    p->hot[p->n_hot].page = (char *)range->start + page * PAGE;
    p->hot[p->n_hot++].copy = range->copy + page * PAGE;
}

static void learn(Pages *p)
{
    p->learnt = true;
    for (unsigned i = 0; i < p->n; i++) {
        Range *range = &p->range[i];
        for (size_t page = 0; page < (range->end - range->start) / PAGE; page++) {
            char *start = (char *)range->start + page * PAGE;
            if (memcmp(start, range->copy + page * PAGE, PAGE) != 0)
                heat(p, range, page);
            else
                mprotect(start, PAGE, PROT_READ);
        }
    }
}

bool pages_fault(uintptr_t address)
{
    Pages *p = pages();
    for (unsigned i = 0; i < p->n; i++) {
        Range *range = &p->range[i];
        if (address < range->start || address >= range->end) continue;
        size_t page = (address - range->start) / PAGE;
        if (range->written[page] || !p->learnt) return false;
        mprotect((char *)range->start + page * PAGE, PAGE, PROT_READ | PROT_WRITE);
        heat(p, range, page);
        return true;
    }
    return false;
}

void pages_touch(uintptr_t start, size_t bytes)
{
    for (uintptr_t at = start & ~(uintptr_t)(PAGE - 1); at < start + bytes; at += PAGE) pages_fault(at);
}

void pages_restore(void)
{
    Pages *p = pages();
    if (!p->learnt) learn(p);
    for (uint32_t i = 0; i < p->n_hot; i++) memcpy(p->hot[i].page, p->hot[i].copy, PAGE);
}
