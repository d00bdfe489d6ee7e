#!/usr/bin/env python3.9
"""Packages of the package index under minivm: packages.py MINIVM FOLDER [NAME ...], run by CPython 3.9.

packages.txt says which; pip puts what is missing into FOLDER. programs/use_NAME.py uses three and more parts of one and
prints what comes of it: first CPython runs it, then minivm, which has nothing but MINIVMPATH, CPython's library and
FOLDER. The outputs must be equal; only the addresses of objects may differ. Without a NAME all are run, and the table in
README.md is written. Exit status 1: fewer are equal than README.md says, or minivm was ended by a signal.
"""
import concurrent.futures
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile
import time

SECONDS, BYTES = 120, 4 << 30  # of one program
HERE = pathlib.Path(__file__).parent
LIB = os.path.dirname(os.__file__)
BEGIN, END = "<!-- written by packages.py -->", "<!-- end -->"


def read_list():
    """The two lists: requirements, NAME==VERSION."""
    parts = re.split(r"^#.*$", (HERE / "packages.txt").read_text(), flags=re.M)
    return [part.split() for part in parts if part.strip()]


def install(requirements, folder):
    """Has pip install them, unless they are there."""
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
    done = subprocess.run([*pip, "list", "--path", folder, "--format", "freeze"], capture_output=True, text=True)
    there = {plain(line) for line in done.stdout.split()}
    missing = [one for one in requirements if plain(one) not in there]
    if missing:
        print(f"pip installs {len(missing)} packages into {folder}", flush=True)
        subprocess.run([*pip, "install", "--quiet", "--upgrade", "--target", folder, *missing], check=True)


def plain(requirement):
    return re.sub(r"[-_.]+(?=.*==)", "-", requirement).lower()


def bounded():
    resource.setrlimit(resource.RLIMIT_AS, (BYTES, BYTES))


def run(program, name, environment):
    """The output, how it ended, and the seconds that it took."""
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        try:
            done = subprocess.run([program, str(HERE / "programs" / f"use_{name}.py")], cwd=folder, env=environment,
                                  stdin=subprocess.DEVNULL, capture_output=True, timeout=SECONDS, preexec_fn=bounded)
        except subprocess.TimeoutExpired:
            return "", f"takes more than {SECONDS} s", SECONDS
    output = re.sub(r"\bat 0x[0-9a-f]+", "at 0x", done.stdout.decode(errors="replace"))
    end = f"signal {-done.returncode}" if done.returncode < 0 else ""
    if done.returncode > 0:
        end = (done.stderr.decode(errors="replace").strip().splitlines() or ["no message"])[-1]
    return output, end, time.monotonic() - began


def compare(minivm, folder, name):
    """What is different, "" for nothing, and how long both took."""
    environment = {**os.environ, "PYTHONHASHSEED": "0", "PYTHONPATH": folder, "MINIVMPATH": f"{LIB}:{folder}"}
    wanted, end, there = run(sys.executable, name, environment)
    if end:
        return f"CPython: {end}", there, 0
    got, end, here = run(minivm, name, environment)
    if end:
        return end, there, here
    pairs = zip([*wanted.splitlines(), "(end)"], [*got.splitlines(), "(end)"])
    first = next((pair for pair in pairs if pair[0] != pair[1]), None)
    return f"`{first[1][:150]}` for `{first[0][:150]}`" if first else "", there, here


def table(lists, results):
    for title, names in zip(("the first 36", "64 more"), lists):
        wrong = [name for name in names if results[name][0]]
        yield f"{title}: **{len(names) - len(wrong)} of {len(names)}** print what CPython prints."
        yield ""
        if wrong:
            yield "| package | what is different |"
            yield "|---|---|"
            yield from (f"| {name} | {results[name][0].replace('|', '/')} |" for name in wrong)
            yield ""


def write_readme(lists, results):
    """Puts the table where README.md has its marks; returns how many were equal before."""
    path = HERE / "README.md"
    head, rest = path.read_text().split(BEGIN)
    before, tail = rest.split(END)
    path.write_text("\n".join([head + BEGIN, "", *table(lists, results), END]) + tail)
    return sum(map(int, re.findall(r"\*\*(\d+) of", before)))


def main(minivm, folder, *chosen):
    requirements = read_list()
    install(sum(requirements, []), folder)
    lists = [[one.split("==")[0] for one in part] for part in requirements]
    names = list(chosen) or sum(lists, [])
    results = {}
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for name, result in zip(names, pool.map(lambda name: compare(os.path.abspath(minivm), folder, name), names)):
            results[name] = result
            print(f"{name}: {result[0] or 'ok'} ({result[1]:.2f} s, {result[2]:.2f} s)", flush=True)
    equal = sum(not result[0] for result in results.values())
    print(f"{equal} of {len(names)} packages print what CPython prints")
    fewer = not chosen and equal < write_readme(lists, results)
    return 1 if fewer or any(result[0].startswith("signal") for result in results.values()) else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
