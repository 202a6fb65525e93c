/* SPDX-License-Identifier: BSD-3-Clause */
/* Wisdom files, written. */
#ifndef LM_WISDOM_FILE_H
#define LM_WISDOM_FILE_H

#include "record.h"

/* Is a record of the file wanted any longer? */
typedef bool lm_wisdom_keep(void *arg, const lm_record *record);

/* Merge wisdom as text into a file and drop those of its records that keep refuses (NULL: none), in one step
 * and as safely as lmad_wisdom_export_file(), with the same errors. */
lmad_status lm_wisdom_change_file(const char *path, const char *text, lm_wisdom_keep *keep, void *arg);

#endif
