/* SPDX-License-Identifier: BSD-3-Clause */
/* HIP's run time as the library meets it: old and new, what devices are, errors, the guard. */
#include <check.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "emulator.h"
#include "lib/device.h"

/* ---- Loading ------------------------------------------------------------------------------------- */

/* Then it is taken for an old one; and the failure is not the caller's. */
START_TEST(test_version_unknown) {
    const hipemu *emu = emulator();
    emu->break_call("hipRuntimeGetVersion", 1, LM_HIP_ERROR_UNKNOWN);
    const lm_hip *hip = lm_hip_get();
    ck_assert_msg(hip != NULL, "%s", lm_hip_reason());
    ck_assert_int_eq(hip->version, 0);
    ck_assert_int_eq(hip->hipGetLastError(), LM_HIP_SUCCESS);
}
END_TEST

/* Made before, by others. Calls that succeed overwrite the last error, before version 7. */
START_TEST(test_loaded_while_an_error_waits) {
    static const int version[] = {50200000, 60300000, 70000000};
    emulator()->set_version(version[_i]);
    const lm_hip_error mistake = emulator_more()->hipDeviceEnablePeerAccess(7, 0);
    ck_assert_int_eq(mistake, LM_HIP_ERROR_INVALID_DEVICE);
    const lm_hip *hip = lm_hip_get();
    ck_assert_msg(hip != NULL, "%s", lm_hip_reason());
    ck_assert_int_eq(hip->version, version[_i]);
    ck_assert_int_eq(hip->hipGetLastError(), mistake);
}
END_TEST

/* ---- Facts -------------------------------------------------------------------------------------- */

START_TEST(test_facts) {
    bool wide = _i == 64;
    const hipemu *emu = emulator();
    emu->set_warp(_i);
    emu->set_devices(3);
    ck_assert_int_eq(lm_device_count(), 3);
    const lm_device *d, *again;
    ck_assert_int_eq(lm_device_get(2, &d), LMAD_OK);
    ck_assert_int_eq(d->number, 2);
    ck_assert_str_eq(d->arch, wide ? "gfx90a:sramecc+:xnack-" : "gfx1030");
    ck_assert(d->emulated);
    ck_assert_int_eq(d->wave, _i);
    ck_assert_int_eq(d->segment, _i);
    ck_assert_int_eq(d->units, wide ? 104 : 40);
    ck_assert_int_eq(d->lds_bytes, 65536);
    ck_assert_int_eq(d->max_threads, 1024);
    ck_assert_int_eq(d->max_grid[2], 65535);
    ck_assert_int_eq(d->memory_bytes, (int64_t)8 << 30);
    ck_assert_int_eq(d->pci[1], 3);
    char text[100];
    lm_device_fingerprint(d, text, sizeof text);
    ck_assert_str_eq(text, wide ? "emulated-gfx90a:sramecc+:xnack- cus=104 wave=64"
                                : "emulated-gfx1030 cus=40 wave=32");
    ck_assert_int_eq(lm_device_get(2, &again), LMAD_OK);
    ck_assert_ptr_eq(d, again);
    int current;
    ck_assert_int_eq(lm_hip_get()->hipGetDevice(&current), LM_HIP_SUCCESS);
    ck_assert_int_eq(current, 0);
}
END_TEST

START_TEST(test_no_such_device) {
    const lm_device *d = NULL;
    emulator();
    for (int number = -1; number <= 1; number += 2) {
        ck_assert_int_eq(lm_device_get(number, &d), LMAD_ERR_NO_DEVICE);
        ck_assert_ptr_nonnull(strstr(lmad_error_detail(), number < 0 ? "no device -1" : "no device 1"));
    }
    ck_assert_ptr_null(d);
}
END_TEST

/* Whatever fails on the way: a code, and another try later. */
START_TEST(test_facts_that_fail) {
    const hipemu *emu = emulator();
    const lm_device *d;
    ck_assert_ptr_nonnull(lm_hip_get());
    int failures = 0;
    for (int nth = 1;; nth++) {
        emu->break_call(NULL, nth, LM_HIP_ERROR_UNKNOWN);
        lmad_status status = lm_device_get(0, &d);
        if (status == LMAD_OK) break;
        ck_assert(status == LMAD_ERR_DEVICE || status == LMAD_ERR_NO_DEVICE);
        failures++;
    }
    emu->break_call(NULL, 0, 0);
    ck_assert_int_ge(failures, 3);
    ck_assert_str_eq(d->arch, "gfx90a:sramecc+:xnack-");
}
END_TEST

