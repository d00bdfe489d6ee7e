"""CPython 3.9 runs what minivm compiled: python3.9 run_pyc.py MINIVM

write_pyc.mpy writes a .pyc for each program of tests/scripts, under minivm and under CPython; CPython runs both in the
program's folder, and they must give the same. Exit status 1 where one does not.
"""
import glob
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TESTS = os.path.dirname(HERE)
sys.path.insert(0, TESTS)
import golden  # noqa: E402


def write(interpreter, folder, names):
    os.mkdir(folder)
    with open(os.path.join(folder, "list"), "w") as file:
        file.write("".join("%s %s\n" % os.path.split(name) for name in names))
    subprocess.run([interpreter, os.path.join(HERE, "write_pyc.mpy"), file.name, folder], check=True)


def answer(folder, path):
    home, name = os.path.split(path)
    return golden.run([sys.executable, os.path.join(folder, name + ".pyc")], home).replace(os.fsencode(folder), b"")


def main(minivm):
    names = sorted(glob.glob(os.path.join(TESTS, "scripts", "*", "*.mpy")))
    with tempfile.TemporaryDirectory() as top:
        ours, theirs = os.path.join(top, "ours"), os.path.join(top, "theirs")
        write(minivm, ours, names)
        write(sys.executable, theirs, names)
        different = [name for name in names if answer(ours, name) != answer(theirs, name)]
    for name in different:
        print("differs:", name)
    print("%d of %d programs do the same under CPython, be they compiled here or there" % (
        len(names) - len(different), len(names)))
    return bool(different)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
