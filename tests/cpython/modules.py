#!/usr/bin/env python3.9
"""Which modules of CPython's library can be imported: modules.py MINIVM, run by CPython 3.9.

Each module of its library is imported by minivm in a process of its own, first with nothing beside the binary, then
with MINIVMPATH naming that library. The figures and the reasons of what is absent go into README.md.
"""
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys

LIB = pathlib.Path(os.__file__).parent
README = pathlib.Path(__file__).parent / "README.md"
BEGIN, END = "<!-- written by modules.py -->", "<!-- end of modules -->"
# Tests, programs with windows, tools that build or install, jokes, and what belongs to one system or one build.
LEFT_OUT = set("test idlelib lib2to3 tkinter turtle turtledemo ensurepip venv distutils pydoc_data this antigravity ctypes "
               "curses sqlite3 msilib unittest.test _sysconfigdata__linux_x86_64-linux-gnu site-packages lib-dynload "
               "__phello__.foo".split())


def library_modules():
    names = {path.stem if path.suffix == ".py" else path.name for path in LIB.iterdir()
             if path.suffix == ".py" or (path / "__init__.py").exists()}
    return sorted(name for name in names - LEFT_OUT if name.isidentifier() and not name.startswith("_sysconfigdata"))


def why_not(minivm, name, environment):
    """The last line of the error, or None where the import succeeds."""
    program = f"import {name}" if name != "__main__" else "pass"
    done = subprocess.run([minivm, "-c", program], env=environment, stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, timeout=60)
    return None if done.returncode == 0 else (done.stderr.strip().splitlines() or ["?"])[-1]


def kind_of(minivm, name):
    alone = {key: value for key, value in os.environ.items() if key != "MINIVMPATH"}
    if why_not(minivm, name, alone) is None:
        return "comes with minivm", name
    reason = why_not(minivm, name, {**alone, "MINIVMPATH": str(LIB)})
    return ("by MINIVMPATH", name) if reason is None else ("absent: " + re.sub(r"^ModuleNotFoundError: ", "", reason), name)


def main(minivm):
    minivm = os.path.abspath(minivm)
    kinds = {}
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for kind, name in pool.map(lambda name: kind_of(minivm, name), library_modules()):
            kinds.setdefault(kind, []).append(name)
    present = sum(len(names) for kind, names in kinds.items() if not kind.startswith("absent"))
    total = sum(map(len, kinds.values()))
    rows = sorted(kinds.items(), key=lambda pair: (pair[0].startswith("absent"), -len(pair[1])))
    lines = [f"{present} of {total} modules of the library can be imported.", "", "| | how many | which |", "|---|---|---|"]
    lines += [f"| {kind} | {len(names)} | {' '.join(names)} |" for kind, names in rows]
    text = README.read_text()
    head, rest = text.split(BEGIN)
    README.write_text(head + "\n".join([BEGIN, "", *lines, "", END]) + rest.split(END)[1])
    print(*lines, sep="\n")


main(*sys.argv[1:])
