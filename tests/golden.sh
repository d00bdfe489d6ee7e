#!/bin/sh
# Writes the answers of tests that CPython 3.9 gives, each by the program that knows how:
#
#     tests/golden.sh PYTHON3.9              all of them; `git diff` then shows what has changed
#     tests/golden.sh PYTHON3.9 FILE...      those of the programs named
#
# The answers of tests/torch and tests/inductor come from PyTorch 2.5.1: TORCH_PYTHON names a CPython 3.9 that has it.
#
# Answers that are written by hand are left alone: tests/README.md says which those are. minivm writes none.
python=$1
"$python" -V 2>&1 | grep -q '^Python 3\.9\.' || { echo "usage: tests/golden.sh PYTHON3.9 [FILE...]" >&2; exit 2; }
cd "$(dirname "$0")/.." || exit 2
shift
export PYTHONHASHSEED=0
[ $# -gt 0 ] || set -- tests/scripts/*/*.mpy tests/faults/*.mpy tests/code/*.mpy tests/debugger/*.mpy tests/commands/*.sh \
    tests/unit/make_*.py tests/plugins/every_kind.mpy

write_one()
{
    case $1 in
    tests/scripts/*.mpy | tests/faults/*.mpy | tests/code/*.mpy) "$python" tests/golden.py "$python" "$1" ;;
    tests/torch/*.mpy | tests/inductor/*.mpy) "${TORCH_PYTHON:?names a CPython 3.9 with PyTorch 2.5.1}" tests/golden.py "$TORCH_PYTHON" "$1" ;;
    tests/debugger/*.mpy)
        if head -n 1 "$1" | grep -q 'golden_pdb\.py'; then
            "$python" tests/debugger/golden_pdb.py "$python" "$1"
        elif grep -q "golden_steps\.py's" "$1"; then
            "$python" -B tests/debugger/golden_steps.py "$1" > /dev/null
        fi ;;
    tests/commands/*.sh) tests/house/commands.sh -w "$python" "$(basename "$1" .sh)" ;;
    tests/unit/make_*_goldens.py)
        table=${1##*/make_}
        (cd tests/unit && "$python" "make_$table" > "${table%.py}.def") ;;
    tests/plugins/every_kind.mpy) "$python" tests/golden_frames.py < "$1" 2> tests/plugins/every_kind.expected ;;
    *) echo "golden: CPython writes no answer for $1" >&2; return 1 ;;
    esac
}

failed=0
for program; do
    write_one "$program" || { echo "golden: $program failed" >&2; failed=1; }
done
exit $failed
