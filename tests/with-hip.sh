#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# configure --with-hip: a folder without HIP is an error that names it, and so is one whose headers do not compile; one
# with HIP is where its libraries are looked for first; with `no` none are. From any folder; configures there.
set -eu
top=$(cd "${top_srcdir:-$(dirname "$0")/..}" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

fail() {
    echo "FAILED: $1"
    tail -n 20 "$folder/out"
    exit 1
}

configured() { (cd "$folder" && "$top/configure" --cache-file=cache --with-hip="$1" >out 2>&1); }

refused() {
    ! configured "$1" || fail "$1 is taken"
    grep -q "^configure: error: --with-hip=$1: no usable $1/include/hip/hip_runtime_api.h" "$folder/out" || fail "$1: not said"
}

# defined NAME [VALUE]
defined() { grep -q "^#define $1 $2" "$folder/config.h" || fail "no $1 in config.h"; }

mkdir -p "$folder/none" "$folder/broken/include/hip"
echo 'no C' | tee "$folder/broken/include/hip/hip_runtime_api.h" >"$folder/broken/include/hip/hiprtc.h"
refused "$folder/none"
refused "$folder/broken"
configured no || fail "not configured without HIP"
defined LM_WITHOUT_HIP 1
! grep -q '^#define LM_HIP_DIR' "$folder/config.h" || fail "a folder of HIP without HIP"
found=
for prefix in /usr /opt/rocm; do
    [ -f $prefix/include/hip/hip_runtime_api.h ] || continue
    configured $prefix || fail "$prefix is refused"
    defined LM_HIP_DIR "\"$prefix\""
    found=1
done
[ "$found" ] || echo "where HIP's libraries are looked for: not tried, there are no headers of HIP here"
echo "configure --with-hip: as it should be"
