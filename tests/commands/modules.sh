# Library modules as programs.
printf 'def f(a):\n    return a + 1\n' > module.py
"$PYTHON" -m dis "$PWD/module.py" | sed 's/ at 0x[0-9a-f]*//'
echo 'x = 1' | "$PYTHON" -m dis
echo 'x = (1 +' | "$PYTHON" -m tokenize
echo 'x = {"a": 1}  # c' | "$PYTHON" -m tokenize -e
"$PYTHON" -m inspect module:f
"$PYTHON" -m module
"$PYTHON" -m dis /nonexistent/file.py
echo "status $?"
