/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs all suites, or those named as arguments. Check's own variables apply (CK_FORK=no for a debugger,
 * CK_RUN_CASE, CK_VERBOSITY). The last line is Check's summary. */
#include <check.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"

#define LM_SUITE(name) Suite *lm_suite_##name(void);
#include "suite_list.h"
#undef LM_SUITE

typedef struct suite_entry {
    const char *name;
    Suite *(*make)(void);
} suite_entry;

#define LM_SUITE(name) {#name, lm_suite_##name},
static const suite_entry suites[] = {
#include "suite_list.h"
};
#undef LM_SUITE

enum { SUITES = sizeof suites / sizeof suites[0] };

static const suite_entry *find(const char *name) {
    for (int i = 0; i < SUITES; i++)
        if (strcmp(suites[i].name, name) == 0) return &suites[i];
    return NULL;
}

/* Can it do anything in this build? Devices need a library that loads HIP's run time, or an emulated one. */
static bool is_of_use(const suite_entry *suite) {
#ifdef LM_WITHOUT_HIP
    return strncmp(suite->name, "hip", 3) != 0 || strcmp(suite->name, "hip_machines") == 0;
#else
    return suite != NULL;
#endif
}

/* Hand the suites named in names, all when there are none, to the runner; 0, or -1 for an unknown name. */
static int add_suites(SRunner *runner, char *const *names, int count) {
    for (int i = 0; i < SUITES && count == 0; i++)
        if (is_of_use(&suites[i])) srunner_add_suite(runner, suites[i].make());
    for (int i = 0; i < count; i++) {
        const suite_entry *suite = find(names[i]);
        if (!suite) {
            fprintf(stderr, "no suite '%s'; there are:", names[i]);
            for (int k = 0; k < SUITES; k++) fprintf(stderr, " %s", suites[k].name);
            fputc('\n', stderr);
            return -1;
        }
        srunner_add_suite(runner, suite->make());
    }
    return 0;
}

/* Check prints its summary before the failures; people and scripts look for it at the end. */
static void repeat_summary(SRunner *runner) {
    int run = srunner_ntests_run(runner), failed = srunner_ntests_failed(runner), errors = 0;
    TestResult **results = srunner_failures(runner);
    for (int i = 0; i < failed; i++)
        if (tr_rtype(results[i]) == CK_ERROR) errors++;
    free(results);
    printf("%d%%: Checks: %d, Failures: %d, Errors: %d\n", 100 * (run - failed) / run, run, failed - errors,
           errors);
}

int main(int argc, char **argv) {
    setenv("LMAD_WISDOM", "", 1); /* plans depend on nothing that lies about on this machine */
    SRunner *runner = srunner_create(NULL);
    if (add_suites(runner, argv + 1, argc - 1) != 0) {
        srunner_free(runner);
        return EXIT_FAILURE;
    }
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    if (failed > 0) repeat_summary(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
