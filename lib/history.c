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

/* True when the name is new. Without memory every name is old. */
static bool add_name(uint64_t name) {
    if (2 * seen.count >= seen.size && !grow()) return false;
    uint64_t *at = place(seen.name, seen.size, name);
    if (*at) return false;
    *at = name;
    seen.count++;
    return true;
}

/* ---- the file -------------------------------------------------------------------------------------------
 */

static const char *path; /* NULL = nobody asked */

/* Names of earlier runs. */
static void read_names(void) {
    char *line = NULL;
    size_t size = 0;
    unsigned long long name;
    FILE *file = fopen(path, "re");
    if (!file) return;
    while (getline(&line, &size, file) > 0)
        if (sscanf(line, "p/%16llx\t", &name) == 1 && name) add_name(name);
    free(line);
    fclose(file);
}

static void find_out(void) {
    const char *text = lm_environment("LMAD_RECORD");
    if (!text || !*text) return;
    path = strdup(text);
    if (path) read_names();
}

static const char *op_name(lm_op op) {
    return op == LM_OP_COPY ? "copy" : op == LM_OP_MOVE ? "move" : "fill";
}

/* One write, so that lines of several processes do not mix. What cannot be written is not recorded. */
static void append(uint64_t name, lm_op op, const lmad_desc *dst, const lmad_desc *src, size_t elem_size) {
    char line[8192], d[2048], s[2048] = "";
    lmad_format(d, sizeof d, dst);
    if (src) lmad_format(s, sizeof s, src);
    lm_text text = {line, sizeof line, 0};
    lm_text_add(&text, "p/%016llx\t%zu\t%s\t%s\t%s\n", (unsigned long long)name, elem_size, d, s,
                op_name(op));
    const int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
    if (fd < 0) return;
    const ssize_t put = write(fd, line, text.length);
    (void)put;
    close(fd);
}

void lm_history_add(const lm_problem *p, const lmad_desc *dst, const lmad_desc *src, size_t elem_size) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find_out);
    if (!path || p->count == 0) return;
    lm_problem any_threads = *p;
    any_threads.threads = 1;
    uint64_t name = lm_key_hash(&any_threads, LM_ISA_BASE);
    if (name == 0) name = 1;
    pthread_mutex_lock(&lock);
    if (add_name(name)) append(name, p->op, dst, src, elem_size);
    pthread_mutex_unlock(&lock);
}
