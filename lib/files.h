/* SPDX-License-Identifier: BSD-3-Clause */
/* What writers of files share. */
#ifndef LM_FILES_H
#define LM_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Write all of it, however often it takes; false with errno when that cannot be. */
bool lm_write_all(int fd, const char *bytes, size_t size);

/* Make the folders that a path goes through, as far as they are missing. A failure shows when the file is made. */
void lm_make_folders(const char *path, mode_t mode);

#endif
