/* SPDX-License-Identifier: BSD-3-Clause */
/* hiprtc: the host's compiler on the program, with device.h before it. The code is a shared object. */
#define _GNU_SOURCE 1
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "module.h"
#include "sanitize.h"

enum { COMPILATION = 6, INVALID_INPUT = 3, INVALID_PROGRAM = 4, NO_MEMORY = 1, CREATION_FAILURE = 2 };

struct _hiprtcProgram {
    struct _hiprtcProgram *next;
    char *source, *name, *log, *code;
    size_t log_bytes, code_bytes;
    int headers;
    char **header, **include_name;
};

static struct _hiprtcProgram *programs;

static struct _hiprtcProgram *program_of(lm_hiprtc_program handle) {
    struct _hiprtcProgram *p = programs;
    while (p && p != handle) p = p->next;
    return p;
}

/* hiprtc has errors of its own, and no part in the last error. */
static lm_hiprtc_result leave(lm_hiprtc_result result) {
    pthread_mutex_unlock(&emu.lock);
    return result;
}

static void free_program(struct _hiprtcProgram *p) {
    for (int i = 0; i < p->headers; i++) {
        free(p->header[i]);
        free(p->include_name[i]);
    }
    free(p->header);
    free(p->include_name);
    free(p->source);
    free(p->name);
    free(p->log);
    free(p->code);
    free(p);
}

void emu_programs_drop(void) {
    while (programs) {
        struct _hiprtcProgram *p = programs;
        programs = p->next;
        free_program(p);
    }
}

/* ---- Files -------------------------------------------------------------------------------------- */

static bool write_file(const char *folder, const char *name, const char *text) {
    char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    for (char *slash = path + strlen(folder) + 1; (slash = strchr(slash, '/')); *slash++ = '/') {
        *slash = '\0';
        mkdir(path, 0700);
    }
    FILE *file = fopen(path, "w");
    if (!file) return false;
    bool written = fputs(text, file) >= 0;
    return fclose(file) == 0 && written;
}

static char *read_file(const char *folder, const char *name, size_t *bytes) {
    char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "r");
    if (!file) return NULL;
    struct stat facts;
    char *text = fstat(fileno(file), &facts) == 0 ? malloc((size_t)facts.st_size + 1) : NULL;
    if (text) {
        *bytes = fread(text, 1, (size_t)facts.st_size, file);
        text[*bytes] = '\0';
    }
    fclose(file);
    return text;
}

static int remove_one(const char *path, const struct stat *facts, int kind, struct FTW *where) {
    (void)facts, (void)kind, (void)where;
    return remove(path);
}

static void remove_folder(const char *folder) { nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS); }

/* ---- The compiler ------------------------------------------------------------------------------- */

/* Not a second stack for each fibre, to find what is used after a function has returned: it would be mapped
 * and unmapped for every thread of a launch, which takes longer than all else. */
#if defined(EMU_ASAN) && defined(__clang__)
#define SANITIZE "-fsanitize=address", "-fno-omit-frame-pointer", "-fsanitize-address-use-after-return=never",
#elif defined(EMU_ASAN)
#define SANITIZE "-fsanitize=address", "-fno-omit-frame-pointer", "--param=asan-use-after-return=0",
#else
#define SANITIZE
#endif

/* What goes through of the options of a device compiler. */
static bool is_passed(const char *option) {
    return strncmp(option, "-D", 2) == 0 || strncmp(option, "-U", 2) == 0 || strncmp(option, "-I", 2) == 0;
}

enum { WORDS = 256 };

/* The command may be several words: "ccache g++". */
static int add_command(char *command, char **argv) {
    int argc = 0;
    for (char *word = strtok(command, " "); word && argc < 16; word = strtok(NULL, " ")) argv[argc++] = word;
    return argc;
}

/* The folder differs each time, the code must not. */
static void add_fixed(char **argv, int *argc, char *include, char *map, char *prelude, char *source,
                      char *output) {
    char *const words[] = {"-x",
                           "c++",
                           "-std=c++17",
                           "-O1",
                           "-g1",
                           "-fPIC",
                           "-shared",
                           "-w",
                           "-fvisibility=hidden",
                           "-Wl,-Bsymbolic",
                           SANITIZE include,
                           map,
                           "-include",
                           prelude,
                           source,
                           "-o",
                           output};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) argv[(*argc)++] = words[i];
    argv[*argc] = NULL;
}

