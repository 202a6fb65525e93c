/* SPDX-License-Identifier: BSD-3-Clause */
/* --device, as the tools read it. */
#ifndef LM_DEVICE_ARGS_H
#define LM_DEVICE_ARGS_H

#include <stddef.h>

/* "cpu" or "hip:K" to LMAD_HOST or K, a device that is there; -1 with a sentence in @p error otherwise. */
int lm_read_device(const char *text, int *device, char *error, size_t size);

/* The other way, as snprintf. */
int lm_device_text(char *buf, size_t size, int device);

#endif
