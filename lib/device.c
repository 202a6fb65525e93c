/* SPDX-License-Identifier: BSD-3-Clause */
/* Facts of devices, HIP's errors in our words, the guard. */
#include "device.h"

#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "status.h"

/* An error of ours must not wait for the caller's next look. (One that waits already is an outer guard's to
 * deal with, for lm_device_aside() has seen to it that it is ours.) */
static void restore_error(const lm_hip *hip, lm_hip_error last) {
    if (last == LM_HIP_SUCCESS && hip->hipPeekAtLastError() != LM_HIP_SUCCESS) hip->hipGetLastError();
}

int lm_device_count(void) {
    const lm_hip *hip = lm_hip_get();
    int count = 0;
    if (!hip) return 0;
    const lm_hip_error last = hip->hipPeekAtLastError();
    if (hip->hipGetDeviceCount(&count) != LM_HIP_SUCCESS) count = 0;
    restore_error(hip, last);
    return count < LM_MAX_DEVICES ? count : LM_MAX_DEVICES;
}

/* ---- Facts -------------------------------------------------------------------------------------- */

/* The texts lie where the layout of either version puts them: name first, the architecture at 396 of 792
 * bytes in hipDeviceProp_t up to version 5 and at 1160 of 1472 from version 6 on, where the new layout has a
 * name of its own and the old one stays under the old name. */
static lm_hip_error read_texts(const lm_hip *hip, lm_device *d) {
    union {
        char text[4096];
        long long align;
    } properties = {{0}};
    lm_hip_error error = LM_HIP_ERROR_NOT_SUPPORTED;
    int arch = 1160;
    if (hip->hipGetDevicePropertiesR0600)
        error = hip->hipGetDevicePropertiesR0600(properties.text, d->number);
    else if (hip->hipGetDeviceProperties)
        error = hip->hipGetDeviceProperties(properties.text, d->number), arch = 396;
    if (error) return error;
    snprintf(d->name, sizeof d->name, "%.63s", properties.text);
    snprintf(d->arch, sizeof d->arch, "%.63s", properties.text + arch);
    d->emulated = strncmp(d->name, "emulated", strlen("emulated")) == 0;
    return LM_HIP_SUCCESS;
}

/* What a device does not tell, or nobody can believe, is 0, but for what nobody can do without. */
static int ask(const lm_hip *hip, int device, lm_hip_attribute attribute, int most, int otherwise) {
    int value = 0;
    const bool told = hip->hipDeviceGetAttribute(&value, attribute, device) == LM_HIP_SUCCESS;
    return told && value > 0 && value <= most ? value : otherwise;
}

static void read_numbers(const lm_hip *hip, lm_device *d) {
    const lm_hip_attribute grid[] = {LM_HIP_ATTR_MAX_GRID_X, LM_HIP_ATTR_MAX_GRID_Y, LM_HIP_ATTR_MAX_GRID_Z};
    const lm_hip_attribute pci[] = {LM_HIP_ATTR_PCI_DOMAIN, LM_HIP_ATTR_PCI_BUS, LM_HIP_ATTR_PCI_DEVICE};
    for (int i = 0; i < 3; i++) {
        d->max_grid[i] = ask(hip, d->number, grid[i], INT_MAX, 65535);
        d->pci[i] = ask(hip, d->number, pci[i], INT_MAX, 0);
    }
    d->units = ask(hip, d->number, LM_HIP_ATTR_UNITS, 1 << 16, 1);
    d->wave = ask(hip, d->number, LM_HIP_ATTR_WAVE, 64, 64) == 32 ? 32 : 64;
    d->segment = d->wave;
    d->lds_bytes = ask(hip, d->number, LM_HIP_ATTR_LDS_BYTES, 1 << 24, 32768);
    d->max_threads = ask(hip, d->number, LM_HIP_ATTR_MAX_THREADS, 1 << 16, 256);
    d->l2_bytes = ask(hip, d->number, LM_HIP_ATTR_L2_BYTES, INT_MAX, 0);
}

/* The attribute is an int in some versions. */
static lm_hip_error read_memory(const lm_hip *hip, lm_device *d) {
    size_t available = 0, total = 0;
    lm_hip_error error = hip->hipMemGetInfo(&available, &total);
    if (!error) d->memory_bytes = (int64_t)total;
    return error;
}

static lmad_status read_facts(const lm_hip *hip, int number, lm_device *d) {
    lm_device_guard guard;
    lmad_status status = lm_device_enter(&guard, number);
    if (status) return status;
    *d = (lm_device){.number = number};
    lm_hip_error error = read_texts(hip, d);
    if (!error) error = read_memory(hip, d);
    if (!error) read_numbers(hip, d);
    lm_device_leave(&guard);
    return lm_device_fail(error, "reading a device's properties");
}

static lm_device devices[LM_MAX_DEVICES];
static bool known[LM_MAX_DEVICES];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

lmad_status lm_device_get(int number, const lm_device **out) {
    const lm_hip *hip = lm_hip_get();
    if (!hip) return lm_fail(LMAD_ERR_NO_DEVICE, "no device: %s", lm_hip_reason());
    int count = lm_device_count();
    if (number < 0 || number >= count)
        return lm_fail(LMAD_ERR_NO_DEVICE, "no device %d: %s has %d", number, lm_hip_library(), count);
    lmad_status status = LMAD_OK;
    pthread_mutex_lock(&lock);
    if (!known[number]) {
        lm_device d;
        status = read_facts(hip, number, &d);
        if (!status) devices[number] = d, known[number] = true;
    }
    pthread_mutex_unlock(&lock);
    if (!status) *out = &devices[number];
    return status;
}

