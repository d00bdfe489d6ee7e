# By hand, as CPython has no such option: each function that takes a path, with each way to write a path that leads out
# of --sandbox (vm/outside/sandbox.h). All attempts are harmless: what is outside is a folder of this test.
mkdir -p inside/deep outside/folder
echo secret | tee outside/secret.txt > outside/secret.py
cp -r outside inside_too # its path begins as that of the sandbox does
ln -s ../outside inside/linked
ln -s linked inside/twice
ln -s ../outside/secret.txt inside/file_link
ln -s ../outside/new.txt inside/dangling
ln -s .. inside/deep/up
ln -s "$PWD/outside" inside/absolute
ln "outside/secret.txt" inside/own.txt && rm inside/own.txt && echo own > inside/own.txt
cat > inside/ways.py << 'END'
import glob, importlib.machinery, io, linecache, os, pathlib, shutil, sys, tempfile, tokenize

HERE = os.getcwd()
OUT = HERE[:-len("inside")] + "outside"
ROOT = "/proc/self/root" + OUT
FOLDERS = ["../outside", OUT, "linked", "twice", "absolute", "deep/../../outside", "deep/up/../outside", "./deep/up/up/outside",
           HERE + "/../outside", "//" + OUT.lstrip("/"), ROOT, "/proc/self/cwd/../outside", "linked/.", "linked/folder/..",
           "/proc/thread-self/cwd/../outside", "deep/../linked", "../inside_too", HERE + "_too"]
FILES = [folder + "/secret.txt" for folder in FOLDERS]
LINKS = ["file_link", "./file_link", "deep/../file_link", "/proc/self/cwd/file_link"]
NEW = [folder + "/made" for folder in FOLDERS]
BEFORE = sorted(os.listdir("."))


def reads(path):
    yield open, path
    yield io.open_code, os.path.abspath(path)
    yield os.open, path, os.O_RDONLY
    yield os.open, path, os.O_RDWR
    yield os.open, path, os.O_PATH
    yield io.FileIO, path, "r"
    yield open, path.encode()
    yield open, pathlib.PurePosixPath(path)
    yield pathlib.Path(path).read_text,
    yield tokenize.open, path
    yield shutil.copyfile, path, "copied"
    yield os.truncate, path, 0
    yield os.chmod, path, 0
    yield os.utime, path
    yield os.setxattr, path, "user.a", b"b"


def moves(path):
    yield os.link, path, "copied"
    yield os.rename, path, "copied"
    yield os.remove, path
    yield os.lstat, path
    yield os.readlink, path


def lists(path):
    yield os.listdir, path
    yield os.scandir, path
    yield os.chdir, path
    yield os.open, path, os.O_RDONLY | os.O_DIRECTORY
    yield os.rmdir, path + "/folder"
    yield os.statvfs, path
    yield tempfile.mkstemp, "", "", path
    yield shutil.rmtree, path + "/folder"


def makes(path):
    yield open, path, "w"
    yield open, path, "x"
    yield os.open, path, os.O_WRONLY | os.O_CREAT
    yield os.mkdir, path
    yield os.mkfifo, path
    yield os.mknod, path
    yield os.symlink, "own.txt", path
    yield os.link, "own.txt", path
    yield os.rename, "own.txt", path
    yield os.replace, "own.txt", path
    yield shutil.move, "own.txt", path
    yield shutil.copy, "own.txt", path


def opens(path):
    yield open, path, "w"
    yield os.open, path, os.O_WRONLY | os.O_CREAT
    yield shutil.copyfile, "own.txt", path


attempts = refused = 0
for ways, paths in (reads, FILES + LINKS), (moves, FILES), (lists, FOLDERS), (makes, NEW), (opens, ["dangling"]):
    for path in paths:
        for function, *arguments in ways(path):
            attempts += 1
            try:
                result = function(*arguments)
            except OSError:
                refused += 1
            else:
                print("allowed:", function, arguments, result)

# Those that say nothing where there is nothing.
for path in FILES:
    attempts += 3
    refused += (not os.path.exists(path)) + (not os.access(path, os.R_OK)) + (not linecache.getlines(path))
for path in FOLDERS:
    attempts += 2
    refused += (not glob.glob(path + "/*")) + (importlib.machinery.PathFinder.find_spec("secret", [path]) is None)

print(attempts, "attempts,", attempts - refused, "allowed,", sorted(os.listdir(".")) == BEFORE, open("own.txt").read())
END
(cd inside && "$PYTHON" --sandbox ways.py < /dev/null 2>&1)
find outside inside_too | sort
cat outside/secret.txt
