/* SPDX-License-Identifier: BSD-3-Clause */
/* The dialect that device code is written in, for the emulated run time: put before every program that its
 * hiprtc compiles, with the host's compiler as C++17. Differences to a real device:
 *   - after each kernel stands HIPEMU_KERNEL(name), which makes it known;
 *   - dynamic LDS is hipemu_dynamic_lds(), not `extern __shared__`;
 *   - loads and stores announce themselves: hipemu_global() and hipemu_lds(), with a site number 0 .. 63 that
 * tells the places in the source apart. Those that do not are neither traced nor checked;
 *   - hipemu_idle() says that a work-item sits out some accesses of such a place, which others of its warp
 * may do and which it does itself later on. */
#ifndef HIPEMU_DEVICE_H
#define HIPEMU_DEVICE_H

#include "abi.h"

#define LM_EMULATED 1

#define __global__
#define __device__
#define __host__
#define __constant__
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...)
#define __shared__ static __attribute__((section("hipemu_lds")))

extern "C" {
extern char __start_hipemu_lds[] __attribute__((weak, visibility("hidden")));
extern char __stop_hipemu_lds[] __attribute__((weak, visibility("hidden")));

__attribute__((visibility("default")))
hipemu_module_table hipemu_module = {sizeof(hipemu_runtime), nullptr, __start_hipemu_lds, __stop_hipemu_lds};

inline bool hipemu_lies_in(const volatile void *p, int bytes, const char *begin, const char *end) {
    const volatile char *at = static_cast<const volatile char *>(p);
    return at >= begin && at + bytes <= end;
}

/* Before an access of global memory, or of LDS. */
inline void hipemu_global(int site, const volatile void *p, int bytes, int store) {
    hipemu_runtime *r = hipemu_module.runtime;
    r->bytes += bytes;
    if (r->tracing || !hipemu_lies_in(p, bytes, r->seen[store != 0], r->seen_end[store != 0]))
        r->access(HIPEMU_GLOBAL, site, p, bytes, store);
}
inline void hipemu_lds(int site, const volatile void *p, int bytes, int store) {
    hipemu_runtime *r = hipemu_module.runtime;
    if (r->tracing || !hipemu_lies_in(p, bytes, r->dynamic_lds, r->dynamic_lds_end))
        r->access(HIPEMU_LDS, site, p, bytes, store);
}
inline void hipemu_idle(int space, int site, int times) {
    hipemu_runtime *r = hipemu_module.runtime;
    for (int k = 0; r->tracing && k < times; k++) r->access(space, site, nullptr, 0, 0);
}
inline void *hipemu_dynamic_lds(void) { return hipemu_module.runtime->dynamic_lds; }
inline void __syncthreads(void) { hipemu_module.runtime->barrier(); }
}

#define threadIdx (hipemu_module.runtime->thread)
#define blockIdx  (hipemu_module.runtime->block)
#define blockDim  (hipemu_module.runtime->block_dim)
#define gridDim   (hipemu_module.runtime->grid_dim)

namespace hipemu {

template <int K, class T, class... Rest> struct nth { using type = typename nth<K - 1, Rest...>::type; };
template <class T, class... Rest> struct nth<0, T, Rest...> { using type = T; };

/* Where the parameters of such a kernel lie. */
template <class... P> struct layout {
    unsigned offset[sizeof...(P)], size[sizeof...(P)];
    constexpr layout() : offset(), size() {
        const unsigned sizes[] = {sizeof(P)...}, aligns[] = {alignof(P)...};
        unsigned at = 0;
        for (unsigned i = 0; i < sizeof...(P); i++) {
            at = (at + aligns[i] - 1) / aligns[i] * aligns[i];
            offset[i] = at;
            size[i] = sizes[i];
            at += sizes[i];
        }
    }
};

template <auto F> struct caller;
template <class... P, void (*F)(P...)> struct caller<F> {
    static constexpr layout<P...> where{};
    template <class... Done> static void call(char *buffer, Done &...done) {
        if constexpr (sizeof...(Done) == sizeof...(P)) {
            F(done...);
        } else {
            constexpr int k = sizeof...(Done);
            using type = typename nth<k, P...>::type;
            call(buffer, done..., *reinterpret_cast<type *>(buffer + where.offset[k]));
        }
    }
    static void run(void *buffer) { call(static_cast<char *>(buffer)); }
    static constexpr hipemu_kernel_table table() { return {run, sizeof...(P), where.offset, where.size}; }
};

} // namespace hipemu

#define HIPEMU_KERNEL(name)                                                                                  \
    extern "C" __attribute__((visibility("default"))) const hipemu_kernel_table hipemu_kernel_##name;        \
    const hipemu_kernel_table hipemu_kernel_##name = hipemu::caller<name>::table();

#endif
