"""Whether each program of this folder still differs: judge.py MINIVM PYTHON3.9 TORCH_PYTHON [PROGRAM...].

Its first line names the other one, CPython 3.9 or PyTorch 2.5.1. What both print is compared, errors and exit status
included. Exit status 1: a program prints the same under both, and so is no difference any more.
"""
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent


def printed(python, program):
    with tempfile.TemporaryDirectory() as folder:
        environment = {"PATH": os.environ["PATH"], "PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1",
                       "TORCHINDUCTOR_CACHE_DIR": folder}
        done = subprocess.run([python, program], cwd=folder, env=environment, stdin=subprocess.DEVNULL, timeout=120,
                              capture_output=True)
    return done.returncode, done.stdout, done.stderr


def main(minivm, python, torch_python, *programs):
    same = []
    for program in map(pathlib.Path, programs or sorted(HERE.glob("*.mpy"))):
        other = torch_python if program.read_text().startswith("# PyTorch") else python
        answers = [printed(one, program.resolve()) for one in (other, os.path.abspath(minivm))]
        if answers[0] == answers[1]:
            same.append(program.name)
        elif programs:
            print(*(text.decode() for _, *texts in answers for text in texts if text), sep="\n--\n")
    print(*(f"{name}: prints the same" for name in same), f"{len(same)} no longer differ", sep="\n")
    return 1 if same else 0


sys.exit(main(*sys.argv[1:]))
