#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Runs the suites on an NVIDIA device, through libhipnv.so, on a machine that has the device, its driver and NVRTC (it
# comes with nvcc), but neither a network nor what building takes: it carries what was built elsewhere.
#
#     tests/nvidia.sh prepare BUNDLE     in a build folder, after `make && make libhipnv.so`: fill the folder BUNDLE
#     BUNDLE/nvidia.sh run [OUT]         on the machine: verify and time; results in OUT (default: ./nvidia-results)
#
# Takes less than five minutes, or stops there (LMAD_NVIDIA_SECONDS). Experimental: not run on hardware so far.
set -u

die() {
    echo "nvidia.sh: $*" >&2
    exit 1
}

# ---- where it is built ----------------------------------------------------------------------------------------

# program NAME: the program itself, not libtool's wrapper.
program() {
    if [ -e ".libs/$1" ]; then echo ".libs/$1"; else echo "$1"; fi
}

# libraries FILE...: what they load, but for what every system has.
libraries() {
    ldd "$@" | sed -n 's/.*=> \(\/[^ ]*\).*/\1/p' | sort -u | grep -Ev '/(libc|libm|libdl|libpthread|librt|ld-linux[^/]*)\.so'
}

# The newest version of the C library that anything in the bundle asks for.
needed_glibc() {
    objdump -T "$@" 2>/dev/null | grep -o 'GLIBC_[0-9.]*' | sort -uV | tail -n 1
}

prepare() {
    bundle=$1
    bench=$(program lmad-bench) info=$(program lmad-info)
    for file in "$bench" "$info" libhipnv.so; do
        [ -e "$file" ] || die "no $file here: make, and make libhipnv.so"
    done
    mkdir -p "$bundle/bin" "$bundle/lib" || exit 1
    cp "$bench" "$info" "$bundle/bin/" && cp libhipnv.so "$bundle/lib/" && cp "$0" "$bundle/nvidia.sh" || exit 1
    chmod +x "$bundle/nvidia.sh"
    for library in $(LD_LIBRARY_PATH=.libs libraries "$bench" "$info"); do cp "$library" "$bundle/lib/" || exit 1; done
    echo "$bundle: $(du -sh "$bundle" | cut -f 1), needs $(needed_glibc "$bundle"/bin/* "$bundle"/lib/*) or later"
}

# ---- on the machine --------------------------------------------------------------------------------------------

# NVRTC where its usual places are not on the loader's path.
find_nvrtc() {
    [ -z "${LMAD_NVRTC_LIBRARY-}" ] || return
    for nvcc in "$(command -v nvcc)" /usr/local/cuda/bin/nvcc; do
        [ -n "$nvcc" ] || continue
        folder=$(dirname "$(dirname "$(readlink -f "$nvcc")")")
        for library in "$folder"/lib64/libnvrtc.so* "$folder"/lib/libnvrtc.so* "$folder"/targets/*/lib/libnvrtc.so*; do
            [ -e "$library" ] || continue
            LMAD_NVRTC_LIBRARY=$library
            export LMAD_NVRTC_LIBRARY
            return
        done
    done
}

# summary FILE: a line a suite: how many, how many right, geometric mean and least of device memcpy over the case.
summary() {
    awk '
    function number(name,    at) {
        if (!match($0, "\"" name "\": *[-0-9.e+]+")) return 0
        at = substr($0, RSTART, RLENGTH)
        sub(/.*: */, "", at)
        return at + 0
    }
    {
        count++
        if ($0 ~ /"verified": *true/) right++
        ratio = number("median_ns") > 0 ? number("memcpy_ns") / number("median_ns") : 0
        if (ratio > 0) { sum += log(ratio); timed++ }
        if (ratio > 0 && (!least || ratio < least)) least = ratio
    }
    END { printf "%d cases, %d verified, memcpy/median %.3f (geometric mean), %.3f (least)\n",
        count, right, timed ? exp(sum / timed) : 0, least }' "$1"
}

run() {
    here=$(cd "$(dirname "$0")" && pwd) out=$1
    end=$(($(date +%s) + ${LMAD_NVIDIA_SECONDS:-285}))
    status=0
    mkdir -p "$out" || exit 1
    find_nvrtc
    LMAD_HIP_LIBRARY=${LMAD_HIP_LIBRARY-$here/lib/libhipnv.so} LD_LIBRARY_PATH=$here/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
    LMAD_WISDOM='' LMAD_CACHE=$out/cache
    export LMAD_HIP_LIBRARY LD_LIBRARY_PATH LMAD_WISDOM LMAD_CACHE
    "$here/bin/lmad-info" | tee "$out/info.txt"
    command -v nvidia-smi >/dev/null && nvidia-smi >"$out/nvidia-smi.txt"
    # Small ones first: a mistake shows at once. Those that are timed for the record next.
    for suite in ${LMAD_NVIDIA_SUITES:-small seeds transposes permutations halo fill affine}; do
        left=$((end - $(date +%s)))
        [ $left -gt 0 ] || { echo "$suite: no time left"; status=1; continue; }
        timeout $left "$here/bin/lmad-bench" --device hip:0 --suite "$suite" --verify --json --min-time 0.05 \
            >"$out/$suite.jsonl" 2>"$out/$suite.err"
        code=$?
        [ $code = 0 ] || { echo "$suite: status $code: $(tail -n 3 "$out/$suite.err")"; status=1; }
        echo "$suite: $(summary "$out/$suite.jsonl")" | tee -a "$out/summary.txt"
    done
    exit $status
}

case ${1-} in
prepare) [ $# = 2 ] || die "prepare BUNDLE"; prepare "$2" ;;
run) run "${2:-nvidia-results}" ;;
*) die "prepare BUNDLE | run [OUT]" ;;
esac
