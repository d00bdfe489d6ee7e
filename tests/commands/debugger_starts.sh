# By hand, as CPython has no debugger of this kind: who starts it, and where its commands come from.
printf 'x = 1\ny = 2\n' > program.py
# Started by a process that ignores SIGCHLD, its own processes are waited for all the same.
cat > ignoring.py << 'END'
import os
import signal
import sys
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
os.execv(sys.argv[1], sys.argv[1:])
END
printf 'n\nn\nrn\np x\nq\n' | "$PYTHON" ignoring.py "$PYTHON" --debug program.py
echo "status $?"
# The program comes from standard input, and with it, where -i asks for a dialogue, its commands.
printf 'x = 5\nn\nprint(x)\nc\n' | "$PYTHON" -q -i --debug - 2>&1
echo "status $?"
PYTHONINSPECT=1 "$PYTHON" -c 'print("nobody is there to ask")' < /dev/null
echo "status $?"
# At a terminal a dialogue is debugged; where the program comes from elsewhere, the commands come from the terminal.
cat > terminal.py <<'END'
import os
import select
import sys


def talk(words, *lines):
    """What a terminal shows of the program, and is typed there at each prompt."""
    process, terminal = os.forkpty()
    if process == 0:
        os.execvp(words[0], words)
    shown = b""
    for line in lines:
        while not shown.endswith((b"(Pdb) ", b">>> ")) and select.select([terminal], [], [], 20)[0]:
            shown += os.read(terminal, 1000)
        print(shown.decode().replace("\r", ""), end="")
        os.write(terminal, line)
        shown = b""
    print("\nstatus", os.waitpid(process, 0)[1] >> 8)


python = sys.argv[1]
os.environ["TERM"] = "dumb"
talk([python, "-q", "--debug", "-"], b"x = 1\n", b"c\n", b"\4", b"q\n")
talk(["sh", "-c", '"$0" --debug - < program.py', python], b"n\n", b"p x\n", b"q\n")
os.environ["PYTHONINSPECT"] = "1"
talk([python, "-q", "-c", "x = 5"], b"x\n", b"\4")
END
"$PYTHON" terminal.py "$PYTHON"
