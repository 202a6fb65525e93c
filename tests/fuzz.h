/* SPDX-License-Identifier: BSD-3-Clause */
/* Fuzz targets: libFuzzer's interface, which tests/fuzz_driver.c knows, too. */
#ifndef LM_FUZZ_H
#define LM_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Stop with a message where the target finds something wrong. */
static inline void lm_fuzz_check(int right, const char *what) {
    if (right) return;
    fprintf(stderr, "fuzz: %s\n", what);
    abort();
}

#endif
