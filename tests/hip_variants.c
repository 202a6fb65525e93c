/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints the compiler's options of the kernel variants that plans of the built-in suites ask for, and of transposes of
 * elements of other sizes, one a line, each once: what tests/hip-offline.sh compiles. Asks no device and no HIP:
 * the arithmetic of launches does without.
 *
 *     hip-variants [SUITE...] */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/device.h"
#include "lib/launch.h"
#include "tune/suites.h"

/* Devices of both widths, as large ones are. */
static const lm_device devices[] = {
    {.arch = "gfx90a",
     .units = 104,
     .wave = 64,
     .segment = 64,
     .lds_bytes = 65536,
     .max_threads = 1024,
     .max_grid = {INT32_MAX, 65535, 65535},
     .l2_bytes = 8 << 20},
    {.arch = "gfx1030",
     .units = 40,
     .wave = 32,
     .segment = 32,
     .lds_bytes = 65536,
     .max_threads = 1024,
     .max_grid = {INT32_MAX, 65535, 65535},
     .l2_bytes = 4 << 20},
};
enum { DEVICES = sizeof devices / sizeof *devices, MOST = 512 };

static lm_variant variants[MOST];
static int count;

static void add(const lm_variant *variant) {
    for (int i = 0; i < count; i++)
        if (lm_variant_equal(&variants[i], variant)) return;
    if (count < MOST) variants[count++] = *variant;
}

/* What a plan of this problem keeps ready: its way, for pointers as allocators give them. */
static void add_copy(const lm_problem *p, const lm_device *device) {
    enum { ALIGNED = 16 };
    lm_hip_params params;
    lm_launch launch;
    if (p->count == 1 && p->op == LM_OP_COPY) return; /* the run time's own copy */
    lm_hip_propose(p, device, LMAD_ESTIMATE, &params, 1);
    lm_hip_make(p, device, &params, ALIGNED, &launch);
    add(&launch.variant);
}

static void add_affine(const lm_problem *p, const lm_case *c, const lm_device *device) {
    static const lmad_type types[2][2] = {{LMAD_INT32, LMAD_FLOAT}, {LMAD_INT64, LMAD_DOUBLE}};
    for (int k = 0; k < 2; k++) {
        lm_launch launch;
        lm_hip_make_affine(p, &c->dst, types[c->elem_size == 8][k], device, 16, &launch);
        add(&launch.variant);
    }
}

/* Moves within overlapping views are two copies, which these suites have; lists are for the host. */
static void add_case(const lm_case *c) {
    lm_problem p;
    if (c->op == LM_OP_MANY || c->op == LM_OP_MOVE) return;
    const bool has_source = c->op == LM_OP_COPY;
    if (lm_problem_make(&p, c->op, &c->dst, has_source ? &c->src : NULL, c->elem_size, 1) != LMAD_OK ||
        !p.count)
        return;
    for (int i = 0; i < DEVICES; i++) {
        p.dst_space = p.src_space = 0;
        if (c->op == LM_OP_AFFINE)
            add_affine(&p, c, &devices[i]);
        else
            add_copy(&p, &devices[i]);
    }
}

static int add_suite(const char *name) {
    lm_cases cases = {0};
    char error[256];
    if (lm_cases_add_suite(&cases, name, error, sizeof error) != 0) {
        fprintf(stderr, "%s\n", error);
        return -1;
    }
    for (size_t i = 0; i < cases.count; i++) add_case(&cases.item[i]);
    lm_cases_free(&cases);
    return 0;
}

/* Transposes of elements of sizes that suites do not have. */
static void add_elements(void) {
    static const size_t sizes[] = {5, 6, 7, 10, 37, 129, 257, 300};
    enum { N = 1024, SIZES = sizeof sizes / sizeof *sizes };
    for (int k = 0; k < SIZES; k++) {
        const lm_case c = {.op = LM_OP_COPY,
                           .elem_size = sizes[k],
                           .dst = {2, 0, {{N, N}, {N, 1}}},
                           .src = {2, 0, {{N, 1}, {N, N}}}};
        add_case(&c);
    }
}

int main(int argc, char **argv) {
    int failed = 0;
    for (int i = 1; i < argc; i++) failed |= add_suite(argv[i]);
    for (const lm_suite *suite = lm_suites; argc == 1 && suite->name; suite++)
        failed |= add_suite(suite->name);
    if (argc == 1) add_elements();
    for (int i = 0; i < count; i++) {
        char options[512];
        lm_variant_options(&variants[i], options, sizeof options);
        puts(options);
    }
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
