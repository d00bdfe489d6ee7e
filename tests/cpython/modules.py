#!/usr/bin/env python3.9
"""Which modules of CPython's library can be imported: modules.py MINIVM, run by CPython 3.9.

Each module of its library is imported by minivm in a process of its own, first with nothing beside the binary, then
with MINIVMPATH naming that library. Then it does something real: the function use_NAME() of a script, which must print
what it prints under CPython. The figures and the reasons of what is absent go into README.md.
"""
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys

LIB = pathlib.Path(os.__file__).parent
HERE = pathlib.Path(__file__).parent
README = HERE / "README.md"
USES = [HERE.parent / "scripts" / "vm" / "1030_every_own_module.mpy", HERE / "uses.mpy", HERE / "uses_asyncio.mpy"]
BEGIN, END = "<!-- written by modules.py -->", "<!-- end of modules -->"
# Tests, programs with windows, tools that build or install, jokes, and what belongs to one system or one build.
LEFT_OUT = set("test idlelib lib2to3 tkinter turtle turtledemo ensurepip venv distutils pydoc_data this antigravity ctypes "
               "curses sqlite3 msilib unittest.test _sysconfigdata__linux_x86_64-linux-gnu site-packages lib-dynload "
               "__phello__.foo".split())


def library_modules():
    names = {path.stem if path.suffix == ".py" else path.name for path in LIB.iterdir()
             if path.suffix == ".py" or (path / "__init__.py").exists()}
    return sorted(name for name in names - LEFT_OUT if name.isidentifier() and not name.startswith("_sysconfigdata"))


def run(command, environment):
    """The output, and the last line of the error (None where it ends well)."""
    try:
        done = subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
    except subprocess.TimeoutExpired:
        return "", "takes more than a minute"
    error = None if done.returncode == 0 else (done.stderr.strip().splitlines() or ["?"])[-1]
    return done.stdout, error


def kind_of(minivm, name):
    """How the module is there, or why it is not; and the environment in which it is."""
    alone = {key: value for key, value in os.environ.items() if key != "MINIVMPATH"} | {"PYTHONHASHSEED": "0"}
    beside = {**alone, "MINIVMPATH": str(LIB)}
    importing = [minivm, "-c", f"import {name}"]
    if run(importing, alone)[1] is None:
        return "comes with minivm", alone
    reason = run(importing, beside)[1]
    return ("by MINIVMPATH" if reason is None else "absent: " + re.sub(r"^ModuleNotFoundError: ", "", reason)), beside


def what_differs(minivm, name, environment):
    """None where its use prints what it prints under CPython."""
    script = next((path for path in USES if f"\ndef use_{name}(" in path.read_text()), None)
    if script is None:
        return "has no use_" + name
    wanted, error = run([sys.executable, script, name], environment)
    if error:
        return "CPython: " + error
    got, error = run([minivm, script, name], environment)
    return error or (None if got == wanted else "prints something else")


def judge(minivm, name):
    """A module that comes with minivm may need one of MINIVMPATH for what its use does with it."""
    kind, environment = kind_of(minivm, name)
    difference = None if kind.startswith("absent") else what_differs(minivm, name, environment)
    if difference and "MINIVMPATH" not in environment:
        difference = what_differs(minivm, name, {**environment, "MINIVMPATH": str(LIB)})
    return kind, name, difference


def table(results):
    kinds = {}
    for kind, name, _ in results:
        kinds.setdefault(kind, []).append(name)
    present = [result for result in results if not result[0].startswith("absent")]
    different = [(name, difference) for _, name, difference in present if difference]
    yield f"{len(present)} of {len(results)} modules of the library can be imported, and **{len(present) - len(different)}**"
    yield "of them do something real in a test, with CPython's output (`uses.mpy` and `../scripts/vm/1030_every_own_module.mpy`)."
    yield from ("", "| | how many | which |", "|---|---|---|")
    for kind, names in sorted(kinds.items(), key=lambda pair: (pair[0].startswith("absent"), -len(pair[1]))):
        yield f"| {kind} | {len(names)} | {' '.join(names)} |"
    yield from (f"| its use differs: {difference} | 1 | {name} |" for name, difference in different)


def main(minivm):
    minivm = os.path.abspath(minivm)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        lines = list(table(list(pool.map(lambda name: judge(minivm, name), library_modules()))))
    head, rest = README.read_text().split(BEGIN)
    before, tail = rest.split(END)
    README.write_text(head + "\n".join([BEGIN, "", *lines, "", END]) + tail)
    print(*lines, sep="\n")
    count = [int((re.findall(r"\*\*(\d+)\*\*", text) or [0])[0]) for text in (before, lines[0])]
    return 1 if count[1] < count[0] else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
