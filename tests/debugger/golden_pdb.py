"""Writes the answers of the sessions that must be pdb's own: NNN_name.expected for each script that says so.

    python3 tests/debugger/golden_pdb.py /path/to/python3.9 [NNN_name.mpy ...]

pdb runs the script with NNN_name.in as its input; the folder of the script is left out of what it prints.
"""
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
MARK = "# The answer is pdb 3.9's own"


def answer(python, name):
    with open(os.path.join(HERE, name[:-4] + ".in")) as commands:
        done = subprocess.run([python, "-m", "pdb", name], cwd=HERE, stdin=commands, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, env={**os.environ, "PYTHONHASHSEED": "0", "HOME": "/nonexistent"},
                              timeout=60)
    if done.returncode or done.stderr:
        sys.exit("%s: status %d\n%s" % (name, done.returncode, done.stderr.decode()))
    return re.sub("0x[0-9a-f]{12}", "0xPLACE", done.stdout.decode().replace(HERE + "/", ""))


def main():
    names = [os.path.basename(name) for name in sys.argv[2:]] or sorted(os.listdir(HERE))
    for name in names:
        if name.endswith(".mpy") and open(os.path.join(HERE, name)).readline().startswith(MARK):
            with open(os.path.join(HERE, name[:-4] + ".expected"), "w") as file:
                file.write(answer(sys.argv[1], name))


main()
