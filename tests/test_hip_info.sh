#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# lmad-info on devices: which there are, or why none. LMAD_INFO names the program (default ./lmad-info).
set -eu
program=${LMAD_INFO:-./lmad-info}
emulator=$PWD/tests/libhipemu.so
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
. "${top_srcdir:-.}/tests/program.sh"
unset LMAD_HIP_LIBRARY HIPEMU_DEVICES HIPEMU_WARP || true

if env LMAD_HIP_LIBRARY="$emulator" "$program" | grep '^HIP  *built without HIP$'; then
    exit 77
fi

# None at all; one that cannot work; one without devices. The system's own may be there or not.
shows '^HIP  *LMAD_HIP_LIBRARY is empty$' LMAD_HIP_LIBRARY=
shows '^HIP  *LMAD_HIP_LIBRARY: .*/nothing\.so' LMAD_HIP_LIBRARY=/nothing.so
shows '^HIP  *.*libhipemu\.so finds no GPU$' LMAD_HIP_LIBRARY="$emulator" HIPEMU_DEVICES=0
shows '^HIP  *[^ ]' LMAD_NUM_THREADS=1

# Devices: each has a line, and says what it is.
shows '^HIP  *.*libhipemu\.so, version 7\.0$' LMAD_HIP_LIBRARY="$emulator"
shows '^device hip:0  *emulated gfx90a[a-z ]*, .*emulated-gfx90a:.*wave=64.*timings mean nothing' LMAD_HIP_LIBRARY="$emulator"
shows '^device hip:2  *emulated gfx1030[a-z ]*, .*wave=32' LMAD_HIP_LIBRARY="$emulator" HIPEMU_DEVICES=3 HIPEMU_WARP=32
grep -q '^device hip:3' "$dir/out" && fail "a fourth device of three"

# A library of functions that all succeed and tell nothing, but for a device of which everything is too large to be true.
cat >"$dir/tall.c" <<'END'
#define hipGetDeviceCount other_count
#define hipDeviceGetAttribute other_attribute
#define hipGetErrorName other_name
#define LM_HIP(returns, name, parameters) int name() { return 0; }
#define LM_HIP_OPTIONAL(returns, name, parameters) LM_HIP(returns, name, parameters)
#include "hip_list.h"
#undef hipGetDeviceCount
#undef hipDeviceGetAttribute
#undef hipGetErrorName
int hipGetDeviceCount(int *count) { return *count = 1, STATUS; }
int hipDeviceGetAttribute(int *value) { return *value = 2147483647, 0; }
const char *hipGetErrorName(int error) { return 0; }
END
tall() { ${CC:-cc} -w -shared -fPIC -DSTATUS="$1" -I "${top_srcdir:-.}/lib" -o "$dir/tall$1.so" "$dir/tall.c"; }
if tall 0 && tall 7; then
    shows '^device hip:0 .* cus=1 wave=64$' LMAD_HIP_LIBRARY="$dir/tall0.so"
    shows '^HIP .*tall7\.so: hipGetDeviceCount: unknown error (7)$' LMAD_HIP_LIBRARY="$dir/tall7.so"
else
    echo "a library of the test's own: not tried, there is no compiler"
fi
shows '^HIP  *libm\.so\.6: no hipInit in it$' LMAD_HIP_LIBRARY=libm.so.6

# A program with more rights than its caller does not load what the caller names. Needs root, and a file system
# that honours the bit; and leak checkers cannot look into such a program.
case " ${CFLAGS-} " in *-fsanitize*) may=no ;; *) may=yes ;; esac
if [ $may = yes ] && [ "$(id -u)" = 0 ] && cp "$program" "$dir/info" && chown nobody "$dir/info" && chmod 4755 "$dir/info"; then
    chmod 755 "$dir"
    LMAD_HIP_LIBRARY=$emulator "$dir/info" >"$dir/out" 2>&1 || fail "status $? of a setuid program"
    if grep -q '^LMAD_HIP_LIBRARY .*ignored' "$dir/out"; then
        grep -q 'libhipemu' "$dir/out" && grep '^HIP.*libhipemu' "$dir/out" && fail "loaded in a setuid program"
    elif [ "$(stat -f -c %T "$dir")" != overlayfs ]; then
        echo "setuid: not tried, the bit has no effect here"
    else
        fail "a setuid program used LMAD_HIP_LIBRARY"
    fi
else
    echo "setuid: not tried, only root can, and not under sanitizers"
fi

conclude
