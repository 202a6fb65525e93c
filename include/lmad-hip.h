/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file lmad-hip.h
 * Copies in the memory of GPUs, between GPUs, and between a GPU and the host. Needs no header of HIP: a
 * stream is the pointer that a hipStream_t is, and devices are numbered as HIP does.
 *
 * HIP's run time is loaded at the first call of this file (libamdhip64, or the library that LMAD_HIP_LIBRARY
 * names), never before; so one program serves machines with and without GPUs. Where it is missing, or sees no
 * GPU, plans for devices fail with LMAD_ERR_NO_DEVICE, and lmad_error_detail() says what is missing. A
 * caller's current device is the same after every call, and so is what hipGetLastError() would have returned:
 * where an error waits there, and only then, a call does its work on a thread that it makes for that (some
 * tens of microseconds; LMAD_ERR_NO_MEMORY where there can be none), for HIP cannot put an error back. On
 * hipStreamPerThread, which is another stream on another thread, the work is then done in the default stream,
 * which waits for it and for which it waits (so no other blocking stream may be being captured meanwhile).
 * Not so where hipStreamPerThread is being captured: an error of the call, or of the question whether it is
 * captured, then takes the place of the caller's; nor before version 7 of the run time: there success does,
 * too.
 *
 * Kernels are compiled by the run time's own compiler when a plan first needs one, some tenths of a second
 * each, and kept on disk, in the folder that LMAD_CACHE names or ${XDG_CACHE_HOME:-~/.cache}/lmad (LMAD_CACHE
 * empty: nowhere; programs that run with more rights than their caller keep nothing either). Extents and
 * strides are arguments to them: a new shape compiles nothing unless it is the first whose words, elements or
 * offsets are so wide (some dozens of kernels serve all problems of one element size). Executions never
 * compile. Where there is no compiler and nothing on disk, or the compiler does not know the device,
 * plans fail with LMAD_ERR_NO_CODE.
 *
 * A thread that calls these needs, besides the library's 64 KiB of stack, what HIP itself does: its compiler
 * some MiB.
 *
 * All functions are thread-safe as those of lmad.h are. HIP does not survive fork(): if the parent has used
 * devices, plans and executions of the child fail with LMAD_ERR_NO_DEVICE, and lmad_plan_destroy() gives back
 * memory of the host only.
 */
#ifndef LMAD_HIP_H
#define LMAD_HIP_H

#include "lmad.h"

