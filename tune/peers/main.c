/* SPDX-License-Identifier: BSD-3-Clause */
/* peers SUITE.tsv FIRST LAST: lines FIRST .. LAST (from 1 on) of a suite by every library that can copy and
 * was found. All work on the same memory, are verified, and take turns. Prints a line a row: suite, name,
 * bytes, then the nanoseconds of each peer; "-" where it has nothing for the problem, "WRONG" where the
 * result was. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "peers.h"
#include "row.h"

static const peer *const peers[] = {
    &peer_memcpy,   &peer_lmad, &peer_loop,
#if HAVE_FFTW
    &peer_fftw,
#endif
#if HAVE_OPENBLAS
    &peer_openblas,
#endif
#if HAVE_NUMPY
    &peer_numpy,
#endif
#if HAVE_TORCH
    &peer_torch,
#endif
#if HAVE_ONEDNN
    &peer_onednn,
#endif
#if HAVE_EIGEN
    &peer_eigen,
#endif
#if HAVE_MPI
    &peer_mpi,
#endif
};

enum { PEERS = sizeof peers / sizeof *peers };

static void print_row(const char *suite, const peer_problem *p, const double *ns) {
    printf("%s\t%s\t%lld", suite, p->name, (long long)p->payload);
    for (int k = 0; k < PEERS; k++) {
        if (ns[k] > 0)
            printf("\t%.1f", ns[k]);
        else
            printf("\t%s", ns[k] < 0 ? "WRONG" : "-");
    }
    putchar('\n');
    fflush(stdout);
}

static void print_header(void) {
    printf("suite\tname\tbytes");
    for (int k = 0; k < PEERS; k++) printf("\t%s", peers[k]->name);
    putchar('\n');
}

/* "dir/halo.tsv": "halo", in place. */
static char *suite_name(char *path) {
    char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *dot = strrchr(name, '.');
    if (dot) *dot = '\0';
    return name;
}

int main(int argc, char **argv) {
    char line[4096];
    double ns[PEERS];
    row_memory memory = {0};
    if (argc == 2 && strcmp(argv[1], "--header") == 0) return print_header(), EXIT_SUCCESS;
    FILE *file = argc == 4 ? fopen(argv[1], "r") : NULL;
    if (!file) {
        fprintf(stderr, "peers: SUITE.tsv FIRST LAST\n");
        return EXIT_FAILURE;
    }
    const int first = atoi(argv[2]), last = atoi(argv[3]);
    const char *suite = suite_name(argv[1]);
    for (int at = 0; fgets(line, sizeof line, file);) {
        peer_problem p;
        if (line[0] == '#' || line[0] == '\n' || ++at < first || at > last) continue;
        if (!row_read(&p, line) || !row_place(&p, &memory)) {
            fprintf(stderr, "peers: %s: line %d: cannot be done\n", suite, at);
            continue;
        }
        row_race(&p, &memory, peers, PEERS, ns);
        print_row(suite, &p, ns);
    }
    fclose(file);
    row_memory_free(&memory);
    return EXIT_SUCCESS;
}
