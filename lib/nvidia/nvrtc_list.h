/* SPDX-License-Identifier: BSD-3-Clause */
/* The one list of entry points of NVRTC. No include guard: the includer defines LM_NVRTC(name, parameters). */
/* clang-format would take the parameters for products. */
/* clang-format off */
LM_NVRTC(nvrtcGetNumSupportedArchs, (int *count))
LM_NVRTC(nvrtcGetSupportedArchs, (int *archs))
LM_NVRTC(nvrtcCreateProgram, (lm_nvrtc_program *program, const char *source, const char *name, int headers,
                              const char *const *texts, const char *const *names))
LM_NVRTC(nvrtcDestroyProgram, (lm_nvrtc_program *program))
LM_NVRTC(nvrtcCompileProgram, (lm_nvrtc_program program, int count, const char *const *options))
LM_NVRTC(nvrtcGetProgramLogSize, (lm_nvrtc_program program, size_t *size))
LM_NVRTC(nvrtcGetProgramLog, (lm_nvrtc_program program, char *log))
LM_NVRTC(nvrtcGetCUBINSize, (lm_nvrtc_program program, size_t *size))
LM_NVRTC(nvrtcGetCUBIN, (lm_nvrtc_program program, char *code))
LM_NVRTC(nvrtcGetPTXSize, (lm_nvrtc_program program, size_t *size))
LM_NVRTC(nvrtcGetPTX, (lm_nvrtc_program program, char *code))