static bool run(char **argv, const char *log) {
    extern char **environ;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
    pid_t child;
    int status = -1;
    bool started = posix_spawnp(&child, argv[0], &actions, NULL, argv, environ) == 0;
    posix_spawn_file_actions_destroy(&actions);
    if (!started) return false;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static bool write_sources(const struct _hiprtcProgram *p, const char *folder) {
    bool written = write_file(folder, "program.hip", p->source);
    for (int i = 0; i < p->headers; i++)
        written = write_file(folder, p->include_name[i], p->header[i]) && written;
    return written;
}

/* The caller keeps the strings; argv points into them. */
static bool compile(const char *folder, int options, const char **option) {
    char include[300], map[300], source[300], output[300], log[300], command[300];
    char prelude[] = HIPEMU_FOLDER "/device.h";
    const char *wanted = getenv("HIPEMU_CXX");
    snprintf(command, sizeof command, "%s", wanted ? wanted : HIPEMU_CXX);
    snprintf(include, sizeof include, "-I%s", folder);
    snprintf(map, sizeof map, "-ffile-prefix-map=%s=hip", folder);
    snprintf(source, sizeof source, "%s/program.hip", folder);
    snprintf(output, sizeof output, "%s/program.so", folder);
    snprintf(log, sizeof log, "%s/log", folder);
    char *argv[WORDS], *copies[WORDS];
    int argc = add_command(command, argv), copied = 0;
    for (int i = 0; i < options && argc < WORDS - 32; i++)
        if (is_passed(option[i])) argv[argc++] = copies[copied++] = strdup(option[i]);
    add_fixed(argv, &argc, include, map, prelude, source, output);
    bool compiled = run(argv, log);
    while (copied > 0) free(copies[--copied]);
    return compiled;
}

static lm_hiprtc_result compile_program(struct _hiprtcProgram *p, int options, const char **option) {
    const char *parent = getenv("TMPDIR");
    char folder[200];
    snprintf(folder, sizeof folder, "%s/hipemu-XXXXXX", parent && *parent ? parent : "/tmp");
    if (!mkdtemp(folder)) return CREATION_FAILURE;
    bool compiled = write_sources(p, folder) && compile(folder, options, option);
    free(p->log);
    free(p->code);
    p->log = read_file(folder, "log", &p->log_bytes);
    p->code = compiled ? read_file(folder, "program.so", &p->code_bytes) : NULL;
    remove_folder(folder);
    return p->code ? 0 : COMPILATION;
}

/* ---- Entry points ------------------------------------------------------------------------------- */

static bool copy_headers(struct _hiprtcProgram *p, int headers, const char **header,
                         const char **include_name) {
    if (headers <= 0) return true;
    p->header = calloc((size_t)headers, sizeof *p->header);
    p->include_name = calloc((size_t)headers, sizeof *p->include_name);
    if (!p->header || !p->include_name) return false;
    p->headers = headers;
    bool copied = true;
    for (int i = 0; i < headers; i++) {
        p->header[i] = strdup(header[i]);
        p->include_name[i] = strdup(include_name[i]);
        copied = copied && p->header[i] && p->include_name[i];
    }
    return copied;
}

lm_hiprtc_result hiprtcCreateProgram(lm_hiprtc_program *program, const char *source, const char *name,
                                     int headers, const char **header, const char **include_name) {
    lm_hip_error error = emu_enter(CALL_hiprtcCreateProgram, -1);
    if (error || !program || !source) return leave(error ? CREATION_FAILURE : INVALID_INPUT);
    struct _hiprtcProgram *p = calloc(1, sizeof *p);
    if (!p) return leave(NO_MEMORY);
    p->source = strdup(source);
    p->name = strdup(name ? name : "program");
    if (!p->source || !p->name || !copy_headers(p, headers, header, include_name)) {
        free_program(p);
        return leave(NO_MEMORY);
    }
    p->next = programs;
    programs = p;
    emu.counts.programs++;
    *program = p;
    return leave(0);
}

lm_hiprtc_result hiprtcCompileProgram(lm_hiprtc_program program, int options, const char **option) {
    lm_hip_error error = emu_enter(CALL_hiprtcCompileProgram, -1);
    struct _hiprtcProgram *p = program_of(program);
    if (error || !p) return leave(error ? COMPILATION : INVALID_PROGRAM);
    emu.counts.compiles++;
    return leave(compile_program(p, options, option));
}

lm_hiprtc_result hiprtcGetProgramLogSize(lm_hiprtc_program program, size_t *size) {
    lm_hip_error error = emu_enter(CALL_hiprtcGetProgramLogSize, -1);
    const struct _hiprtcProgram *p = program_of(program);
    if (error || !p) return leave(INVALID_PROGRAM);
    *size = p->log ? p->log_bytes + 1 : 1;
    return leave(0);
}

lm_hiprtc_result hiprtcGetProgramLog(lm_hiprtc_program program, char *log) {
    lm_hip_error error = emu_enter(CALL_hiprtcGetProgramLog, -1);
    const struct _hiprtcProgram *p = program_of(program);
    if (error || !p) return leave(INVALID_PROGRAM);
    memcpy(log, p->log ? p->log : "", p->log ? p->log_bytes + 1 : 1);
    return leave(0);
}

lm_hiprtc_result hiprtcGetCodeSize(lm_hiprtc_program program, size_t *size) {
    lm_hip_error error = emu_enter(CALL_hiprtcGetCodeSize, -1);
    const struct _hiprtcProgram *p = program_of(program);
    if (error || !p || !p->code) return leave(INVALID_PROGRAM);
    *size = p->code_bytes;
    return leave(0);
}

lm_hiprtc_result hiprtcGetCode(lm_hiprtc_program program, char *code) {
    lm_hip_error error = emu_enter(CALL_hiprtcGetCode, -1);
    const struct _hiprtcProgram *p = program_of(program);
    if (error || !p || !p->code) return leave(INVALID_PROGRAM);
    memcpy(code, p->code, p->code_bytes);
    return leave(0);
}

lm_hiprtc_result hiprtcDestroyProgram(lm_hiprtc_program *program) {
    lm_hip_error error = emu_enter(CALL_hiprtcDestroyProgram, -1);
    struct _hiprtcProgram *p = program_of(*program), **link = &programs;
    if (!p) return leave(INVALID_PROGRAM);
    while (*link != p) link = &(*link)->next;
    *link = p->next;
    free_program(p);
    emu.counts.programs--;
    *program = NULL;
    return leave(error ? INVALID_PROGRAM : 0);
}
