# By hand, as CPython has no such module: _process, with which torch starts the C compiler and the lessons their checks.
cat > run.py << 'END'
import _process


def attempt(*args, **keywords):
    try:
        print(_process.run(*args, **keywords))
    except Exception as error:
        print(f"{type(error).__name__}: {error}")


def limit(text, **limits):
    print(_process.run(("sh", "-c", text), **limits)[1])


print("-- what comes back")
attempt(("true",))
attempt(("false",), b"not read")
attempt(("cat",), b"what it reads\0")
attempt(("sh", "-c", "cat >&3; echo printed; echo a message >&2; exit 3"), bytearray(b"what it makes"))
attempt(("sh", "-c", "kill -TERM $$"))
attempt(("sh", "-c", "exit 124"), time=60.0)
print("-- arguments")
attempt(("no-such-program",))
attempt(())
attempt(["true"])
attempt(("true", 5))
attempt(("true",), "text")
attempt(("true",), time=-1.0)
attempt(("true",), time=float("nan"))
attempt(("true",), memory=-1)
print("-- limits")
limit("exec sleep 60", time=0.1)
limit("while :; do :; done", time=0.1)
limit("trap '' TERM INT; while :; do :; done", time=0.1)
limit("exec cat /dev/zero", output=100000)
limit("exec head -c 100001 /dev/zero >&2", output=100000)
limit("exec head -c 100000 /dev/zero", output=100000)
limit("exec tail /dev/zero", memory=64 << 20, time=60.0)
limit("sleep 60 & echo $! > left; exit", time=60.0)
limit("sleep 0.1; ! kill -0 $(cat left) 2> /dev/null || grep -q Z /proc/$(cat left)/stat || sleep 60", time=5.0)
END
"$PYTHON" run.py
echo "# refused"
"$PYTHON" --sandbox -c 'import _process; _process.run(("true",))' 2>&1 | tail -n 1
"$PYTHON" --max-time 60 -c 'import _process; _process.run(("true",))' 2>&1 | tail -n 1
