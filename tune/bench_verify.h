/* SPDX-License-Identifier: BSD-3-Clause */
/* Was a copy right? An answer that does not rely on the library. */
#ifndef LM_BENCH_VERIFY_H
#define LM_BENCH_VERIFY_H

#include <stdbool.h>

#include "bench_buffers.h"
#include "bench_operation.h"

/* Fill the buffers with patterns, execute the plan once, and look at every byte of both buffers: the
 * described elements must have arrived, everything else, guards included, must be what it was. False with a
 * reason otherwise. */
bool lm_verify(const lm_operation *operation, const lm_case *c, const lm_buffers *buffers, char *reason,
               size_t size);

#endif
