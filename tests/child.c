/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks in a process of their own. */
#include "child.h"

#include <check.h>
#include <sys/wait.h>
#include <unistd.h>

void lm_in_child(void (*check)(void)) {
    const pid_t pid = fork();
    ck_assert_int_ge(pid, 0);
    if (pid == 0) {
        alarm(60);
        check();
        _exit(0);
    }
    int status;
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert_int_eq(status, 0);
}
