/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading wisdom as what it is: text from anywhere. */
#ifndef LM_WISDOM_READ_H
#define LM_WISDOM_READ_H

#include "store.h"

/* The first line is this, a tab, and the checksum of both. */
#define LM_WISDOM_HEAD "lmad-wisdom 1"

/* Write the first line with its end. As snprintf. */
size_t lm_wisdom_head(char *buf, size_t size);

/* Where records go; takes them over. */
typedef struct lm_sink {
    lm_added (*add)(void *arg, lm_record *record);
    void *arg;
} lm_sink;

/* Read all that `read` gives and hand records to the sink, line by line. @p name is for details of errors,
 * e.g. the file's. @p report may be NULL; its counts are reset first. Errors as lmad_wisdom_import_file(). */
lmad_status lm_wisdom_read(const lm_sink *sink, lmad_wisdom_read *read, void *data, const char *name,
                           lmad_wisdom_report *report);

/* The same from an open file descriptor, and from a file. A file that is not there is empty. @p regular:
 * nothing but regular files will do. */
lmad_status lm_wisdom_read_fd(const lm_sink *sink, int fd, const char *name, lmad_wisdom_report *report);
lmad_status lm_wisdom_read_file(const lm_sink *sink, const char *path, bool regular,
                                lmad_wisdom_report *report);

/* Sinks into a store that nobody else sees, and into a context. */
lm_sink lm_sink_store(lm_store *store);
lm_sink lm_sink_context(lmad_ctx *ctx);

/* An lmad_wisdom_read of a string: data is a const char ** that moves on. */
int64_t lm_wisdom_read_text(void *data, char *buf, size_t size);

#endif
