# pdb.run(), runctx(), runeval(), runcall(), post_mortem() and pm().
cat > calls.py << 'END'
import pdb
import sys


def f(a, b=2):
    c = a + b
    d = 1 / (c - 3)
    return d


def main():
    y = 10
    print(pdb.runcall(f, 5, b=4))
    pdb.run("x = 1\nz = x + 1")
    print(z)
    print(pdb.runeval("f(y)", {"f": f, "y": y}))
    pdb.runctx("q = y", {"y": 3}, {})
    try:
        f(1)
    except ZeroDivisionError as e:
        pdb.post_mortem()
        print("after")
        pdb.post_mortem(e.__traceback__)
        sys.last_traceback = e.__traceback__
    pdb.pm()
    try:
        pdb.post_mortem()
    except ValueError as e:
        print(e)
    print(pdb.runcall(max, 1, 2))
    try:
        pdb.runcall(f, 1)
    except ZeroDivisionError:
        print("goes on")
    print("end")


main()
END
cat > commands << 'END'
p a
n
p c
c
p x
n
p x
n
c
s
s
n
p a
c
c
w
p c
u
p y
d
l
c
s
p d
q
n
c
END
"$PYTHON" calls.py < commands
echo "status $?"
