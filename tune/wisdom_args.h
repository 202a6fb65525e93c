/* SPDX-License-Identifier: BSD-3-Clause */
/* The command line of lmad-wisdom. */
#ifndef LM_WISDOM_ARGS_H
#define LM_WISDOM_ARGS_H

#include <stdbool.h>

#include "suites.h"

typedef enum lm_verb { LM_TUNE, LM_CALIBRATE, LM_MERGE, LM_LIST, LM_CHECK, LM_DIFF, LM_PRUNE } lm_verb;

enum { LM_THREAD_LIMITS = 16 };

/* Which records are meant; what is NULL, or false, or below 0, does not matter. */
typedef struct lm_filter {
    const char *machine, *problem; /* text that is part of it */
    int effort;                    /* at least this */
    bool here, foreign;            /* this machine's; others' */
} lm_filter;

typedef struct lm_wisdom_options {
    lm_verb verb;
    lm_cases cases;
    int effort;
    double time_limit;                            /* seconds for all of it; < 0 = none */
    int threads[LM_THREAD_LIMITS], thread_limits; /* each problem is tuned for each of them; 0 = automatic */
    int device[LM_THREAD_LIMITS], devices;        /* likewise; LMAD_HOST or HIP's number */
    const char *output;                           /* NULL = the verb's own default */
    char **file;
    int files;
    lm_filter filter;
} lm_wisdom_options;

/* 0: all is well; 1: bad lines, differences, problems that could not be planned; 2: bad arguments, or files
 * that cannot be read or written. */
enum { LM_WISDOM_OK = 0, LM_WISDOM_WRONG = 1, LM_WISDOM_USAGE = 2 };

/* Says what is wrong and exits with LM_WISDOM_USAGE where something is. */
void lm_wisdom_read_args(lm_wisdom_options *out, int argc, char **argv);

#endif
