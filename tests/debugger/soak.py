"""soak.py MINIVM MINUTES [FIRST]: random programs of all kinds under the debugger, until the time is up.

Program after program, from number FIRST on, is written by each grammar of tests/random_programs and by that of
tests/differential in turn. It is run plainly, and then walked through forwards and backwards (walks.py): a moment has one
state, and what the program prints and its exit status are those of the plain run. A crash, a sanitizer's report and a
process that does not end are faults; the program is shown. It is meant for a build with sanitizers (make soak).
"""
import importlib
import os
import random
import re
import sys
import tempfile
import time

import walks

TESTS = os.path.dirname(walks.HERE)
sys.path += [os.path.join(TESTS, "random_programs"), os.path.join(TESTS, "differential")]
GRAMMARS = "python autograd fx tensors modules generate".split()
REPORT = re.compile(r"^==\d+==ERROR|runtime error:", re.M)


# A tensor of gigabytes is an error, as it is for a small machine, not the sanitizer's business.
os.environ.setdefault("ASAN_OPTIONS", "allocator_may_return_null=1:max_allocation_size_mb=500")


def program(grammar, number):
    module = importlib.import_module(grammar)
    if grammar == "generate":
        return module.Maker(number).program()
    head, statements = module.program(random.Random(number))
    return head + "".join(statements)


def faults_of(minivm, path, number):
    script = walks.Script(minivm, path)
    if script.plain.returncode < 0 or script.plain.returncode >= 128 or REPORT.search(script.plain.stderr):
        return ["the plain run ends with status %d: %s" % (script.plain.returncode, script.plain.stderr[-2000:])]
    return walks.walk(script, number)


def main(minivm, minutes, first="0"):
    minivm, end = os.path.abspath(minivm), time.monotonic() + float(minutes) * 60
    number, bad = int(first), 0
    with tempfile.TemporaryDirectory() as folder:
        while time.monotonic() < end:
            for grammar in GRAMMARS:
                text = program(grammar, number)
                path = os.path.join(folder, "%s_%d.mpy" % (grammar, number))
                with open(path, "w") as file:
                    file.write(text)
                faults = faults_of(minivm, path, number)
                os.remove(path)
                if faults:
                    bad += 1
                    print("%s, program %d:" % (grammar, number), *faults, text, sep="\n", flush=True)
            number += 1
    print("%d programs in %s minutes, %d with faults" % ((number - int(first)) * len(GRAMMARS), minutes, bad))
    return bad > 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
