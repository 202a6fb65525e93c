/* SPDX-License-Identifier: BSD-3-Clause */
/* Wisdom files, written. */
#ifndef LM_WISDOM_FILE_H
#define LM_WISDOM_FILE_H

#include <stdbool.h>

#include "lmad.h"

/* Merge wisdom as text into a file, as lmad_wisdom_export_file() does; @p afresh: what the file held is
 * dropped. */
lmad_status lm_wisdom_merge_file(const char *path, const char *text, bool afresh);

#endif
