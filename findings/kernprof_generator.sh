#!/bin/sh
# A program gives other results under `kernprof -l -p`: its generators lose what they return.
#
# -p rewrites the program's syntax tree: each function gets @profile as its innermost decorator. For
# a generator, the decorator is a generator that passes on what is yielded and sent, but not what
# is returned or thrown. So `x = yield from f()` gives None, and a function under @contextmanager is
# not told of an exception: its `except` does not run. The program below has no decorator of the
# profiler, and there is no warning. (The decorators of PySnooper 1.2.3 and snoop 0.6.1 pass on what
# is thrown, but lose what is returned, too.)
#
# Seen with line_profiler 5.1.0 and CPython 3.12.1:
#
# | python:         means [1.5, 5.0]; balance 100, rolled back: True, ConnectionError caught
# | kernprof -l:    means [1.5, 5.0]; balance 100, rolled back: True, ConnectionError caught
# | kernprof -l -p: means [None, None]; balance 70, rolled back: False, ConnectionError not caught
python=${PYTHON312:-python3.12}
packages='line_profiler==5.1.0'

folder=$(mktemp -d) || exit 2
trap 'rm -rf "$folder"' EXIT HUP INT TERM

cat > "$folder/job.py" << 'END'
from contextlib import contextmanager

def mean():
    numbers = []
    while (number := (yield)) is not None:
        numbers.append(number)
    return sum(numbers) / len(numbers)

def collect(means):
    while True:
        means.append((yield from mean()))

@contextmanager
def transaction(account):
    before = account["balance"]
    try:
        yield
    except ConnectionError:
        account["balance"] = before
        account["rolled back"] = True

means = []
collector = collect(means)
next(collector)
for number in [1, 2, None, 5, None]:
    collector.send(number)

account = {"balance": 100, "rolled back": False}
caught = "caught"
try:
    with transaction(account):
        account["balance"] -= 30
        raise ConnectionError
except ConnectionError:
    caught = "not caught"
print(f"means {means}; balance {account['balance']}, rolled back: {account['rolled back']},",
      f"ConnectionError {caught}")
END

cat > "$folder/program.py" << 'END'
import subprocess
import sys

def show(name, *options):
    done = subprocess.run([sys.executable, *options, "job.py"], stdout=subprocess.PIPE, text=True)
    print(f"{name:15} {done.stdout.splitlines()[0]}")

show("python:")
show("kernprof -l:", "-m", "kernprof", "-l")
show("kernprof -l -p:", "-m", "kernprof", "-l", "-p", "job.py")
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
