/* SPDX-License-Identifier: BSD-3-Clause */
/* Statuses in words, the calling thread's last failure, and the version. */
#include "status.h"

#include <stdarg.h>
#include <stdio.h>

/* Each thread has its own, so a failure elsewhere never changes the text that a caller is reading. */
static _Thread_local char detail[256];

/* No default: the compiler then says which value was forgotten. */
const char *lmad_strerror(lmad_status status) {
    switch (status) {
    case LMAD_OK: return "success";
    case LMAD_ERR_NULL: return "a pointer is NULL";
    case LMAD_ERR_RANK: return "rank out of range";
    case LMAD_ERR_SHAPE: return "shapes do not match";
    case LMAD_ERR_EXTENT: return "bad extent";
    case LMAD_ERR_AXIS: return "no such axis or index";
    case LMAD_ERR_ELEM_SIZE: return "bad element size";
    case LMAD_ERR_FLAGS: return "bad flags";
    case LMAD_ERR_OVERFLOW: return "a number leaves the range of 64-bit integers";
    case LMAD_ERR_DST_ALIAS: return "two indices of the destination are the same element";
    case LMAD_ERR_OVERLAP: return "source and destination share bytes";
    case LMAD_ERR_UNDECIDED: return "aliasing could not be decided within the work limit";
    case LMAD_ERR_LAYOUT: return "the view cannot be expressed without moving data";
    case LMAD_ERR_PARSE: return "text is not an LMAD";
    case LMAD_ERR_NO_WISDOM: return "no wisdom for this problem";
    case LMAD_ERR_NO_MEMORY: return "out of memory";
    case LMAD_ERR_IO: return "input or output failed";
    case LMAD_ERR_FORMAT: return "a file has the wrong format";
    case LMAD_ERR_NO_DEVICE: return "no such device";
    case LMAD_ERR_DEVICE: return "the device reported an error";
    case LMAD_ERR_NO_CODE: return "no device code for this problem";
    case LMAD_ERR_BUFFER: return "a move needs one buffer";
    case LMAD_ERR_ARGUMENT: return "argument out of range";
    case LMAD_ERR_DEVICE_LOST: return "the device is lost";
    }
    return "unknown status";
}

const char *lmad_error_detail(void) { return detail; }

lmad_status lm_fail(lmad_status status, const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(detail, sizeof detail, format, args);
    va_end(args);
    return status;
}

#define LM_TEXT_OF(x) #x
#define LM_TEXT(x)    LM_TEXT_OF(x)

const char *lmad_version(void) {
    return LM_TEXT(LMAD_VERSION_MAJOR) "." LM_TEXT(LMAD_VERSION_MINOR) "." LM_TEXT(LMAD_VERSION_PATCH);
}
