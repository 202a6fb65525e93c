/* SPDX-License-Identifier: BSD-3-Clause */
/* lmad-wisdom: tunes problems offline and looks after wisdom files. */
#include <stdio.h>
#include <stdlib.h>

#include "wisdom_calibrate.h"
#include "wisdom_files.h"
#include "wisdom_tune.h"

static int run(const lm_wisdom_options *options) {
    switch (options->verb) {
    case LM_TUNE: return lm_wisdom_tune(options);
    case LM_CALIBRATE: return lm_wisdom_calibrate(options);
    case LM_MERGE: return lm_wisdom_merge(options);
    case LM_LIST: return lm_wisdom_list(options);
    case LM_CHECK: return lm_wisdom_check(options);
    case LM_DIFF: return lm_wisdom_diff(options);
    case LM_PRUNE: return lm_wisdom_prune(options);
    }
    return LM_WISDOM_USAGE;
}

int main(int argc, char **argv) {
    lm_wisdom_options options;
    lm_wisdom_read_args(&options, argc, argv);
    int status = run(&options);
    if (fflush(stdout) || ferror(stdout)) {
        perror("lmad-wisdom: standard output");
        status = LM_WISDOM_USAGE;
    }
    lm_cases_free(&options.cases);
    free(options.file);
    return status;
}
