#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# lmad against the libraries of this machine that can copy, on the rows of the suites, one thread, in one go:
#
#     tune/peers/run.sh BUILD [SUITE...] >peers.tsv       # BUILD: where lmad was built; all five suites by default
#     tune/peers/table.sh peers.tsv                       # as in doc/performance.md
#
# Debian: libfftw3-dev libopenblas-dev libeigen3-dev libdnnl-dev libopenmpi-dev python3-numpy python3-torch. What is
# not installed is skipped, and said so. PEERS_RUN is a command to run each part by (taskset -c 1), PEERS_ROWS the rows
# of a part (all).
set -eu
here=$(cd "$(dirname "$0")" && pwd)
[ $# -ge 1 ] && [ -d "$1/.libs" ] || { sed -n '3,11s/^# \{0,1\}//p' "$0" >&2; exit 2; }
build=$(cd "$1" && pwd)
shift
[ $# -gt 0 ] || set -- seeds transposes permutations halo small
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

found= libs=
compile() { ${CC:-cc} -std=gnu11 -O3 -I"$here/../../include" "$@" -c; }

# peer NAME FILE PKG-CONFIG-NAMES...: compile it in if its libraries are there.
peer() {
    name=$1 file=$2
    shift 2
    if pkg-config --exists "$@" 2>/dev/null; then
        add "$name" "$file" "$(pkg-config --cflags "$@")" "$(pkg-config --libs "$@")"
    else
        echo "no $*: skipped" >&2
    fi
}

# add NAME FILE CFLAGS LIBS
add() {
    case $2 in
    *.cc) ${CXX:-c++} -O3 -DNDEBUG -I"$here/../../include" $3 -c "$here/$2" -o "$work/$2.o" ;;
    *) compile $3 "$here/$2" -o "$work/$2.o" ;;
    esac || { echo "$2 does not compile here: skipped" >&2; return 0; }
    found="$found -DHAVE_$1=1" libs="$libs $4"
}

peer FFTW fftw.c fftw3 fftw3f
peer OPENBLAS openblas.c openblas
peer EIGEN eigen.cc eigen3
peer MPI mpi.c mpi-c
if echo '#include <dnnl.h>' | ${CC:-cc} -E - >/dev/null 2>&1; then
    add ONEDNN onednn.c '' -ldnnl
else
    echo "no oneDNN: skipped" >&2
fi

# The system's own Python first: that is the one Debian's packages are for.
PEERS_WORKER=$here/worker.py
for python in ${PEERS_PYTHON:-} /usr/bin/python3 python3; do
    ! "$python" -c 'import numpy' 2>/dev/null || break
done
PEERS_PYTHON=$python
for library in numpy torch; do
    if "$python" -c "import $library" 2>/dev/null; then
        found="$found -DHAVE_$(echo $library | tr a-z A-Z)=1"
    else
        echo "no $library for $python: skipped" >&2
    fi
done
export PEERS_WORKER PEERS_PYTHON

for file in main row peer lmad memcpy loop python; do compile $found "$here/$file.c" -o "$work/$file.o"; done
${CXX:-c++} "$work"/*.o -o "$work/peers" -L"$build/.libs" -llmad $libs -Wl,-rpath,"$build/.libs"

# One thread each. Open MPI as root, without a launcher, over nothing.
OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 OMPI_MCA_btl=self OMPI_MCA_pml=ob1
export OMP_NUM_THREADS OPENBLAS_NUM_THREADS OMPI_MCA_btl OMPI_MCA_pml

"$work/peers" --header
for suite; do
    file=$here/../suites/$suite.tsv
    rows=$(grep -vc '^#\|^$' "$file")
    step=${PEERS_ROWS:-$rows}
    first=1
    while [ "$first" -le "$rows" ]; do
        ${PEERS_RUN:-} "$work/peers" "$file" "$first" $((first + step - 1))
        first=$((first + step))
    done
done
