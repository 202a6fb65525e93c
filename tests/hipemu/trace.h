/* SPDX-License-Identifier: BSD-3-Clause */
/* Accesses of warps: what the work-items of one warp do at the same place of the source, the same time
 * around, is one access. */
#ifndef HIPEMU_TRACE_H
#define HIPEMU_TRACE_H

#include "state.h"

extern bool emu_tracing;

/* A block begins; it has so many threads. */
void emu_trace_begin(int threads);
/* An access of one of them. */
void emu_trace_access(int space, int site, int thread, const volatile void *p, int bytes, int store);
/* It has ended: count. Returns segments of global memory. */
int64_t emu_trace_end(void);

void emu_trace_clear(void);
void emu_trace_total(hipemu_trace *total);
void emu_trace_site(int site, hipemu_trace *of_site);
void emu_trace_drop(void); /* memory */

#endif
