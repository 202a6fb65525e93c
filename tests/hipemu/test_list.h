/* SPDX-License-Identifier: BSD-3-Clause */
/* Entry points that tests use and the library does not, in the manner of lib/hip_list.h. */
/* clang-format off */
LM_HIP(lm_hip_error, hipMallocManaged, (void **p, size_t size, unsigned flags))
LM_HIP(lm_hip_error, hipDeviceEnablePeerAccess, (int peer, unsigned flags))
LM_HIP(lm_hip_error, hipDeviceSynchronize, (void))
LM_HIP(lm_hip_error, hipEventQuery, (lm_hip_event event))
LM_HIP(lm_hip_error, hipMemcpy, (void *dst, const void *src, size_t size, lm_hip_copy_kind kind))
LM_HIP(lm_hip_error, hipMemset, (void *dst, int value, size_t size))
LM_HIP(lm_hip_error, hipStreamBeginCapture, (lm_hip_stream stream, int mode))
LM_HIP(lm_hip_error, hipStreamEndCapture, (lm_hip_stream stream, emu_graph *graph))
LM_HIP(lm_hip_error, hipGraphInstantiate,
       (emu_graph_exec *exec, emu_graph graph, void **error_node, char *log, size_t log_size))
LM_HIP(lm_hip_error, hipGraphLaunch, (emu_graph_exec exec, lm_hip_stream stream))
LM_HIP(lm_hip_error, hipGraphDestroy, (emu_graph graph))
LM_HIP(lm_hip_error, hipGraphExecDestroy, (emu_graph_exec exec))
#undef LM_HIP
