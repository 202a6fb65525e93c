/* SPDX-License-Identifier: BSD-3-Clause */
/* A plain driver for fuzz targets where there is no libFuzzer: every file of a folder, then changes to them
 * until the time is up. LMAD_FUZZ_SECONDS (default 1) and LMAD_TEST_SEED apply; what crashes is in
 * fuzz-last-TARGET. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "fuzz.h"
#include "rng.h"

enum { FILES = 256, MOST = 1 << 15 };

typedef struct input {
    uint8_t *bytes;
    size_t size;
} input;

static input corpus[FILES];
static int files;
static const char *last_name;

static void die(const char *what) {
    perror(what);
    exit(2);
}

static void add_file(const char *folder, const char *name) {
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "rb");
    uint8_t *bytes = malloc(MOST);
    if (!file || !bytes || files == FILES) die(path);
    corpus[files++] = (input){bytes, fread(bytes, 1, MOST, file)};
    fclose(file);
}

static void read_corpus(const char *folder) {
    DIR *dir = opendir(folder);
    if (!dir) die(folder);
    for (struct dirent *entry; (entry = readdir(dir)) != NULL;)
        if (entry->d_name[0] != '.') add_file(folder, entry->d_name);
    closedir(dir);
    if (files == 0) die(folder);
}

/* What is about to run is on disk before it does. */
static void try_input(const uint8_t *bytes, size_t size) {
    FILE *file = fopen(last_name, "wb");
    if (!file || fwrite(bytes, 1, size, file) != size || fclose(file) != 0) die(last_name);
    uint8_t *exact = malloc(size ? size : 1); /* so that a byte too many is seen */
    if (!exact) die("memory");
    memcpy(exact, bytes, size);
    LLVMFuzzerTestOneInput(exact, size);
    free(exact);
}

static size_t at_random(lm_rng *rng, size_t size) {
    return size ? (size_t)lm_rng_range(rng, 0, (int64_t)size - 1) : 0;
}

static size_t insert(uint8_t *bytes, size_t size, size_t at, const void *what, size_t length) {
    if (size + length > MOST) return size;
    memmove(bytes + at + length, bytes + at, size - at);
    memcpy(bytes + at, what, length);
    return size + length;
}

/* One change. */
static size_t change(lm_rng *rng, uint8_t *bytes, size_t size) {
    static const char *const words[] = {"\t",
                                        "\n",
                                        "0",
                                        "-1",
                                        "9223372036854775807",
                                        "-9223372036854775808",
                                        "(",
                                        ")",
                                        "[",
                                        "]",
                                        ",",
                                        "+",
                                        "none",
                                        "run",
                                        "threads=2",
                                        "999999999999999999",
                                        "1x1",
                                        "copy",
                                        "fill",
                                        "lmad-wisdom 1",
                                        "exhaustive",
                                        "isa=base",
                                        " ",
                                        "31"};
    const size_t at = at_random(rng, size);
    const input *other = &corpus[at_random(rng, (size_t)files)];
    switch (lm_rng_range(rng, 0, 5)) {
    case 0:
        if (size) bytes[at] ^= (uint8_t)(1 << lm_rng_range(rng, 0, 7));
        return size;
    case 1:
        if (size) bytes[at] = (uint8_t)lm_rng_range(rng, 0, 255);
        return size;
    case 2: {
        const size_t gone = at_random(rng, size - at < 20 ? size - at : 20);
        memmove(bytes + at, bytes + at + gone, size - at - gone);
        return size - gone;
    }
    case 3: {
        const char *word = words[at_random(rng, sizeof words / sizeof *words)];
        return insert(bytes, size, at, word, strlen(word));
    }
    case 4: {
        const size_t from = at_random(rng, other->size), rest = other->size - from;
        return insert(bytes, size, at, other->bytes + from, at_random(rng, rest < 200 ? rest : 200));
    }
    default:
        if (size && bytes[at] >= '0' && bytes[at] <= '9')
            bytes[at] = (uint8_t)('0' + lm_rng_range(rng, 0, 9));
        return size;
    }
}

static long fuzz(double seconds, uint64_t seed) {
    static uint8_t bytes[MOST];
    const time_t end = time(NULL) + (time_t)seconds;
    lm_rng rng = {lm_mix(seed)};
    long runs = 0;
    for (; time(NULL) < end; runs++) {
        const input *from = &corpus[at_random(&rng, (size_t)files)];
        size_t size = from->size;
        memcpy(bytes, from->bytes, size);
        for (int64_t k = lm_rng_range(&rng, 1, 6); k > 0; k--) size = change(&rng, bytes, size);
        try_input(bytes, size);
    }
    return runs;
}

int main(int argc, char **argv) {
    const char *seconds = getenv("LMAD_FUZZ_SECONDS"), *seed = getenv("LMAD_TEST_SEED");
    if (argc != 3) {
        fprintf(stderr, "usage: %s CORPUS LAST\n", argv[0]);
        return 2;
    }
    last_name = argv[2];
    LLVMFuzzerInitialize(&argc, &argv);
    read_corpus(argv[1]);
    for (int k = 0; k < files; k++) try_input(corpus[k].bytes, corpus[k].size);
    const long runs =
        fuzz(seconds ? atof(seconds) : 1, seed ? strtoull(seed, NULL, 0) : (uint64_t)time(NULL));
    printf("%d files, %ld changed inputs\n", files, runs);
    remove(last_name);
    return 0;
}
