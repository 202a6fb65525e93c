#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# table.sh peers.tsv: the output of run.sh as Markdown.
exec awk -f "$(dirname "$0")/table.awk" "$@"
