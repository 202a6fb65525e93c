/* SPDX-License-Identifier: BSD-3-Clause */
/* Which instruction sets this process may use. */
#ifndef LM_CPU_H
#define LM_CPU_H

#include <stdbool.h>

#include "kernels/host/isa.h"

/* "base", "avx2", "avx512", "neon". */
const char *lm_isa_name(lm_isa isa);

/* The instruction set of that name; LM_ISA_COUNT where there is none. */
lm_isa lm_isa_named(const char *name);

/* Whether this CPU and operating system run the instruction set (LMAD_ISA is not looked at). */
bool lm_isa_supported(lm_isa isa);

/* The widest one that they run, up to this one. */
lm_isa lm_isa_widest(lm_isa limit);

/* The widest supported instruction set within LMAD_ISA (an unknown or unsupported name is as no name). The
 * environment is read once. */
lm_isa lm_cpu_isa(void);

/* The best one within it for data that stay in the caches. Processors that run instructions of 512 bits as two
 * halves shuffle no faster with them, and pay for whole lines that lie across two. */
lm_isa lm_cpu_isa_near(void);

#endif
