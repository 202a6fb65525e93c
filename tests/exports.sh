#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The shared library exports lmad_* and nothing else, and all that the public headers declare.
set -eu
lib=.libs/liblmad.so
[ -e "$lib" ] || { echo "no shared library in this build"; exit 77; }

# An absolute symbol (A) is the name of the version node.
exported=$(${NM:-nm} -D --defined-only "$lib" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' | sort)
foreign=$(echo "$exported" | grep -v '^lmad_' || true)
[ -z "$foreign" ] || { echo "exported, but not lmad_*:" $foreign; exit 1; }

declared=$(cat "$top_srcdir"/include/*.h | grep '^LMAD_API' | grep -o 'lmad_[a-z_0-9]*(' | tr -d '(' | sort -u)
[ -n "$declared" ]
status=0
for name in $declared; do
    echo "$exported" | grep -qx "$name" || { echo "declared, but not exported: $name"; status=1; }
done
exit $status
