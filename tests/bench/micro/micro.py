#!/usr/bin/env python3.9
"""What is slower here than elsewhere: micro.py MINIVM TABLE SLOW [WORD], run by CPython 3.9 (with PyTorch, for operators).

TABLE is operations.mpy, small operations, or operators.mpy, operators of torch, each at three sizes; WORD chooses those
that contain it. minivm and the Python that runs this take turns, and the best time of each counts: a machine that does
other work as well slows both. It prints the rows that take more than SLOW times as long, and the geometric means of
the ratios, of each size and of all. That is a table to read: it fails only where a row does not run.
"""
import math
import os
import pathlib
import subprocess
import sys

ROUNDS = 4
FOLDER = pathlib.Path(__file__).parent
LIB = os.path.dirname(os.__file__)


def run(program, table, word):
    environment = {"PATH": os.environ["PATH"], "MINIVMPATH": LIB, "PYTHONHASHSEED": "0",
                   "PYTHONDONTWRITEBYTECODE": "1"}
    output = subprocess.run([program, str(FOLDER / table), word], env=environment, text=True, stdout=subprocess.PIPE,
                            check=True).stdout
    rows = [line.split("\t") for line in output.splitlines()]
    return {(operation, int(size)): float(time) for operation, size, time in rows}


def best(rounds):
    return {key: min(times[key] for times in rounds) for key in rounds[0]}


def summary(what, ratios, slow):
    above = sum(ratio > slow for ratio in ratios)
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    print(f"{what}: {above} of {len(ratios)} are slower by more than {slow}; geometric mean {mean:.3f}")


def main(minivm, table, slow, word=""):
    slow = float(slow)
    rounds = [(run(sys.executable, table, word), run(minivm, table, word)) for _ in range(ROUNDS)]
    theirs, ours = [best(side) for side in zip(*rounds)]
    ratios = {key: max(ours[key], 1) / max(theirs[key], 1) for key in theirs}
    print(f"{'operation':48} {'size':>7} {'theirs':>11} {'minivm':>11} {'ratio':>6}  (ns)")
    for key, ratio in sorted(ratios.items(), key=lambda item: -item[1]):
        if ratio > slow:
            print(f"{key[0]:48} {key[1]:7} {theirs[key]:11.1f} {ours[key]:11.1f} {ratio:6.2f}")
    for size in sorted({size for _, size in ratios}):
        summary(f"size {size}", [ratio for key, ratio in ratios.items() if key[1] == size], slow)
    summary("all", list(ratios.values()), slow)


if __name__ == "__main__":
    main(*sys.argv[1:])
