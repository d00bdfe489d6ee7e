"""Runs generated programs, or broken ones, through minivm and CPython 3.9 and compares.

    run.py MINIVM PYTHON39 [COUNT [SEED]]             programs of generate.py: code objects, output and end
    run.py --mutate MINIVM PYTHON39 [COUNT [SEED]]    variants of tests/scripts by mutate.py: what refuses them, and where

Prints how many agree, and the first of those that differ. The exit status is 0 where all agree.
"""
import glob
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
BATCH = 500
SHOWN = 10


def run(command, script, programs):
    """What a script printed for each of the programs, and whether it came to their end; one that ends the interpreter
    has that at the end of its text."""
    environment = dict(os.environ, PYTHONHASHSEED="0", PYTHONIOENCODING="utf-8")
    with tempfile.NamedTemporaryFile(suffix=".txt") as file:
        file.write("".join("#### " + program for program in programs).encode())
        file.flush()
        try:
            done = subprocess.run([command, os.path.join(HERE, script), file.name], stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, timeout=600, env=environment)
            text, status = done.stdout, done.returncode
            if status:
                text += b"\nexit status %d: %s" % (status, done.stderr[-300:])
        except subprocess.TimeoutExpired as late:
            text, status = (late.stdout or b"") + b"\ntimeout", 1
    return dict(part.partition("\n")[::2] for part in text.decode("utf-8", "replace").split("#### ")[1:]), status == 0


def results(command, script, programs):
    """What a script printed for each program; it begins again after one that ended the interpreter."""
    answers, start = {}, 0
    while start < len(programs):
        found, is_complete = run(command, script, programs[start:])
        answers.update(found)
        start = len(programs) if is_complete or not found else start + len(found)
    return answers


def show(number, source, ours, theirs):
    print(f"---- program {number} differs\n{source}")
    for ours_line, theirs_line in zip(ours.splitlines() + [""], theirs.splitlines() + [""]):
        if ours_line != theirs_line:
            print(f"minivm:  {ours_line[:300]}\nCPython: {theirs_line[:300]}")
            return


def compare(minivm, python, mutations, seed, size):
    """(number, source, minivm's result, CPython's) of each program; CPython's is None where it is not determined: it
    changes from run to run with the addresses of objects in memory."""
    maker, script = ("mutate.py", "refuse.py") if mutations else ("generate.py", "execute.py")
    files = sorted(glob.glob(os.path.join(HERE, "../scripts/*/*.mpy"))) if mutations else []
    made = subprocess.run([python, os.path.join(HERE, maker), str(seed), str(size)] + files, stdout=subprocess.PIPE,
                          check=True).stdout
    programs = made.decode().split("#### ")[1:]
    ours, theirs = results(minivm, script, programs), results(python, script, programs)
    again = [results(python, script, programs) for _ in range(2)] if ours != theirs else []
    for text in programs:
        number, _, source = text.partition("\n")
        answer = theirs.get(number, "nothing from CPython")
        determined = all(answer == each.get(number) for each in again)
        yield number, source, ours.get(number, "nothing from minivm"), answer if determined else None


def main():
    mutations = sys.argv[1] == "--mutate"
    minivm, python, *numbers = sys.argv[1 + mutations:]
    count, seed = [int(number) for number in (numbers + ["20000", "1"][len(numbers):])]
    same = different = undetermined = 0
    for batch in range(0, count, BATCH):
        batch_seed = seed * 1000 + batch // BATCH
        for number, source, ours, theirs in compare(minivm, python, mutations, batch_seed, min(BATCH, count - batch)):
            if theirs is None:
                undetermined += 1
            elif ours == theirs:
                same += 1
            else:
                different += 1
                if different <= SHOWN:
                    show(f"{batch_seed}:{number}", source, ours, theirs)
    print(f"{same + different + undetermined} programs: {same} agree, {different} differ, "
          f"{undetermined} depend on addresses")
    sys.exit(different > 0)


if __name__ == "__main__":
    main()
