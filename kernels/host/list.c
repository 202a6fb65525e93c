/* SPDX-License-Identifier: BSD-3-Clause */
/* One table of all host kernels of all instruction sets compiled in, and the choice from it; writers of
 * arithmetic series and reorderings likewise. */
#include "config.h"

#include <stddef.h>

#include "affine.h"
#include "kernel.h"
#include "reorder.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#define LM_ROW(function, pattern, run, stream) lm_kernel_fn lm_kernel_##function##_base;
#include "list.h"
#undef LM_ROW

#if HAVE_ISA_AVX2
#define LM_ROW(function, pattern, run, stream) lm_kernel_fn lm_kernel_##function##_avx2;
#include "list.h"
#undef LM_ROW
#endif

#if HAVE_ISA_AVX512
#define LM_ROW(function, pattern, run, stream) lm_kernel_fn lm_kernel_##function##_avx512;
#include "list.h"
#undef LM_ROW
#endif

#if HAVE_ISA_NEON
#define LM_ROW(function, pattern, run, stream) lm_kernel_fn lm_kernel_##function##_neon;
#include "list.h"
#undef LM_ROW
#endif

/* The widest instruction set first: lm_kernel_find() takes the first row that fits. */
static const lm_kernel kernels[] = {
#if HAVE_ISA_NEON
#define LM_ROW(function, pattern, run, stream)                                                               \
    {#function "/neon", pattern, LM_ISA_NEON, run, stream, lm_kernel_##function##_neon},
#include "list.h"
#undef LM_ROW
#endif
#if HAVE_ISA_AVX512
#define LM_ROW(function, pattern, run, stream)                                                               \
    {#function "/avx512", pattern, LM_ISA_AVX512, run, stream, lm_kernel_##function##_avx512},
#include "list.h"
#undef LM_ROW
#endif
#if HAVE_ISA_AVX2
#define LM_ROW(function, pattern, run, stream)                                                               \
    {#function "/avx2", pattern, LM_ISA_AVX2, run, stream, lm_kernel_##function##_avx2},
#include "list.h"
#undef LM_ROW
#endif
#define LM_ROW(function, pattern, run, stream)                                                               \
    {#function "/base", pattern, LM_ISA_BASE, run, stream, lm_kernel_##function##_base},
#include "list.h"
#undef LM_ROW
};

enum { KERNELS = sizeof kernels / sizeof kernels[0] };

const lm_kernel *lm_kernel_list(int *count) {
    *count = KERNELS;
    return kernels;
}

static const lm_kernel *find(lm_pattern pattern, int64_t run, bool stream, lm_isa isa) {
    for (int k = 0; k < KERNELS; k++) {
        const lm_kernel *kernel = &kernels[k];
        if (kernel->pattern == pattern && kernel->stream == stream && kernel->isa <= isa &&
            (kernel->run == 0 || kernel->run == run))
            return kernel;
    }
    return NULL;
}

const lm_kernel *lm_kernel_find(lm_pattern pattern, int64_t run, bool stream, lm_isa isa) {
    const lm_kernel *kernel = find(pattern, run, stream, isa);
    return kernel ? kernel : find(pattern, run, false, isa);
}

lm_series_fn lm_kernel_affine_base;
#if HAVE_ISA_AVX2
lm_series_fn lm_kernel_affine_avx2;
#endif
#if HAVE_ISA_AVX512
lm_series_fn lm_kernel_affine_avx512;
#endif
#if HAVE_ISA_NEON
lm_series_fn lm_kernel_affine_neon;
#endif

lm_series_fn *lm_series_find(lm_isa isa) {
#if HAVE_ISA_NEON
    if (isa >= LM_ISA_NEON) return lm_kernel_affine_neon;
#endif
#if HAVE_ISA_AVX512
    if (isa >= LM_ISA_AVX512) return lm_kernel_affine_avx512;
#endif
#if HAVE_ISA_AVX2
    if (isa >= LM_ISA_AVX2) return lm_kernel_affine_avx2;
#endif
    (void)isa;
    return lm_kernel_affine_base;
}

#if HAVE_ISA_AVX512
lm_reorder_fn lm_kernel_reorder_avx512;
#endif

lm_reorder_fn *lm_reorder_find(lm_isa isa) {
#if HAVE_ISA_AVX512
    if (isa == LM_ISA_AVX512) return lm_kernel_reorder_avx512;
#endif
    (void)isa;
    return NULL;
}

void lm_kernel_fence(void) {
#if defined(__SSE2__)
    _mm_sfence();
#endif
}
