#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# lmad-bench and lmad-wisdom on an emulated device, and on none.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
program=./lmad-wisdom
. "${top_srcdir:-.}/tests/program.sh"

problem='4 [(100,300),(300,1)] [(100,1),(300,100)]'

if LMAD_HIP_LIBRARY="$PWD/tests/libhipemu.so" ./lmad-info | grep '^HIP  *built without HIP$'; then
    exit 77
fi

# Without a run time: a message, and nothing on standard output.
export LMAD_HIP_LIBRARY=/nowhere/libamdhip64.so
expect 2 -o "$dir/none" --device hip:0 --problem "$problem"
said 'hip:0: no device: LMAD_HIP_LIBRARY'
[ ! -s "$dir/out" ] || fail "output without a device"

# On the emulated run time.
export LMAD_HIP_LIBRARY="$PWD/tests/libhipemu.so"
[ -e "$LMAD_HIP_LIBRARY" ] || { echo "no emulated run time in this build"; exit 77; }
expect 0 -o "$dir/wisdom" --device hip:0 --effort measure --problem "$problem"
said '^1 measured'
said 'us (emulated: means nothing)$'
expect 0 -o "$dir/wisdom" --device hip:0 --device cpu --effort measure --problem "$problem"
said '^1 measured, 1 known'
expect 0 list "$dir/wisdom"
said '^device .*copy device device .*\[emulated-gfx90a.*cus=.*wave=64\]'
expect 0 check "$dir/wisdom"

[ -x ./lmad-bench ] || { conclude; exit 0; }
program=./lmad-bench
export LMAD_WISDOM="$dir/wisdom"
expect 0 --device hip:0 --problem "$problem" --op fill --problem '8 [(77,2)] []' \
    --op move --problem '4 [(99,1)]+3 [(99,1)]' --op affine --problem '8 [(40,3)] []' --json --verify --min-time 0
[ "$(grep -c '"verified":true' "$dir/out")" = 4 ] || fail "not all verified"
[ "$(grep -c '"device":"hip:0","launches":[12],"emulated":true' "$dir/out")" = 4 ] || fail "not marked"
head -n 1 "$dir/out" | grep -q '"source":"wisdom"' || fail "wisdom is not used"
expect 0 --device hip:0 --problem '1 [(9,99999999999999),(9,1)] [(9,9),(9,1)]' --json --min-time 0
said '"emulated":true.*"skipped"'
expect 0 --device hip:0 --problem "$problem" --min-time 0
said 'EMULATED'
for what in --kernels --roofline --regret --baseline=naive; do
    expect 2 --device hip:0 $what
    said 'are for the cpu'
done
for device in hip:1 hip: hip:x gpu; do
    expect 2 --device $device --problem "$problem"
done

conclude
