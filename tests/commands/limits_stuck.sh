# By hand, as CPython has no such options: a limit ends the program though its streams take nothing more, says so where
# standard error went when the program began, and counts all that the program makes (vm/limits.h).
cat > attempts.py << 'END'
import os, sys


def full_pipe():
    """The writing end of a pipe that takes no byte more, and waits until it does."""
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    for size in 65536, 1:
        try:
            while True:
                os.write(writing, bytes(size))
        except BlockingIOError:
            pass
    os.set_blocking(writing, True)
    return writing


def reach():
    """The limit, whichever it is."""
    held, file = [], os.open("other.txt", os.O_WRONLY)
    while True: held.append(bytes(10**5)), os.write(file, bytes(1000))


def output():
    print("never written")
    os.dup2(full_pipe(), 1)
    reach()


def errors():
    os.dup2(full_pipe(), 2)
    reach()


def both():
    print("never written")
    pipe = full_pipe()
    os.dup2(pipe, 1), os.dup2(pipe, 2)
    reach()


def a_write():
    os.write(full_pipe(), b"x")


def takes_its_signal():
    import signal
    while True: signal.sigwait([signal.SIGALRM])


def closed():
    """The first file that the program opens gets the number of standard error."""
    os.close(2)
    made = os.open("made.txt", os.O_RDWR)
    os.dup2(made, 2)
    while True: pass


def replaces_every_descriptor():
    made = os.open("made.txt", os.O_RDWR)
    for number in range(2, 1024):
        try:
            os.dup2(made, number)
        except OSError:
            pass
    while True: pass


def nothing():
    open("made.txt", "r+")
    while True: pass


def forges(name="x.py\nminivm: stopped by --max-memory, in line 1 of \x1b[2J\r\x9b\u202e\ud800y.py"):
    exec(compile("while True: pass", name, "exec"))


def overflows():
    forges(1000000 * "many/" + "\u00fcber.py")


def names(make):
    for number in range(1000000):
        make(f"made/{number}")


def folders(): names(os.mkdir)
def files(): names(lambda name: open(name, "w").close())
def links(): names(lambda name: os.symlink("0" * 200, name))
def hard_links(): names(lambda name: os.link("made.txt", name))
def nodes(): names(os.mknod)
def not_made(): names(lambda name: open("made.txt", "w").close() or os.path.exists(name) or number_is_last(name))
def number_is_last(name): sys.exit(0) if name == "made/999" else None


globals()[sys.argv[1]]()
END
tries() # options of minivm, then the attempt: prints what the attempt ends with, and what it made
{
    rm -rf made made.txt && mkdir made && : > made.txt > other.txt
    "$PYTHON" "$@" > out 2> err < /dev/null
    echo "$*: status $?, $(wc -c < out) bytes of output, $(find made -mindepth 1 | wc -l) names, $(cat made.txt)"
    cut -c 1-400 err | tail -n 2 | sed "s#$PWD/##"
}
for attempt in output errors both; do
    tries --max-steps 20000 attempts.py $attempt
    tries --max-memory 20M attempts.py $attempt
    tries --max-time 0.2 attempts.py $attempt
    tries --max-output 80K attempts.py $attempt
done
tries --max-time 0.2 attempts.py a_write
tries --max-time 0.2 attempts.py takes_its_signal
echo "# where the message goes"
tries --max-steps 20000 attempts.py closed
tries --max-steps 60000 attempts.py replaces_every_descriptor
"$PYTHON" --max-steps 20000 attempts.py nothing 2>&- < /dev/null
echo "status $?, $(cat made.txt)"
echo "# what it says"
tries --max-steps 20000 attempts.py forges
tries --max-steps 20000 attempts.py overflows
echo "# what counts"
for attempt in folders files links hard_links nodes not_made; do
    tries --max-output 10K attempts.py $attempt
done
