#!/bin/sh
# Checks that a Value is 64 bits wherever it goes: the sources are read (not compiled to code) for a machine of 32 bits,
# where a Value is no pointer, so that none travels through `void *`, NULL or long, and no number of 64 bits becomes a
# size unasked; by default those that main does not have like this, or that include such a file; with --all every one.
# Prints what the compiler says; exit status 1 where that is anything. Skipped without the cross compiler.
# (What is for WebAssembly alone has emcc's headers, and is compiled for 32 bits anyway; the JIT is for machines of 64 bits.)
cd "$(dirname "$0")/../.." || exit 2
CC32=${CC32:-i686-linux-gnu-gcc}
if ! command -v "$CC32" > /dev/null; then
    echo "values: there is no $CC32: Values on 32 bits are not checked"
    exit 0
fi
changed=$(mktemp) || exit 2
trap 'rm -f "$changed"' EXIT
tests/house/changed.sh "$1" > "$changed"
{
    cat "$changed"
    [ "$1" = --all ] || sed -nE 's/.*\.(h|def)$/#include "&"/p' "$changed" | grep -rlFf - --include='*.c' objects compiler frames vm
} | grep -E '^(objects|compiler|frames|vm)/.*\.c$' | grep -vE '^vm/import/embed\.c|^vm/jit/|_wasm\.c$' | sort -u |
    LC_ALL=C xargs -r -P "$(nproc)" -n 16 "$CC32" -std=c11 -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -D_TIME_BITS=64 -I. \
        -msse2 -mfpmath=sse -fsyntax-only -Wall -Wextra -Wconversion -Wno-sign-conversion -Wno-float-conversion 2>&1 | sort -u |
    awk '/error: / || /warning: / && (! /-Wconversion/ || / to .s?size_t. /) { print; bad = 1 } END { exit bad }'
