#!/bin/sh
# The tests on other machines, with another C library, with another compiler.
#     run.sh [PLATFORM ...]     all where none is named
# A platform whose compiler or emulator is missing is named and skipped. tests/portable/differs.txt lists the programs that
# print something else on a platform; the table at the end is the one in README.md.
cd "$(dirname "$0")/../.." || exit 2
MAKE=${MAKE:-make}
export CK_TIMEOUT_MULTIPLIER=${CK_TIMEOUT_MULTIPLIER:-5} # emulators and sanitizers are slow
MACHINE_SUITES=$(sed -n 's/^[A-Z_]*SUITE(\(.*\))$/\1/p' tests/unit/suites.def | grep -vE '^(plugins|hooked|inductor)$') # no dlopen() in a static program
failed=0
table=""

row() # platform, how it was run, what came of it
{
    line=$(printf '| %-12s | %-52s | %s |' "$1" "$2" "$3")
    echo "$line"
    table="$table$line
"
}

missing() # platform, programs: true where one is not there
{
    platform=$1
    shift
    for program; do
        command -v "$program" > /dev/null && continue
        row "$platform" "-" "skipped: there is no $program"
        return 0
    done
    return 1
}

# Builds for another machine and runs every suite there, with the small Check.
machine() # platform, how it is run, what starts a program of it (or nothing), words for make
{
    platform=$1 how=$2 start=$3 build=build/$1
    shift 3
    if ! $MAKE --no-print-directory BUILD="$build" CHECK=own "$@" "$build/minivm" "$build/unit" > "$build.log" 2>&1; then
        tail -n 5 "$build.log"
        row "$platform" "$how" "DOES NOT BUILD"
        failed=1
        return
    fi
    minivm=$build/minivm
    if [ -n "$start" ]; then
        minivm=$build/started
        printf '#!/bin/sh\nexec %s "%s" "$@"\n' "$start" "$PWD/$build/minivm" > "$minivm"
        chmod +x "$minivm"
    fi
    run_suites "$start" "$build/unit"
}

# Runs the suites one after another, and makes the row.
run_suites() # what starts the program of the tests (or nothing), the program; takes platform, how, build, minivm
{
    MINIVM=$minivm UNIT="$1 $2" MINIVM_PLATFORM=${platform%-asan} JOBS=1 \
        tests/suites.sh "$build" ${SUITES:-$MACHINE_SUITES} > "$build.suites" || { failed=1 && grep -v ' 0 failed$\|Failures: 0, Errors: 0$' "$build.suites"; }
    row "$platform" "$how" "$(tail -n 1 "$build.suites"), $(grep -c "^${platform%-asan} " tests/portable/differs.txt) listed"
}

# `make check`, all of it.
whole() # platform, how it is run, words for make
{
    platform=$1 how=$2
    shift 2
    if MINIVM_PLATFORM=$platform $MAKE --no-print-directory check BUILD="build/$platform" "$@" > "build/$platform.log" 2>&1; then
        result="make check passes"
    else
        grep -vE '^(CC|LD|PLUGIN) ' "build/$platform.log"
        result="make check FAILS"
        failed=1
    fi
    row "$platform" "$how" "$result ($(grep -E 'Checks: |tests, .* failed' "build/$platform.log" | tail -n 1))"
}

i686()
{
    missing i686 i686-linux-gnu-gcc && return
    machine i686 "i686-linux-gnu-gcc -msse2, static, run natively" "" \
        CC="${CCACHE:-} i686-linux-gnu-gcc" CFLAGS='-static -msse2 -mfpmath=sse'
}

i686_asan()
{
    missing i686-asan i686-linux-gnu-gcc && return
    libraries=/usr/i686-linux-gnu/lib # the cross compiler's own; its ld.so starts the program
    machine i686-asan "the same with sanitizers, dynamic" "" MODE=asan CC="${CCACHE:-} i686-linux-gnu-gcc" \
        CFLAGS="-msse2 -mfpmath=sse" LDFLAGS_asan="-Wl,-dynamic-linker,$libraries/ld-linux.so.2 -Wl,-rpath,$libraries"
}

aarch64()
{
    missing aarch64 aarch64-linux-gnu-gcc qemu-aarch64 && return
    # qemu-user adopts no processes (PR_SET_CHILD_SUBREAPER) and aborts where it cannot start one.
    SUITES=${SUITES:-$(echo "$MACHINE_SUITES" | grep -v '^sessions$')} \
        machine aarch64 "aarch64-linux-gnu-gcc, static, qemu-aarch64" qemu-aarch64 \
        CC="${CCACHE:-} aarch64-linux-gnu-gcc" CFLAGS=-static
}

musl()
{
    missing musl musl-gcc && return
    whole musl "musl-gcc, run natively" CC="${CCACHE:-} musl-gcc" CHECK=own
}

clang()
{
    missing clang clang && return
    whole clang "clang, run natively" CC="${CCACHE:-} clang"
}

# The programs of the tests alone: what tests the C functions themselves runs where the tests do.
wasm32()
{
    missing wasm32 emcc node && return
    platform=wasm32 how="emcc, run by node" build=build/wasm
    if ! $MAKE --no-print-directory wasm build/release/unit > build/wasm.log 2>&1; then
        tail -n 5 build/wasm.log
        row wasm32 "$how" "DOES NOT BUILD"
        failed=1
        return
    fi
    minivm=$build/started
    printf '#!/bin/sh\nexec node "%s" "$@"\n' "$PWD/$build/minivm.js" > "$minivm"
    chmod +x "$minivm"
    SUITES=${SUITES:-scripts sources decompile torch hostile guarded} run_suites "" build/release/unit
    wasm32_goldens "$GOLDENS/check.sh"
}

# PyTorch's answers to programs that lie beside the repository.
wasm32_goldens() # what compares them; takes minivm
{
    how="programs with PyTorch's answers, run by node"
    if [ ! -f "$1" ]; then
        row wasm32 "$how" "skipped: there is no $1"
        return
    fi
    sh "$1" "$minivm" > build/wasm.goldens || { failed=1 && sed '$d' build/wasm.goldens; }
    row wasm32 "$how" "$(tail -n 1 build/wasm.goldens)"
}

mkdir -p build
ulimit -s 65536 # for the sanitizers' large frames
for platform in ${@:-i686 i686_asan aarch64 musl clang wasm32}; do $platform; done
echo
printf '%s' "$table"
exit $failed
