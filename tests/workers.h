/* SPDX-License-Identifier: BSD-3-Clause */
/* Suites run by several processes at once: tests are processes of their own in any case, but Check runs them
 * one after another. */
#ifndef LM_TEST_WORKERS_H
#define LM_TEST_WORKERS_H

#include <check.h>
#include <stdbool.h>

/* What became of the tests of some suites. */
typedef struct lm_tally {
    int run, failures, errors;
} lm_tally;

/* Add a runner's tests, which have run. */
void lm_tally_add(lm_tally *sum, SRunner *runner);

/* As Check prints it. */
void lm_tally_print(const lm_tally *tally);

/* Run all suites, each as a whole in one of so many processes, and print what each of them says in one piece.
 * False when a process has not come to its end; *out is then less than all. */
bool lm_workers_run(int workers, Suite *(*const *make)(void), int suites, lm_tally *out);

#endif
