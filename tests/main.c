/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs all suites, or those named as arguments. Check's own variables apply (CK_FORK=no for a debugger,
 * CK_RUN_CASE, CK_VERBOSITY). LMAD_TEST_JOBS=N: N processes share the suites. The last line is Check's
 * summary. */
#include <check.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "workers.h"

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

/* Those named in names, all that are of use when there are none; how many, or -1 for an unknown name. */
static int choose(char *const *names, int count, Suite *(**make)(void)) {
    int chosen = 0;
    for (int i = 0; i < SUITES && count == 0; i++)
        if (is_of_use(&suites[i])) make[chosen++] = suites[i].make;
    for (int i = 0; i < count && chosen < SUITES; i++) {
        const suite_entry *suite = find(names[i]);
        if (!suite) {
            fprintf(stderr, "no suite '%s'; there are:", names[i]);
            for (int k = 0; k < SUITES; k++) fprintf(stderr, " %s", suites[k].name);
            fputc('\n', stderr);
            return -1;
        }
        make[chosen++] = suite->make;
    }
    return chosen;
}

/* One after another, in this process. */
static void run_here(Suite *(*const *make)(void), int count, lm_tally *tally) {
    SRunner *runner = srunner_create(NULL);
    for (int i = 0; i < count; i++) srunner_add_suite(runner, make[i]());
    srunner_run_all(runner, CK_ENV);
    lm_tally_add(tally, runner);
    srunner_free(runner);
}

int main(int argc, char **argv) {
    const char *jobs = getenv("LMAD_TEST_JOBS");
    const int workers = jobs ? atoi(jobs) : 1;
    Suite *(*make[SUITES])(void);
    lm_tally tally = {0};
    bool whole = true;
    setenv("LMAD_WISDOM", "", 1); /* plans depend on nothing that lies about on this machine */
    const int count = choose(argv + 1, argc - 1, make);
    if (count < 0) return EXIT_FAILURE;
    if (workers > 1)
        whole = lm_workers_run(workers, make, count, &tally);
    else
        run_here(make, count, &tally);
    const bool good = whole && tally.failures + tally.errors == 0;
    /* Check prints its summary before the failures; people and scripts look for it at the end. */
    if (workers > 1 || !good) lm_tally_print(&tally);
    if (!whole) fputs("a process that runs suites was not started, or has died\n", stderr);
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
