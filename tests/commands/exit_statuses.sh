# How a program ends, and what its caller sees.
run() {
    "$PYTHON" -c "$1"
    echo "status $?"
}
run 'raise SystemExit("bye")'
run 'raise SystemExit((1, 2))'
run 'raise SystemExit(True)'
run 'raise SystemExit(None)'
run 'import sys; sys.exit(300)'
run 'import sys; sys.exit(-1)'
run '1 / 0'
run 'def f(:'
run 'import sys; sys.excepthook = lambda *a: print("hook", a[0]); 1 / 0'
run 'import sys; sys.excepthook = 5; 1 / 0'
run 'import sys; sys.stderr = None; 1 / 0'
run 'import sys; sys.stdout.close()'
run 'import atexit; atexit.register(print, "at exit"); raise SystemExit(3)'
"$PYTHON" -c 'print(1)' > /dev/full
echo "status $?"
"$PYTHON" -c 'raise KeyboardInterrupt'
echo "status $?"
(ulimit -f 1; "$PYTHON" -c 'file = open("grown", "wb")
try:
    file.write(bytes(100000)), file.close()
except OSError as error:
    print(error)')
echo "status $?"
