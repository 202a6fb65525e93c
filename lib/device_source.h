/* SPDX-License-Identifier: BSD-3-Clause */
/* The source of the device kernels as the library carries it (lib/device_source.c is made by
 * kernels/hip/embed.awk). */
#ifndef LM_DEVICE_SOURCE_H
#define LM_DEVICE_SOURCE_H

/* Lines without their ends; the last one is NULL. */
extern const char *const lm_device_source_lines[];

#endif
