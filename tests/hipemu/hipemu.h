/* SPDX-License-Identifier: BSD-3-Clause */
/* libhipemu.so: HIP's run time on the CPU, for tests. It exports the hip* and hiprtc* functions that the
 * library uses (and graphs, managed memory, hipMemcpy and hipMemset, which tests use) and runs device code
 * that its hiprtc compiled with the host's compiler. Pointing LMAD_HIP_LIBRARY at it is all it needs.
 *
 * What it finds: accesses beyond an allocation (guard zones; device code stops, the device is lost with error
 * 700), barriers that not all threads of a block reach, uninitialised LDS and fresh memory (both filled with
 * a pattern), missing barriers (threads of a block run one after another, in an order that varies), the host
 * touching device memory (SIGSEGV), missing synchronisation (lazy streams run when they must, not before),
 * handles that are no more. What it does not model: caches, occupancy, memory ordering, speed. Its times are
 * those of a fake clock.
 *
 * Environment, read at the first call:
 *   HIPEMU_DEVICES  how many devices there are (1)
 *   HIPEMU_WARP     32 (gfx1030) or 64 (gfx90a, the default)
 *   HIPEMU_LAZY     1 = streams are lazy
 *   HIPEMU_PEERS    0 = devices cannot reach each other's memory
 *   HIPEMU_VERSION  hipRuntimeGetVersion() (70000000); older ones behave like those
 *   HIPEMU_CXX      compiler command of hiprtc
 * Complaints go to standard error, and to report(). */
#ifndef HIPEMU_H
#define HIPEMU_H

#include <stdbool.h>
#include <stdint.h>

#define HIPEMU_EXPORT __attribute__((visibility("default")))

/* What is alive, and what has been done since reset(). */
typedef struct hipemu_counts {
    int64_t compiles, launches, copies, synchronisations;
    int64_t device_allocations, host_allocations;       /* made */
    int64_t device_memory, host_memory;                 /* allocations alive */
    int64_t device_bytes, host_bytes;                   /* alive */
    int64_t streams, events, modules, programs, graphs; /* alive */
    int64_t complaints;
} hipemu_counts;

/* Memory accesses of warps: [0] loads, [1] stores. A segment is 64 bytes at warp 64, 32 at warp 32; ideal is
 * what the same number of bytes would touch from the lowest address on. LDS has 32 banks of 4 bytes; ideal is
 * without conflicts. */
typedef struct hipemu_trace {
    int64_t accesses[2], bytes[2], segments[2], ideal[2];
    int64_t lds_accesses[2], lds_cycles[2], lds_ideal[2];
} hipemu_trace;

enum { HIPEMU_SITES = 64 };

/* Work that the fake clock is asked about. */
typedef struct hipemu_work {
    const char *kernel; /* its name; NULL for a copy or memset */
    uint32_t grid[3], block[3];
    const void *args; /* the buffer of parameters */
    int64_t bytes;    /* read and written, by announced accesses or by the copy */
    int64_t segments; /* read and written; 0 without trace */
    bool crosses;     /* between host and device or two devices */
} hipemu_work;

typedef double hipemu_cost(void *data, const hipemu_work *work); /* nanoseconds */

typedef struct hipemu {
    /* As after loading, with the environment's settings; frees whatever is alive (handles become invalid). */
    void (*reset)(void);

    void (*set_devices)(int count); /* 0 .. 8 */
    void (*set_warp)(int width);    /* 32 or 64 */
    void (*set_lazy)(bool lazy);
    void (*set_peers)(bool reachable); /* what hipDeviceCanAccessPeer() says */
    void (*set_version)(int version);
    void (*set_memory)(int64_t bytes); /* of each device */
    void (*set_grid)(int x, int yz);   /* blocks that a launch may have at most along the axes */

    /* The nth call (1 = the next) of such a name, or of any that can fail if call is NULL, fails with that
     * error. What destroys something does so all the same. One such order at a time; nth 0 takes it back. */
    void (*break_call)(const char *call, int nth, int error);
    /* Calls that can fail so, since the last break_call(): to walk through all of them. */
    int (*breakable_calls)(void);
    /* From now on whatever is done on this device fails with hipErrorContextIsDestroyed; its memory is gone.
     */
    void (*lose_device)(int number);

    void (*counts)(hipemu_counts *counts);
    int64_t (*calls)(const char *call); /* of this name, since reset() */
    const char *(*report)(void);        /* the last complaint since reset(), or "" */
    bool (*intact)(void);               /* looks at all guard zones; complains */

    /* Work that is not done yet, in all streams. */
    int64_t (*pending)(void);

    void (*set_trace)(bool on);
    void (*clear_trace)(void);
    void (*trace)(hipemu_trace *total);
    void (*trace_site)(int site, hipemu_trace *of_site);

    /* The clock: 1000 ns a piece of work and 0.001 ns a byte, or what cost() says; NULL = back to that. */
    void (*set_clock)(double work_ns, double byte_ns);
    void (*set_cost)(hipemu_cost *cost, void *data);
} hipemu;

HIPEMU_EXPORT const hipemu *hipemu_control(void);

#endif
