#!/usr/bin/env python3
"""Write the .expected files of script tests: what CPython 3.9 answers. For developers; nothing at build time needs it.

    tests/golden.py PYTHON3.9 tests/scripts/*/*.mpy          (or the programs that are new)
    tests/golden.py PYTHON3.9 tests/code/*.mpy             (sources: their code objects, printed by code_dump.mpy)

The form is that of tests/unit/test_scripts.c: standard output, "[stderr]" and standard error, "[exit status N]"; places
of objects are left out.
"""
import os
import re
import subprocess
import sys


LAUNCHERS = {"code": ["../code_dump.mpy"]}


def run(words, folder):
    environment = {"PATH": os.environ["PATH"], "PYTHONHASHSEED": "0", "LC_ALL": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1"}
    if "ATEN_CPU_CAPABILITY" in os.environ:  # which vector instructions PyTorch uses: some last bits depend on it
        environment["ATEN_CPU_CAPABILITY"] = os.environ["ATEN_CPU_CAPABILITY"]
    done = subprocess.run(words, cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=300)
    text = done.stdout
    if done.stderr:
        text += b"[stderr]\n" + done.stderr
    if done.returncode:
        text += b"[exit status %d]\n" % done.returncode
    return re.sub(rb"0x7f[0-9a-f]{10}", b"0xPLACE", text.replace(os.fsencode(folder) + b"/", b""))


def answer(python, program):
    folder, name = os.path.split(os.path.abspath(program))
    return run([python] + LAUNCHERS.get(os.path.basename(folder), []) + [name], folder)


def main(python, programs):
    version = subprocess.check_output([python, "-V"]).decode()
    if not version.startswith("Python 3.9."):
        sys.exit("golden.py: answers come from CPython 3.9 only, this is " + version)
    for program in programs:
        with open(os.path.splitext(program)[0] + ".expected", "wb") as file:
            file.write(answer(python, program))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