/* ---- Kinds of memory ----------------------------------------------------------------------------- */

static void check_kind(const char *p, lm_hip_memory expected, int expected_device) {
    for (int at = 0; at < 64; at += 63) { /* from anywhere in it */
        int device;
        ck_assert_int_eq(lm_hip_memory_of(p + at, &device), expected);
        ck_assert_int_eq(device, expected_device);
        ck_assert_int_eq(lm_hip_get()->hipPeekAtLastError(), LM_HIP_SUCCESS);
    }
}

START_TEST(test_memory) {
    static const int version[] = {50200000, 60300000, 70000000};
    const hipemu *emu = emulator();
    emu->set_version(version[_i]);
    emu->set_devices(2);
    const lm_hip *hip = lm_hip_get();
    ck_assert_int_eq(hip->version, version[_i]);
    void *device, *pinned, *managed, *pageable = malloc(64);
    ck_assert_int_eq(hip->hipSetDevice(1), LM_HIP_SUCCESS);
    ck_assert_int_eq(hip->hipMalloc(&device, 64), LM_HIP_SUCCESS);
    ck_assert_int_eq(hip->hipHostMalloc(&pinned, 64, 0), LM_HIP_SUCCESS);
    ck_assert_int_eq(emulator_more()->hipMallocManaged(&managed, 64, 1), LM_HIP_SUCCESS);
    check_kind(device, LM_HIP_MEMORY_DEVICE, 1);
    check_kind(pinned, LM_HIP_MEMORY_PINNED, -1);
    check_kind(managed, LM_HIP_MEMORY_MANAGED, 1);
    check_kind(pageable, LM_HIP_MEMORY_PAGEABLE, -1);
    free(pageable);
    hip->hipFree(device);
    hip->hipFree(managed);
    hip->hipHostFree(pinned);
    emulator_is_clean();
}
END_TEST

/* ---- Errors and the guard ------------------------------------------------------------------------ */

START_TEST(test_errors) {
    static const struct {
        lm_hip_error error;
        lmad_status status;
    } cases[] = {
        {LM_HIP_SUCCESS, LMAD_OK},
        {LM_HIP_ERROR_OUT_OF_MEMORY, LMAD_ERR_NO_MEMORY},
        {LM_HIP_ERROR_NO_DEVICE, LMAD_ERR_NO_DEVICE},
        {LM_HIP_ERROR_NO_BINARY_FOR_GPU, LMAD_ERR_NO_CODE},
        {LM_HIP_ERROR_INVALID_IMAGE, LMAD_ERR_NO_CODE},
        {LM_HIP_ERROR_ILLEGAL_ADDRESS, LMAD_ERR_DEVICE_LOST},
        {LM_HIP_ERROR_CONTEXT_IS_DESTROYED, LMAD_ERR_DEVICE_LOST},
        {LM_HIP_ERROR_INVALID_VALUE, LMAD_ERR_DEVICE},
        {12345, LMAD_ERR_DEVICE},
    };
    emulator();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        ck_assert_int_eq(lm_device_fail(cases[i].error, "trying"), cases[i].status);
    lm_device_fail(LM_HIP_ERROR_ILLEGAL_ADDRESS, "copying to device 1");
    ck_assert_str_eq(lmad_error_detail(), "copying to device 1: hipErrorIllegalAddress (700)");
}
END_TEST

/* The caller works on device 1 and has an error of its own, or none. */
START_TEST(test_guard) {
    const hipemu *emu = emulator();
    emu->set_devices(3);
    const lm_hip *hip = lm_hip_get();
    lm_device_guard guard;
    void *memory;
    int current;
    for (int own = 0; own < 2; own++) {
        ck_assert_int_eq(hip->hipSetDevice(1), LM_HIP_SUCCESS);
        if (own) hip->hipSetDevice(7);
        ck_assert_int_eq(lm_device_enter(&guard, 2), LMAD_OK);
        hip->hipGetDevice(&current);
        ck_assert_int_eq(current, 2);
        if (!own) ck_assert_int_ne(hip->hipMalloc(&memory, SIZE_MAX), LM_HIP_SUCCESS);
        lm_device_leave(&guard);
        hip->hipGetDevice(&current);
        ck_assert_int_eq(current, 1);
        ck_assert_int_eq(hip->hipGetLastError(), own ? LM_HIP_ERROR_INVALID_DEVICE : LM_HIP_SUCCESS);
    }
    ck_assert_int_eq(lm_device_enter(&guard, 3), LMAD_ERR_NO_DEVICE);
    ck_assert_int_eq(hip->hipPeekAtLastError(), LM_HIP_SUCCESS);
    hip->hipGetDevice(&current);
    ck_assert_int_eq(current, 1);
}
END_TEST

