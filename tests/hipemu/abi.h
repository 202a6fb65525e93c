/* SPDX-License-Identifier: BSD-3-Clause */
/* What compiled device code and the emulated run time know of each other. C and C++. */
#ifndef HIPEMU_ABI_H
#define HIPEMU_ABI_H

typedef struct hipemu_index {
    unsigned x, y, z;
} hipemu_index;

/* The run time's side, handed to each module when it is loaded. */
typedef struct hipemu_runtime {
    hipemu_index thread, block, block_dim, grid_dim; /* of the work-item that runs now */
    char *dynamic_lds, *dynamic_lds_end;             /* of its block */
    const char *seen[2], *seen_end[2]; /* memory that was loaded from and stored to last, and may be again */
    long long bytes;                   /* loaded and stored */
    int tracing; /* access() wants to be told of all accesses, not only of doubtful ones */
    void (*barrier)(void);
    void (*access)(int space, int site, const volatile void *p, int bytes, int store);
} hipemu_runtime;

/* What access() is told: which memory. Of 0 bytes: the work-item sits one out. */
enum { HIPEMU_GLOBAL = 0, HIPEMU_LDS = 1 };

/* The module's side: its one symbol `hipemu_module`. */
typedef struct hipemu_module_table {
    unsigned long made_for;  /* sizeof(hipemu_runtime): code that was kept may be older than the run time */
    hipemu_runtime *runtime; /* set by the run time */
    char *lds, *lds_end;     /* all that is __shared__ */
} hipemu_module_table;

/* A kernel is known by a symbol `hipemu_kernel_NAME` of this type: its parameters, in a buffer laid out as a
 * struct of them, and the function that calls it with such a buffer. */
typedef struct hipemu_kernel_table {
    void (*call)(void *buffer);
    int count;
    const unsigned *offset, *size; /* of each parameter */
} hipemu_kernel_table;

#endif
