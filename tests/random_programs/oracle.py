"""Runs programs in forked processes, so that what they import is loaded once.

    PYTHON oracle.py [MODULE...]      imports the modules, then reads a path a line from stdin

What a program prints goes into a file beside it, `.want`; then its exit status is written to stdout. A program is ended
after 60 seconds of its processor."""
import os
import runpy
import signal
import sys


def run(path):
    """The child: never returns."""
    out = os.open(path[:-3] + ".want", os.O_CREAT | os.O_TRUNC | os.O_WRONLY)
    os.dup2(out, 1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    signal.setitimer(signal.ITIMER_PROF, 60)
    try:
        runpy.run_path(path, run_name="__main__")
    except BaseException as error:
        print("END", type(error).__name__, error)
    sys.stdout.flush()
    os._exit(0)


for name in sys.argv[1:]:
    __import__(name)
if "torch" in sys.argv:
    sys.modules["torch"].set_num_threads(1)
for line in sys.stdin:
    pid = os.fork()
    if pid == 0:
        run(line.strip())
    print(os.waitpid(pid, 0)[1], flush=True)
