# pdb.run(), runctx(), runeval(), runcall(), post_mortem() and pm(); the same of a Pdb object.
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
    print(pdb.runcall(dict, func=1, function=2))
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
cat > object.py << 'END'
import pdb


def f(x):
    y = x + 1
    return y


def stops():
    debugger = pdb.Pdb()
    debugger.set_trace()
    z = 3
    return z


print(pdb.Pdb(nosigint=True).runcall(f, x=3))
print(pdb.Pdb(readrc=False).runeval("f(4)", {"f": f}))
names, others = {}, {}
pdb.Pdb().run("one = 1", names)
print(names["one"], pdb.Pdb().runctx("two = 2", {}, others), others["two"], stops())
END
cat > commands << 'END'
p x
n
c
c
n
p one
c
c
w
n
p z
c
END
"$PYTHON" object.py < commands
echo "status $?"
