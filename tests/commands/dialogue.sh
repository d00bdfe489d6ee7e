# Blocks of several lines, errors in the middle, the last value, the end of the input in the middle of a statement.
"$PYTHON" -i -q <<'END'
1 + 1
_ * 2
if 1:
  print("a")
  print("b")

def f():
  x = """one

two"""
  return x

f()
None
class A:
  def f(self):
    pass

  # still inside

for i in 1, 2:
  i
else:
  3

try:
  1 / 0
except ZeroDivisionError as error:
  error
finally:
  5

x = )
if 1:
  a b

1 / 0
_
(1,
2)
import sys; sys.ps1 = "? "
lambda: 0 0
if 1:
  "the end"
END
printf 'f(1,\n' | "$PYTHON" -i -q
printf 'x\n' | "$PYTHON" -i -q -c 'x = "kept"'
printf 'error = 1\n' | "$PYTHON" -i -q -c '1 / 0'
printf 'import sys\nsys.exit(4)\n' | "$PYTHON" -i -q
