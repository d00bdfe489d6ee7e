#!/usr/bin/env python3
"""Run every program of the tree under another Python: none may bring it down.

    tests/elsewhere/run.py PYTHON [PROGRAM...]      all of tests/ and lessons/, or these

Every program here is a file of Python, and whoever has the repository can hand it to CPython or PyTorch. So each is run
by the Python given, in a process of its own, in a copy of the tree, and those are printed that end by a signal or go on
for more than SECONDS of processor time; then the exit status is 1. How a program ends otherwise does not matter: most
fail at their first import of a module that only minivm has. Programs that import torch are left out where PYTHON has no
PyTorch. endless.txt names those that are meant not to end, with the reason; a row of it that is not needed is an error.

A program that ended well is not run again while its text and the Python are the same: build/elsewhere.txt keeps the
hash of both. So a run that is cut short goes on where it was.
"""
import concurrent.futures
import hashlib
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile

SECONDS = 60            # of processor time
WAITING = 600           # of any time: what sleeps for ever uses none; a compiler that PyTorch starts takes its own
MEMORY = 8 << 30
OUTPUT = 64 << 20       # of one file
ROOT = pathlib.Path(__file__).resolve().parents[2]
ENDLESS = ROOT / "tests/elsewhere/endless.txt"
KEPT = ROOT / "build/elsewhere.txt"
VERSION = "import sys; print(sys.version.split()[0])\ntry: import torch; print(torch.__version__)\nexcept ImportError: pass"


def programs():
    found = [str(path.relative_to(ROOT)) for room in ("tests", "lessons") for path in (ROOT / room).rglob("*.mpy")]
    return sorted(program for program in found if not program.startswith("lessons/work/"))


def endless():
    rows = (line.split(None, 1) for line in ENDLESS.read_text().splitlines() if line and not line.startswith("#"))
    return dict(rows)


def wants_torch(program):
    return re.search(r"^\s*(import|from) torch\b", (ROOT / program).read_text(errors="replace"), re.M) is not None


def version(python):
    """The Python's, and, where there is one, PyTorch's in a second line."""
    return subprocess.run([python, "-c", VERSION], capture_output=True, check=True, text=True).stdout


def answer_key(release, program):
    return hashlib.sha256(release.encode() + (ROOT / program).read_bytes()).hexdigest()


def limit():
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS + 5))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_FSIZE, (OUTPUT, OUTPUT))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def end_of(python, tree, program):
    """What is wrong with how the program ends, or None."""
    path = tree / program
    environment = {"PATH": os.environ["PATH"], "HOME": str(tree), "LC_ALL": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1",
                   "OMP_NUM_THREADS": "1"}   # threads of PyTorch that wait use processor time
    child = subprocess.Popen([python, path.name], cwd=path.parent, env=environment, preexec_fn=limit, start_new_session=True,
                             stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        status = child.wait(WAITING)
    except subprocess.TimeoutExpired:
        status = -signal.SIGXCPU
    try:
        os.killpg(child.pid, signal.SIGKILL)    # what it has started
    except ProcessLookupError:
        pass
    child.wait()
    if status in (-signal.SIGXCPU, -signal.SIGKILL):
        return "does not end"
    if status >= 0 or status == -signal.SIGINT:     # Python's own end of an uncaught KeyboardInterrupt
        return None
    return f"ends by {signal.Signals(-status).name}"


def run(python, release, chosen):
    """{program: what is wrong}; what is right is kept as soon as it is known"""
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        tree = pathlib.Path(folder)
        for room in "tests", "lessons":
            shutil.copytree(ROOT / room, tree / room, symlinks=True, ignore=shutil.ignore_patterns("work"))
        ends = pool.map(lambda program: end_of(python, tree, program), chosen)
        found = {}
        for program, end in zip(chosen, ends):
            if end:
                found[program] = end
            else:
                with KEPT.open("a") as kept:
                    print(answer_key(release, program), program, file=kept)
        return found


def main(python, *chosen):
    release = version(python)
    wanted, left_out = list(chosen) or programs(), []
    if "\n" not in release.strip("\n"):
        left_out = [program for program in wanted if wants_torch(program)]
        print(f"elsewhere: {python} has no PyTorch: {len(left_out)} programs are not run")
    wanted = [program for program in wanted if program not in left_out]
    KEPT.parent.mkdir(exist_ok=True)
    kept = {line.split()[0] for line in KEPT.read_text().splitlines()} if KEPT.exists() else set()
    found, meant = run(python, release, [program for program in wanted if answer_key(release, program) not in kept]), endless()
    wrong = [f"{program} {end}" for program, end in found.items() if program not in meant or end != "does not end"]
    wrong += [f"{program} stands in endless.txt, but ends" for program in meant if program in wanted and program not in found]
    print("\n".join(wrong + [f"elsewhere: {len(wanted)} programs, {len(wrong)} bring {python} down"]))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
