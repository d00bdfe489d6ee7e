"""Runs generated programs through minivm and CPython 3.9 and compares: run.py MINIVM PYTHON39 [COUNT] [SEED].

Prints how many programs agree in their code objects, output and end, and the first of those that differ. The exit
status is 0 where all agree.
"""
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
BATCH = 500
SHOWN = 10


def results(command, path):
    """What execute.py printed for each program of a file; a crash shows as the end of the text."""
    environment = dict(os.environ, PYTHONHASHSEED="0", PYTHONIOENCODING="utf-8")
    try:
        done = subprocess.run([command, os.path.join(HERE, "execute.py"), path], stdout=subprocess.PIPE,
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


def compare(minivm, python, seed, size):
    """(number, source, minivm's result, CPython's) of each program; CPython's is None where it is not determined: it
    changes from run to run with the places of objects in memory."""
    programs = subprocess.run([python, os.path.join(HERE, "generate.py"), str(seed), str(size)],
                              stdout=subprocess.PIPE, check=True).stdout
    with tempfile.NamedTemporaryFile(suffix=".txt") as file:
        file.write(programs)
        file.flush()
        ours, theirs = results(minivm, file.name), results(python, file.name)
        again = [results(python, file.name) for _ in range(2)] if ours != theirs else []
    for text in programs.decode().split("#### ")[1:]:
        number, _, source = text.partition("\n")
        answer = theirs.get(number, "nothing")
        determined = all(answer == each.get(number) for each in again)
        yield number, source, ours.get(number, "nothing"), answer if determined else None


def main():
    minivm, python = sys.argv[1:3]
    count = int(sys.argv[3]) if len(sys.argv) > 3 else 20000
    seed = int(sys.argv[4]) if len(sys.argv) > 4 else 1
    same = different = undetermined = 0
    for batch in range(0, count, BATCH):
        batch_seed = seed * 1000 + batch // BATCH
        for number, source, ours, theirs in compare(minivm, python, batch_seed, min(BATCH, count - batch)):
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
