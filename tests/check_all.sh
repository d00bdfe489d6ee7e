#!/bin/sh
# Every check that there is, the long ones too: `make check-all`. One that needs what is not here is skipped with a
# sentence. All of them are run, whatever fails; the exit status is 1 where one has failed.
#
# A row of the table: a target of make, and what it needs.
cd "$(dirname "$0")/.." || exit 2
MAKE=${MAKE:-make}
PYTHON39=${PYTHON39:-python3.9}
export PYTHON39
failed=

one_of() # what it is, the variable that names it, names
{
    what=$1 variable=$2
    shift 2
    for name; do
        [ -n "$name" ] && command -v "$name" > /dev/null && return
    done
    echo "there is no $what ($variable names it)"
}

# What is needed and not here, as the end of a sentence; nothing where it is here.
lacking()
{
    case $1 in
    cpython) "$PYTHON39" -V 2>&1 | grep -q '^Python 3\.9\.' || echo "$PYTHON39 is not CPython 3.9 (PYTHON39 names it)" ;;
    Chromium) one_of Chromium CHROMIUM "$CHROMIUM" chromium chromium-browser google-chrome ;;
    Firefox) one_of Firefox FIREFOX "$FIREFOX" firefox firefox-esr ;;
    DYNAMO_TESTS) [ -d "$DYNAMO_TESTS" ] || echo "there is no checkout of pytorch/torchdynamo (DYNAMO_TESTS names it)" ;;
    PyTorch) "${TORCH_PYTHON:-false}" -c "import torch" 2> /dev/null || echo "there is no PyTorch (TORCH_PYTHON names a Python that has it)" ;;
    *) command -v "$1" > /dev/null || echo "there is no $1" ;;
    esac
}

while read -r target needs; do
    why=
    for need in $needs; do why=${why:-$(lacking "$need")}; done
    if [ -n "$why" ]; then
        echo "check-all: $target is skipped: $why"
    elif $MAKE --no-print-directory "$target" < /dev/null; then
        echo "check-all: $target passes"
    else
        echo "check-all: $target FAILS"
        failed="$failed $target"
    fi
done << 'END'
check
house-all
core-suites
core-lessons
check-opcode
lessons-selftest
lessons-mutants-short
asan
stress
flat
limits
coverage        gcov
coverage-core   gcov
kills
plant-faults    python3 gcov
walks           python3
soak            python3
check-portable
check-browser   python3 Chromium Firefox emcc
check-dap       node npm
check-screens   tmux
confirm-screens cpython
adapter-walks   cpython
fuzz-adapter    python3
fuzz-short
fuzz-bytecode
fuzz-torch      python3
fuzz-compile
emitted
fuzz-pickle
fuzz-programs
verify-pyc      cpython
run-pyc         cpython
fidelity        cpython
cpython-tests   cpython
torch-tests     cpython DYNAMO_TESTS
cpython-modules cpython
growth          cpython
differential    cpython python3
corpus python3
surprises PyTorch
elsewhere       cpython python3
differences     cpython PyTorch
mutations       cpython python3
END
[ -z "$failed" ] || { echo "check-all: failed:$failed"; exit 1; }
