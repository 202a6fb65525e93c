/* SPDX-License-Identifier: BSD-3-Clause */
/* Compiled device code on disk. A file is a line with format, checksum and size of the rest, a line with the
 * key, and the bytes. It is code that will run, so that only files that nobody else can have written are
 * taken. */
#define _GNU_SOURCE 1
#include "device_cache.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "environment.h"
#include "files.h"
#include "record.h"

#define LM_CODE_HEAD "lmad-code 1"

enum { HEAD = sizeof LM_CODE_HEAD - 1 + 1 + 16 + 1 + 10 + 1, LARGEST = 64 << 20 };

/* ---- where ------------------------------------------------------------------------------------------ */

int lm_device_cache_folder(char *buf, size_t size) {
    const char *own = lm_environment("LMAD_CACHE"), *cache = lm_environment("XDG_CACHE_HOME"),
               *home = lm_environment("HOME");
    if (own) return *own ? snprintf(buf, size, "%s", own) : 0;
    if (cache && cache[0] == '/') return snprintf(buf, size, "%s/lmad", cache);
    if (home && home[0] == '/') return snprintf(buf, size, "%s/.cache/lmad", home);
    return 0;
}

/* The file of a key is named by the key's hash. */
static bool path_of(const char *key, char *path, size_t size) {
    char sum[17];
    const int length = lm_device_cache_folder(path, size);
    if (length <= 0 || length >= (int)size) return false;
    lm_record_checksum(sum, key, strlen(key));
    return snprintf(path + length, size - (size_t)length, "/%s.co", sum) < (int)(size - (size_t)length);
}

/* ---- reading ---------------------------------------------------------------------------------------- */

/* All of a file that is ours alone. */
static char *read_own(const char *path, size_t *size) {
    struct stat st;
    char *text = NULL;
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0) return NULL;
    if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || st.st_uid != geteuid() ||
        (st.st_mode & (S_IWGRP | S_IWOTH)) || st.st_size <= 0 || st.st_size > LARGEST)
        goto close_file;
    text = malloc((size_t)st.st_size);
    for (size_t at = 0; text && at < (size_t)st.st_size;) {
        const ssize_t got = read(fd, text + at, (size_t)st.st_size - at);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) free(text), text = NULL; /* it became shorter */
        if (got > 0) at += (size_t)got;
    }
    *size = (size_t)st.st_size;

close_file:
    close(fd);
    return text;
}

/* The first line: for the rest, which is what the checksum is of. */
static void write_head(char head[HEAD + 1], const char *rest, size_t length) {
    char sum[17];
    lm_record_checksum(sum, rest, length);
    snprintf(head, HEAD + 1, LM_CODE_HEAD " %s %010u\n", sum, (unsigned)length);
}

/* Where the bytes begin in a whole file of this key; NULL for anything else. */
static const char *find_bytes(const char *text, size_t size, const char *key) {
    char head[HEAD + 1];
    const size_t length = strlen(key);
    if (size < HEAD + length + 2) return NULL;
    write_head(head, text + HEAD, size - HEAD);
    if (memcmp(head, text, HEAD) != 0) return NULL;
    if (memcmp(text + HEAD, key, length) != 0 || text[HEAD + length] != '\n') return NULL;
    return text + HEAD + length + 1;
}

bool lm_device_cache_read(const char *key, lm_cached *out) {
    char path[PATH_MAX];
    size_t size = 0;
    if (!path_of(key, path, sizeof path)) return false;
    char *text = read_own(path, &size);
    if (!text) return false;
    const char *bytes = find_bytes(text, size, key);
    if (!bytes) {
        free(text);
        return false;
    }
    out->size = size - (size_t)(bytes - text);
    out->bytes = text;
    memmove(text, bytes, out->size);
    return true;
}

/* ---- writing ---------------------------------------------------------------------------------------- */

/* What stands in a file: the caller's to free. */
static char *file_text(const char *key, const lm_cached *entry, size_t *size) {
    const size_t length = strlen(key), rest = length + 1 + entry->size;
    char *text = malloc(HEAD + rest + 1);
    if (!text || entry->size > LARGEST / 2) return free(text), NULL;
    memcpy(text + HEAD, key, length);
    text[HEAD + length] = '\n';
    memcpy(text + HEAD + length + 1, entry->bytes, entry->size);
    char head[HEAD + 1];
    write_head(head, text + HEAD, rest);
    memcpy(text, head, HEAD);
    *size = HEAD + rest;
    return text;
}

/* No fsync: a file that a crash cut off has the wrong checksum, and is made anew. */
void lm_device_cache_write(const char *key, const lm_cached *entry) {
    char path[PATH_MAX], temporary[PATH_MAX];
    size_t size;
    if (!path_of(key, path, sizeof path)) return;
    if (snprintf(temporary, sizeof temporary, "%s.XXXXXX", path) >= (int)sizeof temporary) return;
    char *text = file_text(key, entry, &size);
    if (!text) return;
    lm_make_folders(path, 0700); /* for nobody else */
    const int fd = mkostemp(temporary, O_CLOEXEC);
    if (fd < 0) goto free_text;
    const bool whole = lm_write_all(fd, text, size);
    if (close(fd) != 0 || !whole || rename(temporary, path) != 0) unlink(temporary);

free_text:
    free(text);
}
