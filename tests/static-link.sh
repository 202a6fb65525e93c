#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# An installed tree, used through pkg-config: a program links with the shared library, with liblmad.a and
# shared system libraries, and wholly statically, and runs each time.
set -eu
case " $CFLAGS " in *-fsanitize*) echo "not under sanitizers"; exit 77 ;; esac
[ -e .libs/liblmad.a ] || { echo "no static library in this build"; exit 77; }

tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
unset MAKEFLAGS MFLAGS MAKELEVEL DESTDIR
"$MAKE" -s install DESTDIR="$tree" >"$tree/install.log" 2>&1 || { cat "$tree/install.log"; exit 1; }
PKG_CONFIG_SYSROOT_DIR=$tree PKG_CONFIG_PATH=$tree$libdir/pkgconfig
export PKG_CONFIG_SYSROOT_DIR PKG_CONFIG_PATH
lib=$tree$libdir
source=$top_srcdir/examples/transpose.c

# link NAME FLAGS...: compile the example with the flags, then run it.
link() {
    name=$1
    shift
    echo "$name: $CC $*"
    $CC -std=c11 $CFLAGS "$source" -o "$tree/$name" "$@"
    LD_LIBRARY_PATH=$lib "$tree/$name"
}

if [ -e "$lib/liblmad.so" ]; then
    link shared $($PKG_CONFIG --cflags --libs lmad)
fi

# The static library alone: take it by name where the linker would prefer the shared one.
flags=$($PKG_CONFIG --static --cflags --libs lmad)
link static-lmad $(echo "$flags" | sed "s|-llmad |$lib/liblmad.a |")

if [ "$STATIC_PROGRAMS" = yes ]; then
    link static $flags -static
else
    echo "static: configure found that static programs do not link here"
fi
