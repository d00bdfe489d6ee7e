#!/bin/sh
# Checks that includes go one way only: objects <- compiler, frames <- vm (design rule 1), and that compiler and frames do
# not know each other. Prints each include that breaks the rule; exit status 1 where there is one.
cd "$(dirname "$0")/../.." || exit 2
failed=0
check() { # folder, pattern of the folders it may not include
    if grep -nE "^#include \"($2)/" "$1"/*.c "$1"/*.h; then failed=1; fi
}
check objects 'compiler|frames|vm|tests|lessons'
check compiler 'frames|vm|tests|lessons'
check frames 'compiler|vm|tests|lessons'
check vm 'tests|lessons'
[ $failed -eq 0 ] || echo "layers: a lower folder includes a higher one"
exit $failed
