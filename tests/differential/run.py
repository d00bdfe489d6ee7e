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


def results(command, script, path):
    """What a script printed for each program of a file; a crash shows as the end of the text."""
    environment = dict(os.environ, PYTHONHASHSEED="0", PYTHONIOENCODING="utf-8")
    try:
        done = subprocess.run([command, os.path.join(HERE, script), path], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=600, env=environment)
        text, status = done.stdout.decode("utf-8", "replace"), done.returncode
        if status:
            text += f"\nexit status {status}: {done.stderr.decode('utf-8', 'replace')[-300:]}"
    except subprocess.TimeoutExpired as late:
        text = (late.stdout or b"").decode("utf-8", "replace") + "\ntimeout"
    return dict(part.partition("\n")[::2] for part in text.split("#### ")[1:])


def show(number, source, ours, theirs):
    print(f"---- program {number} differs\n{source}")
    for ours_line, theirs_line in zip(ours.splitlines() + [""], theirs.splitlines() + [""]):
        if ours_line != theirs_line:
            print(f"minivm:  {ours_line[:300]}\nCPython: {theirs_line[:300]}")
            return


def compare(minivm, python, mutations, seed, size):
    """(number, source, minivm's result, CPython's) of each program; CPython's is None where it is not determined: it
    changes from run to run with the places of objects in memory."""
    maker, script = ("mutate.py", "refuse.py") if mutations else ("generate.py", "execute.py")
    files = sorted(glob.glob(os.path.join(HERE, "../scripts/*.mpy"))) if mutations else []
    programs = subprocess.run([python, os.path.join(HERE, maker), str(seed), str(size)] + files,
                              stdout=subprocess.PIPE, check=True).stdout
    with tempfile.NamedTemporaryFile(suffix=".txt") as file:
        file.write(programs)
        file.flush()
        ours, theirs = results(minivm, script, file.name), results(python, script, file.name)
        again = [results(python, script, file.name) for _ in range(2)] if ours != theirs else []
    for text in programs.decode().split("#### ")[1:]:
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
          f"{undetermined} depend on places in memory")
    sys.exit(different > 0)


if __name__ == "__main__":
    main()
