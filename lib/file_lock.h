/* SPDX-License-Identifier: BSD-3-Clause */
/* A lock between processes, on a file beside the one that it is about. */
#ifndef LM_FILE_LOCK_H
#define LM_FILE_LOCK_H

#include <stdbool.h>
#include <stddef.h>

typedef struct lm_file_lock {
    bool held;  /* false: there is no way to lock here, and somebody else may be at work */
    int fd;     /* of flock(2); -1 = made by link(2) */
    char *path; /* the lock file; owned */
} lm_file_lock;

/* Wait for the lock of a file: flock(2) on FILE.lock, or where the file system has no flock, FILE.lock as a
 * link that only one can make. Never fails: without any lock, held is false. */
void lm_file_lock_take(lm_file_lock *lock, const char *file);

/* The lock file goes away with the lock. */
void lm_file_lock_leave(lm_file_lock *lock);

/* The second way alone, for tests. */
void lm_file_lock_take_link(lm_file_lock *lock, const char *file);

#endif
