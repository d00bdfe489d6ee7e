# By hand, as CPython has no such option: --sandbox (vm/outside/sandbox.h). Each line is an attempt to get out.
mkdir -p inside/deep empty
echo "secret = 'outside'" | tee secret.py > secret.txt
ln -s ../secret.txt inside/link.txt
ln -s .. inside/up
ln -s ../new.txt inside/dangling.txt
ln -s "$PWD/inside" inside/round
echo "inside" > inside/own.txt
echo "value = 'imported from inside'" > inside/beside.py
cat > inside/attempts.py << 'END'
import _posixsubprocess, _process, _signal, subprocess, glob, grp, importlib.util, io, linecache, logging, marshal, mmap
import os, pathlib, pwd, sys, tempfile, termios, time, tokenize, torch, traceback
from torch._C import _inductor
from _socket import AF_INET, AF_UNIX, SOCK_STREAM, socket
from importlib.machinery import FileFinder, PathFinder, SourceFileLoader


class Path:
    def __init__(self, text): self.text = text
    def __fspath__(self): return self.text


def shown(name):
    """What a traceback shows of a file that code claims to come from."""
    try:
        exec(compile("1 / 0", name, "exec"))
    except ZeroDivisionError:
        text = traceback.format_exc()
    return "outside" in text or sys.exit


def imported(folder, name):
    sys.path.insert(0, folder)
    try:
        return __import__(name)
    finally:
        del sys.path[0]
        sys.modules.pop(name, None)


def linked(folder, text, path):
    os.chdir(folder)
    try:
        os.symlink(text, path)
    finally:
        os.chdir("FOLDER/inside")


def planted(text, path, moved, new=None, move=os.rename):
    """Makes a link that leads inside from where it is made. It, or a folder that it is in, is moved."""
    os.makedirs(os.path.dirname(path))
    os.symlink(text, path)
    move(moved, new or os.path.basename(moved))


def replaced(text):
    """A link leads inside as long as a folder in its text is one."""
    os.makedirs("folder", exist_ok=True)
    os.symlink(text, "through.txt")
    os.rmdir("folder")
    os.symlink(".", "folder")


def warned(name):
    import warnings
    out, sys.stderr = sys.stderr, io.StringIO()
    try:
        warnings.warn_explicit("x", UserWarning, name, 1)
        return "outside" in sys.stderr.getvalue() or sys.exit
    finally:
        sys.stderr = out


def loaded(path):
    """A module by the path of its file."""
    spec = importlib.util.spec_from_file_location("loaded", path)
    spec.loader.exec_module(importlib.util.module_from_spec(spec))


def cached(folder):
    """Where torch.compile keeps what the C compiler has made, which it would load."""
    os.environ["MINIVM_CACHE"] = folder
    os.makedirs(folder)
    return torch.compile(lambda x: x + 1)(torch.ones(1))


def with_zone(name, value):
    """libc reads the file that TZ names."""
    os.environ[name] = value
    time.tzset()
    return time.tzname


