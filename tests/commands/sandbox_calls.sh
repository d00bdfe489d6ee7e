# By hand, as CPython has no such option: what --sandbox allows of the calls of vm/outside/calls.def, and what a limit of
# output counts.
mkdir inside outside
echo secret > outside/secret.txt
cat > inside/calls.py << 'END'
import os


def attempt(function, *arguments, **named):
    try:
        result = function(*arguments, **named)
    except OSError as error:
        print(function.__name__, error.strerror)
    else:
        print(function.__name__, "allowed" if result is not None else None)


own = os.open("own.txt", os.O_RDWR | os.O_CREAT)
folder = os.open(".", os.O_RDONLY)
for function, *arguments in [
        (os.setuid, os.getuid()), (os.setgroups, []), (os.setresgid, -1, -1, -1), (os.getlogin,), (os.getgrouplist, "root", 0),
        (os.initgroups, "root", 0), (os.getgroups,), (os.getresuid,), (os.setpgrp,), (os.setsid,), (os.getpgid, 0), (os.getsid, os.getppid()),
        (os.waitid, os.P_ALL, 0, os.WEXITED | os.WNOHANG), (os.pidfd_open, os.getppid()), (os.getpriority, 0, 0),
        (os.getpriority, 0, os.getppid()), (os.setpriority, 0, 0, 5), (os.sched_getparam, 0), (os.sched_getparam, os.getppid()),
        (os.sched_setaffinity, 0, [0]), (os.sched_getaffinity, os.getppid()), (os.sched_setscheduler, 0, 0, os.sched_param(0)),
        (os.getloadavg,), (os.sysconf, "SC_PAGE_SIZE"), (os.confstr, "CS_PATH"), (os.pathconf, "..", 3), (os.fpathconf, own, 3),
        (os.fdatasync, own), (os.sync,), (os.posix_fadvise, own, 0, 0, 0), (os.posix_fallocate, own, 0, 9), (os.lockf, own, 1, 1),
        (os.chroot, "."), (os.memfd_create, "a"), (os.getxattr, "own.txt", "user.a"), (os.setxattr, "../outside", "user.a", b""),
        (os.listxattr, "../outside"), (os.removexattr, own, "user.a"), (os.ttyname, 0), (os.openpty,), (os.forkpty,),
        (os.tcsetpgrp, 0, 1), (os.posix_spawn, "/bin/true", ["true"], {}), (os.fchdir, folder),
        (os.pwrite, own, b"abc", 0), (os.pread, own, 3, 0), (os.writev, own, [b"x"]), (os.sendfile, own, own, 0, 2)]:
    attempt(function, *arguments)
END
(cd inside && "$PYTHON" --sandbox calls.py < /dev/null)
cat > limited.py << 'END'
import os
file = os.open("written.txt", os.O_RDWR | os.O_CREAT)
os.write(file, bytes(1000))
for _ in range(1000):
    CALL
END
for call in 'os.pwrite(file, bytes(1000), 0)' 'os.writev(file, [bytes(500), bytes(500)])' 'os.pwritev(file, [bytes(1000)], 5)' \
        'os.sendfile(file, file, 0, 1000)' 'os.copy_file_range(file, file, 1000, 0, 3)'; do
    sed "s/CALL/$call/" limited.py > now.py
    "$PYTHON" --max-output 20000 now.py 2>&1
    echo "status $?"
    rm -f written.txt
done
