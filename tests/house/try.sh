#!/bin/sh
# Checks that nothing passes because nothing has run: a suite or a test that is not there is refused (tests/try.sh,
# tests/unit/main.c), and one that is there runs; that one that took too long says how it may take longer. Arguments: minivm, the program of the unit tests.
cd "$(dirname "$0")/../.." || exit 2
minivm=$1 unit=$2
failed=0

expect() # EXIT_STATUS WORDS COMMAND...: the status, and what the output must hold
{
    status=$1 words=$2
    shift 2
    text=$("$@" 2>&1)
    got=$?
    case $text in *"$words"*) ;; *) got="$got without \"$words\"" ;; esac
    [ "$got" = "$status" ] && return
    echo "try: $*: exit status $got, expected $status"
    failed=1
}

expect 1 'there is no suite "nonesuch"' env CK_RUN_SUITE=nonesuch "$unit"
expect 1 'no test has run' env CK_RUN_SUITE=dict CK_RUN_CASE=nonesuch "$unit"
expect 1 'CK_TIMEOUT_MULTIPLIER=' env MINIVM="$minivm" CK_RUN_CASE=own_functions CK_TIMEOUT_MULTIPLIER=0.001 "$unit"
expect 2 '"tests/scripts/vm/000_nonesuch.mpy" is no test' tests/try.sh "$minivm" "$unit" tests/scripts/vm/000_nonesuch.mpy
expect 2 '"tests/unit/main.c" is no test' tests/try.sh "$minivm" "$unit" tests/unit/main.c
expect 0 ' 1' tests/try.sh "$minivm" "$unit" tests/scripts/vm/001_hello.mpy
expect 0 'passes' tests/try.sh "$minivm" "$unit" tests/house/layers.sh
exit $failed
