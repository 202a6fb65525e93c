/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file lmad-wisdom.h
 * Wisdom: what was measured, to be kept. Part of lmad.h, which includes it.
 */
#ifndef LMAD_WISDOM_H
#define LMAD_WISDOM_H

#include "lmad.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Wisdom is text, one record a line: machine, problem, choice, times, effort, date, checksum. Each context has its
 * own. At its first plan a context loads $(datadir)/lmad/wisdom, $(sysconfdir)/lmad/wisdom and
 * ${XDG_CONFIG_HOME:-~/.config}/lmad/wisdom, or the files that LMAD_WISDOM names; files that are not there are
 * empty. Nothing is written unless lmad_wisdom_export_file() is called. A record is checked against the problem when
 * it is used, so wisdom that is stale can be slow, but not wrong. Of two records for the same machine and problem
 * the one of more effort is kept, then the faster, then the later one. */

/** What became of a line that is a record. */
typedef enum {
    LMAD_WISDOM_TAKEN = 0,  /**< it is part of the context's wisdom now, for this machine or another one */
    LMAD_WISDOM_NOT_BETTER, /**< there was one for the same machine and problem that is at least as good */
    LMAD_WISDOM_KEPT, /**< well-formed, but nothing that this version can plan with: exported as it is */
    LMAD_WISDOM_BAD   /**< damaged: skipped */
} lmad_wisdom_verdict;

/** How an import went. The caller sets struct_size = sizeof(lmad_wisdom_report), and line and data if wanted; later
 *  versions append members. The counts are set unless the status is LMAD_ERR_NULL or LMAD_ERR_ARGUMENT. */
typedef struct {
    size_t struct_size;
    /** Called for each record with its line's number (from 1) and, unless it was taken, a reason, which is valid
     *  during the call; NULL = not wanted. It must not use the context. */
    void (*line)(void *data, int64_t number, lmad_wisdom_verdict verdict, const char *reason);
    void *data;
    int64_t taken, not_better, kept, bad; /**< lines, by verdict */
    int64_t foreign;                      /**< of those taken: for other machines than this one */
} lmad_wisdom_report;

/** Add the wisdom of a file to a context's. Damaged lines are skipped and reported, and cost no other line.
 *  A missing file is an empty one. LMAD_ERR_FORMAT: not a single line of it is wisdom, or it is of a later format;
 *  LMAD_ERR_IO: it cannot be read, or is neither a regular file nor a pipe; LMAD_ERR_NO_MEMORY: some lines were not
 *  taken for lack of it. @p report may be NULL. */
LMAD_API lmad_status lmad_wisdom_import_file(lmad_ctx *ctx, const char *path, lmad_wisdom_report *report);

/** The same from memory; @p text ends with a NUL and stays the caller's. */
LMAD_API lmad_status lmad_wisdom_import_string(lmad_ctx *ctx, const char *text, lmad_wisdom_report *report);

/** A caller's source: put up to @p size bytes at @p buf and return how many; 0 at the end, < 0 for an error. */
typedef int64_t lmad_wisdom_read(void *data, char *buf, size_t size);

/** The same through a callback. An error of @p read is LMAD_ERR_IO; lines before it are taken. */
LMAD_API lmad_status lmad_wisdom_import(lmad_ctx *ctx, lmad_wisdom_read *read, void *data,
                                        lmad_wisdom_report *report);

/** Merge a context's wisdom into a file: what is there stays unless a record of the context is better. The file is
 *  replaced in one step (temporary file, fsync, rename) under a lock on PATH.lock, so that any number of processes
 *  may do this at once and one that is killed leaves the file as it was. Equal wisdom makes equal bytes. A file that
 *  is not there is made, its directory is not. LMAD_ERR_FORMAT: there is something that is no wisdom, or wisdom of a
 *  later format; LMAD_ERR_IO: no regular file, or writing failed; either way it is left as it is. */
LMAD_API lmad_status lmad_wisdom_export_file(lmad_ctx *ctx, const char *path);

/** A context's wisdom as text, ended by a NUL, in *text: the caller's, to free(). */
LMAD_API lmad_status lmad_wisdom_export_string(lmad_ctx *ctx, char **text);

/** A caller's sink: take the @p size bytes at @p buf, and return 0; anything else is an error. */
typedef int lmad_wisdom_write(void *data, const char *buf, size_t size);

/** The same through a callback, which must not use the context; its error is LMAD_ERR_IO. */
LMAD_API lmad_status lmad_wisdom_export(lmad_ctx *ctx, lmad_wisdom_write *write, void *data);

/** Forget all wisdom of a context; files that its first plan would have loaded are not loaded any more. */
LMAD_API void lmad_wisdom_forget(lmad_ctx *ctx);

#ifdef __cplusplus
}
#endif

#endif /* LMAD_WISDOM_H */
