#!/bin/sh
# Prints the C files that main does not have like this; with --all, and where there is no git or no main, every one.
cd "$(dirname "$0")/../.." || exit 2
if [ "$1" != --all ] && git rev-parse --verify --quiet main > /dev/null; then
    git diff --name-only --diff-filter=d main -- '*.c' '*.h' '*.def'
    git ls-files --others --exclude-standard -- '*.c' '*.h' '*.def'
else
    find objects compiler frames vm tests lessons -path lessons/work -prune -o \( -name '*.[ch]' -o -name '*.def' \) -print
fi
