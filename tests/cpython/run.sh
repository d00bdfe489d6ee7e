#!/bin/sh
# Runs CPython 3.9's own tests of the compiler and of tracing, unmodified, under our unittest, doctest and test.support,
# and writes a table of what was run, passed, failed and skipped, and the reasons: run.sh MINIVM LIB [MODULE...]. LIB is
# the folder Lib of CPython 3.9. The exit status is 1 where a module crashed or did not end.
minivm=$1 lib=$2
[ -f "$lib/test/test_grammar.py" ] || { echo "usage: run.sh MINIVM LIB (the folder Lib of CPython 3.9)" >&2; exit 2; }
shift 2
[ $# -gt 0 ] || set -- test_grammar test_syntax test_peepholer test_dis test_code test_compile test_fstring \
    test_string_literals test_named_expressions test_positional_only_arg test_keywordonlyarg test_scope \
    test_sys_settrace test_sys_setprofile
here=$(dirname "$0")
folder=$(mktemp -d) || exit 2
trap 'rm -rf "$folder"' EXIT
status=0
printf '%-26s %5s %7s %7s %8s   %s\n' module run passed failed skipped 'doctests passed, failed'
for module in "$@"; do
    mkdir "$folder/$module"
    timeout 300 "$minivm" "$here/run.mpy" "$lib" "$module" "$folder/$module" > "$folder/$module.out" 2>&1
    ended=$?
    if [ $ended -ne 0 ] || ! grep -q '^= ' "$folder/$module.out"; then
        status=1
        printf '%-26s ended with status %d in %s\n' "$module" $ended "$(grep '^# ' "$folder/$module.out" | tail -1)"
        tail -3 "$folder/$module.out"
    fi
    sed -n 's/^= //p' "$folder/$module.out" | while read -r name run passed failed skipped right wrong; do
        printf '%-26s %5d %7d %7d %8d   %d, %d\n' "$name" "$run" "$passed" "$failed" "$skipped" "$right" "$wrong"
    done
done
cat "$folder"/*.out | awk '/^= / { run += $3; passed += $4; failed += $5; skipped += $6; right += $7; wrong += $8 }
    END { printf "%-26s %5d %7d %7d %8d   %d, %d\n", "all", run, passed, failed, skipped, right, wrong }'
for module in "$@"; do sed -n '/^- /,$p' "$folder/$module.out"; done
for module in "$@"; do sed -n '/^Failed example/,/^#/{/^[#=]/d;p;}' "$folder/$module.out"; done
exit $status