ATTEMPTS = [
    ("absolute", lambda: open("FOLDER/secret.txt")),
    ("relative", lambda: open("../secret.txt")),
    ("through a folder of its own", lambda: open("deep/../../secret.txt")),
    ("bytes", lambda: open(b"../secret.txt")),
    ("path object", lambda: open(Path("../secret.txt"))),
    ("to write", lambda: open("../secret.txt", "w")),
    ("to append", lambda: open("../secret.txt", "a")),
    ("to create", lambda: open("../new.txt", "x")),
    ("to update", lambda: open("../secret.txt", "r+b", buffering=0)),
    ("FileIO", lambda: io.FileIO("../secret.txt")),
    ("io.open", lambda: io.open("../secret.txt")),
    ("io.open_code", lambda: io.open_code("FOLDER/secret.txt")),
    ("an opener", lambda: open("x", opener=lambda path, flags: io.FileIO("../secret.txt").fileno())),
    ("a link to a file", lambda: open("link.txt")),
    ("a link to a folder", lambda: open("up/secret.txt")),
    ("a link twice", lambda: open("round/up/secret.txt")),
    ("a link to nothing, written", lambda: open("dangling.txt", "w")),
    ("a link and back", lambda: open("up/../../etc/passwd")),
    ("/proc/self/mem", lambda: open("/proc/self/mem", "r+b")),
    ("/proc/self/environ", lambda: open("/proc/self/environ")),
    ("/proc/self/cwd", lambda: open("/proc/self/cwd/../secret.txt")),
    ("/proc/self/fd/0", lambda: open("/proc/self/fd/0")),
    ("/proc/self/root", lambda: open("/proc/self/root/etc/passwd")),
    ("/dev/tty", lambda: open("/dev/tty")),
    ("/dev/stdin", lambda: open("/dev/stdin")),
    ("/dev/null", lambda: open("/dev/null", "w")),
    ("an inherited descriptor", lambda: open(7)),
    ("an inherited descriptor, raw", lambda: io.FileIO(7)),
    ("many slashes", lambda: open("..//////secret.txt")),
    ("a slash at the end", lambda: open("dangling.txt/", "w")),
    ("a path too long", lambda: open("../" * 3000 + "etc/passwd")),
    ("import from above", lambda: imported("..", "secret")),
    ("import by an absolute folder", lambda: imported("FOLDER", "secret")),
    ("import through a link", lambda: imported("up", "secret")),
    ("import by MINIVMPATH", lambda: __import__("secret")),
    ("a traceback's line", lambda: shown("../secret.txt")),
    ("a traceback's line, absolute", lambda: shown("FOLDER/secret.txt")),
    ("linecache", lambda: "outside" in linecache.getline("../secret.txt", 1) or sys.exit),
    ("a warning's line", lambda: warned("FOLDER/secret.txt")),
    ("tokenize.open", lambda: tokenize.open("../secret.txt")),
    ("os.open", lambda: os.open("../secret.txt", os.O_RDONLY)),
    ("os.open to create", lambda: os.open("dangling.txt", os.O_CREAT | os.O_WRONLY)),
    ("os.stat", lambda: os.stat("up/secret.txt")),
    ("os.access", lambda: os.access("../secret.txt", os.R_OK) or sys.exit),
    ("os.path.exists", lambda: os.path.exists("FOLDER/secret.txt") or sys.exit),
    ("os.path.realpath", lambda: os.path.realpath("up/secret.txt") == "FOLDER/secret.txt" or sys.exit),
    ("os.listdir", lambda: os.listdir("..")),
    ("os.listdir of /", lambda: os.listdir("/")),
    ("os.scandir", lambda: os.scandir("up")),
    ("os.walk", lambda: list(os.walk("/etc")) or sys.exit),
    ("os.chdir", lambda: os.chdir("..")),
    ("os.mkdir", lambda: os.mkdir("../new")),
    ("os.rmdir", lambda: os.rmdir("../empty")),
    ("os.unlink", lambda: os.unlink("../secret.txt")),
    ("os.rename out", lambda: os.rename("own.txt", "../own.txt")),
    ("os.rename in", lambda: os.rename("../secret.txt", "secret.txt")),
    ("os.link", lambda: os.link("../secret.txt", "hard.txt")),
    ("os.symlink, then open", lambda: (os.symlink("../secret.txt", "new_link.txt"), open("new_link.txt"))),
    ("os.symlink out", lambda: os.symlink("own.txt", "../new_link.txt")),
    ("os.symlink, whose text leads out from where it lies", lambda: linked("deep", "../own.txt", "../new_link.txt")),
    ("os.rename of a link", lambda: planted("../own.txt", "a/link", "a/link", "out1")),
    ("os.rename of a link of two steps", lambda: planted("../../own.txt", "b/b/link", "b/b/link", "deep/out2")),
    ("os.replace of a link", lambda: planted("../own.txt", "c/link", "c/link", "out3", os.replace)),
    ("os.link of a link", lambda: planted("../own.txt", "d/link", "d/link", "out4", os.link)),
    ("os.rename of a folder with a link", lambda: planted("../../own.txt", "e/e/link", "e/e", "out5")),
    ("os.rename of a folder's folder with a link", lambda: planted("../../../own.txt", "f/f/f/link", "f/f", "out6")),
    ("os.rename of a folder that cannot be read", lambda: planted(
        "../../own.txt", "g/g/link", "g/g", "out7", lambda *names: os.chmod("g/g", 0o300) or os.rename(*names))),
    ("os.symlink up after a name", lambda: replaced("folder/../own.txt")),
    ("os.symlink up after a name, absolute", lambda: replaced("FOLDER/inside/folder/../own.txt")),
    ("os.symlink through /proc", lambda: os.symlink("/proc/self/cwd/own.txt", "proc.txt")),
    ("os.readlink", lambda: os.readlink("/proc/self/exe")),
    ("os.chmod", lambda: os.chmod("../secret.txt", 0)),
    ("os.truncate", lambda: os.truncate("link.txt", 0)),
    ("os.utime", lambda: os.utime("../secret.txt", (0, 0))),
    ("os.dup of an inherited descriptor", lambda: os.dup(7)),
    ("os.fstat of an inherited descriptor", lambda: os.fstat(7)),
    ("tempfile", lambda: tempfile.mkdtemp(dir="/tmp")),
    ("another program", lambda: _process.run(("cat", "../secret.txt"), b"")),
    ("a socket's name", lambda: socket(AF_UNIX, SOCK_STREAM).bind("../socket")),
    ("a network", lambda: socket(AF_INET, SOCK_STREAM).connect(("192.0.2.1", 80))),
    ("a terminal's modes", lambda: termios.tcdrain(0)),
    ("the debugger's processes", breakpoint),
    ("pdb.run", lambda: __import__("pdb").run("pass")),
    ("pdb.set_trace", lambda: __import__("pdb").set_trace()),
    ("os.replace", lambda: os.replace("own.txt", "../own.txt")),
    ("os.remove through a link", lambda: os.remove("up/secret.txt")),
    ("os.renames", lambda: os.renames("own.txt", "../a/own.txt")),
    ("os.makedirs", lambda: os.makedirs("up/a/b")),
    ("os.chdir through a link, then up", lambda: os.chdir("round/../..")),
    ("os.lstat of a link's end", lambda: os.lstat("up/empty")),
    ("os.open with dir_fd", lambda: os.open("secret.txt", 0, dir_fd=os.open("..", os.O_RDONLY))),
    ("dir_fd of the own folder", lambda: os.open("../secret.txt", 0, dir_fd=os.open(".", os.O_RDONLY))),
    ("os.stat with dir_fd", lambda: os.stat("../secret.txt", dir_fd=0)),
    ("os.listdir of a folder's descriptor", lambda: os.listdir(os.open("..", os.O_RDONLY))),
    ("os.fchdir", lambda: os.fchdir(0)),
    ("os.mkfifo", lambda: os.mkfifo("../fifo")),
    ("os.mkfifo inside, which stops who reads it", lambda: os.mkfifo("fifo")),
    ("os.mknod", lambda: os.mknod("../node")),
    ("os.mknod through a link", lambda: os.mknod("up/node")),
    ("os.mknod of the memory", lambda: os.mknod("node", 0o20600, 1 << 8 | 1)),
    ("os.chown", lambda: os.chown("../secret.txt", -1, -1)),
    ("os.chown inside", lambda: os.chown("own.txt", -1, -1)),
    ("os.lchown", lambda: os.lchown("up/secret.txt", -1, -1)),
    ("os.fchown of standard output", lambda: os.fchown(1, -1, -1)),
    ("os.fchmod of standard output", lambda: os.fchmod(1, 0)),
    ("os.chmod of its copy", lambda: os.chmod(os.dup(1), 0)),
    ("os.chmod through a link", lambda: os.chmod("link.txt", 0)),
    ("os.utime of standard output", lambda: os.utime(1, (0, 0))),
    ("os.truncate of an inherited descriptor", lambda: os.truncate(7, 0)),
    ("os.chroot", lambda: os.chroot(".")),
    ("os.fork", lambda: os.fork()),
    ("os.system", lambda: os.system("true")),
    ("os.execv", lambda: os.execv("/bin/true", ["true"])),
    ("os.posix_spawn", lambda: os.posix_spawn("/bin/true", ["true"], {})),
    ("os.kill", lambda: os.kill(os.getppid(), 0)),
    ("subprocess", lambda: subprocess.run(["true"])),
    ("_posixsubprocess", lambda: _posixsubprocess.fork_exec(
        [b"true"], [b"/bin/true"], True, (), None, None, -1, -1, -1, -1, -1, -1, *os.pipe(), True, False, None, None, None, -1,
        None)),
    ("os.popen", lambda: os.popen("true")),
    ("a signal", lambda: _signal.raise_signal(_signal.SIGKILL)),
    ("/dev/fd/0", lambda: open("/dev/fd/0")),
    ("/proc/self/fd", lambda: os.listdir("/proc/self/fd")),
    ("/proc/self/task/../mem", lambda: open("/proc/self/task/../mem", "rb")),
    ("mmap of an inherited descriptor", lambda: mmap.mmap(7, 0)),
    ("mmap of a file", lambda: mmap.mmap(os.open("link.txt", os.O_RDWR), 0)),
    ("pathlib to read", lambda: pathlib.Path("..", "secret.txt").read_text()),
    ("pathlib to write", lambda: pathlib.Path("link.txt").write_text("x")),
    ("pathlib.resolve", lambda: str(pathlib.Path("link.txt").resolve()) == "FOLDER/secret.txt" or sys.exit),
    ("pathlib.iterdir", lambda: list(pathlib.Path("up").iterdir())),
    ("glob", lambda: glob.glob("../*") + glob.glob("up/*.txt") or sys.exit),
    ("tempfile.TMPDIR", lambda: (os.environ.update(TMPDIR="FOLDER"), tempfile.mkstemp(dir=os.environ["TMPDIR"]))),
    ("the users", lambda: pwd.getpwall() or sys.exit),
    ("the groups", lambda: grp.getgrall() or sys.exit),
    ("a user's home", lambda: os.path.expanduser("~root") == "~root" and sys.exit),
    ("a log file", lambda: logging.FileHandler("../log.txt")),
    ("a module by its path", lambda: loaded("FOLDER/secret.py")),
    ("PathFinder", lambda: PathFinder.find_spec("secret", ["FOLDER"]) or sys.exit),
    ("FileFinder", lambda: FileFinder("FOLDER", (SourceFileLoader, [".py"])).find_spec("secret") or sys.exit),
    ("marshal", lambda: marshal.load(open("../secret.txt", "rb"))),
    ("sys.path in a zip", lambda: imported("../secret.zip", "secret")),
    ("native code", lambda: _inductor.load(b"\x7fELF", (("kernel", 0, 0),))),
    ("the cache of torch.compile", lambda: cached("FOLDER/cache")),
    ("the cache of torch.compile, through a link", lambda: cached("up/cache")),
    ("a file as time zone", lambda: with_zone("TZ", "FOLDER/zone")),
    ("a file as time zone, with a colon", lambda: with_zone("TZ", ":FOLDER/zone")),
    ("a file as time zone, from the folder of zones", lambda: with_zone("TZ", "../../../FOLDER/zone")),
    ("another folder of zones", lambda: with_zone("TZDIR", "FOLDER")),
]

