#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# lmad-info on devices: which there are, or why none. LMAD_INFO names the program (default ./lmad-info).
set -eu
info=${LMAD_INFO:-./lmad-info}
emulator=$PWD/tests/libhipemu.so
failures=0
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
unset LMAD_HIP_LIBRARY HIPEMU_DEVICES HIPEMU_WARP || true

failed() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}

# said PATTERN VARIABLE=VALUE...: in such an environment the output has a line like that.
said() {
    pattern=$1
    shift
    env "$@" "$info" >"$folder/said" || failed "status $? with $*"
    grep -q -e "$pattern" "$folder/said" || failed "no \"$pattern\" with $*, but: $(grep '^HIP' "$folder/said")"
}

if env LMAD_HIP_LIBRARY="$emulator" "$info" | grep '^HIP  *built without HIP$'; then
    exit 77
fi

# None at all; one that cannot work; one without devices. The system's own may be there or not.
said '^HIP  *LMAD_HIP_LIBRARY is empty$' LMAD_HIP_LIBRARY=
said '^HIP  *LMAD_HIP_LIBRARY: .*/nothing\.so' LMAD_HIP_LIBRARY=/nothing.so
said '^HIP  *libm\.so\.6: no hip[A-Za-z0-9]* in it$' LMAD_HIP_LIBRARY=libm.so.6
said '^HIP  *.*libhipemu\.so finds no GPU$' LMAD_HIP_LIBRARY="$emulator" HIPEMU_DEVICES=0
said '^HIP  *[^ ]' LMAD_NUM_THREADS=1

# Devices: each has a line, and says what it is.
said '^HIP  *.*libhipemu\.so, version 7\.0$' LMAD_HIP_LIBRARY="$emulator"
said '^device hip:0  *emulated gfx90a[a-z ]*, .*emulated-gfx90a:.*wave=64.*timings mean nothing' LMAD_HIP_LIBRARY="$emulator"
said '^device hip:2  *emulated gfx1030[a-z ]*, .*wave=32' LMAD_HIP_LIBRARY="$emulator" HIPEMU_DEVICES=3 HIPEMU_WARP=32
grep -q '^device hip:3' "$folder/said" && failed "a fourth device of three"

# A program with more rights than its caller does not load what the caller names. Needs root, and a file system
# that honours the bit; and leak checkers cannot look into such a program.
case " ${CFLAGS-} " in *-fsanitize*) may=no ;; *) may=yes ;; esac
if [ $may = yes ] && [ "$(id -u)" = 0 ] && cp "$info" "$folder/info" && chown nobody "$folder/info" && chmod 4755 "$folder/info"; then
    chmod 755 "$folder"
    LMAD_HIP_LIBRARY=$emulator "$folder/info" >"$folder/said" 2>&1 || failed "status $? of a setuid program"
    if grep -q '^LMAD_HIP_LIBRARY .*ignored' "$folder/said"; then
        grep -q 'libhipemu' "$folder/said" && grep '^HIP.*libhipemu' "$folder/said" && failed "loaded in a setuid program"
    elif [ "$(stat -f -c %T "$folder")" != overlayfs ]; then
        echo "setuid: not tried, the bit has no effect here"
    else
        failed "a setuid program used LMAD_HIP_LIBRARY"
    fi
else
    echo "setuid: not tried, only root can, and not under sanitizers"
fi

[ "$failures" -eq 0 ] || { echo "$failures failures"; exit 1; }
