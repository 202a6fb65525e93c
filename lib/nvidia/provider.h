/* SPDX-License-Identifier: BSD-3-Clause */
/* What the parts of the provider share. libhipnv.so exports the part of HIP that lib/hip_list.h lists, on top
 * of CUDA's driver and NVRTC, so that LMAD_HIP_LIBRARY=libhipnv.so runs plans on NVIDIA's devices.
 * Experimental.
 *
 * A device's context is its primary one, as it is for CUDA's own run time: the two can be mixed. The current
 * device of a thread is the one of its current context. */
#ifndef LM_NVIDIA_PROVIDER_H
#define LM_NVIDIA_PROVIDER_H

#include "cuda.h"
#include "lib/hip_types.h"

#define LM_HIP(returns, name, parameters)          __attribute__((visibility("default"))) returns name parameters;
#define LM_HIP_OPTIONAL(returns, name, parameters) LM_HIP(returns, name, parameters)
#include "lib/hip_list.h"

/* Graphs, for programs that capture what the library enqueues. */
typedef struct lm_cu_graph_object *lm_hip_graph;
typedef struct lm_cu_graph_exec_object *lm_hip_graph_exec;
#define LM_NV_API __attribute__((visibility("default")))
LM_NV_API lm_hip_error hipStreamBeginCapture(lm_hip_stream stream, int mode);
LM_NV_API lm_hip_error hipStreamEndCapture(lm_hip_stream stream, lm_hip_graph *graph);
LM_NV_API lm_hip_error hipGraphInstantiate(lm_hip_graph_exec *exec, lm_hip_graph graph, void *node, char *log,
                                           size_t log_size);
LM_NV_API lm_hip_error hipGraphLaunch(lm_hip_graph_exec exec, lm_hip_stream stream);
LM_NV_API lm_hip_error hipGraphDestroy(lm_hip_graph graph);
LM_NV_API lm_hip_error hipGraphExecDestroy(lm_hip_graph_exec exec);

/* The driver, initialised, with some device's context current in this thread; else NULL, and *error says why.
 */
const lm_cuda *lm_nv_ready(lm_hip_error *error);

/* The driver, initialised; as above. */
const lm_cuda *lm_nv_driver(lm_hip_error *error);

/* The primary context of a device; NULL where there is no such device. */
lm_cu_context lm_nv_context(int device);

/* HIP's number for a result of the driver. Most are the same. */
lm_hip_error lm_nv_error(lm_cu_result result);

/* The same, and hipGetLastError() will tell of it. */
lm_hip_error lm_nv_result(lm_cu_result result);
lm_hip_error lm_nv_fail(lm_hip_error error);

/* CUDA's number of a device attribute of HIP; -1 where it has none that is known here. */
int lm_nv_attribute(lm_hip_attribute attribute);

/* Compute capability, as in sm_90: 90. 0 where it cannot be had. */
int lm_nv_capability(int device);

#endif
