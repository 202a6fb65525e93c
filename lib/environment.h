/* SPDX-License-Identifier: BSD-3-Clause */
/* Environment variables that make the library read and write files. */
#ifndef LM_ENVIRONMENT_H
#define LM_ENVIRONMENT_H

/* As getenv(), but NULL in programs that run with more rights than their caller. */
const char *lm_environment(const char *name);

#endif
