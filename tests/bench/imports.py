#!/usr/bin/env python3.9
"""Imports that take more than 0.8 of CPython 3.9's time: imports.py MINIVM [MODULE ...], run by CPython 3.9.

Each module that both have, and that neither has imported before a program begins, is imported by processes of its own,
in turn by the one and the other. What counts is the processor's time, the least of several. A table to read: it fails
nowhere.
"""
import math
import os
import pkgutil
import subprocess
import sys

ROUNDS = 7
GOAL = 0.8
LEFT_OUT = {"antigravity", "this", "idlelib", "lib2to3", "test", "turtledemo", "__main__"}
PROGRAM = """
import sys, time
known = %r in sys.modules
begin = time.process_time_ns()
import %s
print(0 if known else time.process_time_ns() - begin)
"""


def nanoseconds(program, name):
    """How long the import takes; 0 if it fails, or if there is nothing to do."""
    environment = {"PATH": os.environ["PATH"], "PYTHONHASHSEED": "0"}
    done = subprocess.run([program, "-c", PROGRAM % (name, name)], env=environment, text=True, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return 0 if done.returncode else int(done.stdout.split()[-1])


def best(programs, name):
    """The least time of each program; None if one of them has none."""
    least = [math.inf] * len(programs)
    for _ in range(ROUNDS):
        for i, program in enumerate(programs):
            least[i] = min(least[i], nanoseconds(program, name))
            if not least[i]:
                return None
    return least


def library():
    where = [os.path.dirname(os.__file__)]
    names = {module.name for module in pkgutil.iter_modules(where)} | set(sys.builtin_module_names)
    return sorted(names - LEFT_OUT)


def main(minivm, *names):
    rows = []
    for name in names or library():
        times = best((sys.executable, minivm), name)
        if times:
            rows.append((times[1] / times[0], name, *times))
    print(f"{'module':24} {'CPython':>9} {'minivm':>9} {'ratio':>6}  (us)")
    for ratio, name, theirs, ours in sorted(rows, reverse=True):
        if ratio > GOAL or names:
            print(f"{name:24} {theirs / 1e3:9.1f} {ours / 1e3:9.1f} {ratio:6.2f}")
    slow = sum(row[0] > GOAL for row in rows)
    mean = math.exp(sum(math.log(row[0]) for row in rows) / max(len(rows), 1))
    print(f"{slow} of {len(rows)} are above {GOAL}; geometric mean {mean:.3f}")


if __name__ == "__main__":
    main(*sys.argv[1:])
