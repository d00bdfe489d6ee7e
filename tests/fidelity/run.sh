#!/bin/sh
# Compares the compiler with CPython 3.9's over its whole standard library: code objects, trees, positions of
# instructions, speed. For developers.
#
#     tests/fidelity/run.sh MINIVM UNIT PYTHON3.9          UNIT is the program of the unit tests
#
# Exit status 1 where anything differs, or where minivm compiles less than three times as fast.
cd "$(dirname "$0")/../.." || exit 2
minivm=$1 unit=$2 python=$3
export PYTHONHASHSEED=0
case $("$python" -V 2>&1) in
    "Python 3.9."*) ;;
    *) echo "fidelity: $python is not CPython 3.9: say make fidelity PYTHON39=..."; exit 2 ;;
esac
folder=$(mktemp -d) || exit 2
trap 'rm -rf "$folder"' EXIT
failed=0
library=$("$python" -c 'import os; print(os.path.dirname(os.__file__))')
find "$library" -name '*.py' ! -path '*/site-packages/*' | LC_ALL=C sort > "$folder/files"

# compare PROGRAM: its answers under both, in "$folder/theirs" and "$folder/differences"
compare()
{
    "$python" "tests/fidelity/$1" "$folder/files" > "$folder/theirs"
    "$minivm" "tests/fidelity/$1" "$folder/files" > "$folder/ours"
    diff "$folder/theirs" "$folder/ours" > "$folder/differences" || failed=1
    grep '^[<>]' "$folder/differences" | head
}

compare codes.mpy
echo "$(grep -c . "$folder/files") files, $(grep -c = "$folder/theirs") code objects, of which differ: $(grep -c '^<' "$folder/differences")"

compare trees.mpy
awk '{ files++; nodes += $2 } END { printf "%d trees, %d nodes with their positions, ", files, nodes }' "$folder/theirs"
echo "files that differ: $(grep -c '^<' "$folder/differences")"

if POSITIONS_OF=$library CK_RUN_SUITE=compile CK_TIMEOUT_MULTIPLIER=50 "$unit" > "$folder/unit"; then
    echo "every instruction has the position of a node of the tree"
else
    cat "$folder/unit"
    failed=1
fi

"$python" tests/fidelity/speed.mpy "$folder/files" > "$folder/speed"
"$minivm" tests/fidelity/speed.mpy "$folder/files" >> "$folder/speed"
awk 'NR == 1 { theirs = $1 / $2 }
     { printf "%s compiles %d lines at %d a second\n", NR == 1 ? "CPython" : "minivm", $1, $1 / $2 }
     END { printf "that is %.1f times as fast\n", $1 / $2 / theirs; exit $1 / $2 < 3 * theirs }' "$folder/speed" || failed=1
exit $failed