/* ---- A run time that lacks something -------------------------------------------------------------- */

/* A copy of the emulator in which a name is another one, as long. */
static void make_without(const char *name, char *path) {
    size_t length = strlen(name) + 1; /* with its end: others may begin so */
    FILE *from = fopen(emulator_path(), "r");
    ck_assert_ptr_nonnull(from);
    char *image = malloc(16 << 20);
    size_t bytes = fread(image, 1, 16 << 20, from);
    fclose(from);
    for (size_t i = 0; i + length < bytes; i++)
        if (memcmp(image + i, name, length) == 0) image[i] = 'X';
    int to = mkstemp(path);
    ck_assert_int_ge(to, 0);
    ck_assert_int_eq(write(to, image, bytes), (ssize_t)bytes);
    close(to);
    free(image);
    setenv("LMAD_HIP_LIBRARY", path, 1);
}

static void note(void *data) { *(int *)data += 1; }

/* Debian's 5.2.3 does. */
START_TEST(test_without_host_functions) {
    char path[] = "/tmp/hipemu-XXXXXX";
    make_without("hipLaunchHostFunc", path);
    const lm_hip *hip = lm_hip_get();
    unlink(path);
    ck_assert_msg(hip != NULL, "%s", lm_hip_reason());
    int called = 0;
    ck_assert_int_eq(hip->hipLaunchHostFunc(NULL, note, &called), LM_HIP_SUCCESS);
    ck_assert_int_eq(hip->hipStreamSynchronize(NULL), LM_HIP_SUCCESS);
    ck_assert_int_eq(called, 1);
    ck_assert_int_ne(hip->hipLaunchHostFunc((lm_hip_stream)&called, note, &called), LM_HIP_SUCCESS);
    ck_assert(hip->can_compile);
}
END_TEST

START_TEST(test_without_compiler) {
    char path[] = "/tmp/hipemu-XXXXXX";
    make_without("hiprtcGetCodeSize", path);
    const lm_hip *hip = lm_hip_get();
    unlink(path);
    ck_assert_msg(hip != NULL, "%s", lm_hip_reason());
    ck_assert(!hip->can_compile);
    ck_assert(!lm_hip_compiles_for("gfx90a"));
}
END_TEST

/* Old ones are asked what they know, if there is somebody to ask, as often as one likes. */
START_TEST(test_old_compiler) {
    emulator()->set_version(50200000);
    for (int again = 0; again < 3; again++) {
        ck_assert(lm_hip_compiles_for("gfx90a:sramecc+:xnack-"));
        ck_assert(dlopen("libamd_comgr.so.2", RTLD_NOW) == NULL || !lm_hip_compiles_for("gfx9999"));
    }
}
END_TEST

/* Either of the two layouts. */
START_TEST(test_one_kind_of_properties) {
    char path[] = "/tmp/hipemu-XXXXXX";
    make_without(_i ? "hipGetDevicePropertiesR0600" : "hipGetDeviceProperties", path);
    const lm_device *d;
    ck_assert_int_eq(lm_device_get(0, &d), LMAD_OK);
    unlink(path);
    ck_assert_str_eq(d->arch, "gfx90a:sramecc+:xnack-");
    ck_assert(d->emulated);
}
END_TEST

Suite *lm_suite_hip_runtime(void) {
    Suite *suite = suite_create("hip_runtime");
    TCase *facts = tcase_create("facts");
    tcase_add_loop_test(facts, test_facts, 32, 33);
    tcase_add_loop_test(facts, test_facts, 64, 65);
    tcase_add_test(facts, test_no_such_device);
    tcase_add_test(facts, test_facts_that_fail);
    tcase_add_loop_test(facts, test_memory, 0, 3);
    tcase_add_test(facts, test_errors);
    tcase_add_test(facts, test_guard);
    tcase_add_test(facts, test_version_unknown);
    tcase_add_loop_test(facts, test_loaded_while_an_error_waits, 0, 3);
    suite_add_tcase(suite, facts);
    TCase *without = tcase_create("without");
    tcase_add_test(without, test_without_host_functions);
    tcase_add_test(without, test_without_compiler);
    tcase_add_test(without, test_old_compiler);
    tcase_add_loop_test(without, test_one_kind_of_properties, 0, 2);
    suite_add_tcase(suite, without);
    return suite;
}