#ifdef __cplusplus
extern "C" {
#endif

/** In place of a device's number: the host's memory. */
enum { LMAD_HOST = -1 };

/** Plan D = S as lmad_plan_copy() does, between the memory of devices. Either side is a number from 0 on or
 * LMAD_HOST; with LMAD_HOST on both sides it is lmad_plan_copy(). The plan's device is the destination's, or
 * the source's where the destination is on the host. Memory is what the run time says of it at execution:
 * hipMalloc()ed, managed, pinned or pageable; managed memory and pinned memory that the device can reach may
 * be on either side of a plan for (device, device), too. Efforts above LMAD_ESTIMATE time candidates on
 * memory of the device that the planner allocates. LMAD_SERIAL concerns the host's part in a
 * copy. Besides the errors of lmad_plan_copy():
 *  - LMAD_ERR_NO_DEVICE: no such device, or no HIP;
 *  - LMAD_ERR_NO_CODE: no kernel can be had for this device, or for so much: copies from 64 TiB on, but
 *    contiguous ones, fills from 8 TiB on, affine plans from 4 Ti values on;
 *  - LMAD_ERR_NO_MEMORY: the device, or the host, has too little memory for what the plan keeps;
 *  - LMAD_ERR_DEVICE_LOST: the device does not answer any more; LMAD_ERR_DEVICE: another error of the run
 *    time. */
LMAD_API lmad_status lmad_plan_copy_hip(lmad_plan **p, lmad_ctx *ctx, const lmad_desc *dst, int dst_device,
                                        const lmad_desc *src, int src_device, size_t elem_size,
                                        unsigned flags);

/** As lmad_plan_move(), for two views of one buffer in the memory of a device, which may overlap in any way.
 * Views that share bytes go through memory of the device as large as the payload, which the plan owns:
 * lmad_work_size() tells its size. Executions of such a plan on different streams wait for each other on the
 * device. Errors as lmad_plan_move(), and those of lmad_plan_copy_hip(). */
LMAD_API lmad_status lmad_plan_move_hip(lmad_plan **p, lmad_ctx *ctx, const lmad_desc *dst,
                                        const lmad_desc *src, int device, size_t elem_size, unsigned flags);

/** As lmad_plan_fill(), in the memory of a device. At execution src points to the element in memory of the
 * host. Up to 64 bytes it is read before the call returns, a longer one in the order of the stream: it must
 * stay as it is until the stream has passed. Errors as lmad_plan_fill(), and those of lmad_plan_copy_hip(). */
LMAD_API lmad_status lmad_plan_fill_hip(lmad_plan **p, lmad_ctx *ctx, const lmad_desc *dst, int device,
                                        size_t elem_size, unsigned flags);

/** As lmad_plan_affine(), in the memory of a device. At execution src points to the rank + 1 values in memory
 * of the host; they are read before the call returns. Errors as lmad_plan_affine(), and those of
 * lmad_plan_copy_hip(). */
LMAD_API lmad_status lmad_plan_affine_hip(lmad_plan **p, lmad_ctx *ctx, const lmad_desc *dst, int device,
                                          lmad_type type, unsigned flags);

/** Run a plan on a stream of its device: a hipStream_t, or NULL for the default one. What is wrong with the
 * pointers is said at once, as by lmad_execute(), and so is what the run time reports at once. The rest
 * happens in the order of the stream: until the stream has come past it, the array memory on both sides
 * belongs to the copy. What the plan takes for memory of a device must be known to HIP, and if it is
 * hipMalloc()ed be that device's own: else LMAD_ERR_ARGUMENT.
 *  - Plans within one device only enqueue kernels and copies: no allocation, no waiting. They may be captured
 *    in a graph. A captured move whose lmad_work_size() is not 0 uses the plan's scratch: the graph must not
 *    outlive the plan, and its replays and other executions of the plan must not run at the same time. A
 *    captured fill of elements of up to 64 bytes, or affine plan, writes the values of the moment of capture;
 *    a longer element is read at every replay.
 *  - Between the host and a device, or two devices: the host packs and unpacks on a thread of the run time,
 *    when the stream comes to it. So a source on the host, pageable memory too, may be reused only when the
 *    stream has passed (not when the call returns), and a destination on the host is complete then.
 *    Executions of one plan on several streams take turns in the plan's staging memory. A stream that is
 *    being captured is LMAD_ERR_ARGUMENT.
 *
 * A plan for the host only is LMAD_ERR_ARGUMENT. A plan may be executed from many threads, on many streams at
 * once. lmad_execute() runs the same plans on the default stream, and returns when all is done;
 * lmad_execute_with() takes memory of the device for a move's scratch. */
LMAD_API lmad_status lmad_execute_hip(const lmad_plan *p, void *dst, const void *src, void *stream);

/* Plans of this file work with the other functions of lmad.h as those for the host do. lmad_plan_destroy()
 * may be called while executions are under way on a stream; it waits for them where they use memory of the
 * plan. */

/** Build the general kernels of a device now, or load them from disk, rather than at the first plan; after
 * this a plan of any shape can be made and run, if not at its best. Errors as lmad_plan_copy_hip(). @p ctx as
 * there. */
LMAD_API lmad_status lmad_hip_warm(lmad_ctx *ctx, int device);

#ifdef __cplusplus
}
#endif

#endif /* LMAD_HIP_H */
