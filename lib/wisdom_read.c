/* SPDX-License-Identifier: BSD-3-Clause */
/* The reader of wisdom. Each line stands for itself: whatever is wrong with one costs no other one, not even
 * when it is the first. */
#define _GNU_SOURCE 1
#include "wisdom_read.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "status.h"
#include "wisdom.h"

size_t lm_wisdom_head(char *buf, size_t size) {
    static const char head[] = LM_WISDOM_HEAD "\t";
    char sum[17];
    lm_record_checksum(sum, head, sizeof head - 1);
    return (size_t)snprintf(buf, size, "%s%s\n", head, sum);
}

/* ---- lines ---------------------------------------------------------------------------------------- */

/* A reading under way. */
typedef struct reader {
    const lm_sink *sink;
    lmad_wisdom_report *report;
    int64_t number;    /* of the line */
    bool blank, known; /* nothing but blanks so far; something was wisdom */
    bool starved;      /* a line was not read for lack of memory */
    int64_t later;     /* format version that is not ours; 0 = none was seen */
    size_t length;     /* of the line so far, which may be more than fits */
    char line[LM_RECORD_LINE + 1];
} reader;

static void tell(const reader *r, lmad_wisdom_verdict verdict, const char *reason) {
    lmad_wisdom_report *report = r->report;
    switch (verdict) {
    case LMAD_WISDOM_TAKEN: report->taken++; break;
    case LMAD_WISDOM_NOT_BETTER: report->not_better++; break;
    case LMAD_WISDOM_KEPT: report->kept++; break;
    case LMAD_WISDOM_BAD: report->bad++; break;
    }
    if (report->line) report->line(report->data, r->number, verdict, reason);
}

/* "lmad-wisdom N", tab, checksum. */
static void read_head(reader *r) {
    static const char word[] = "lmad-wisdom ";
    char sum[17];
    const char *at = r->line + sizeof word - 1;
    const size_t digits = strspn(at, "0123456789"), signed_part = sizeof word - 1 + digits + 1;
    const bool shaped = digits >= 1 && digits <= 9 && at[digits] == '\t' && r->length == signed_part + 16;
    if (shaped) lm_record_checksum(sum, r->line, signed_part);
    if (!shaped || memcmp(sum, r->line + signed_part, 16) != 0) {
        tell(r, LMAD_WISDOM_BAD, "a damaged first line");
        return;
    }
    r->known = true;
    if (strncmp(r->line, LM_WISDOM_HEAD "\t", sizeof LM_WISDOM_HEAD) == 0) return;
    for (size_t k = 0; k < digits; k++) r->later = r->later * 10 + (at[k] - '0');
}

static void read_record(reader *r) {
    const char *reason;
    lm_record *record = lm_record_read(r->line, r->length, lm_wisdom_machine(), &reason);
    if (!record) {
        if (reason == lm_record_no_memory) r->starved = true;
        tell(r, LMAD_WISDOM_BAD, reason);
        return;
    }
    const bool usable = lm_record_is_known(record);
    const bool foreign = record->distance != 0 && !record->on_device;
    r->known = true;
    switch (r->sink->add(r->sink->arg, record)) {
    case LM_ADDED:
    case LM_ADDED_INSTEAD:
        if (usable && foreign) r->report->foreign++;
        if (usable)
            tell(r, LMAD_WISDOM_TAKEN, NULL);
        else
            tell(r, LMAD_WISDOM_KEPT, "a problem or candidate that this version does not know");
        break;
    case LM_ADDED_NOT: tell(r, LMAD_WISDOM_NOT_BETTER, "one at least as good is there"); break;
    case LM_ADDED_NO_MEMORY:
        r->starved = true;
        tell(r, LMAD_WISDOM_BAD, lm_record_no_memory);
        break;
    }
}

static bool is_head(const char *line) { return strncmp(line, "lmad-wisdom ", 12) == 0; }

/* Where a line ends by what is in it: 16 digits after its last tab. A damaged end of a line would otherwise
 * cost the good record before and the one behind it. */
static size_t natural_length(const char *line, size_t length) {
    int tabs = is_head(line) ? 1 : LM_RECORD_FIELDS - 1;
    for (size_t k = 0; k < length; k++)
        if (line[k] == '\t' && --tabs == 0) return k + 17 < length ? k + 17 : length;
    return length;
}

/* Read r->line as head, record, remark or nothing. */
static void read_line(reader *r) {
    const bool blank = strspn(r->line, " \t\r") == r->length;
    if (!blank) r->blank = false;
    if (is_head(r->line))
        read_head(r);
    else if (!blank && r->line[0] != '#')
        read_record(r);
}

