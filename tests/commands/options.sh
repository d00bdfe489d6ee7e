# Options, and where programs come from.
"$PYTHON" -c 'import sys; print(sys.argv, __name__)' x -y
echo 'print(1 + 1, __name__)' | "$PYTHON"
echo 'import sys; print(sys.argv)' | "$PYTHON" - a b
"$PYTHON" -O -c 'assert 0; print(__debug__, eval("__debug__"), __import__("sys").flags.optimize)'
"$PYTHON" -OO -c 'def f(): "doc"
print(f.__doc__)'
"$PYTHON" -BEs -S -u -X dev -c 'print("accepted")'
"$PYTHON" -W error -c 'import warnings; warnings.warn("x")'
"$PYTHON" -Wignore -W default::DeprecationWarning -c 'import warnings, sys
print(sys.warnoptions)
warnings.warn("hidden")
warnings.warn("shown", DeprecationWarning)'
"$PYTHON" -W foo -W default::Foo -W ignore::::x -W a.b.C -W a:b:c:d:e:f -c 'print("anyway")'
"$PYTHON" -Z
"$PYTHON" -m
"$PYTHON" -W
echo status $?
