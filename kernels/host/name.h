/* SPDX-License-Identifier: BSD-3-Clause */
/* The name of a kernel function: one source is compiled once per instruction set, with -DLM_ISA=base, avx2,
 * avx512 or neon, which becomes part of every external name. */
#ifndef LM_NAME_H
#define LM_NAME_H

#define LM_JOIN_(topic, isa) lm_kernel_##topic##_##isa
#define LM_JOIN(topic, isa)  LM_JOIN_(topic, isa)
#define LM_KERNEL(topic)     LM_JOIN(topic, LM_ISA)

#endif
