#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Device code without a device: every kernel variant that plans of the built-in suites, and of transposes of
# other elements, ask for compiles for five architectures, with a bare clang (no ROCm, no headers) and, for one, through HIP's own run-time compiler. No registers
# are spilled, nothing lies in scratch memory, no function is called, and where a variant has words of 16 bytes the code
# loads and stores 16 bytes at a time.
set -u
: "${top_srcdir:?the folder of the sources}"
archs=${LMAD_HIP_ARCHS:-gfx906 gfx90a gfx940 gfx1030 gfx1100}
most=60 # variants; a few dozen is what users wait for

# ---- one variant for one architecture: hip-offline.sh ARCH OPTIONS ------------------------------------------

# value NAME: a number of the kernel's description.
value() { printf '%s\n' "$code" | sed -n "s/^ *\.$1: *//p"; }

# has PATTERN: is there such an instruction?
has() { printf '%s\n' "$code" | grep -Eq "$1"; }

# word SIDE
word() { printf '%s\n' "$options" | sed -n "s/.*-DLM_$1_WORD=\([0-9]*\).*/\1/p"; }

check_one() {
    arch=$1 options=$2
    # shellcheck disable=SC2086 # a list of options
    code=$(clang-15 -x hip --cuda-device-only -S -o - -fdeclspec -nogpuinc -nogpulib --offload-arch="$arch" \
        -std=c++17 -O3 -Wall -Werror $options "$top_srcdir/kernels/hip/main.hip") || {
        echo "$arch: does not compile: $options"
        exit 1
    }
    bad=
    for what in sgpr_spill_count vgpr_spill_count private_segment_fixed_size; do
        [ "$(value $what)" = 0 ] || bad="$bad $what=$(value $what)"
    done
    case $options in
    *-DLM_KERNEL=[0125]\ *) # those with a source
        [ "$(word SRC)" != 16 ] || has 'global_load_(dwordx4|b128)' || bad="$bad no-16-byte-load" ;;
    esac
    [ "$(word DST)" != 16 ] || has 'global_store_(dwordx4|b128)' || bad="$bad no-16-byte-store"
    ! has 's_swappc' || bad="$bad calls"
    [ -z "$bad" ] || { echo "$arch:$bad: $options"; exit 1; }
}

if [ $# -eq 2 ]; then
    check_one "$1" "$2"
    exit 0
fi

# ---- all of them ---------------------------------------------------------------------------------------------

command -v clang-15 >/dev/null || {
    echo "SKIP: no clang-15"
    exit 77
}
# The compilers leave empty folders behind where temporary files go.
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
export TMPDIR="$work" top_srcdir

tests/hip-variants >"$work/variants" || exit 1
count=$(wc -l <"$work/variants")
status=0
if [ "$count" -lt 1 ] || [ "$count" -gt $most ]; then
    echo "$count variants, not 1 to $most"
    status=1
fi

# through LIBRARY ARCH: by a compiler that is loaded at run time; old ones abort over architectures they do not know.
through() {
    tests/hiprtc-compile "$1" "$2" <"$work/variants" || [ $? = 77 ]
}
through "${LMAD_HIPRTC:-libamdhip64.so.5}" gfx90a &
running=$!
if [ -e libhipnv.so ]; then
    through ./libhipnv.so sm_90 &
    running="$running $!"
fi
for arch in $archs; do
    while read -r options; do printf '%s\0%s\0' "$arch" "$options"; done <"$work/variants"
done | xargs -0 -n 2 -P "$(nproc)" sh "$0" || status=1
echo "$count variants for $archs: $([ $status = 0 ] && echo good || echo bad)"
for one in $running; do wait "$one" || status=1; done
exit $status
