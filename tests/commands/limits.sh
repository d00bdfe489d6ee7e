# By hand, as CPython has no such options: --max-steps, --max-time, --max-memory, --max-output (vm/limits.h).
ends() # arguments: prints the last line of the errors, and the exit status
{
    "$PYTHON" "$@" 2> err < /dev/null
    echo "status $? $(tail -n 1 err)"
}
cat > loop.py << 'END'
n = 0
try:
    while True:
        try:
            n += 1
        except BaseException:
            print("caught")
finally:
    print("finally")
END
cat > straight.py << 'END'
x = 1
y = 2
print(x + y)
END
echo "# 12 instructions, as dis shows them: the last but one is the constant None"
ends --max-steps 10 straight.py
ends --max-steps 11 straight.py
ends --max-steps 12 straight.py
ends --max-steps 5000 loop.py
ends --max-steps 1000 -c 'import sys
def trace(frame, event, argument): return trace
sys.settrace(trace)
while True: pass'
ends --max-steps 1000 -c 'def g():
    while True: yield 1
for x in g(): pass'
ends --max-steps 1000 -c 'class C:
    def __del__(self):
        while True: pass
C()'
echo "# time: in the loop, asleep, waiting for a line, in C, at the end"
ends --max-time 0.2 loop.py
ends --max-time 0.2 -c 'import time; time.sleep(60)'
sleep 2 | "$PYTHON" --max-time 0.2 -c 'input()' 2>&1
ends --max-time 0.2 -c '9**9**9'
ends --max-time 0.2 -c 'class C:
    def __del__(self):
        while True: pass
x = C()'
echo "# memory"
ends --max-memory 20M -c 'a = []
try:
    while True: a.append(bytes(10000))
except MemoryError:
    print("caught")'
ends --max-memory 20M -c 'print("written before")
"x" * 2**30'
ends --max-memory 20M -c 'def f(): return [f for f in range(10**9)]
hasattr(f(), "x")'
ends --max-memory 20M -c 'print(len([0] * 10**6))'
truncate -s 64M large.py
ends --max-memory 20M large.py
echo "# output"
ends --max-output 20 -c 'while True: print("hello")'
ends --max-output 1K -c 'import sys
while True: sys.stderr.write("hello\n" * 1000)'
: > file
ends --max-output 20 -c 'with open("file", "w") as file:
    while True: file.write("hello" * 1000)'
wc -c < file
ends --max-output 6 -c 'print("hello")'
echo "# what a pipe does not take does not count"
ends --max-output 200K -c 'import os
reading, writing = os.pipe()
os.set_blocking(writing, False)
taken = 0
for _ in range(20):
    try:
        taken += os.write(writing, bytes(100000))
    except BlockingIOError:
        pass
print(0 < taken < 100000)'
echo "# what a program replaces cannot keep it alive"
ends --max-steps 1000 -c 'import sys
class Out:
    def write(self, text): return 0
    def flush(self):
        while True: pass
sys.stdout = sys.stderr = Out()
while True: pass'
ends --max-steps 1000 -c 'import sys, io
class Raw(io.RawIOBase):
    def writable(self): return True
    def write(self, data):
        while True: pass
sys.stdout = io.TextIOWrapper(io.BufferedWriter(Raw()))
print("x")
while True: pass'
ends --max-steps 3000 -c 'import sys
sys.excepthook = sys.unraisablehook = lambda *a: print("hook")
def f():
    try: f()
    finally: f()
f()'
echo "# arguments"
for option in --max-steps --max-time --max-memory --max-output; do
    for argument in 0 -1 x 1x '' 99999999999999999999G; do
        "$PYTHON" $option "$argument" -c pass 2>&1 | head -n 1
    done
    "$PYTHON" $option 2>&1 | head -n 1
done
ends --max-time 1e18 -c 'print("long")'
"$PYTHON" --max-steps 5 --debug straight.py 2>&1 | head -n 1
ends --max-steps 100000 -c 'breakpoint()' 2>&1
