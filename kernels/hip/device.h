/* SPDX-License-Identifier: BSD-3-Clause */
/* What the kernels need of a device, in the words of each compiler: HIP's at run time, a bare clang without any
 * header, NVIDIA's, and the host's for the emulated run time. And what a compiled variant is, from options:
 *
 *     LM_KERNEL  which kernel       LM_DST_WORD, LM_SRC_WORD  bytes of an access
 *     LM_UNIT    bytes that stay together                     LM_INDEX   bits of offsets
 *     LM_ITEMS   words in flight    LM_OPTION  see the kernels             LM_STREAM  stores past the caches */
#ifndef LM_HIP_DEVICE_H
#define LM_HIP_DEVICE_H

#ifndef LM_KERNEL /* for editors */
#define LM_KERNEL   0
#define LM_DST_WORD 16
#define LM_SRC_WORD 16
#define LM_UNIT     16
#define LM_INDEX    32
#define LM_ITEMS    4
#define LM_OPTION   0
#define LM_STREAM   0
#endif

/* Functions are inlined wherever they are used: what is passed by address would lie in memory otherwise. No kernel
 * uses all of them. */
#define LM_DEVICE [[maybe_unused]] static __device__ inline __attribute__((always_inline))

#if defined(LM_EMULATED)

#define LM_CONSTANT
#define LM_ENTRY      extern "C" void
#define LM_ARGS(args) (&args)
#define LM_VALUE_OF
static inline unsigned lm_thread(void) { return threadIdx.x; }
static inline unsigned lm_block_x(void) { return blockIdx.x; }
static inline unsigned lm_block_y(void) { return blockIdx.y; }
static inline void lm_barrier(void) { __syncthreads(); }
static inline char *lm_dynamic_lds(void) { return (char *)hipemu_dynamic_lds(); }

#elif defined(__CUDACC__)

#define LM_CONSTANT
#define LM_ENTRY      extern "C" __global__ void __launch_bounds__(256)
#define LM_ARGS(args) (&args)
#define LM_VALUE_OF   const __grid_constant__
#define HIPEMU_KERNEL(name)
LM_DEVICE unsigned lm_thread(void) { return threadIdx.x; }
LM_DEVICE unsigned lm_block_x(void) { return blockIdx.x; }
LM_DEVICE unsigned lm_block_y(void) { return blockIdx.y; }
LM_DEVICE void lm_barrier(void) { __syncthreads(); }

#else /* AMD */

#ifndef __global__
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#endif
/* Arguments are read where the command processor puts them: a copy on the stack would be indexed there. The two
 * pointers come first. */
#define LM_CONSTANT __attribute__((address_space(4)))
#define LM_ENTRY    extern "C" __global__ __attribute__((amdgpu_flat_work_group_size(1, 256))) void
#define LM_ARGS(args)                                                                                        \
    ((void)args,                                                                                             \
     (const LM_CONSTANT lm_hip_args *)((const LM_CONSTANT char *)__builtin_amdgcn_kernarg_segment_ptr() +    \
                                       16))
#define LM_VALUE_OF
#define HIPEMU_KERNEL(name)
LM_DEVICE unsigned lm_thread(void) { return __builtin_amdgcn_workitem_id_x(); }
LM_DEVICE unsigned lm_block_x(void) { return __builtin_amdgcn_workgroup_id_x(); }
LM_DEVICE unsigned lm_block_y(void) { return __builtin_amdgcn_workgroup_id_y(); }
LM_DEVICE void lm_barrier(void) {
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
    __builtin_amdgcn_s_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}

#endif

/* LDS of as many bytes as the launch says. */
#if !defined(LM_EMULATED)
extern __shared__ __attribute__((aligned(16))) char lm_dynamic[];
LM_DEVICE char *lm_dynamic_lds(void) { return lm_dynamic; }
#endif

#endif
