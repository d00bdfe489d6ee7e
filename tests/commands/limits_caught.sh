# By hand, as CPython has no such options: attempts to catch a limit, or to get around it (vm/limits.h). A program that
# reaches a limit ends with its status, and runs nothing of its own any more: none of these prints CAUGHT.
cat > attempts.py << 'END'
import sys


def forever(*args, **keywords):
    while True:
        pass


def caught(*args):
    print("CAUGHT", flush=True)


class Caught:
    __enter__ = lambda self: None
    __exit__ = lambda self, *args: caught() or True


def except_again_and_again():
    while True:
        try:
            forever()
        except BaseException:
            caught()


def finally_():
    try:
        forever()
    finally:
        caught()


def exit_in_finally():
    import os
    try:
        forever()
    finally:
        os._exit(0)


def with_():
    with Caught():
        forever()


def suppress():
    import contextlib
    with contextlib.suppress(BaseException):
        forever()
    caught()


def generator():
    def values():
        try:
            yield
        finally:
            caught()
    started = values()
    next(started)
    forever()


def coroutine():
    async def waits():
        forever()
    try:
        waits().send(None)
    except BaseException:
        caught()


def del_():
    held = type("Held", (), {"__del__": caught})()
    forever()


def del_in_a_chain():
    class Again:
        def __del__(self):
            Again()
    Again()


def finalize():
    import weakref
    held = type("Held", (), {})()
    weakref.finalize(held, caught)
    forever()


def atexit_():
    import atexit
    atexit.register(caught)
    forever()


def forever_in_atexit():
    import atexit
    atexit.register(forever)


def hooks():
    sys.excepthook = sys.unraisablehook = sys.breakpointhook = caught
    forever()


def forever_in_excepthook():
    sys.excepthook = forever
    1 / 0


def forever_in_unraisablehook():
    class Raises:
        def __del__(self):
            1 / 0
    sys.unraisablehook = forever
    Raises()


def trace():
    def tracer(frame, event, argument):
        return tracer
    sys.settrace(tracer)
    except_again_and_again()


def forever_in_trace():
    sys.settrace(forever)
    (lambda: None)()


def forever_in_profile():
    sys.setprofile(forever)
    len([])


def forever_in_write():
    sys.stdout = sys.stderr = type("Stream", (), {"write": forever, "flush": forever})()
    1 / 0


def no_streams():
    sys.stdout = sys.stderr = sys.__stdout__ = sys.__stderr__ = None
    forever()


def forever_in_a_text():
    raise type("Endless", (Exception,), {"__str__": forever})


def forever_in_repr():
    repr(type("Endless", (), {"__repr__": forever})())


def forever_in_a_property():
    hasattr(type("Endless", (), {"x": property(forever)})(), "x")


def forever_in_a_metaclass():
    type("Meta", (type,), {"__call__": forever})("Endless", (), {})()


def forever_in_a_key():
    sorted([1], key=forever)


def forever_in_map():
    list(map(lambda x: x, iter(int, 1)))


def forever_in_readinto():
    import io
    io.BufferedReader(type("Raw", (io.RawIOBase,), {"readable": lambda self: True, "readinto": forever})()).read(1)


def forever_in_showwarning():
    import warnings
    warnings.showwarning = forever
    warnings.warn("x")


def forever_in_gc():
    import gc
    gc.callbacks.append(forever)
    gc.collect()


def forever_in_a_finder():
    sys.meta_path.insert(0, type("Finder", (), {"find_spec": forever})())
    import missing


def forever_in_a_handler():
    import logging
    handler = logging.Handler()
    handler.emit = forever
    logging.root.addHandler(handler)
    logging.error("x")


def a_thread():
    import _thread
    try:
        _thread.start_new_thread(forever, ())
    except Exception:
        pass
    forever()


def forever_in_a_callback():
    from torch._dynamo.eval_frame import set_eval_frame
    set_eval_frame(forever)
    (lambda: None)()


def forever_in_a_guard():
    from torch._dynamo.eval_frame import set_eval_frame
    from torch._dynamo.types import GuardedCode
    f = lambda: None
    set_eval_frame(lambda frame, entry, state: GuardedCode(frame.f_code, forever))
    f()
    f()


def forever_in_compiled_code():
    import torch
    torch.compile(forever)(torch.ones(1))


def whatever_the_debugger_has():
    import _session
    for name in dir(_session):
        try:
            getattr(_session, name)()
        except BaseException:
            pass
    forever()


def whatever_sys_can_set():
    for name in dir(sys):
        if name.startswith("set"):
            try:
                getattr(sys, name)(None)
            except BaseException:
                pass
    forever()


def recursion_in_finally():
    try:
        recursion_in_finally()
    finally:
        recursion_in_finally()


def exec_again_and_again():
    while True:
        exec("x = 1")


# ---- output

def duplicates():
    import os
    copy = os.dup(1)
    while True:
        os.write(copy, b"CAUGHT\n")


def a_high_duplicate():
    import os
    os.dup2(1, 1500)
    while True:
        os.write(1500, b"CAUGHT\n")


def a_pipe():
    import os
    reads, writes = os.pipe()
    while os.write(writes, b"CAUGHT\n"):
        os.write(1, os.read(reads, 7))


def an_own_stream():
    import io
    while True:
        io.FileIO(1, "w", closefd=False).write(b"CAUGHT\n")


def one_that_ends_at_once():
    import os
    os.write(1, 100 * b"CAUGHT\n")
    os._exit(0)


# ---- memory

def variables():
    import os
    for number in range(1000):
        os.putenv(f"VARIABLE_{number}", 1000000 * "x")
    caught()


def goes_on_in_c():
    (10**5 * "\t").expandtabs(10**5)
    caught()


def errors_that_are_caught():
    held = []
    while True:
        try:
            held.append(bytes(10**6))
        except MemoryError:
            caught()


# ---- time

def native_code():
    from torch._C import _inductor
    with open("native.so", "rb") as file:
        _inductor.load(file.read(), ())
    caught()


if len(sys.argv) > 1:
    globals()[sys.argv[1]]()
END
tries() # limit, argument, names: prints what each of the attempts ends with
{
    option=$1 argument=$2
    echo "# $option $argument"
    shift 2
    for name; do
        "$PYTHON" $option $argument attempts.py $name > out 2> err < /dev/null
        echo "$name: status $?, $(grep -c CAUGHT out), $(tail -n 1 err | sed 's/, in line.*//')"
    done
}
names=$(sed -n '/^def except/,/^# ---- output/s/^def \(.*\)():/\1/p' attempts.py)
tries --max-steps 100000 $names
ulimit -n 2000
echo 'void kernel(void) {}' | cc -shared -fPIC -x c -o native.so -
tries --max-output 40 duplicates a_high_duplicate a_pipe an_own_stream one_that_ends_at_once
tries --max-memory 40M variables goes_on_in_c errors_that_are_caught
tries --max-time 0.2 except_again_and_again forever_in_atexit forever_in_trace forever_in_write native_code
