/* SPDX-License-Identifier: BSD-3-Clause */
/* Exporting to a file: read what is there, merge, write a temporary file beside it, fsync, rename, all under
 * a lock. The rename makes sure that the file is whole at any time, the lock that nobody's records are lost;
 * where no lock is to be had, the file is read again afterwards and the export repeated until the records are
 * in it. */
#define _GNU_SOURCE 1
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file_lock.h"
#include "files.h"
#include "status.h"
#include "wisdom.h"
#include "wisdom_file.h"
#include "wisdom_read.h"

static lmad_status io_error(const char *path, const char *what) {
    return lm_fail(LMAD_ERR_IO, "%s: %s: %s", path, what, strerror(errno));
}

/* ---- writing one ------------------------------------------------------------------------------------ */

/* The old file's permissions, or those that a new file gets. */
static mode_t mode_for(const char *path) {
    struct stat st;
    if (stat(path, &st) == 0) return st.st_mode & 07777;
    const mode_t mask = umask(022); /* there is no way to ask without setting it */
    umask(mask);
    return 0666 & ~mask;
}

/* The rename itself must reach the disk. A folder that cannot be opened is no failure: the file is in place.
 */
static void sync_folder(const char *path) {
    char folder[PATH_MAX];
    const char *slash = strrchr(path, '/');
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path + (slash == path)) : 1,
             slash ? path : ".");
    const int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) return;
    fsync(fd);
    close(fd);
}

static lmad_status fill_temporary(int fd, const char *temporary, const char *path, const char *text,
                                  size_t length) {
    lmad_status status = LMAD_OK;
    if (!lm_write_all(fd, text, length))
        status = io_error(temporary, "writing");
    else if (fchmod(fd, mode_for(path)) != 0)
        status = io_error(temporary, "setting permissions");
    else if (fsync(fd) != 0)
        status = io_error(temporary, "syncing");
    if (close(fd) != 0 && status == LMAD_OK) status = io_error(temporary, "closing");
    return status;
}

static lmad_status replace(const char *path, const char *text, size_t length) {
    char temporary[PATH_MAX];
    if (snprintf(temporary, sizeof temporary, "%s.XXXXXX", path) >= (int)sizeof temporary)
        return lm_fail(LMAD_ERR_IO, "%s: the path is too long", path);
    const int fd = mkostemp(temporary, O_CLOEXEC);
    if (fd < 0) return io_error(path, "making a temporary file beside it");
    lmad_status status = fill_temporary(fd, temporary, path, text, length);
    if (status == LMAD_OK && rename(temporary, path) != 0) status = io_error(path, "replacing it");
    if (status != LMAD_OK)
        unlink(temporary);
    else
        sync_folder(path);
    return status;
}

/* ---- merging ---------------------------------------------------------------------------------------- */

/* What of the file's own records is wanted. */
typedef struct filter {
    lm_store *all;
    lm_wisdom_keep *keep;
    void *arg;
} filter;

static lm_added add_wanted(void *arg, lm_record *record) {
    const filter *f = arg;
    if (!f->keep || f->keep(f->arg, record)) return lm_store_add(f->all, record);
    lm_record_free(record);
    return LM_ADDED_NOT;
}

/* One change to a file: records to add, and which of its own to keep (NULL = all). */
typedef struct change {
    const char *path, *ours;
    lm_wisdom_keep *keep;
    void *arg;
} change;

/* The file's records and ours, as text. The file's own damaged lines are left out. */
static lmad_status merge(const change *c, char **text, size_t *length) {
    lm_store all = {0};
    filter wanted = {&all, c->keep, c->arg};
    const lm_sink from_file = {add_wanted, &wanted}, from_us = lm_sink_store(&all);
    const char *ours = c->ours;
    lmad_status status = lm_wisdom_read_file(&from_file, c->path, true, NULL);
    if (status == LMAD_OK) status = lm_wisdom_read(&from_us, lm_wisdom_read_text, &ours, "wisdom", NULL);
    if (status == LMAD_OK) {
        *text = lm_store_text(&all, length);
        if (!*text) status = lm_fail(LMAD_ERR_NO_MEMORY, "wisdom: no memory for its text");
    }
    lm_store_clear(&all);
    return status;
}

/* Is all that an export would write there already? */
static bool is_there(const char *path, const char *text, size_t length) {
    struct stat st;
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return false;
    bool same = fstat(fd, &st) == 0 && st.st_size == (off_t)length;
    char piece[4096];
    for (ssize_t got; same && length; text += got, length -= (size_t)got) {
        got = read(fd, piece, sizeof piece);
        if (got <= 0 || (size_t)got > length || memcmp(piece, text, (size_t)got) != 0) same = false;
        if (!same) break;
    }
    close(fd);
    return same;
}

static lmad_status merge_once(const change *c, bool *changed) {
    char *text;
    size_t length;
    lmad_status status = merge(c, &text, &length);
    if (status != LMAD_OK) return status;
    *changed = !is_there(c->path, text, length);
    if (*changed) status = replace(c->path, text, length);
    free(text);
    return status;
}

enum { TRIES = 20 };

static lmad_status merge_locked(const change *c) {
    lm_file_lock lock;
    bool changed = true;
    lm_file_lock_take(&lock, c->path);
    lmad_status status = merge_once(c, &changed);
    for (int k = 1; !lock.held && changed && status == LMAD_OK && k < TRIES; k++)
        status = merge_once(c, &changed);
    lm_file_lock_leave(&lock);
    return status;
}

/* A link is followed: what it points to is replaced, not the link. */
static lmad_status find_target(const char *path, char target[PATH_MAX]) {
    struct stat st;
    if (realpath(path, target)) {
        if (stat(target, &st) == 0 && !S_ISREG(st.st_mode))
            return lm_fail(LMAD_ERR_IO, "%s: not a regular file", path);
        return LMAD_OK;
    }
    if (errno != ENOENT) return io_error(path, "finding it");
    if (lstat(path, &st) == 0) return lm_fail(LMAD_ERR_IO, "%s: a link to nowhere", path);
    if (snprintf(target, PATH_MAX, "%s", path) >= PATH_MAX)
        return lm_fail(LMAD_ERR_IO, "%s: the path is too long", path);
    return LMAD_OK;
}

lmad_status lm_wisdom_change_file(const char *path, const char *text, lm_wisdom_keep *keep, void *arg) {
    char target[PATH_MAX];
    const change c = {target, text, keep, arg};
    const lmad_status status = find_target(path, target);
    return status == LMAD_OK ? merge_locked(&c) : status;
}

lmad_status lmad_wisdom_export_file(lmad_ctx *ctx, const char *path) {
    size_t length;
    if (!path) return lm_fail(LMAD_ERR_NULL, "wisdom: the path is NULL");
    char *ours = lm_wisdom_text(ctx, &length);
    if (!ours) return LMAD_ERR_NO_MEMORY;
    const lmad_status status = lm_wisdom_change_file(path, ours, NULL, NULL);
    free(ours);
    return status;
}