int lm_device_fingerprint(const lm_device *device, char *buf, size_t size) {
    return snprintf(buf, size, "%s%s cus=%d wave=%d", device->emulated ? "emulated-" : "", device->arch,
                    device->units, device->wave);
}

/* ---- Errors ------------------------------------------------------------------------------------- */

static lmad_status status_of(lm_hip_error error) {
    switch (error) {
    case LM_HIP_SUCCESS: return LMAD_OK;
    case LM_HIP_ERROR_OUT_OF_MEMORY: return LMAD_ERR_NO_MEMORY;
    case LM_HIP_ERROR_NO_DEVICE:
    case LM_HIP_ERROR_INVALID_DEVICE: return LMAD_ERR_NO_DEVICE;
    case LM_HIP_ERROR_INVALID_DEVICE_FUNCTION:
    case LM_HIP_ERROR_INVALID_IMAGE:
    case LM_HIP_ERROR_NO_BINARY_FOR_GPU:
    case LM_HIP_ERROR_SHARED_OBJECT_INIT_FAILED:
    case LM_HIP_ERROR_NOT_FOUND: return LMAD_ERR_NO_CODE;
    case LM_HIP_ERROR_DEINITIALIZED:
    case LM_HIP_ERROR_ECC_NOT_CORRECTABLE:
    case LM_HIP_ERROR_ILLEGAL_ADDRESS:
    case LM_HIP_ERROR_LAUNCH_TIMEOUT:
    case LM_HIP_ERROR_CONTEXT_IS_DESTROYED:
    case LM_HIP_ERROR_LAUNCH_FAILURE: return LMAD_ERR_DEVICE_LOST;
    default: return LMAD_ERR_DEVICE;
    }
}

lmad_status lm_device_fail(lm_hip_error error, const char *what) {
    if (error == LM_HIP_SUCCESS) return LMAD_OK;
    const lm_hip *hip = lm_hip_get();
    const char *name = hip ? hip->hipGetErrorName(error) : "no HIP";
    return lm_fail(status_of(error), "%s: %s (%d)", what, name ? name : "unknown error", error);
}

/* ---- Memory ------------------------------------------------------------------------------------- */

/* What HIP does not know may have gone with the device: ask that first. */
static lmad_status refuse_unknown(int device, const char *side) {
    size_t available, total;
    lm_device_guard guard;
    lmad_status status = lm_device_enter(&guard, device);
    if (status != LMAD_OK) return status;
    status = lm_device_fail(lm_hip_get()->hipMemGetInfo(&available, &total), "using the device");
    lm_device_leave(&guard);
    if (status != LMAD_OK) return status;
    return lm_fail(LMAD_ERR_ARGUMENT, "%s: planned as memory of device %d, but HIP does not know it", side,
                   device);
}

lmad_status lm_device_check_memory(int device, const void *byte, const char *side) {
    int owner;
    switch (lm_hip_memory_of(byte, &owner)) {
    case LM_HIP_MEMORY_PINNED:
    case LM_HIP_MEMORY_MANAGED: return LMAD_OK;
    case LM_HIP_MEMORY_PAGEABLE: return refuse_unknown(device, side);
    case LM_HIP_MEMORY_DEVICE: break;
    }
    if (owner == device) return LMAD_OK;
    return lm_fail(LMAD_ERR_ARGUMENT, "%s: planned as memory of device %d, but it is that of device %d", side,
                   device, owner);
}

/* ---- Aside -------------------------------------------------------------------------------------- */

typedef struct errand {
    lmad_status (*work)(const void *arg);
    const void *arg;
    lmad_status status;
    char detail[256];
} errand;

static void run(void *arg) {
    errand *e = arg;
    e->status = e->work(e->arg);
    if (e->status != LMAD_OK) snprintf(e->detail, sizeof e->detail, "%s", lmad_error_detail());
}

/* The detail of a failure is this thread's. */
lmad_status lm_device_aside(lmad_status (*work)(const void *arg), const void *arg) {
    const lm_hip *hip = lm_hip_get();
    errand e = {.work = work, .arg = arg};
    if (!hip) return lm_fail(LMAD_ERR_NO_DEVICE, "no device: %s", lm_hip_reason());
    if (!lm_hip_aside(hip, run, &e))
        return lm_fail(LMAD_ERR_NO_MEMORY,
                       "no thread to work with HIP in, while an error of it waits in this one");
    return e.status == LMAD_OK ? LMAD_OK : lm_fail(e.status, "%s", e.detail);
}

/* ---- Guard -------------------------------------------------------------------------------------- */

lmad_status lm_device_enter(lm_device_guard *guard, int number) {
    const lm_hip *hip = lm_hip_get();
    if (!hip) return lm_fail(LMAD_ERR_NO_DEVICE, "no device: %s", lm_hip_reason());
    lm_device_guard found = {.last = hip->hipPeekAtLastError()};
    lm_hip_error error = hip->hipGetDevice(&found.device);
    if (!error && found.device != number) {
        error = hip->hipSetDevice(number);
        found.moved = !error;
    }
    if (error) {
        restore_error(hip, found.last);
        return lm_device_fail(error, "making a device the current one");
    }
    *guard = found;
    return LMAD_OK;
}

void lm_device_return(int number) {
    const lm_hip *hip = lm_hip_get();
    if (hip->hipSetDevice(number) != LM_HIP_SUCCESS) hip->hipSetDevice(number);
}

void lm_device_leave(const lm_device_guard *guard) {
    const lm_hip *hip = lm_hip_get();
    if (guard->moved) lm_device_return(guard->device);
    restore_error(hip, guard->last);
}
