/* SPDX-License-Identifier: BSD-3-Clause */
/* lmad-info: what the library knows of this machine and of itself. */
#include <argp.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "kernels/host/kernel.h"
#include "lib/cpu.h"
#include "lib/device.h"
#include "lib/environment.h"
#include "lib/machine.h"
#include "lib/places.h"
#include "lib/threads.h"
#include "lib/wisdom.h"
#include "lmad.h"

/* What is printed. */
typedef enum show { SHOW_FACTS, SHOW_FINGERPRINT, SHOW_KERNELS } show;

static void print_version(FILE *stream, struct argp_state *state) {
    (void)state;
    fprintf(stream, "lmad-info %s\n", lmad_version());
}

static error_t parse_option(int key, char *arg, struct argp_state *state) {
    show *what = state->input;
    switch (key) {
    case 'f': *what = SHOW_FINGERPRINT; return 0;
    case 'k': *what = SHOW_KERNELS; return 0;
    case ARGP_KEY_ARG: argp_error(state, "unexpected argument '%s'", arg); return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static void print_label(const char *label) { printf("%-20s", label); }

static void print_text(const char *label, const char *text) {
    print_label(label);
    puts(text);
}

/* In the largest binary unit of which there is at least one; with a decimal where the number is not whole. */
static void print_bytes(int64_t bytes) {
    static const char *const unit[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    int i = 0;
    double value = (double)bytes;
    while (value >= 1024 && i < 4) value /= 1024, i++;
    printf("%.*f %s", value == (double)(int64_t)value ? 0 : 1, value, unit[i]);
}

static void print_size(const char *label, int64_t bytes) {
    print_label(label);
    if (bytes > 0)
        print_bytes(bytes);
    else
        printf("none");
    putchar('\n');
}

static bool is_compiled(lm_isa isa) {
    int count;
    const lm_kernel *kernel = lm_kernel_list(&count);
    for (int i = 0; i < count; i++) {
        if (kernel[i].isa == isa) return true;
    }
    return false;
}

static void print_isas(const char *label, bool (*has)(lm_isa isa)) {
    print_label(label);
    const char *gap = "";
    for (int isa = LM_ISA_BASE; isa < LM_ISA_COUNT; isa++) {
        if (!has((lm_isa)isa)) continue;
        printf("%s%s", gap, lm_isa_name((lm_isa)isa));
        gap = " ";
    }
    putchar('\n');
}

/* The widest set of kernels that dispatch may pick from. */
static lm_isa isa_in_use(void) {
    lm_isa used = LM_ISA_BASE;
    for (int isa = LM_ISA_BASE; isa <= (int)lm_cpu_isa(); isa++) {
        if (is_compiled((lm_isa)isa)) used = (lm_isa)isa;
    }
    return used;
}

static void print_cores(const lm_machine *machine) {
    print_label("cores");
    printf("%d usable by this process of %d (%d hardware threads)\n", lm_threads_cores(), machine->cores,
           machine->threads);
    print_label("cgroup quota");
    if (machine->quota > 0)
        printf("%d CPUs\n", machine->quota);
    else
        puts("none");
}

static void print_threads(void) {
    lm_settings settings;
    lm_ctx_settings(NULL, &settings);
    print_text("built-in threads", lm_threads_built_in());
    print_label("automatic threads");
    printf("%d\n", lm_threads_limit(&settings));
}

/* A variable that is set, and that it counts for nothing where it does. */
static void print_variable(const char *name, bool ignored, const char *due) {
    const char *value = getenv(name);
    if (!value) return;
    print_label(name);
    if (ignored)
        printf("\"%s\", ignored: not %s\n", value, due);
    else
        puts(value);
}

static void print_environment(void) {
    const char *isa = getenv("LMAD_ISA");
    print_variable("LMAD_NUM_THREADS", lm_threads_environment() == INT_MAX, "a whole number from 1 on");
    print_variable("LMAD_HIP_LIBRARY", !lm_environment("LMAD_HIP_LIBRARY"),
                   "trusted by a program with more rights than its caller");
    print_variable("LMAD_ISA", isa && lm_isa_named(isa) == LM_ISA_COUNT, "base, avx2, avx512 or neon");
}

static void print_device(int number) {
    char line[256], label[32];
    const lm_device *device;
    snprintf(label, sizeof label, "device hip:%d", number);
    print_label(label);
    if (lm_device_get(number, &device) != LMAD_OK) {
        puts(lmad_error_detail());
        return;
    }
    printf("%s, ", device->name[0] ? device->name : "no name");
    print_bytes(device->memory_bytes);
    lm_device_fingerprint(device, line, sizeof line);
    printf(", %s%s\n", line, device->emulated ? " (a test tool: its timings mean nothing)" : "");
}

static void print_hip(void) {
    const lm_hip *hip = lm_hip_get();
    print_label("HIP");
    if (!hip) {
        puts(lm_hip_reason());
        return;
    }
    printf("%s, version %d.%d%s\n", lm_hip_library(), hip->version / 10000000, hip->version / 100000 % 100,
           hip->can_compile ? "" : ", without hiprtc");
    for (int i = 0; i < lm_device_count(); i++) print_device(i);
}

static void print_place(void *arg, const char *path) {
    lmad_wisdom_report report = {.struct_size = sizeof report};
    lmad_ctx *ctx;
    (void)arg;
    print_label("wisdom");
    printf("%s: ", path);
    if (access(path, F_OK) != 0 || lmad_ctx_create(&ctx) != LMAD_OK) {
        puts("none");
        return;
    }
    if (lmad_wisdom_import_file(ctx, path, &report) == LMAD_OK)
        printf("%lld records, %lld for other machines, %lld bad lines\n", (long long)report.taken,
               (long long)report.foreign, (long long)report.bad);
    else
        puts(lmad_error_detail());
    lmad_ctx_destroy(ctx);
}

/* What estimates take this machine for. */
static void print_calibration(void) {
    char text[LM_CALIBRATION_TEXT];
    const lm_calibration *ours = lm_wisdom_calibration(NULL);
    lm_calibration_format(text, sizeof text, ours ? ours : &lm_usual_calibration);
    print_label("calibration");
    printf("%s: %s\n", ours ? "this machine's" : "none, usual values", text);
}

static void print_facts(const lm_machine *machine) {
    print_text("lmad", lmad_version());
    print_text("cpu", machine->cpu);
    print_text("isa in use", lm_isa_name(isa_in_use()));
    print_isas("isa supported", lm_isa_supported);
    print_isas("isa compiled in", is_compiled);
    print_cores(machine);
    print_size("L1 data cache", machine->cache_bytes[0]);
    print_size("L2 cache", machine->cache_bytes[1]);
    print_size("L3 cache", machine->cache_bytes[2]);
    print_size("cache line", machine->line_bytes);
    print_size("page", machine->page_bytes);
    print_label("NUMA nodes");
    printf("%d\n", machine->numa_nodes);
    print_size("memory", machine->memory_bytes);
    print_threads();
    print_environment();
    print_text("host", "yes");
    print_hip();
    print_text("MPI", "not in this version");
    lm_places_each(print_place, NULL);
    print_calibration();
}

static void print_fingerprint(const lm_machine *machine) {
    char line[256];
    lm_machine_fingerprint(machine, line, sizeof line);
    puts(line);
}

static void print_kernels(void) {
    int count;
    const lm_kernel *kernel = lm_kernel_list(&count);
    printf("%-28s %-8s %s\n", "kernel", "isa", "runs here");
    for (int i = 0; i < count; i++) {
        printf("%-28s %-8s %s\n", kernel[i].name, lm_isa_name(kernel[i].isa),
               lm_isa_supported(kernel[i].isa) ? "yes" : "no");
    }
}

int main(int argc, char **argv) {
    static const struct argp_option options[] = {
        {"fingerprint", 'f', NULL, 0, "Print the one line that says which machine measurements belong to", 0},
        {"kernels", 'k', NULL, 0,
         "List the host kernels that are compiled in, and whether this CPU runs them", 0},
        {0},
    };
    static const struct argp argp = {
        .options = options,
        .parser = parse_option,
        .doc = "Print what lmad knows of this machine: CPU and instruction sets, cores, caches, memory, back "
               "ends.",
    };
    show what = SHOW_FACTS;
    argp_program_version_hook = print_version;
    argp_parse(&argp, argc, argv, 0, NULL, &what);
    switch (what) {
    case SHOW_FACTS: print_facts(lm_machine_get()); break;
    case SHOW_FINGERPRINT: print_fingerprint(lm_machine_get()); break;
    case SHOW_KERNELS: print_kernels(); break;
    }
    if (fflush(stdout) == 0 && !ferror(stdout)) return EXIT_SUCCESS;
    perror("lmad-info: standard output");
    return EXIT_FAILURE;
}
