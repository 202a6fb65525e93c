/* SPDX-License-Identifier: BSD-3-Clause */
/* One program for all machines: those without HIP, those that have it and no GPU, and those with a GPU. The
 * host's own copies are right on each and load nothing, and whoever asks for a device is told what there is.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "emulator.h"
#include "lib/device.h"
#include "lmad-hip.h"
#include "lmad.h"

/* ---- none there -------------------------------------------------------------------------------------- */

/* No device, and the reason in both places. */
static void check_none(const char *reason) {
    const lm_device *device;
    ck_assert_ptr_null(lm_hip_get());
    ck_assert_msg(strstr(lm_hip_reason(), reason) != NULL, "no \"%s\" in \"%s\"", reason, lm_hip_reason());
    ck_assert_int_eq(lm_device_count(), 0);
    ck_assert_int_eq(lm_device_get(0, &device), LMAD_ERR_NO_DEVICE);
    ck_assert_ptr_nonnull(strstr(lmad_error_detail(), reason));
    ck_assert_int_eq(lm_hip_memory_of("text", NULL), LM_HIP_MEMORY_PAGEABLE);
    ck_assert(!lm_hip_compiles_for("gfx90a"));
    lm_device_guard guard;
    ck_assert_int_eq(lm_device_enter(&guard, 0), LMAD_ERR_NO_DEVICE);
}

START_TEST(test_cannot_be_initialised) {
    const hipemu *emu = emulator();
    emu->break_call(_i ? "hipInit" : "hipGetDeviceCount", 1, LM_HIP_ERROR_UNKNOWN);
    check_none(_i ? "libhipemu.so: hipInit: hipErrorUnknown"
                  : "libhipemu.so: hipGetDeviceCount: hipErrorUnknown");
}
END_TEST

/* ---- the host first ---------------------------------------------------------------------------------- */

/* Is anything of HIP, or of the emulated one, in this process? */
static bool is_loaded(void) {
    static const char *const names[] = {"amdhip64", "hiprtc", "hipemu", "comgr", "hsa-runtime"};
    char line[4352];
    bool found = false;
    FILE *maps = fopen("/proc/self/maps", "r");
    ck_assert_ptr_nonnull(maps);
    while (fgets(line, sizeof line, maps)) {
        const char *file = strrchr(line, '/');
        for (size_t k = 0; k < sizeof names / sizeof *names && file; k++)
            found = found || strstr(file, names[k]) != NULL;
    }
    fclose(maps);
    return found;
}

/* Plans and copies of all kinds, none of which has to do with devices. */
static void use_the_host(void) {
    const lmad_desc line = {1, 0, {{12, 1}}}, back = {1, 11, {{12, -1}}}, shifted = {1, 1, {{12, 1}}},
                    wide = {2, 0, {{4, 3}, {3, 1}}}, tall = {2, 0, {{4, 1}, {3, 4}}};
    static const char src[] = "abcdefghijkl";
    char dst[16] = "";
    lmad_plan *plan;
    for (unsigned effort = LMAD_ESTIMATE; effort <= LMAD_MEASURE; effort++) {
        ck_assert_int_eq(lmad_plan_copy(&plan, NULL, &wide, &tall, 1, effort), LMAD_OK);
        ck_assert_int_eq(lmad_execute(plan, dst, src), LMAD_OK);
        ck_assert_str_eq(dst, "aeibfjcgkdhl");
        lmad_plan_destroy(plan);
    }
    ck_assert_int_eq(lmad_plan_copy_hip(&plan, NULL, &line, LMAD_HOST, &back, LMAD_HOST, 1, 0), LMAD_OK);
    ck_assert_int_eq(lmad_execute(plan, dst, src), LMAD_OK);
    ck_assert_str_eq(dst, "lkjihgfedcba");
    lmad_plan_destroy(plan);
    ck_assert_int_eq(lmad_move(dst, &shifted, dst, &line, 1), LMAD_OK);
    ck_assert_str_eq(dst, "llkjihgfedcba");
    ck_assert_int_eq(lmad_fill(dst, &line, "x", 1), LMAD_OK);
    ck_assert_str_eq(dst, "xxxxxxxxxxxxa");
}

/* What the environment names, how many devices there are then, and what is said of them. */
typedef struct machine {
    const char *library; /* "emulated"; "system" = the variable is not set */
    int devices;
    const char *words;
} machine;

static const machine machines[] = {{"", 0, "LMAD_HIP_LIBRARY is empty"},
                                   {"/no/such/library.so", 0, "/no/such/library.so"},
                                   {"libm.so.6", 0, "libm.so.6: no hip"},
                                   {"emulated", 0, "libhipemu.so finds no GPU"},
                                   {"emulated", 2, ""},
                                   {"system", -1, "libamdhip64.so"}};
enum { MACHINES = sizeof machines / sizeof *machines };

static void become(const machine *m) {
    char count[12];
    snprintf(count, sizeof count, "%d", m->devices);
    setenv("HIPEMU_DEVICES", count, 1);
    if (strcmp(m->library, "system") == 0)
        unsetenv("LMAD_HIP_LIBRARY");
    else
        setenv("LMAD_HIP_LIBRARY", strcmp(m->library, "emulated") ? m->library : emulator_path(), 1);
}

START_TEST(test_host_first) {
    const machine *m = &machines[_i];
    lmad_plan *plan = NULL;
    const lmad_desc d = {1, 0, {{8, 1}}};
    become(m);
    use_the_host();
    ck_assert(!is_loaded());
    const lmad_status status = lmad_plan_fill_hip(&plan, NULL, &d, 0, 1, 0);
    const char *said = status == LMAD_OK ? "" : lmad_error_detail();
    ck_assert_int_eq(status, lm_device_count() > 0 ? LMAD_OK : LMAD_ERR_NO_DEVICE);
    ck_assert_msg(status == LMAD_OK || strstr(said, m->words) != NULL, "no \"%s\" in: %s", m->words, said);
    ck_assert(m->devices < 0 || lm_device_count() == m->devices);
    ck_assert(m->devices < 1 || is_loaded());
    if (lm_device_count() == 0) check_none(m->words);
    lmad_plan_destroy(plan);
    use_the_host();
}
END_TEST

/* ---- a library that was built without -------------------------------------------------------------- */

/* Whatever there is, it is not loaded; and hosts are none of its business. */
START_TEST(test_built_without) {
    const lmad_desc d = {1, 0, {{8, 1}}};
    lmad_plan *plan;
    become(&machines[MACHINES - 2]);
    check_none("built without HIP");
    ck_assert_int_eq(lmad_hip_warm(NULL, 0), LMAD_ERR_NO_DEVICE);
    ck_assert_int_eq(lmad_plan_copy_hip(&plan, NULL, &d, 0, &d, LMAD_HOST, 1, 0), LMAD_ERR_NO_DEVICE);
    use_the_host();
    ck_assert(!is_loaded());
}
END_TEST

#ifdef LM_WITHOUT_HIP
enum { WITHOUT_HIP = 1 };
#else
enum { WITHOUT_HIP = 0 };
#endif

Suite *lm_suite_hip_machines(void) {
    Suite *suite = suite_create("hip_machines");
    TCase *tc = tcase_create("machines");
    if (WITHOUT_HIP) {
        tcase_add_test(tc, test_built_without);
    } else {
        tcase_add_loop_test(tc, test_cannot_be_initialised, 0, 2);
        tcase_add_loop_test(tc, test_host_first, 0, MACHINES);
    }
    suite_add_tcase(suite, tc);
    return suite;
}
