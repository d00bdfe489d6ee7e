# By hand, as CPython has no such option: under --sandbox no descriptor of a folder (dir_fd) leads out of it.
mkdir -p inside/deep outside inside_too
echo secret | tee outside/secret.txt > secret.txt
echo own > inside/own.txt
ln -s .. inside/up
ln -s ../secret.txt inside/link.txt
ln -s ../../outside inside/deep/far
cat > inside/folders.py << 'END'
import os
import shutil


def attempt(function, *arguments, **named):
    try:
        result = function(*arguments, **named)
    except (OSError, ValueError) as error:
        print(function.__name__, type(error).__name__, getattr(error, "strerror", error))
    else:
        print(function.__name__, "allowed", result)


here, deep = os.open(".", os.O_RDONLY), os.open("deep", os.O_RDONLY | os.O_DIRECTORY)
number = os.open("own.txt", os.O_RDONLY)
for function, *arguments in [
        (os.open, os.O_RDONLY), (os.stat,), (os.lstat,), (os.access, os.R_OK), (os.chmod, 0), (os.chown, 0, 0), (os.unlink,), (os.remove,),
        (os.rmdir,), (os.mkdir,), (os.mkfifo,), (os.mknod, 0o100600), (os.utime,)]:
    for name in "../secret.txt", "../inside_too/.", "link.txt/.", "up/secret.txt", "deep/far/secret.txt", "../outside", "deep/../../new", "/etc/passwd":
        attempt(function, name, *arguments, dir_fd=here)
for name in "far/secret.txt", "../up/new", "../../secret.txt":
    attempt(os.open, name, os.O_RDWR | os.O_CREAT, dir_fd=deep)
attempt(os.readlink, "../secret.txt", dir_fd=here)
for function in os.rename, os.replace, os.link:
    attempt(function, "own.txt", "../own.txt", src_dir_fd=here, dst_dir_fd=here)
    attempt(function, "own.txt", "far/own.txt", src_dir_fd=here, dst_dir_fd=deep)
    attempt(function, "../../secret.txt", "own2.txt", src_dir_fd=deep, dst_dir_fd=here)
    attempt(function, "own.txt", "up/own.txt", dst_dir_fd=here)
attempt(os.link, "link.txt", "secret.txt", src_dir_fd=here, dst_dir_fd=here, follow_symlinks=True)
attempt(os.symlink, "../secret.txt", "planted", dir_fd=here)
attempt(os.symlink, "../../secret.txt", "planted", dir_fd=deep)
attempt(os.symlink, "own.txt", "../up/planted", dir_fd=deep)
attempt(os.symlink, "../own.txt", "fine", dir_fd=deep)
attempt(os.rename, "fine", "fine", src_dir_fd=deep, dst_dir_fd=here)  # its text leads out from there
attempt(os.stat, "own.txt", dir_fd=number)
attempt(os.stat, "own.txt", dir_fd=999)
attempt(os.stat, number, dir_fd=here)
attempt(list, os.fwalk("..", dir_fd=here))
print([files for _, _, files, _ in os.fwalk(".", dir_fd=here, follow_symlinks=True)])
attempt(os.execve, number, ["a"], {})
os.mkdir("tree")
os.symlink("../deep", "tree/link")
shutil.rmtree("tree")
print(sorted(os.listdir()), sorted(os.listdir(deep)))
END
(cd inside && "$PYTHON" --sandbox folders.py < /dev/null) 2>&1
ls . outside inside_too
