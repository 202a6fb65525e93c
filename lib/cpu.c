/* SPDX-License-Identifier: BSD-3-Clause */
/* Instruction sets: what the CPU and operating system run, and what the user allows through LMAD_ISA. */
#include "cpu.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[LM_ISA_COUNT] = {
    [LM_ISA_BASE] = "base",
    [LM_ISA_AVX2] = "avx2",
    [LM_ISA_AVX512] = "avx512",
    [LM_ISA_NEON] = "neon",
};

const char *lm_isa_name(lm_isa isa) { return (unsigned)isa < LM_ISA_COUNT ? names[isa] : "unknown"; }

#if defined(__x86_64__) || defined(__i386__)

/* The builtin looks at XCR0 as well: a feature whose registers the operating system does not save is not
 * reported. */
static bool has_avx2(void) { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2"); }

static bool has_avx512(void) {
    return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512vbmi");
}

/* Zen 4 is the one of its family that has AVX-512. */
static bool has_halves(void) { return has_avx512() && __builtin_cpu_is("amdfam19h"); }

bool lm_isa_supported(lm_isa isa) {
    switch (isa) {
    case LM_ISA_BASE: return true;
    case LM_ISA_AVX2: return has_avx2();
    case LM_ISA_AVX512: return has_avx512();
    default: return false;
    }
}

#elif defined(__aarch64__)

static bool has_halves(void) { return false; }

bool lm_isa_supported(lm_isa isa) { return isa == LM_ISA_BASE || isa == LM_ISA_NEON; }

#else

static bool has_halves(void) { return false; }

bool lm_isa_supported(lm_isa isa) { return isa == LM_ISA_BASE; }

#endif

lm_isa lm_isa_named(const char *name) {
    int isa = 0;
    while (isa < LM_ISA_COUNT && strcmp(name, names[isa]) != 0) isa++;
    return (lm_isa)isa;
}

lm_isa lm_isa_widest(lm_isa limit) {
    while (!lm_isa_supported(limit)) limit = (lm_isa)(limit - 1);
    return limit;
}

static lm_isa chosen = LM_ISA_BASE, chosen_near = LM_ISA_BASE;

static void choose(void) {
    const char *wanted = getenv("LMAD_ISA");
    lm_isa limit = wanted ? lm_isa_named(wanted) : LM_ISA_COUNT;
    if (!lm_isa_supported(limit)) limit = LM_ISA_COUNT - 1;
    chosen = lm_isa_widest(limit);
    chosen_near = chosen == LM_ISA_AVX512 && has_halves() ? LM_ISA_AVX2 : chosen;
}

static pthread_once_t once = PTHREAD_ONCE_INIT;

lm_isa lm_cpu_isa(void) {
    pthread_once(&once, choose);
    return chosen;
}

lm_isa lm_cpu_isa_near(void) {
    pthread_once(&once, choose);
    return chosen_near;
}