for name, attempt in ATTEMPTS:
    try:
        result = attempt()
    except (OSError, ImportError, RuntimeError, AttributeError, termios.error) as error:
        print(name + ":", type(error).__name__, getattr(error, "strerror", None) or str(error)[:40])
    else:
        print(name + ":", "nothing shown" if result is sys.exit else f"ESCAPED {result!r}")

print(open("own.txt").read(), open("round/own.txt").read(), open("up/inside/own.txt").read(), sep="", end="")
import beside
print(beside.value)
with open("deep/new.txt", "w") as file:
    file.write("written inside")
print(open("deep/new.txt").read(), input())
os.symlink("../own.txt", "deep/link_to_own.txt")
print(open("deep/link_to_own.txt").read(), end="")
os.rename("deep/link_to_own.txt", "deep/renamed.txt")
os.makedirs("from/deeper/links")
open("from/deeper/moved.txt", "w").close()
os.symlink("../moved.txt", "from/deeper/links/link.txt")
os.symlink("FOLDER/inside/own.txt", "from/deeper/links/absolute.txt")
os.rename("from/deeper", "nearer")
print(os.readlink("nearer/links/link.txt"), open("nearer/links/absolute.txt").read(), end="")
END
cat > inside/attempts_on_page.py << 'END'
import os
count = 0
for number in range(3, 1024):
    for use in os.fstat, os.close, os.dup, os.fsync, open, os.listdir, lambda number: os.write(number, 50 * b"@"):
        try:
            use(number)
            count += 1
        except OSError:
            pass
