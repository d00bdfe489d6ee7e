#!/bin/sh
# mypyc compiles `for word in words` so that it goes on in another list once `words` is assigned.
#
# CPython copies a local variable to the frame's stack when the expression is evaluated; what is
# assigned to the name afterwards has no effect on a loop or an operator that has begun. mypyc uses
# the variable itself as the operand and reads it late. So a loop over a list, tuple, str, range(n),
# enumerate, zip or reversed follows the name, and in `previous != (previous := line)` both sides
# are the new value. There is no warning, and mypyc's page of differences from Python does not name
# it. (`for c in text: text = text.replace(c, "")` ends in an IndexError.)
#
# Seen with mypy 2.4.1 and CPython 3.12.1 (it needs a C compiler):
#
# | interpreted: queue a b c d, halves 0 1 2 3 4 5 6 7, changes a b a
# | compiled:    queue a c, halves 0 1 2 3, changes
python=${PYTHON312:-python3.12}
packages='mypy==2.4.1 setuptools==84.2.1'

folder=$(mktemp -d) || exit 2
trap 'rm -rf "$folder"' EXIT HUP INT TERM

cat > "$folder/work.py" << 'END'
def queue(words: list[str]) -> list[str]:
    seen = []
    for word in words:
        seen.append(word)
        words = words[1:]
    return seen

def halves(n: int) -> list[int]:
    seen = []
    for i in range(n):
        seen.append(i)
        if n > 4:
            n = n // 2
    return seen

def changes(lines: list[str]) -> list[str]:
    previous = ""
    return [line for line in lines if previous != (previous := line)]
END

cat > "$folder/program.py" << 'END'
import subprocess
import sys

SHOW = """
import sys, work
def show(function, argument):
    return " ".join([function.__name__, *map(str, function(argument))])
found = [show(work.queue, list("abcd")), show(work.halves, 8), show(work.changes, list("aabba"))]
is_source = work.__file__.endswith(".py")
print("interpreted:" if is_source else "compiled:   ", ", ".join(found))
"""

def python(*arguments):
    subprocess.run([sys.executable, *arguments], check=True)

python("-c", SHOW)
with open("mypyc.log", "w") as log:
    subprocess.run([sys.executable, "-m", "mypyc", "work.py"], stdout=log, stderr=log)
python("-c", SHOW)
END

command -v "${CC:-cc}" > /dev/null || {
    echo "$0: cannot run: there is no C compiler"
    exit 2
}

# The same in every finding: a new environment, and whether the output is the one stated above.
"$python" -m venv "$folder/env" > "$folder/log" 2>&1 || {
    echo "$0: cannot run: $python makes no virtual environment"
    exit 2
}
"$folder/env/bin/pip" install -q $packages > "$folder/log" 2>&1 || {
    echo "$0: cannot run: pip cannot install $packages"
    exit 2
}
(cd "$folder" && env/bin/python program.py) | tee "$folder/seen"
sed -n 's/^# | //p' "$0" | cmp -s - "$folder/seen" || {
    echo "$0: has changed: its first lines state another output"
    exit 1
}
