/* SPDX-License-Identifier: BSD-3-Clause */
/* One record of wisdom: a line of text, and what it says: a choice for a problem, or the calibration of a
 * machine.
 *
 * Nine fields between tabs: machine (lm_machine_fingerprint, or lm_device_fingerprint), problem
 * (lm_key_format), chosen candidate (lm_candidate_format, or lm_device_way_format) and its time, runner-up
 * ("-" = none) and its time, effort, date, checksum. Times are nanoseconds with three decimals, dates UTC. A
 * calibration has LM_CALIBRATION_KEY for a problem and its values for a candidate; its times are 0, so that
 * of two with the same effort the later one stays. */
#ifndef LM_RECORD_H
#define LM_RECORD_H

#include <stdatomic.h>

#include "calibration.h"
#include "candidate.h"
#include "device_way.h"
#include "key.h"

enum { LM_RECORD_LINE = 16384, LM_RECORD_FIELDS = 9 }; /* no line is longer */

typedef struct lm_record {
    struct lm_record *next;                                    /* the store's */
    const char *line;                                          /* the whole line without its end */
    const char *machine, *problem, *chosen, *runner_up, *date; /* fields of it */
    int64_t chosen_ps, runner_up_ps;                           /* picoseconds */
    int effort;
    lm_key *key;                 /* NULL: nothing that this version can plan with */
    lm_calibration *calibration; /* NULL: it is none */
    bool on_device;              /* the machine is a device; which one that is, whoever looks it up knows */
    lm_candidate candidate;      /* with the measured time; of the host */
    lm_device_way way;           /* of a device */
    int distance;       /* from this machine: 0 = this one, > 0 = a sibling, < 0 = foreign, or a device */
    atomic_int verdict; /* on first use (wisdom.c): not yet looked at, good, or not for this problem */
    char text[];
} lm_record;

/* The reason, as a pointer, where it is not the line that is at fault. */
extern const char lm_record_no_memory[];

/* Read a line (not ended by '\n'). NULL with a reason when it is no record; the reason is static. The record
 * is on the heap; @p machine is this machine's fingerprint. */
lm_record *lm_record_read(const char *line, size_t length, const char *machine, const char **reason);

/* Write the line of a record: the first eight fields from *r, then the checksum. As snprintf. */
int lm_record_write(char *buf, size_t size, const lm_record *r);

void lm_record_free(lm_record *r);

/* Does this version know what it says? Otherwise it is only kept. */
static inline bool lm_record_is_known(const lm_record *r) { return r->key || r->calibration; }

/* Do the two stand for the same thing, so that only one is kept? Those that are only kept do not compete with
 * those that can be used. */
bool lm_record_rivals(const lm_record *a, const lm_record *b);

/* Of two rivals: is a to be kept? More effort, then less time, then the later one, then the text decide, so
 * that merging in any order keeps the same one. */
bool lm_record_better(const lm_record *a, const lm_record *b);

/* The checksum of a text as 16 hexadecimal digits and a NUL. */
void lm_record_checksum(char out[17], const char *text, size_t length);

/* "estimate" ... "exhaustive", and back; -1 for another word. */
const char *lm_effort_name(int effort);
int lm_effort_parse(const char *word);

#endif
