/* SPDX-License-Identifier: BSD-3-Clause */
/* Fibres. They belong to whoever holds the run time's lock; stacks are kept for reuse, the last one used
 * first, so that work-items without barriers all run on the same. */
#define _GNU_SOURCE 1
#include "fibre.h"

#include <stdlib.h>
#include <sys/mman.h>

#include "sanitize.h"
#include "switch.h"

enum { PAGE = 4096, STACK = 128 << 10 };

struct emu_fibre {
    emu_fibre *next; /* in the list of free ones */
    char *stack;     /* its lowest page is inaccessible */
    emu_place place;
    void (*body)(void *data);
    void *data;
    bool ended;
    void *fake_stack;
};

static emu_fibre *unused, *current;

/* Who resumed, and the stack that this was on. */
static emu_place resumer;
static const void *resumer_stack;
static size_t resumer_bytes;

static char *bottom(const emu_fibre *f) { return f->stack + PAGE; }

static void emu_switch_entry(void) {
    emu_stack_arrive(NULL, &resumer_stack, &resumer_bytes);
    emu_fibre *f = current;
    f->body(f->data);
    f->ended = true;
    emu_stack_leave(NULL, resumer_stack, resumer_bytes);
    emu_switch(&f->place, &resumer);
    abort();
}

static emu_fibre *make(void) {
    emu_fibre *f = calloc(1, sizeof *f);
    if (!f) return NULL;
    f->stack = mmap(NULL, PAGE + STACK, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (f->stack == MAP_FAILED || mprotect(bottom(f), STACK, PROT_READ | PROT_WRITE) != 0) {
        if (f->stack != MAP_FAILED) munmap(f->stack, PAGE + STACK);
        free(f);
        return NULL;
    }
    return f;
}

emu_fibre *emu_fibre_start(void (*body)(void *data), void *data) {
    emu_fibre *f = unused;
    if (f)
        unused = f->next;
    else
        f = make();
    if (!f) return NULL;
    f->body = body, f->data = data;
    f->ended = false;
    f->fake_stack = NULL;
    emu_switch_prepare(&f->place, bottom(f), STACK);
    return f;
}

static void keep(emu_fibre *f) {
    f->next = unused;
    unused = f;
}

bool emu_fibre_resume(emu_fibre *f) {
    void *fake_stack = NULL;
    current = f;
    emu_stack_leave(&fake_stack, bottom(f), STACK);
    emu_switch(&resumer, &f->place);
    emu_stack_arrive(fake_stack, NULL, NULL);
    current = NULL;
    if (f->ended) keep(f);
    return f->ended;
}

void emu_fibre_pause(void) {
    emu_fibre *f = current;
    emu_stack_leave(&f->fake_stack, resumer_stack, resumer_bytes);
    emu_switch(&f->place, &resumer);
    emu_stack_arrive(f->fake_stack, &resumer_stack, &resumer_bytes);
}

/* Its frames stay poisoned otherwise. */
void emu_fibre_abandon(emu_fibre *f) {
    emu_unpoison(bottom(f), STACK);
    keep(f);
}

void emu_fibres_drop(void) {
    while (unused) {
        emu_fibre *f = unused;
        unused = f->next;
        emu_unpoison(bottom(f), STACK);
        munmap(f->stack, PAGE + STACK);
        free(f);
    }
}
