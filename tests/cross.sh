#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Kernels of another architecture: compiled by a cross compiler, run by an emulator. Nothing but these two is needed
# (Debian: gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user). cross.sh [N]: every Nth tile only; cross.sh
# --tools: just whether the two are there. CROSS and EMULATOR name others. Exit status 77: one of them is missing.
set -eu
top=$(cd "$(dirname "$0")/.." && pwd)
target=${CROSS:-aarch64-linux-gnu}
compiler=$target-gcc
emulator=${EMULATOR:-qemu-${target%%-*}}

for program in "$compiler" "$emulator"; do
    command -v "$program" >/dev/null || { echo "no $program: kernels of $target not tested"; exit 77; }
done
[ "${1:-}" != --tools ] || exit 0

build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT
case $target in aarch64-*) isas='base neon' ;; *) isas=base ;; esac
for isa in $isas; do echo "#define HAVE_ISA_$(echo "$isa" | tr a-z A-Z) 1"; done >"$build/config.h"

flags="-std=c11 -D_GNU_SOURCE -Wall -Wextra -Wpedantic -Werror -O3 -I$build -I$top -I$top/include"
for isa in $isas; do
    case $isa in neon) own=-DLM_NEON ;; *) own= ;; esac
    for source in "$top"/kernels/host/*.c; do
        case $(basename "$source") in list.c | reorder.c) continue ;; esac # for all at once; for AVX-512 alone
        "$compiler" $flags $own -DLM_ISA="$isa" -c "$source" -o "$build/$(basename "$source" .c)-$isa.o"
    done
done
for source in tests/kernels_alone.c tests/tiles.c tests/guard.c lib/cpu.c kernels/host/list.c; do
    "$compiler" $flags -c "$top/$source" -o "$build/$(basename "$source" .c).o"
done
"$compiler" "$build"/*.o -o "$build/kernels" -static
"$emulator" "$build/kernels" "${1:-1}"
