/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernels with and without mistakes, for the emulated run time's own tests. */
struct args {
    long n;      /* floats, or those of a row */
    int pitch;   /* of a tile in LDS */
    int barrier; /* is there one between writing and reading it? */
};

enum { TILE = 32, ROWS = 8, SITE_READ = 1, SITE_WRITE, SITE_LDS_WRITE, SITE_LDS_READ };

static inline float get(int site, const float *p) {
    hipemu_global(site, p, sizeof *p, 0);
    return *p;
}

static inline void put(int site, float *p, float value) {
    hipemu_global(site, p, sizeof *p, 1);
    *p = value;
}

static inline long position(void) { return (long)blockIdx.x * blockDim.x + threadIdx.x; }

extern "C" __global__ void copy(float *dst, const float *src, args a) {
    if (position() < a.n) put(SITE_WRITE, dst + position(), get(SITE_READ, src + position()));
}
HIPEMU_KERNEL(copy)

/* Reads what somebody else writes, before or after. */
extern "C" __global__ void increment(float *dst, const float *src, args a) {
    (void)src;
    if (position() < a.n) put(SITE_WRITE, dst + position(), get(SITE_READ, dst + position()) + 1);
}
HIPEMU_KERNEL(increment)

/* ---- Transposes ---- */

/* Reads rows, writes columns. */
extern "C" __global__ void naive(float *dst, const float *src, args a) {
    long x = (long)blockIdx.x * TILE + threadIdx.x;
    for (int k = 0; k < TILE; k += ROWS) {
        long y = (long)blockIdx.y * TILE + threadIdx.y + k;
        put(SITE_WRITE, dst + x * a.n + y, get(SITE_READ, src + y * a.n + x));
    }
}
HIPEMU_KERNEL(naive)

/* Through a tile, rows on both sides. */
extern "C" __global__ void tiled(float *dst, const float *src, args a) {
    float *tile = static_cast<float *>(hipemu_dynamic_lds());
    long x0 = (long)blockIdx.x * TILE, y0 = (long)blockIdx.y * TILE;
    unsigned x = threadIdx.x;
    for (unsigned y = threadIdx.y; y < TILE; y += ROWS) {
        float value = get(SITE_READ, src + (y0 + y) * a.n + x0 + x);
        hipemu_lds(SITE_LDS_WRITE, tile + y * a.pitch + x, sizeof value, 1);
        tile[y * a.pitch + x] = value;
    }
    if (a.barrier) __syncthreads();
    for (unsigned y = threadIdx.y; y < TILE; y += ROWS) {
        hipemu_lds(SITE_LDS_READ, tile + x * a.pitch + y, sizeof *tile, 0);
        put(SITE_WRITE, dst + (x0 + y) * a.n + y0 + x, tile[x * a.pitch + y]);
    }
}
HIPEMU_KERNEL(tiled)

/* ---- Mistakes ---- */

extern "C" __global__ void reads_beyond(float *dst, const float *src, args a) {
    put(SITE_WRITE, dst + threadIdx.x, get(SITE_READ, src + a.n + threadIdx.x));
}
HIPEMU_KERNEL(reads_beyond)

extern "C" __global__ void writes_before(float *dst, const float *src, args a) {
    (void)src, (void)a;
    put(SITE_WRITE, dst - 1 - threadIdx.x, 0);
}
HIPEMU_KERNEL(writes_before)

extern "C" __global__ void writes_unannounced(float *dst, const float *src, args a) {
    (void)src;
    if (threadIdx.x == 0) dst[a.n] = 0;
}
HIPEMU_KERNEL(writes_unannounced)

extern "C" __global__ void leaves_lds(float *dst, const float *src, args a) {
    (void)dst, (void)src;
    __shared__ float some[64];
    hipemu_lds(SITE_LDS_WRITE, some + a.n, sizeof *some, 1);
    some[a.n] = 1;
}
HIPEMU_KERNEL(leaves_lds)

/* All but the first write nothing, and all read. */
extern "C" __global__ void reads_fresh_lds(float *dst, const float *src, args a) {
    (void)src, (void)a;
    __shared__ float some[64];
    if (threadIdx.x == 0) some[0] = 1;
    __syncthreads();
    put(SITE_WRITE, dst + threadIdx.x, some[threadIdx.x]);
}
HIPEMU_KERNEL(reads_fresh_lds)

extern "C" __global__ void divides_at_barrier(float *dst, const float *src, args a) {
    (void)dst, (void)src;
    if ((long)threadIdx.x < a.n) return;
    __syncthreads();
}
HIPEMU_KERNEL(divides_at_barrier)
