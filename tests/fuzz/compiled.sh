#!/bin/sh
# compiled.sh MINIVM PROGRAMS: random programs under torch.compile; each must give what eager gives.
#
# tests/torch/606_random_programs.mpy draws programs of control flow, closures, mutation, breaks and changing sizes, for
# the eager backend; tests/inductor/806_compiled_programs.mpy chains of operators that inductor fuses, one for ten of the
# others, as each starts the C compiler; tests/torch/642_random_objects.mpy files of classes, modules and globals, which are
# changed between nine calls of each, one for five. A program is the same in every run: its number is its seed. Prints the programs
# that are wrong, or that end in another way; exit status 1 where there are any.
minivm=${1:?usage: compiled.sh MINIVM [PROGRAMS]}
programs=${2:-5000}
CHUNK=250
cd "$(dirname "$0")/../.." || exit 2
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT
trap 'exit 2' HUP INT TERM
MINIVM_CACHE=$scratch/cache
export MINIVM_CACHE
failed=0

run() # program, the line that ends a good run, first, last
{
    "$minivm" "$1" "$3" "$4" > "$scratch/out" 2> "$scratch/err"
    status=$?
    [ "$status" = 0 ] && [ "$(cat "$scratch/out")" = "$2" ] && return
    failed=$((failed + 1))
    echo "$1 $3 $4: exit status $status"
    tail -n 40 "$scratch/out" "$scratch/err"
}

first=0
while [ "$first" -lt "$programs" ]; do
    last=$((first + CHUNK < programs ? first + CHUNK : programs))
    run tests/torch/606_random_programs.mpy "$((last - first)) programs 0 wrong" "$first" "$last"
    run tests/inductor/806_compiled_programs.mpy "done" "$((first / 10))" "$((last / 10))"
    run tests/torch/642_random_objects.mpy "$((last / 5 - first / 5)) programs 0 wrong" "$((first / 5))" "$((last / 5))"
    first=$last
done
echo "compiled: $programs programs, $((programs / 10)) more for inductor, $((programs / 5)) of objects; $failed chunks with a failure"
[ "$failed" = 0 ]
