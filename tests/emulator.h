/* SPDX-License-Identifier: BSD-3-Clause */
/* The emulated HIP run time for suites. Tests run in a process each, so each begins with emulator(), which
 * must come before the library is first asked for a device. */
#ifndef LM_TEST_EMULATOR_H
#define LM_TEST_EMULATOR_H

#include "hipemu/hipemu.h"

/* Load it, point LMAD_HIP_LIBRARY at it, reset it. Settings that the library remembers (devices, warp width,
 * version) are to be made before the library asks. */
const hipemu *emulator(void);

/* Fail the test unless all that was made on devices is destroyed, and nothing was complained of. */
void emulator_is_clean(void);

#endif
