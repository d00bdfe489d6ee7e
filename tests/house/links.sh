#!/bin/sh
# Proves the layers by the linker: objects/ alone, with compiler/, with frames/ and with both make a program (links/) in
# which no name is undefined, and which does something. And no function of ours has the name of one of libc's, for then
# who means libc's calls ours. Arguments: the folder of a build, the compiler and its options. The input names the
# build's objects.
cd "$(dirname "$0")/../.." || exit 2
build=$1
shift
out=$(mktemp -d) || exit 2
trap 'rm -rf "$out"' EXIT
tr ' ' '\n' > "$out/all"
failed=0

link() # NAME OUTPUT FOLDER...: tests/house/links/NAME.c with the objects of these folders prints OUTPUT
{
    name=$1 expected=$2
    shift 2
    for folder; do grep "^$build/$folder/" "$out/all"; done > "$out/objects"
    # shellcheck disable=SC2086 # the compiler's words
    if ! $compiler -o "$out/$name" "tests/house/links/$name.c" "@$out/objects" -lm -ldl -lpthread 2> "$out/messages"; then
        grep -o 'undefined reference.*\|error:.*' "$out/messages" | sort -u | head
    elif [ "$("$out/$name")" = "$expected" ]; then
        return
    fi
    echo "links: $* do not make a program that prints \"$expected\" (tests/house/links/$name.c)"
    failed=1
}

compiler=$*
link objects "{'answer': 42}" objects
link compiler '  1           0 LOAD_NAME                0 (x)
              2 LOAD_CONST               0 (7)
              4 BINARY_MULTIPLY
              6 RETURN_VALUE' objects compiler
link frames '42 84' objects frames
link core 'what was kept
released what was kept' objects compiler frames

globals() { nm "$@" --defined-only | awk '$2 ~ /[TW]/ { sub(/@.*/, "", $3); print $3 }' | sort -u; }

# warn() is BSD's name, for a function that nobody here wants.
# shellcheck disable=SC2086 # the compiler's words
globals -D "$($compiler -print-file-name=libc.so.6)" > "$out/libc" 2> "$out/messages"
for name in $(globals "$build/minivm" | comm -12 - "$out/libc" | grep -vx warn); do
    echo "links: $name() is a function of libc: another name"
    failed=1
done
exit $failed
