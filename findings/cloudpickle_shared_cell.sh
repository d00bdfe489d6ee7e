#!/bin/sh
# Functions that share a variable each have their own after cloudpickle: a call counter stays at 0.
#
# A variable that two inner functions use is one cell, which is in the closures of both: one sees
# what the other assigns. cloudpickle gives each function new cells and copies the contents, so that
# each has a variable of its own, even where both are sent in one object. (A list in such a variable
# stays one list; it is what `nonlocal` assigns that the others do not see.) dill keeps the cell.
# There is no error, only an old value.
#
# Seen with cloudpickle 3.1.2, dill 0.4.1 and CPython 3.12.1 (and with CPython 3.9.18 and 3.13.0):
#
# | here:        2 calls of square(); 7 pages, 0 left
# | dill:        2 calls of square(); 7 pages, 0 left
# | cloudpickle: 0 calls of square(); 7 pages, 7 left
python=${PYTHON312:-python3.12}
packages='cloudpickle==3.1.2 dill==0.4.1'

folder=$(mktemp -d) || exit 2
trap 'rm -rf "$folder"' EXIT HUP INT TERM

cat > "$folder/program.py" << 'END'
import cloudpickle
import dill

def counted(function):
    calls = 0
    def wrapper(*arguments):
        nonlocal calls
        calls += 1
        return function(*arguments)
    wrapper.calls = lambda: calls
    return wrapper

def pages(left):
    def next_page():
        nonlocal left
        left -= 1
    return next_page, lambda: left

def work(square, next_page, left):
    square(3), square(4)
    used = 0
    while left() > 0 and used < 7:
        next_page()
        used += 1
    return f"{square.calls()} calls of square(); {used} pages, {left()} left"

def task():
    return work, counted(lambda x: x * x), *pages(7)

def show(name, task):
    work, *functions = task
    print(f"{name:12} {work(*functions)}")

show("here:", task())
show("dill:", dill.loads(dill.dumps(task())))
show("cloudpickle:", cloudpickle.loads(cloudpickle.dumps(task())))
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
