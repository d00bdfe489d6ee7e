# Statements in a row in a block, which is not compiled again for each: what ends it, and what is wrong in it.
"$PYTHON" -i -q <<'END'
def f():
    a = 1
    b = 2
    c = 3
     d = 4
def f():
    a = 1
    b = 2
    c = )
def f():
    a = 1
    b = 2
    text = """
    c = 3
    """
    d = 4
    return a, b, text, d

f()
def f():
	a = 1
	b = 2
    c = 3
def f():
    a = 1
    b = 2; c = (3,
    4)
    d = 5
    e = 6
   # a comment
    # another
    g = 7
    return a + b + d + e + g

f()
if 1:
    if 1:
        x = 1
        y = 2
        z = 3
    w = 4
    v = 5
  u = 6
if 1:
    x = 1
    y = 2
    if x: z = 3
    else: z = 4
    z

if 1:
    x = 1
    y = 2
    break
    z = 3

if 1:
    x = 1
    y = "\d"
    z = 3
x = 5
x
END
printf 'if 1:\n    print(1)\n    print(2)\n    print(3)\n' | "$PYTHON" -i -q