os.closerange(3, 1024)
print(count, "succeeded")
END
sed -i "s#FOLDER#$PWD#" inside/attempts.py
cd inside && echo "standard input" | MINIVMPATH=$PWD/.. "$PYTHON" --sandbox attempts.py 7< ../secret.txt 2> err
grep -v "cannot debug" err
cd .. && echo "# the folder is the program's, not the working one"
"$PYTHON" --sandbox inside/attempts.py 2>&1 < /dev/null | head -n 3
echo "# or the program itself, where it is a folder"
echo 'print(open("inside/own.txt").read(), flush=True); open("secret.txt")' > inside/__main__.py
"$PYTHON" --sandbox inside 2>&1 | tail -n 1
"$PYTHON" --sandbox inside/ 2>&1 | tail -n 1
echo "# the page of --trace-html is minivm's own file"
"$PYTHON" --sandbox --trace-html page.html inside/../inside/attempts_on_page.py
echo "# -c, -m, a program from a pipe: the working folder"
(cd inside && "$PYTHON" --sandbox -c 'print(open("own.txt").read(), end=""); open("../secret.txt")' 2>&1 | tail -n 1)
(cd inside && "$PYTHON" --sandbox -m beside && echo 'open("up/secret.txt")' | "$PYTHON" --sandbox - 2>&1 | tail -n 1)
echo "# refused at once"
"$PYTHON" --sandbox --eval-frame ./x.so inside/beside.py 2>&1 | head -n 1
"$PYTHON" --sandbox --debug inside/beside.py 2>&1 | head -n 1
ls
cat secret.txt
echo "# links that lead out, besides those that were there"
find inside -type l | while read link; do
    case $(readlink -m "$link") in
        "$PWD"/inside | "$PWD"/inside/*) ;;
        *) echo "$link -> $(readlink "$link")" ;;
    esac
done | sort
