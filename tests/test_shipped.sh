#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The wisdom that is installed with the library: every line is good, and serves the machine it was measured on.
set -eu
wisdom=${top_srcdir:-.}/tune/wisdom
fail() {
    echo "FAILED: $*"
    exit 1
}

./lmad-wisdom check "$wisdom" || fail "check"
for threads in 1 2; do
    ./lmad-wisdom list "$wisdom" | grep -q "threads=$threads" || fail "nothing for $threads threads"
done

# What this version cannot use is no longer of use: prune would drop it.
copy=$(mktemp)
trap 'rm -f "$copy"' EXIT
cp "$wisdom" "$copy"
./lmad-wisdom prune "$copy" >/dev/null
cmp "$wisdom" "$copy" || fail "records that this version cannot use"
