/* SPDX-License-Identifier: BSD-3-Clause */
/* Instruction sets that host kernels are compiled for. */
#ifndef LM_ISA_H
#define LM_ISA_H

/* Ascending within an architecture: a CPU that has one has all before it. */
typedef enum lm_isa {
    LM_ISA_BASE = 0, /* SSE2 on x86-64; elsewhere plain C, as well as the compiler can do it */
    LM_ISA_AVX2,     /* AVX2 and BMI2 */
    LM_ISA_AVX512,   /* AVX-512 F, BW, DQ, VL and VBMI */
    LM_ISA_NEON,     /* aarch64, where every CPU has it */
    LM_ISA_COUNT
} lm_isa;

#endif
