#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# lmad-bench and lmad-wisdom on an emulated device, and on none.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

fail() {
    echo "$1"
    shift
    [ $# -eq 0 ] || cat "$@"
    exit 1
}

problem='4 [(100,300),(300,1)] [(100,1),(300,100)]'

if LMAD_HIP_LIBRARY="$PWD/tests/libhipemu.so" ./lmad-info | grep '^HIP  *built without HIP$'; then
    exit 77
fi

# Without a run time: a message, and nothing on standard output.
export LMAD_HIP_LIBRARY=/nowhere/libamdhip64.so
if ./lmad-wisdom -o "$folder/none" --device hip:0 --problem "$problem" >"$folder/out" 2>"$folder/err"; then
    fail "tuned without a device" "$folder/out"
fi
grep -q 'hip:0: no device: LMAD_HIP_LIBRARY' "$folder/err" || fail "no reason given:" "$folder/err"
[ ! -s "$folder/out" ] || fail "output without a device:" "$folder/out"

# On the emulated run time.
export LMAD_HIP_LIBRARY="$PWD/tests/libhipemu.so"
[ -e "$LMAD_HIP_LIBRARY" ] || { echo "no emulated run time in this build"; exit 77; }
./lmad-wisdom -o "$folder/wisdom" --device hip:0 --effort measure --problem "$problem" >"$folder/out" 2>&1 ||
    fail "tuning:" "$folder/out"
grep -q '^1 measured' "$folder/out" || fail "not measured:" "$folder/out"
./lmad-wisdom -o "$folder/wisdom" --device hip:0 --device cpu --effort measure --problem "$problem" >"$folder/out" 2>&1 ||
    fail "tuning again:" "$folder/out"
grep -q '^1 measured, 1 known' "$folder/out" || fail "not resumed:" "$folder/out"
./lmad-wisdom list "$folder/wisdom" >"$folder/out"
grep -q '^device .*copy device device .*\[emulated-gfx90a.*cus=.*wave=64\]' "$folder/out" || fail "not listed:" "$folder/out"
./lmad-wisdom check "$folder/wisdom" >"$folder/out" || fail "bad wisdom:" "$folder/out"

[ -x ./lmad-bench ] || exit 0
LMAD_WISDOM="$folder/wisdom" ./lmad-bench --device hip:0 --problem "$problem" --op fill --problem '8 [(77,2)] []' \
    --op move --problem '4 [(99,1)]+3 [(99,1)]' --op affine --problem '8 [(40,3)] []' \
    --json --verify --min-time 0 >"$folder/out" 2>&1 || fail "bench:" "$folder/out"
[ "$(grep -c '"verified":true' "$folder/out")" = 4 ] || fail "not all verified:" "$folder/out"
[ "$(grep -c '"device":"hip:0","launches":[12],"emulated":true' "$folder/out")" = 4 ] || fail "not marked:" "$folder/out"
head -n 1 "$folder/out" | grep -q '"source":"wisdom"' || fail "wisdom is not used:" "$folder/out"
./lmad-bench --device hip:0 --problem "$problem" --min-time 0 >"$folder/out"
grep -q 'EMULATED' "$folder/out" || fail "not marked:" "$folder/out"
for device in hip:1 hip: hip:x gpu; do
    ! ./lmad-bench --device $device --problem "$problem" >"$folder/out" 2>&1 || fail "device $device:" "$folder/out"
done
