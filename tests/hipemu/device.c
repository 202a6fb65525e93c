/* SPDX-License-Identifier: BSD-3-Clause */
/* What devices there are. */
#include <stdio.h>
#include <string.h>

#include "sanitize.h"
#include "state.h"

lm_hip_error hipInit(unsigned flags) {
    lm_hip_error error = emu_enter(CALL_hipInit, -1);
    if (!error && flags) error = LM_HIP_ERROR_INVALID_VALUE;
    if (!error && emu.devices == 0) error = LM_HIP_ERROR_NO_DEVICE;
    return emu_leave(error);
}

lm_hip_error hipRuntimeGetVersion(int *version) {
    lm_hip_error error = emu_enter(CALL_hipRuntimeGetVersion, -1);
    if (!error) *version = emu.version;
    return emu_leave(error);
}

lm_hip_error hipGetDeviceCount(int *count) {
    lm_hip_error error = emu_enter(CALL_hipGetDeviceCount, -1);
    if (!error) *count = emu.devices;
    if (!error && emu.devices == 0) error = LM_HIP_ERROR_NO_DEVICE;
    return emu_leave(error);
}

lm_hip_error hipGetDevice(int *device) {
    lm_hip_error error = emu_enter(CALL_hipGetDevice, -1);
    if (!error && emu.devices == 0) error = LM_HIP_ERROR_NO_DEVICE;
    if (!error) *device = emu_current;
    return emu_leave(error);
}

lm_hip_error hipSetDevice(int device) {
    lm_hip_error error = emu_enter(CALL_hipSetDevice, -1);
    if (!error && (device < 0 || device >= emu.devices)) error = LM_HIP_ERROR_INVALID_DEVICE;
    if (!error) emu_current = device;
    return emu_leave(error);
}

/* ---- Peers -------------------------------------------------------------------------------------- */

enum { PEER_UNSUPPORTED = 217, PEER_ALREADY_ENABLED = 704 };

static bool is_pair(int device, int peer) {
    return device >= 0 && peer >= 0 && device < emu.devices && peer < emu.devices && device != peer;
}

lm_hip_error hipDeviceCanAccessPeer(int *can, int device, int peer) {
    lm_hip_error error = emu_enter(CALL_hipDeviceCanAccessPeer, -1);
    if (!error && !can) error = LM_HIP_ERROR_INVALID_VALUE;
    if (!error && (device < 0 || peer < 0 || device >= emu.devices || peer >= emu.devices))
        error = LM_HIP_ERROR_INVALID_DEVICE;
    if (!error) *can = device != peer && emu.peers;
    return emu_leave(error);
}

lm_hip_error hipDeviceEnablePeerAccess(int peer, unsigned flags) {
    lm_hip_error error = emu_enter(CALL_hipDeviceEnablePeerAccess, emu_current);
    if (!error && flags) error = LM_HIP_ERROR_INVALID_VALUE;
    if (!error && !is_pair(emu_current, peer)) error = LM_HIP_ERROR_INVALID_DEVICE;
    if (error) return emu_leave(error);
    bool *reaches = &emu.device[emu_current].reaches[peer];
    if (!emu.peers) return emu_leave(PEER_UNSUPPORTED);
    if (*reaches) return emu_leave(PEER_ALREADY_ENABLED);
    *reaches = true;
    return emu_leave(LM_HIP_SUCCESS);
}

/* ---- Facts -------------------------------------------------------------------------------------- */

static int value_of(lm_hip_attribute attribute, int device) {
    switch (attribute) {
    case LM_HIP_ATTR_ASYNC_ENGINES: return 2;
    case LM_HIP_ATTR_L2_BYTES: return 1 << 20;
    case LM_HIP_ATTR_MAX_GRID_X: return emu.grid[0];
    case LM_HIP_ATTR_MAX_GRID_Y: return emu.grid[1];
    case LM_HIP_ATTR_MAX_GRID_Z: return emu.grid[2];
    case LM_HIP_ATTR_MAX_THREADS: return 1024;
    case LM_HIP_ATTR_UNITS: return emu.warp == 64 ? 104 : 40;
    case LM_HIP_ATTR_PCI_BUS: return device + 1;
    case LM_HIP_ATTR_LDS_BYTES: return 65536;
    case LM_HIP_ATTR_WAVE: return emu.warp;
    default: return 0;
    }
}

lm_hip_error hipDeviceGetAttribute(int *value, lm_hip_attribute attribute, int device) {
    lm_hip_error error = emu_enter(CALL_hipDeviceGetAttribute, -1);
    if (!error && (device < 0 || device >= emu.devices)) error = LM_HIP_ERROR_INVALID_DEVICE;
    if (!error) *value = value_of(attribute, device);
    return emu_leave(error);
}

/* Two texts of a struct of so many bytes. */
static lm_hip_error put_properties(char *properties, size_t bytes, size_t arch_at, int device) {
    if (device < 0 || device >= emu.devices) return LM_HIP_ERROR_INVALID_DEVICE;
    memset(properties, 0, bytes);
    const char *arch = emu.warp == 64 ? "gfx90a:sramecc+:xnack-" : "gfx1030";
    snprintf(properties, 256, "emulated %s%s", emu.warp == 64 ? "gfx90a" : "gfx1030", EMU_SANITIZED);
    snprintf(properties + arch_at, 256, "%s", arch);
    return LM_HIP_SUCCESS;
}

lm_hip_error hipGetDevicePropertiesR0600(lm_hip_properties *properties, int device) {
    lm_hip_error error = emu_enter(CALL_hipGetDevicePropertiesR0600, -1);
    return emu_leave(error ? error : put_properties(properties, 1472, 1160, device));
}

lm_hip_error hipGetDeviceProperties(lm_hip_properties *properties, int device) {
    lm_hip_error error = emu_enter(CALL_hipGetDeviceProperties, -1);
    return emu_leave(error ? error : put_properties(properties, 792, 396, device));
}
