# Library modules as programs.
printf 'def f(a):\n    return a + 1\n' > /tmp/minivm_commands_module.py
"$PYTHON" -m dis /tmp/minivm_commands_module.py | sed 's/ at 0x[0-9a-f]*//'
echo 'x = 1' | "$PYTHON" -m dis
echo 'x = (1 +' | "$PYTHON" -m tokenize
echo 'x = {"a": 1}  # c' | "$PYTHON" -m tokenize -e
cd /tmp && "$PYTHON" -m inspect minivm_commands_module:f
"$PYTHON" -m minivm_commands_module
"$PYTHON" -m dis /nonexistent/file.py
echo "status $?"
rm -f /tmp/minivm_commands_module.py
