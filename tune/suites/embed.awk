# SPDX-License-Identifier: BSD-3-Clause
# Turns suite files into the C source of the built-in suites: one array of lines a file, and their list.
#
#     awk -f embed.awk seeds.tsv small.tsv ... > suites_data.c

BEGIN {
    print "/* SPDX-License-Identifier: BSD-3-Clause */"
    print "/* The built-in suites. Made by tune/suites/embed.awk from the .tsv files beside it. */"
    print "#include \"tune/suites.h\""
}

FNR == 1 {
    if (count) print "    NULL};"
    name = FILENAME
    sub(/.*\//, "", name)
    sub(/\.tsv$/, "", name)
    names[++count] = name
    print "\nstatic const char *const " name "[] = {"
}

{
    gsub(/\\/, "\\\\")
    gsub(/"/, "\\\"")
    gsub(/\t/, "\\t")
    print "    \"" $0 "\","
}

END {
    if (count) print "    NULL};"
    print "\nconst lm_suite lm_suites[] = {"
    for (i = 1; i <= count; i++) print "    {\"" names[i] "\", " names[i] "},"
    print "    {NULL, NULL}};"
}
