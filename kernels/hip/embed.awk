# SPDX-License-Identifier: BSD-3-Clause
# Turns device source into C source: the lines of one file, each header that it includes put in its place:
# their guards say which of them count.
#
#     awk -f embed.awk kernels.hip > device_source.c
#
# Headers lie beside the file.

function embed(path,    line, name) {
    while ((got = (getline line < path)) > 0) {
        if (line ~ /^#include "/) {
            name = line
            gsub(/^#include "|".*$/, "", name)
            sub(/.*\//, "", name)
            embed(folder name)
            continue
        }
        gsub(/\\/, "\\\\&", line)
        gsub(/"/, "\\\"", line)
        print "    \"" line "\","
    }
    close(path)
    if (got < 0) {
        print "embed.awk: " path " cannot be read" > "/dev/stderr"
        exit failed = 1
    }
}

BEGIN {
    folder = ARGV[1]
    sub(/[^\/]*$/, "", folder)
    print "/* SPDX-License-Identifier: BSD-3-Clause */"
    print "/* The device source. Made by kernels/hip/embed.awk from the files beside it. */"
    print "#include \"lib/device_source.h\""
    print "\nconst char *const lm_device_source_lines[] = {"
    embed(ARGV[1])
    print "    0};"
    exit failed
}