/* The line is complete: read it, and what has grown together with it. */
static void end_line(reader *r) {
    r->number++;
    if (r->length > LM_RECORD_LINE) {
        r->blank = false;
        tell(r, LMAD_WISDOM_BAD, "the line is too long");
        r->length = 0;
    }
    while (r->length) {
        const size_t all = r->length, first = natural_length(r->line, all);
        const char between = first < all ? r->line[first] : '\0';
        r->length = first;
        r->line[first] = '\0';
        read_line(r);
        if (between && (between != '\r' || first + 1 < all))
            tell(r, LMAD_WISDOM_BAD, "a damaged end of line");
        r->length = first < all ? all - first - 1 : 0;
        memmove(r->line, r->line + first + 1, r->length);
        r->line[r->length] = '\0';
    }
}

static void take(reader *r, const char *bytes, size_t count) {
    while (count && !r->later) {
        const char *end = memchr(bytes, '\n', count);
        const size_t piece = end ? (size_t)(end - bytes) : count;
        if (r->length < LM_RECORD_LINE) {
            const size_t room = LM_RECORD_LINE - r->length;
            memcpy(r->line + r->length, bytes, piece < room ? piece : room);
        }
        r->length = piece > 2 * LM_RECORD_LINE - r->length ? 2 * LM_RECORD_LINE : r->length + piece;
        if (!end) return;
        end_line(r);
        bytes += piece + 1;
        count -= piece + 1;
    }
}

static lmad_status verdict(const reader *r, const char *name) {
    if (r->starved) return lm_fail(LMAD_ERR_NO_MEMORY, "%s: no memory for all of its records", name);
    if (r->later)
        return lm_fail(LMAD_ERR_FORMAT, "%s: wisdom of format %lld; this library reads format 1", name,
                       (long long)r->later);
    if (!r->known && !r->blank) return lm_fail(LMAD_ERR_FORMAT, "%s: no line of it is wisdom", name);
    return LMAD_OK;
}

static void reset(lmad_wisdom_report *report) {
    report->taken = report->not_better = report->kept = report->bad = report->foreign = 0;
}

lmad_status lm_wisdom_read(const lm_sink *sink, lmad_wisdom_read *read, void *data, const char *name,
                           lmad_wisdom_report *report) {
    lmad_wisdom_report unwanted = {.struct_size = sizeof unwanted};
    char bytes[16384];
    int64_t got;
    reader r = {.sink = sink, .report = report ? report : &unwanted, .blank = true};
    reset(r.report);
    while (!r.later && (got = read(data, bytes, sizeof bytes)) != 0) {
        if (got < 0 || got > (int64_t)sizeof bytes) return lm_fail(LMAD_ERR_IO, "%s: reading failed", name);
        take(&r, bytes, (size_t)got);
    }
    if (r.length && !r.later) end_line(&r);
    return verdict(&r, name);
}

/* ---- files ---------------------------------------------------------------------------------------- */

static int64_t read_fd(void *data, char *buf, size_t size) {
    ssize_t got;
    do got = read(*(int *)data, buf, size);
    while (got < 0 && errno == EINTR);
    return got;
}

lmad_status lm_wisdom_read_fd(const lm_sink *sink, int fd, const char *name, lmad_wisdom_report *report) {
    return lm_wisdom_read(sink, read_fd, &fd, name, report);
}

/* Opening must not wait for a writer of a pipe where a pipe is not wanted; reading one must. */
lmad_status lm_wisdom_read_file(const lm_sink *sink, const char *path, bool regular,
                                lmad_wisdom_report *report) {
    struct stat st;
    if (report) reset(report);
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0 && (errno == ENOENT || errno == ENOTDIR)) return LMAD_OK;
    if (fd < 0) return lm_fail(LMAD_ERR_IO, "%s: %s", path, strerror(errno));
    lmad_status status;
    if (fstat(fd, &st) != 0)
        status = lm_fail(LMAD_ERR_IO, "%s: %s", path, strerror(errno));
    else if (!S_ISREG(st.st_mode) && (regular || !S_ISFIFO(st.st_mode)))
        status = lm_fail(LMAD_ERR_IO, "%s: not a regular file", path);
    else if (fcntl(fd, F_SETFL, 0) != 0)
        status = lm_fail(LMAD_ERR_IO, "%s: %s", path, strerror(errno));
    else
        status = lm_wisdom_read_fd(sink, fd, path, report);
    close(fd);
    return status;
}

static lm_added add_to_store(void *arg, lm_record *record) { return lm_store_add(arg, record); }

lm_sink lm_sink_store(lm_store *store) { return (lm_sink){add_to_store, store}; }

static lm_added add_to_context(void *arg, lm_record *record) { return lm_wisdom_add(arg, record); }

lm_sink lm_sink_context(lmad_ctx *ctx) { return (lm_sink){add_to_context, ctx}; }

int64_t lm_wisdom_read_text(void *data, char *buf, size_t size) {
    const char **at = data;
    const size_t count = strnlen(*at, size);
    memcpy(buf, *at, count);
    *at += count;
    return (int64_t)count;
}
