#!/bin/sh
# Runs one test, by its file, for `make try T=FILE`:
#
#     tests/try.sh MINIVM UNIT FILE          UNIT is the program of the unit tests
#
# FILE is a program or its answer (tests/scripts/vm/001_hello.mpy, .expected or .in), a shell program of tests/commands or
# tests/house, or a file of unit tests (tests/unit/test_dict.c: all of its suites). Exit status 1 where it fails, 2 where
# FILE is no test.
cd "$(dirname "$0")/.." || exit 2
export MINIVM=$1
unit=$2 file=${3#./}

suite() # NAME
{
    CK_RUN_SUITE=$1 "$unit"
}

program() # SUITE CASE: the program whose file was named
{
    TEST=${file%.*}.mpy
    [ -f "$TEST" ] || refuse
    export TEST
    CK_RUN_CASE=$2 suite "$1"
}

refuse()
{
    echo "try: \"$file\" is no test: make try T=tests/scripts/vm/001_hello.mpy, tests/commands/NAME.sh, tests/unit/test_NAME.c" >&2
    exit 2
}

[ -f "$file" ] || refuse
folder=${file#tests/} folder=${folder%%/*}
case $file in
tests/scripts/* | tests/faults/*) program scripts "$folder" ;;
tests/code/*) program sources sources ;;
tests/cache/* | tests/guards/* | tests/verify/* | tests/trace/*) program guarded "$folder" ;;
tests/debugger/[0-9]*) program debugger sessions ;;
tests/adapter/[0-9]*) program debugger adapter ;;
tests/decompile/[0-9]* | tests/torch/* | tests/inductor/* | tests/hostile/*) program "$folder" "$folder" ;;
tests/plugins/*) suite plugins ;;
tests/commands/*)
    name=${file##*/}
    tests/house/commands.sh "$MINIVM" "${name%.*}" && echo "$file passes" ;;
tests/house/new_opcode.sh) "$file" "${MINIVM%/*}" && echo "$file passes" ;;
tests/house/*.sh) "$file" "$MINIVM" && echo "$file passes" ;;
tests/unit/test_*.c)
    failed=0
    for name in $(sed -n 's/^Suite \*\([a-z_]*\)_suite(void)$/\1/p' "$file"); do suite "$name" || failed=1; done
    exit $failed ;;
*) refuse ;;
esac
