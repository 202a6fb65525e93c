/* SPDX-License-Identifier: BSD-3-Clause */
/* Processes that share the suites. */
#include "workers.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

void lm_tally_add(lm_tally *sum, SRunner *runner) {
    const int failed = srunner_ntests_failed(runner);
    TestResult **results = srunner_failures(runner);
    int errors = 0;
    for (int i = 0; i < failed; i++)
        if (tr_rtype(results[i]) == CK_ERROR) errors++;
    free(results);
    sum->run += srunner_ntests_run(runner);
    sum->failures += failed - errors;
    sum->errors += errors;
}

void lm_tally_print(const lm_tally *t) {
    const int good = t->run - t->failures - t->errors;
    printf("%d%%: Checks: %d, Failures: %d, Errors: %d\n", t->run ? 100 * good / t->run : 100, t->run,
           t->failures, t->errors);
}

/* What the processes share. */
typedef struct board {
    atomic_int next;      /* suite that nobody has taken */
    pthread_mutex_t lock; /* of the rest, and of standard output */
    lm_tally sum;
} board;

static board *open_board(void) {
    pthread_mutexattr_t shared;
    board *b = mmap(NULL, sizeof *b, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (b == MAP_FAILED) return NULL;
    pthread_mutexattr_init(&shared);
    pthread_mutexattr_setpshared(&shared, PTHREAD_PROCESS_SHARED);
    pthread_mutex_init(&b->lock, &shared);
    pthread_mutexattr_destroy(&shared);
    return b;
}

static void show(FILE *said) {
    char text[4096];
    size_t got;
    rewind(said);
    while ((got = fread(text, 1, sizeof text, said)) > 0) fwrite(text, 1, got, stdout);
    fflush(stdout);
}

/* Standard output and error go to a file meanwhile. */
static void run_suite(board *b, Suite *suite) {
    SRunner *runner = srunner_create(suite);
    FILE *said = tmpfile();
    const int out = dup(STDOUT_FILENO), err = dup(STDERR_FILENO);
    if (said) dup2(fileno(said), STDOUT_FILENO), dup2(fileno(said), STDERR_FILENO);
    srunner_run_all(runner, CK_ENV);
    fflush(NULL);
    dup2(out, STDOUT_FILENO), dup2(err, STDERR_FILENO);
    close(out), close(err);
    pthread_mutex_lock(&b->lock);
    lm_tally_add(&b->sum, runner);
    if (said) show(said);
    pthread_mutex_unlock(&b->lock);
    if (said) fclose(said);
    srunner_free(runner);
}

static pid_t start(board *b, Suite *(*const *make)(void), int suites) {
    const pid_t worker = fork();
    if (worker != 0) return worker;
    for (int k; (k = atomic_fetch_add(&b->next, 1)) < suites;) run_suite(b, make[k]());
    exit(EXIT_SUCCESS);
}

bool lm_workers_run(int workers, Suite *(*const *make)(void), int suites, lm_tally *out) {
    board *b = open_board();
    if (!b) return false;
    fflush(NULL);
    int started = 0, ended = 0, status;
    while (started < workers && start(b, make, suites) > 0) started++;
    for (int i = 0; i < started; i++)
        if (wait(&status) > 0 && WIFEXITED(status) && WEXITSTATUS(status) == EXIT_SUCCESS) ended++;
    *out = b->sum;
    munmap(b, sizeof *b);
    return started > 0 && ended == started;
}
