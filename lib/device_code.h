/* SPDX-License-Identifier: BSD-3-Clause */
/* Device code: each variant of the kernels is compiled once for each architecture, kept on disk, and loaded
 * once on each device. What is loaded stays as long as the process. */
#ifndef LM_DEVICE_CODE_H
#define LM_DEVICE_CODE_H

#include "device.h"
#include "launch.h"

/* The variant's kernel on a device, which is current: from memory, from disk, or from the compiler (some
 * tenths of a second). LMAD_ERR_NO_CODE with a reason where it cannot be had. Any thread; compilations take
 * turns. */
lmad_status lm_device_code_get(const lm_device *device, const lm_variant *variant, lm_hip_function *out);

/* The device source, one text with everything included; static. NULL: no memory. */
const char *lm_device_source(void);

#endif
