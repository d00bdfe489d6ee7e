#!/usr/bin/env python3.9
"""How the time of the library's functions grows, and how long they take: growth.py MINIVM [CASE ...], by CPython 3.9.

The table of what is driven is cases.mpy. Each case runs at n and at 8n under both. It fails where minivm's time grows
clearly more than CPython's, which is how a quadratic loop shows whatever machine this is; that a function is slower
than CPython's is printed, but no failure. A case that did not end in time has failed.
"""
import os
import pathlib
import subprocess
import sys

SECONDS = 60
CLEARLY = 2.5  # times CPython's growth
ENOUGH = 0.004  # seconds at 8n: less is noise
SLOW = 3  # times CPython's time: README's rule for what a course or a package meets
HERE = pathlib.Path(__file__).parent
LIB = os.path.dirname(os.__file__)


def names_of_cases():
    words = {"__name__": "cases"}
    exec((HERE / "cases.mpy").read_text(), words)
    return list(words["CASES"])


def times(program, name):
    """The two times of a case, or what it said of why there are none."""
    environment = {"PATH": os.environ["PATH"], "MINIVMPATH": LIB, "PYTHONHASHSEED": "0"}
    try:
        done = subprocess.run([program, str(HERE / "cases.mpy"), name], env=environment, text=True, timeout=SECONDS,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    except subprocess.TimeoutExpired:
        return f"no end in {SECONDS} s"
    if done.returncode:
        return (done.stderr.strip().splitlines() or [f"status {done.returncode}"])[-1]
    return [float(line.split()[2]) for line in done.stdout.splitlines()]


def judge(name, cpython, ours):
    """A line of the table, and whether the case has failed."""
    if isinstance(cpython, str) or isinstance(ours, str):
        reason = cpython if isinstance(cpython, str) else ours
        return f"{name:28} {reason}", True
    growths = [eight / max(one, 1e-6) for one, eight in (cpython, ours)]
    ratio = ours[1] / max(cpython[1], 1e-6)
    grows = ours[1] > ENOUGH and growths[1] > CLEARLY * max(growths[0], 8)
    marks = " GROWS" * grows + " slow" * (ratio > SLOW)
    return (f"{name:28} {cpython[1] * 1000:9.2f} {ours[1] * 1000:9.2f} {ratio:8.1f} {growths[0]:8.1f} {growths[1]:8.1f}"
            f"{marks}"), grows


def main(minivm, *names):
    print(f"{'case':28} {'CPython':>9} {'minivm':>9} {'times':>8} {'growth':>8} {'ours':>8}  (ms at 8n; t(8n) / t(n))")
    failures = 0
    for name in names or names_of_cases():
        line, failed = judge(name, times(sys.executable, name), times(minivm, name))
        failures += failed
        print(line, flush=True)
    print(f"{failures} cases failed")
    sys.exit(failures > 0)


if __name__ == "__main__":
    main(*sys.argv[1:])
