/* SPDX-License-Identifier: BSD-3-Clause */
/* Recording the problems that a program plans. A line's name tells the canonical problem, so that one problem
 * described in two ways is one line, in this run and the next. */
#define _GNU_SOURCE 1
#include "history.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "environment.h"
#include "forks.h"
#include "key.h"
#include "text.h"

/* ---- names that are in the file ----------------------------------------------------------------------- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
__attribute__((constructor)) static void watch_forks(void) { lm_forks_hold(&lock); }

/* Open addressing; 0 = free. */
static struct {
    uint64_t *name;
    size_t size, count;
} seen;

static uint64_t *place(uint64_t *table, size_t size, uint64_t name) {
    size_t at = (size_t)(name ^ name >> 31) & (size - 1);
    while (table[at] && table[at] != name) at = (at + 1) & (size - 1);
    return &table[at];
}

static bool grow(void) {
    const size_t size = seen.size ? 2 * seen.size : 256;
    uint64_t *table = calloc(size, sizeof *table);
    if (!table) return false;
    for (size_t k = 0; k < seen.size; k++)
        if (seen.name[k]) *place(table, size, seen.name[k]) = seen.name[k];
    free(seen.name);
    seen.name = table;
    seen.size = size;
    return true;
}

static bool has_name(uint64_t name) { return seen.size && *place(seen.name, seen.size, name); }

/* True when the name is new. Without memory every name is old. */
static bool add_name(uint64_t name) {
    if (2 * seen.count >= seen.size && !grow()) return false;
    uint64_t *at = place(seen.name, seen.size, name);
    if (*at) return false;
    *at = name;
    seen.count++;
    return true;
}

/* ---- the file ----------------------------------------------------------------------------------------- */

enum { LINE = 8192 };

static const char *path; /* NULL = nobody asked */

/* An opened file. */
typedef struct book {
    int fd;
    FILE *file; /* to read it; NULL where it is no regular file, or cannot be read, and is only appended to */
    bool locked;
    off_t whole; /* where its last whole line ends */
    bool torn;   /* one of our lines follows that lacks its end: a disk was full, or a process killed */
    bool open;   /* a line of somebody else follows that lacks its end */
} book;

/* Others hold the lock for the time of a write. One who keeps it longer costs nobody but a line written
 * twice. */
static bool try_lock(int fd) {
    for (int tries = 0; tries < 500; tries++) {
        if (flock(fd, LOCK_EX | LOCK_NB) == 0) return true;
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    return false;
}

static bool open_book(book *b) {
    const int flags = O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK;
    struct stat st;
    *b = (book){.fd = open(path, O_RDWR | flags, 0666)};
    if (b->fd < 0) b->fd = open(path, O_WRONLY | flags, 0666);
    if (b->fd < 0) return false;
    if (fstat(b->fd, &st) != 0 || !S_ISREG(st.st_mode)) return true;
    if ((fcntl(b->fd, F_GETFL) & O_ACCMODE) == O_RDWR) b->file = fdopen(b->fd, "r");
    b->locked = try_lock(b->fd);
    return true;
}

static void close_book(const book *b) {
    if (b->file)
        fclose(b->file);
    else
        close(b->fd);
}

/* Names of earlier runs and of other processes, from where the file was left. */
static void read_names(book *b) {
    static off_t left;
    char piece[LINE];
    unsigned long long name;
    if (!b->file || fseeko(b->file, left, SEEK_SET) != 0) return;
    b->whole = left;
    for (bool first = true, last; fgets(piece, LINE, b->file); first = last) {
        last = strchr(piece, '\n') != NULL;
        const bool ours = first && strncmp(piece, "p/", 2) == 0;
        if (last && ours && sscanf(piece, "p/%16llx\t", &name) == 1 && name) add_name(name);
        if (last) b->whole = ftello(b->file);
        b->torn = !last && (first ? ours : b->torn);
        b->open = !last && !b->torn;
    }
    left = b->whole;
}

/* One write, so that lines of several processes do not mix. What cannot be written whole is not recorded. */
static void append(const book *b, const char *line, size_t length) {
    struct stat st;
    if (b->torn && b->locked && ftruncate(b->fd, b->whole) != 0) return;
    const bool known = fstat(b->fd, &st) == 0;
    if ((b->open || (b->torn && !b->locked)) && write(b->fd, "\n", 1) != 1) return;
    const ssize_t put = write(b->fd, line, length);
    if (put > 0 && (size_t)put < length && b->locked && known && ftruncate(b->fd, st.st_size) != 0) return;
}

static void record(uint64_t name, const char *line, size_t length) {
    book b;
    if (!open_book(&b)) {
        add_name(name); /* not to be tried again */
        return;
    }
    read_names(&b);
    if (add_name(name)) append(&b, line, length);
    close_book(&b);
}

static void find_out(void) {
    const char *text = lm_environment("LMAD_RECORD");
    if (text && *text) path = strdup(text);
}

void lm_history_add(const lm_problem *p, const lmad_desc *dst, const lmad_desc *src, size_t elem_size,
                    int64_t shift) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find_out);
    if (!path || p->count == 0 || shift % (int64_t)elem_size != 0) return;
    lm_problem any_threads = *p;
    any_threads.threads = 1;
    uint64_t name = lm_key_hash(&any_threads, LM_ISA_BASE);
    if (name == 0) name = 1;
    char line[LINE], d[2048], s[2048] = "";
    lm_text text = {line, sizeof line, 0};
    lmad_format(d, sizeof d, dst);
    if (src) {
        lmad_desc from = *src;
        from.offset += shift / (int64_t)elem_size;
        lmad_format(s, sizeof s, &from);
    }
    lm_text_add(&text, "p/%016llx\t%zu\t%s\t%s\t%s\n", (unsigned long long)name, elem_size, d, s,
                lm_op_text(p->op));
    pthread_mutex_lock(&lock);
    if (!has_name(name)) record(name, line, text.length);
    pthread_mutex_unlock(&lock);
}
