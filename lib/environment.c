/* SPDX-License-Identifier: BSD-3-Clause */
/* The environment, as far as it can be trusted. */
#define _GNU_SOURCE 1
#include "environment.h"

#include <stdlib.h>

const char *lm_environment(const char *name) { return secure_getenv(name); }
