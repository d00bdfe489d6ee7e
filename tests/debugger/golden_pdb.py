"""Writes the answers of the sessions that must be pdb's own: NNN_name.expected for each script that says so.

    python3 tests/debugger/golden_pdb.py /path/to/python3.9 [NNN_name.mpy ...]

pdb runs the script with NNN_name.in as its input; the folder of the script is left out of what it prints. These
sessions keep clear of what differs:
  - where the program ends there is a prompt, from which one can go back; pdb begins anew at once;
  - w, u and d do not know the two frames of bdb and <string> that pdb has above the program;
  - Enter repeats what moves and lists, not p and the like;
  - a display compares texts, so that a list that has grown counts; pdb compares the values;
  - a breakpoint where no code is, is refused, also on a line that is not blank; methods, inner functions and coroutines
    that do not exist yet are found by their names;
  - the line at --Return-- is that of the last instruction; pdb shows the line that was begun last, which is another
    one behind a loop or a condition;
  - the StopIteration by which a generator ends in a `for` is no stop;
  - a closure sees an assignment to its variable at once; in pdb, when the program goes on.
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
