/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file lmad.h
 * Copies of n-dimensional strided arrays between layouts: plan once, execute many times.
 *
 * A layout is an LMAD (linear memory access descriptor): an offset and one (size, stride) pair an
 * axis, outermost first, all in elements. Every operation means
 *
 *     for all i in [0,n_1) x ... x [0,n_d):  D[do + sum i_k*ds_k] = S[so + sum i_k*ss_k]
 *
 * as if all of S were read before D is first written; no byte of the destination buffer outside the
 * described set changes.
 *
 * Conventions of all functions:
 * - The order is (destination, source), as in memcpy.
 * - A function that can fail returns an lmad_status. On failure no output is set, nothing was copied,
 *   and lmad_error_detail() says which side, axis and reason.
 * - Thread-safe unless said otherwise: different objects may always be used from different threads; a
 *   plan may be executed from many threads at once; a context may be shared.
 * - The library prints nothing (unless LMAD_VERBOSE asks for it), never aborts on input, and keeps no global
 *   state besides the default context, which is made at its first use.
 *
 * - The first plan, or copy, of a process asks hwloc about the machine: about 10 ms, and some MiB of memory
 *   for so long. With less than 16 MiB to be had the library does with usual values instead; should memory
 *   run out while hwloc is at it, hwloc may crash. A program that must live with that plans early.
 *
 * - A thread that calls the library, and every thread that works for it (OMP_STACKSIZE, a pool's own), needs
 *   64 KiB of stack.
 * - Loaded with dlopen(), the shared library stays in memory after dlclose(): OpenMP's threads outlive it.
 *
 * - After fork() the child may use every plan and context, also while other threads of the parent planned or
 *   executed; what those were writing at that moment is half written in the child. Where the parent had
 *   several threads, the built-in ones are not used in the child: it works on one, or on its own pool.
 *
 * Environment, read once at first use:
 * - LMAD_NUM_THREADS: upper bound of automatic thread counts, a whole number from 1 on;
 * - LMAD_ISA (base, avx2 or avx512): the widest instruction set to use;
 * - LMAD_WISDOM: colon-separated wisdom files to load in place of the usual ones; empty = none;
 * - LMAD_RECORD: a file to which every distinct copy, move and fill that is planned is appended, as a suite line;
 * - LMAD_VERBOSE: 1 = notes on wisdom and measurements on standard error (off by default);
 * - LMAD_HIP_LIBRARY: the file of HIP's run time, in place of the system's (lmad-hip.h); empty = none.
 * Any other value of the first two is as if the variable were unset; lmad-info shows whether one is. Programs that
 * run with more rights than their caller (setuid) ignore the last four.
 */
#ifndef LMAD_H
#define LMAD_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define LMAD_API __attribute__((visibility("default")))
#else
#define LMAD_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define LMAD_VERSION_MAJOR 0
#define LMAD_VERSION_MINOR 1
#define LMAD_VERSION_PATCH 0

/** The highest rank of a descriptor. Part of the ABI. */
#define LMAD_MAX_RANK 32

/** One axis: n elements (n >= 0), stride elements apart (any sign). The stride of an axis of extent 1
 *  means nothing and is never used in arithmetic. */
typedef struct {
    int64_t n;
    int64_t stride;
} lmad_dim;

/** A view of an array: rank axes, outermost first, and the offset in elements of index (0, ..., 0) from
 *  the pointer given at execution. Only dim[0 .. rank-1] are read or written. Rank 0 is one element. */
typedef struct {
    int rank;
    int64_t offset;
    lmad_dim dim[LMAD_MAX_RANK];
} lmad_desc;

/** What a call says of itself. Values are never reused. */
typedef enum {
    LMAD_OK = 0,
    LMAD_ERR_NULL,       /**< a pointer that must not be NULL is */
    LMAD_ERR_RANK,       /**< rank below 0 or above LMAD_MAX_RANK */
    LMAD_ERR_SHAPE,      /**< shapes differ, or do not fit the operation */
    LMAD_ERR_EXTENT,     /**< an extent is negative, or an axis has the wrong extent */
    LMAD_ERR_AXIS,       /**< no such axis or index, or not a permutation of the axes */
    LMAD_ERR_ELEM_SIZE,  /**< element size 0 or beyond INT64_MAX */
    LMAD_ERR_FLAGS,      /**< unknown flag bits or flags that exclude each other */
    LMAD_ERR_OVERFLOW,   /**< an offset, extent product or byte reach leaves int64 */
    LMAD_ERR_DST_ALIAS,  /**< two indices of the destination are the same element */
    LMAD_ERR_OVERLAP,    /**< the buffers of a copy share a byte */
    LMAD_ERR_UNDECIDED,  /**< an exact test (aliasing) reached its work limit */
    LMAD_ERR_LAYOUT,     /**< the view cannot be expressed without moving data */
    LMAD_ERR_PARSE,      /**< text is not an LMAD */
    LMAD_ERR_NO_WISDOM,  /**< LMAD_WISDOM_ONLY, and no wisdom for this problem */
    LMAD_ERR_NO_MEMORY,  /**< memory is exhausted */
    LMAD_ERR_IO,         /**< reading or writing a file failed */
    LMAD_ERR_FORMAT,     /**< a file is not what it should be */
    LMAD_ERR_NO_DEVICE,  /**< there is no such device */
    LMAD_ERR_DEVICE,     /**< the device reported an error */
    LMAD_ERR_NO_CODE,    /**< no device code for this problem */
    LMAD_ERR_BUFFER,     /**< a move executed on two different buffers */
    LMAD_ERR_ARGUMENT,   /**< a value is out of range in another way */
    LMAD_ERR_DEVICE_LOST /**< the device failed: what is left of its work and memory can only be destroyed */
} lmad_status;

/** A short English text for a status; never NULL, static. */
LMAD_API const char *lmad_strerror(lmad_status status);

/** The calling thread's last failure in words: side, axis, reason. Never NULL; empty before the first
 *  failure. Owned by the library, valid until this thread's next failing call. */
LMAD_API const char *lmad_error_detail(void);

/** "major.minor.patch" of the library that runs (LMAD_VERSION_* are those of this header). Static. */
LMAD_API const char *lmad_version(void);

/* ---- Views: in place, no allocation, no data moved; a failed call leaves *d unchanged ---------- */

/** A dense array of this shape, last axis contiguous, offset 0. @p shape has @p rank entries >= 0. */
LMAD_API lmad_status lmad_row_major(lmad_desc *d, int rank, const int64_t *shape);

/** A dense array of this shape, first axis contiguous, offset 0. @p shape has @p rank entries >= 0. */
LMAD_API lmad_status lmad_col_major(lmad_desc *d, int rank, const int64_t *shape);

/** Keep the indices start, start+step, ... of an axis: below @p stop for step > 0, above it for
 *  step < 0 (so stop = -1 includes index 0). Indices are literal, never counted from the end. Empty
 *  when start is already at or past stop. Out of range (start outside [0, n) or stop outside [-1, n]
 *  of a selection that is not empty) is LMAD_ERR_AXIS; step = 0 is LMAD_ERR_ARGUMENT. */
LMAD_API lmad_status lmad_slice(lmad_desc *d, int axis, int64_t start, int64_t stop, int64_t step);

/** Fix one index of an axis, 0 <= i < n, and drop the axis: the rank falls by one. */
LMAD_API lmad_status lmad_index(lmad_desc *d, int axis, int64_t i);

/** A new axis of extent @p n >= 0 and stride 0 before @p axis (0 <= axis <= rank). */
LMAD_API lmad_status lmad_insert(lmad_desc *d, int axis, int64_t n);

/** New axis k is old axis perm[k]; @p perm has rank entries. */
LMAD_API lmad_status lmad_permute(lmad_desc *d, const int *perm);

/** Run an axis backwards. */
LMAD_API lmad_status lmad_reverse(lmad_desc *d, int axis);

/** Repeat an axis of extent 1 @p n >= 0 times (stride 0). Another extent is LMAD_ERR_EXTENT. */
LMAD_API lmad_status lmad_broadcast(lmad_desc *d, int axis, int64_t n);

/** The same elements in the same (row-major index) order under another shape, where that needs no
 *  copy: otherwise LMAD_ERR_LAYOUT; LMAD_ERR_SHAPE when the counts differ. */
LMAD_API lmad_status lmad_reshape(lmad_desc *d, int rank, const int64_t *shape);

/** Read the notation "[(n,stride),...]+offset", e.g. "[(8192,8193),(8192,1)]+1"; the offset may be
 *  absent or negative, rank 0 is "[]". Numbers are decimal digits; a "-" may precede a stride (and the 0 of
 *  an extent), a "+" may not; the offset has one or the other. Blanks may stand between any two tokens, signs
 *  included. LMAD_ERR_PARSE with the column otherwise; LMAD_ERR_OVERFLOW for numbers beyond int64,
 *  LMAD_ERR_EXTENT for an extent below 0, LMAD_ERR_RANK for more than LMAD_MAX_RANK axes. */
LMAD_API lmad_status lmad_parse(lmad_desc *d, const char *text);

/** Write the notation. As snprintf: the length without the final NUL, which may exceed @p size - 1
 *  (then the text was cut); negative for a NULL @p d or a bad rank. @p buf may be NULL if size is 0. */
LMAD_API int lmad_format(char *buf, size_t size, const lmad_desc *d);

/** The number of elements and the lowest and highest element index touched, relative to the pointer.
 *  Each output may be NULL. For an empty view count is 0, and lo and hi are 0 and -1. */
LMAD_API lmad_status lmad_bounds(const lmad_desc *d, int64_t *count, int64_t *lo, int64_t *hi);

/* ---- Contexts: threads, time limit, machine facts ----------------------------------------------- */

typedef struct lmad_ctx lmad_ctx;
typedef struct lmad_plan lmad_plan;

/** Make a context with automatic threads and no time limit. Wherever a context is taken, NULL is the
 *  process's default context. Settings are read when a plan is made, not when it is executed. */
LMAD_API lmad_status lmad_ctx_create(lmad_ctx **ctx);

/** Drop a context. Plans made with it keep what they need and stay valid. NULL is fine. */
LMAD_API void lmad_ctx_destroy(lmad_ctx *ctx);

/** The number of threads a plan may use at most; 0 = automatic: the least of the cores that this process
 *  may use (with OMP_PROC_BIND or OMP_PLACES those that OpenMP may use), omp_get_max_threads() and
 *  LMAD_NUM_THREADS. A plan uses no more than four for each hardware thread of the machine (16 where that is
 *  less) and never more than 1024, whatever @p n. n < 0 is LMAD_ERR_ARGUMENT.
 *
 *  The OpenMP run time, not this library, creates the built-in threads, at the first execution that uses
 *  them; GNU's ends the process, with a message, when it cannot (ulimit -u or -v, a cgroup's limit of
 *  tasks). Where that may happen, plan with LMAD_SERIAL or a lower @p n, or bring threads that exist
 *  already through lmad_ctx_set_parallel(). */
LMAD_API lmad_status lmad_ctx_set_threads(lmad_ctx *ctx, int n);

/** Limit of planning time a plan, in seconds; < 0 = none. It holds inside a measurement: what is the best choice
 *  by then is the plan (LMAD_SOURCE_TIMED_OUT). Not a number is LMAD_ERR_ARGUMENT. */
LMAD_API lmad_status lmad_ctx_set_time_limit(lmad_ctx *ctx, double seconds);

/** The scratch memory, in bytes, that a move may use where it could do with less; 0 = 4 MiB. More makes some faster: a
 *  transpose in place of a matrix whose extents have no large common divisor, or of any matrix once it may take as
 *  much as the payload. Less makes some slower. A move for which nothing is known within the limit takes its payload
 *  nonetheless: lmad_work_size() tells. */
LMAD_API lmad_status lmad_ctx_set_work_limit(lmad_ctx *ctx, size_t bytes);

/** A caller's thread pool: call body(arg, i) once for each i in [0, count), in any order, on any threads,
 *  and return when all are done. @p data is what was given to lmad_ctx_set_parallel. */
typedef void lmad_parallel_for(void *data, int count, void (*body)(void *arg, int i), void *arg);

/** Run parallel work on the caller's pool from now on; @p run NULL = the built-in one (OpenMP where the
 *  library was built with it, else none). Efforts above LMAD_ESTIMATE call it while planning, too. While
 *  it is at work for this context, other executions are serial: so it is never called from one of its own bodies,
 *  nor twice at once. @p data stays the
 *  caller's and must outlive the plans. */
LMAD_API lmad_status lmad_ctx_set_parallel(lmad_ctx *ctx, lmad_parallel_for *run, void *data);

/** Where notes go: one line each, without its end, valid during the call; from any thread, perhaps several at
 *  once. @p data is what was given to lmad_ctx_set_log. It must not call back into the library. */
typedef void lmad_log(void *data, const char *line);

/** Give notes of this context (wisdom files that were loaded and lines of them that were not, wisdom of another
 *  machine that was used, what measurements chose) to @p log from now on; NULL = nobody, or standard error where
 *  LMAD_VERBOSE is 1. @p data stays the caller's and must outlive the context. */
LMAD_API lmad_status lmad_ctx_set_log(lmad_ctx *ctx, lmad_log *log, void *data);

/* ---- Plans ---------------------------------------------------------------------------------------- */

/** Planning flags: one effort, and any of the bits after LMAD_EFFORT_MASK. Unknown bits and efforts are
 *  LMAD_ERR_FLAGS.
 *
 *  Any effort first uses wisdom of its own effort or better for this very problem, thread limit, instruction set and
 *  machine; LMAD_ESTIMATE then that of the machine most like this one. Without, efforts above LMAD_ESTIMATE time
 *  candidates on memory that the planner allocates (up to some 64 MiB a side, given back at the end), never on the
 *  caller's, and what they learn becomes wisdom of the context. The estimate's choice stands unless it is beaten by
 *  more than the noise. One process measures one problem at a time. */
enum {
    LMAD_ESTIMATE = 0,   /**< choose by the cost model; no timing */
    LMAD_MEASURE = 1,    /**< time the few that are best by estimate: under two seconds a problem */
    LMAD_PATIENT = 2,    /**< time some 64 combinations of tiles, orders, store types and thread counts */
    LMAD_EXHAUSTIVE = 3, /**< time some 256 of them */
    LMAD_EFFORT_MASK = 15,
    LMAD_WISDOM_ONLY = 1 << 4, /**< without wisdom of this effort fail with LMAD_ERR_NO_WISDOM */
    LMAD_SERIAL = 1 << 5       /**< one thread, whatever the context says */
};

/** Plan D = S. The shapes must be equal, axis by axis; nothing broadcasts by itself. The source may alias
 *  itself (stride 0, overlapping windows), the destination may not (LMAD_ERR_DST_ALIAS). The descriptors
 *  are copied; no array memory is looked at. An empty problem plans to nothing, whatever else its
 *  strides and offsets say. Whether the destination aliases itself is decided exactly, which may take tens
 *  of milliseconds for strides that are nowhere multiples of each other; the usual layouts take none.
 *  @param p          out: the plan; the caller's, to destroy with lmad_plan_destroy()
 *  @param ctx        settings; NULL = the default context
 *  @param elem_size  bytes an element, >= 1, any value
 *  @param flags      effort and flags */
LMAD_API lmad_status lmad_plan_copy(lmad_plan **p, lmad_ctx *ctx, const lmad_desc *dst, const lmad_desc *src,
                                    size_t elem_size, unsigned flags);

/** As lmad_plan_copy() for two views of one buffer, which may overlap in any way, in-place permutations
 *  included. Execute with dst == src. lmad_work_size() tells how much scratch it takes: none for square
 *  transposes of 1, 2, 4, 8 and 16 bytes and for serial shifts; at most lmad_ctx_set_work_limit() for other shifts,
 *  reversals, rotations and transposes in place; the payload where nothing else is known. */
LMAD_API lmad_status lmad_plan_move(lmad_plan **p, lmad_ctx *ctx, const lmad_desc *dst, const lmad_desc *src,
                                    size_t elem_size, unsigned flags);

/** Plan D = value for the one element that src points to at execution. */
LMAD_API lmad_status lmad_plan_fill(lmad_plan **p, lmad_ctx *ctx, const lmad_desc *dst, size_t elem_size,
                                    unsigned flags);

/** One copy of a list. */
typedef struct {
    const lmad_desc *dst, *src;
    size_t elem_size; /**< bytes, >= 1 */
} lmad_many_item;

/** Plan a list of copies to be executed as one with lmad_execute_many(): of any shapes and element sizes, between
 *  buffers of their own, balanced over the threads. Packing the faces of a halo, or all fields of a cell, is one
 *  call. @p items has @p count >= 0 entries (negative: LMAD_ERR_ARGUMENT); they and their descriptors are copied.
 *  Errors as lmad_plan_copy(); the detail names the item. */
LMAD_API lmad_status lmad_plan_many(lmad_plan **p, lmad_ctx *ctx, int count, const lmad_many_item *items,
                                    unsigned flags);

/** Run a plan. Offsets of the descriptors are relative to @p dst and @p src, in elements: each may point
 *  to the start of its block or to any element in it. Any alignment.
 *  - A copy whose buffers share a byte fails with LMAD_ERR_OVERLAP before a byte is written; interleaved
 *    sets that share none are fine. Sets too intricate to decide count as overlapping. Where
 *    the ranges of both overlap and the strides are intricate this takes up to tens of milliseconds, at
 *    every execution.
 *  - A move needs dst == src (LMAD_ERR_BUFFER).
 *  - A fill reads one element at @p src, which may lie inside dst.
 *  - An empty plan looks at no pointer.
 *  Re-entrant; allocates nothing and takes no lock, but for this: a plan whose lmad_work_size() is beyond
 *  16 KiB owns some slots of scratch memory, and an execution that finds all of them in use waits for one, but
 *  where one thread can do it, more slowly, in 16 KiB: shifts, compactions and expansions, reversals, transposes of
 *  words that are made of whole squares. Use lmad_execute_with() to never wait. */
LMAD_API lmad_status lmad_execute(const lmad_plan *p, void *dst, const void *src);

/** Bytes of scratch memory that an execution needs: 0 for copies and for most moves. At most what
 *  lmad_ctx_set_work_limit() says, except for a move that no known method does in less than its payload. 0 for NULL. */
LMAD_API size_t lmad_work_size(const lmad_plan *p);

/** As lmad_execute() with scratch memory of the caller's: lmad_work_size() bytes at @p work, which nothing
 *  else uses meanwhile and which share no byte with the arrays. Any alignment; multiples of 64 are best. NULL
 *  is fine where the size is 0, else LMAD_ERR_NULL. Never waits. */
LMAD_API lmad_status lmad_execute_with(const lmad_plan *p, void *dst, const void *src, void *work);

/** Run a list of copies: item k from src[k] to dst[k]. All pointers are checked before anything is written; each
 *  item's own two buffers must share no byte (LMAD_ERR_OVERLAP). That no item writes what another one reads or
 *  writes is the caller's promise and not checked; several items may read the same bytes. A plan that is no list
 *  is LMAD_ERR_ARGUMENT, here as well as a list given to lmad_execute(). Re-entrant; no allocation, no waiting. */
LMAD_API lmad_status lmad_execute_many(const lmad_plan *p, void *const *dst, const void *const *src);

/** Destroy a plan; NULL is fine. No execution of it may be running. */
LMAD_API void lmad_plan_destroy(lmad_plan *p);

/** The plan as a nested s-expression, e.g. "(copy (transpose 4 ...))". As snprintf; negative for NULL. */
LMAD_API int lmad_plan_describe(const lmad_plan *p, char *buf, size_t size);

/** Why the plan is what it is: the canonical problem, then every candidate the planner looked at with its
 *  estimate, the chosen one marked; lines of text. As snprintf; negative for NULL. Plans again, so it takes
 *  as long as planning. */
LMAD_API int lmad_plan_explain(const lmad_plan *p, char *buf, size_t size);

/** Where a plan came from. */
typedef enum {
    LMAD_SOURCE_ESTIMATED = 0, /**< the cost model (with more effort where there is no memory to time in) */
    LMAD_SOURCE_MEASURED = 1,
    LMAD_SOURCE_WISDOM = 2,
    LMAD_SOURCE_TIMED_OUT = 3 /**< the time limit ended the measurement; the best choice by then */
} lmad_source;

/** Facts of a plan. The caller sets struct_size; later versions append members:
 *
 *     lmad_info info = {.struct_size = sizeof info};      (in C++: lmad_info info{}; then the assignment)
 *     lmad_plan_info(plan, &info);
 */
typedef struct {
    size_t struct_size;
    const char *kind;         /**< name of the plan kind; static */
    lmad_source source;       /**< where the choice came from */
    int threads;              /**< threads that an execution uses at most */
    int64_t payload_bytes;    /**< elements * elem_size: what memcpy would have to move */
    int64_t bytes_touched;    /**< by all cache lines touched on both sides, estimated; at most INT64_MAX */
    int64_t lines_touched;    /**< the same in cache lines; at most INT64_MAX */
    double predicted_seconds; /**< the cost model's word for one execution; 0 where it has none (moves in
                                 place, affine and generated values) */
    double measured_seconds;  /**< what was measured for it, now or for the wisdom used; 0 = nothing was */
    size_t work_size;         /**< bytes of scratch memory that an execution uses: lmad_work_size() */
    int effort;       /**< LMAD_ESTIMATE ...: what the choice rests on; for wisdom what it was made with */
    int sibling;      /**< 1: wisdom of another machine was used, the most similar one; else 0 */
    int candidates;   /**< how many candidates were timed for this plan; 0 when none were */
    int device;       /**< HIP's number of the device that it is for (lmad-hip.h); -1 = the host */
    int64_t launches; /**< kernels and copies that one execution hands to the device; 0 on the host */
} lmad_info;

/** Fill in the first info->struct_size bytes of *info: members that this version of the library does not
 *  know become zero. A struct_size below sizeof(size_t) is LMAD_ERR_ARGUMENT. */
LMAD_API lmad_status lmad_plan_info(const lmad_plan *p, lmad_info *info);

/* ---- Immediate forms: no plan object ---------------------------------------------------------------- */

/** Plan by estimate on the stack and execute, in the default context. Errors as lmad_plan_copy() and
 *  lmad_execute(). No allocation. */
LMAD_API lmad_status lmad_copy(void *dst, const lmad_desc *ddst, const void *src, const lmad_desc *dsrc,
                               size_t elem_size);

/** The same for views that may overlap in any way, as memmove is to memcpy: the pointers may be equal, as for a
 *  plan, or differ by any number of bytes. Scratch up to 16 KiB lies on the stack; a move that needs more
 *  allocates and frees it, once (LMAD_ERR_NO_MEMORY where that fails). */
LMAD_API lmad_status lmad_move(void *dst, const lmad_desc *ddst, const void *src, const lmad_desc *dsrc,
                               size_t elem_size);

/** Set every element of a view to the one at @p value, which may lie in dst. Errors as lmad_plan_fill(). Only
 *  for elements beyond 16 KiB it allocates, once. */
LMAD_API lmad_status lmad_fill(void *dst, const lmad_desc *ddst, const void *value, size_t elem_size);

/** The same with a context (NULL = default) and flags. */
LMAD_API lmad_status lmad_ctx_copy(lmad_ctx *ctx, void *dst, const lmad_desc *ddst, const void *src,
                                   const lmad_desc *dsrc, size_t elem_size, unsigned flags);
LMAD_API lmad_status lmad_ctx_move(lmad_ctx *ctx, void *dst, const lmad_desc *ddst, const void *src,
                                   const lmad_desc *dsrc, size_t elem_size, unsigned flags);
LMAD_API lmad_status lmad_ctx_fill(lmad_ctx *ctx, void *dst, const lmad_desc *ddst, const void *value,
                                   size_t elem_size, unsigned flags);

#ifdef __cplusplus
}
#endif

/* The rest of the API, topics of their own. */
#include "lmad-generate.h"
#include "lmad-wisdom.h"

#endif /* LMAD_H */
