/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of devices on command lines. */
#include "device_args.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/device.h"
#include "lmad-hip.h"

int lm_read_device(const char *text, int *device, char *error, size_t size) {
    char *end;
    const lm_device *facts;
    if (strcmp(text, "cpu") == 0) return *device = LMAD_HOST, 0;
    const long number =
        strncmp(text, "hip:", 4) == 0 && text[4] >= '0' && text[4] <= '9' ? strtol(text + 4, &end, 10) : -1;
    if (number < 0 || number >= LM_MAX_DEVICES || *end) {
        snprintf(error, size, "\"%s\" is not a device (cpu, hip:0, hip:1, ...)", text);
        return -1;
    }
    if (lm_device_get((int)number, &facts) != LMAD_OK) {
        snprintf(error, size, "device %s: %s", text, lmad_error_detail());
        return -1;
    }
    *device = (int)number;
    return 0;
}

int lm_device_text(char *buf, size_t size, int device) {
    return device == LMAD_HOST ? snprintf(buf, size, "cpu") : snprintf(buf, size, "hip:%d", device);
}
