/* SPDX-License-Identifier: BSD-3-Clause */
/* Locking between processes. A lock file is removed by its owner while the lock is held; who has waited for
 * it looks whether it still is the one with that name, and starts over when it is not. */
#define _GNU_SOURCE 1
#include "file_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static bool same_file(int fd, const char *path) {
    struct stat ours, named;
    return fstat(fd, &ours) == 0 && stat(path, &named) == 0 && ours.st_ino == named.st_ino &&
           ours.st_dev == named.st_dev;
}

/* 1 = locked, 0 = somebody removed the file meanwhile, -1 = no flock here. */
static int try_flock(const char *path, int *fd) {
    int got;
    *fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (*fd < 0) return -1;
    do got = flock(*fd, LOCK_EX);
    while (got != 0 && errno == EINTR);
    if (got == 0 && same_file(*fd, path)) return 1;
    close(*fd);
    return got == 0 ? 0 : -1;
}

/* ---- by link(2) ----------------------------------------------------------------------------------- */

enum { TRIES = 400, NAP_MS = 25 }; /* ten seconds: exports take milliseconds */

/* "host pid": who holds the lock. */
static int write_owner(const char *path) {
    char text[320], host[256] = "unknown";
    gethostname(host, sizeof host - 1);
    const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (fd < 0) return -1;
    const int length = snprintf(text, sizeof text, "%s %ld\n", host, (long)getpid());
    const bool written = write(fd, text, (size_t)length) == length;
    close(fd);
    if (!written) unlink(path);
    return written ? 0 : -1;
}

/* Did the owner die? Only known of processes on this host. */
static bool is_abandoned(const char *path) {
    char text[320] = "", host[256], ours[256] = "unknown";
    long pid = 0;
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0) return false;
    const ssize_t length = read(fd, text, sizeof text - 1);
    close(fd);
    gethostname(ours, sizeof ours - 1);
    if (length <= 0 || sscanf(text, "%255s %ld", host, &pid) != 2 || pid <= 0) return false;
    return strcmp(host, ours) == 0 && kill((pid_t)pid, 0) != 0 && errno == ESRCH;
}

static bool try_link(const char *mine, const char *path) {
    struct stat st;
    if (link(mine, path) == 0) return true;
    return stat(mine, &st) == 0 && st.st_nlink == 2; /* NFS may lose the answer, not the link */
}

static bool wait_for_link(const char *mine, const char *path) {
    const struct timespec nap = {0, NAP_MS * 1000000L};
    for (int k = 0; k < TRIES; k++) {
        if (try_link(mine, path)) return true;
        if (errno != EEXIST) return false;
        if (is_abandoned(path)) unlink(path);
        nanosleep(&nap, NULL);
    }
    return false;
}

static char *name_beside(const char *file, const char *suffix) {
    char *path = malloc(strlen(file) + strlen(suffix) + 1);
    if (path) sprintf(path, "%s%s", file, suffix);
    return path;
}

void lm_file_lock_take_link(lm_file_lock *lock, const char *file) {
    char suffix[64];
    struct timespec now;
    *lock = (lm_file_lock){.fd = -1, .path = name_beside(file, ".lock")};
    clock_gettime(CLOCK_REALTIME, &now);
    snprintf(suffix, sizeof suffix, ".lock.%ld.%lx", (long)getpid(),
             (unsigned long)now.tv_nsec ^ (unsigned long)&now);
    char *mine = name_beside(file, suffix);
    if (lock->path && mine && write_owner(mine) == 0) {
        lock->held = wait_for_link(mine, lock->path);
        unlink(mine);
    }
    free(mine);
}

/* ---- both ----------------------------------------------------------------------------------------- */

void lm_file_lock_take(lm_file_lock *lock, const char *file) {
    int got, fd;
    *lock = (lm_file_lock){.fd = -1, .path = name_beside(file, ".lock")};
    if (!lock->path) return;
    do got = try_flock(lock->path, &fd);
    while (got == 0);
    if (got > 0) {
        lock->fd = fd;
        lock->held = true;
        return;
    }
    free(lock->path);
    lm_file_lock_take_link(lock, file);
}

void lm_file_lock_leave(lm_file_lock *lock) {
    if (lock->held) unlink(lock->path);
    if (lock->fd >= 0) close(lock->fd);
    free(lock->path);
    *lock = (lm_file_lock){.fd = -1};
}
