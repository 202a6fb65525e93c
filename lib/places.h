/* SPDX-License-Identifier: BSD-3-Clause */
/* Where wisdom lies on this system. */
#ifndef LM_PLACES_H
#define LM_PLACES_H

#include <stddef.h>

#include "ctx.h"

/* Show the files that are loaded at first use, in order: LMAD_WISDOM's, or those shipped, the site's and the
 * user's. They need not be there. */
void lm_places_each(void (*visit)(void *arg, const char *path), void *arg);

/* The user's own file; the length it has as snprintf, 0 when there is no home. */
int lm_places_user(char *buf, size_t size);

/* Load them into a context, once. */
void lm_places_load(lmad_ctx *ctx);

#endif
