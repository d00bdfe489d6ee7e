#!/bin/sh
# In a process that got a dataclass through cloudpickle, its subclasses lose all default values.
#
# dataclasses marks a field without a default by one object, MISSING, and asks for it with `is`.
# cloudpickle sends a class of __main__ (or of a function) by value, and its fields with it; MISSING
# arrives as a copy (the other sentinels of dataclasses keep their identity, MISSING does not). The
# class itself works, because its __init__ is already made. But what a worker derives from it takes
# the copy for a default value: a required field becomes optional, a default is replaced, and the
# fields hold the copy of MISSING. No error is raised.
#
# Seen with cloudpickle 3.1.2 and CPython 3.9.18, 3.12.1 and 3.13.0:
#
# | where Point is written: Point(1) = 1 0, Named: Named() raises TypeError
# | where Point was sent:   Point(1) = 1 0, Named: Named() = MISSING MISSING ?
# | where Point was sent:   the default of x is dataclasses.MISSING: False
python=${PYTHON312:-python3.12}
packages='cloudpickle==3.1.2'

folder=$(mktemp -d) || exit 2
trap 'rm -rf "$folder"' EXIT HUP INT TERM

cat > "$folder/program.py" << 'END'
import dataclasses
import subprocess
import sys

import cloudpickle

@dataclasses.dataclass
class Point:
    x: int
    y: int = 0

def text(point):
    missing = type(dataclasses.MISSING)
    return " ".join("MISSING" if isinstance(value, missing) else str(value)
                    for value in vars(point).values())

def derive(Point):
    @dataclasses.dataclass
    class Named(Point):
        name: str = "?"
    try:
        named = "Named() = " + text(Named())
    except TypeError:
        named = "Named() raises TypeError"
    return f"Point(1) = {text(Point(1))}, Named: {named}"

def worker(Point):
    print("where Point was sent:  ", derive(Point))
    is_missing = dataclasses.fields(Point)[0].default is dataclasses.MISSING
    print("where Point was sent:   the default of x is dataclasses.MISSING:", is_missing)

if __name__ == "__main__":
    print("where Point is written:", derive(Point), flush=True)
    code = "import cloudpickle, sys; work, Point = cloudpickle.load(sys.stdin.buffer); work(Point)"
    task = cloudpickle.dumps((worker, Point))
    subprocess.run([sys.executable, "-c", code], input=task, check=True)
END

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
