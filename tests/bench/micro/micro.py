#!/usr/bin/env python3.9
"""Small operations that are slower here than under CPython 3.9: micro.py MINIVM [WORD], run by CPython 3.9.

The operations are in operations.mpy; WORD chooses those that contain it. Both run in turn, and the best time of each
counts: a machine that does other work as well slows both. It prints those that take more than 1.1 times as long, and
the geometric mean of all ratios. That is a table to read: it fails only where an operation does not run.
"""
import math
import os
import pathlib
import subprocess
import sys

ROUNDS = 4
SLOW = 1.1
OPERATIONS = pathlib.Path(__file__).parent / "operations.mpy"
LIB = os.path.dirname(os.__file__)


def run(program, word):
    environment = {"PATH": os.environ["PATH"], "MINIVMPATH": LIB, "PYTHONHASHSEED": "0"}
    output = subprocess.run([program, str(OPERATIONS), word], env=environment, text=True, stdout=subprocess.PIPE,
                            check=True).stdout
    rows = [line.split("\t") for line in output.splitlines()]
    return {(operation, int(size)): float(time) for operation, size, time in rows}


def best(rounds):
    return {key: min(times[key] for times in rounds) for key in rounds[0]}


def main(minivm, word=""):
    rounds = [(run(sys.executable, word), run(minivm, word)) for _ in range(ROUNDS)]
    theirs, ours = [best(side) for side in zip(*rounds)]
    ratios = {key: max(ours[key], 1) / max(theirs[key], 1) for key in theirs}
    print(f"{'operation':36} {'size':>6} {'CPython':>11} {'minivm':>11} {'ratio':>6}  (ns)")
    for key, ratio in sorted(ratios.items(), key=lambda item: -item[1]):
        if ratio > SLOW:
            print(f"{key[0]:36} {key[1]:6} {theirs[key]:11.1f} {ours[key]:11.1f} {ratio:6.2f}")
    slow = sum(ratio > SLOW for ratio in ratios.values())
    mean = math.exp(sum(map(math.log, ratios.values())) / len(ratios))
    print(f"{slow} of {len(ratios)} are slower by more than {SLOW}; geometric mean {mean:.3f}")


if __name__ == "__main__":
    main(*sys.argv[1:])
