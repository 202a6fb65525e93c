/* SPDX-License-Identifier: BSD-3-Clause */
/* What writers of files share. */
#define _GNU_SOURCE 1
#include "files.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool lm_write_all(int fd, const char *bytes, size_t size) {
    while (size) {
        const ssize_t put = write(fd, bytes, size);
        if (put < 0 && errno == EINTR) continue;
        if (put <= 0) return false;
        bytes += put;
        size -= (size_t)put;
    }
    return true;
}

void lm_make_folders(const char *path, mode_t mode) {
    char folder[PATH_MAX];
    for (const char *at = path; (at = strchr(at + 1, '/')) != NULL;) {
        snprintf(folder, sizeof folder, "%.*s", (int)(at - path), path);
        mkdir(folder, mode);
    }
}
