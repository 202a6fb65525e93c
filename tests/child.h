/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks in a process of their own. */
#ifndef LM_CHILD_H
#define LM_CHILD_H

/* Run a check in a child, which may change what it likes; it passes when the check returns within a minute. */
void lm_in_child(void (*check)(void));

#endif
