# Variables that python3 follows. A module's folder, relative and empty ones, in their order:
mkdir folder other; echo 'V = "found"' > folder/mymod.py; echo 'V = "shadow"' > folder/json.py
PYTHONPATH=folder:$PWD/other:::folder "$PYTHON" -c 'import mymod, sys; print(mymod.V, sys.path[:4], mymod.__file__)'
echo 'import json, sys; print(json.V, sys.path[1])' > prog.py
PYTHONPATH=folder "$PYTHON" prog.py
PYTHONPATH=folder "$PYTHON" -E -c 'import json; print(hasattr(json, "V"))'
PYTHONPATH=folder "$PYTHON" -I -c 'import json, sys; print(hasattr(json, "V"), "" in sys.path, sys.flags.isolated, sys.flags.ignore_environment)'

PYTHONWARNINGS=error "$PYTHON" -c 'import warnings; warnings.warn("w")'
PYTHONWARNINGS=ignore,default::DeprecationWarning "$PYTHON" -W error::ImportWarning -c 'import warnings, sys
print(sys.warnoptions)
warnings.warn("hidden")
warnings.warn("shown", DeprecationWarning)'
for level in 0 1 2 3 x ''; do
    PYTHONOPTIMIZE=$level "$PYTHON" -c 'import sys
def f(): "doc"
print(__debug__, f.__doc__, sys.flags.optimize > 0)'
done
PYTHONOPTIMIZE=1 "$PYTHON" -E -c 'assert 0, "asserted"'
PYTHONUNBUFFERED=1 "$PYTHON" -c 'import os; print("seen"); os._exit(0)'
PYTHONUNBUFFERED= "$PYTHON" -c 'import os; print("not seen"); os._exit(0)'
echo 'print("started", __name__); x = 5' > start.py
echo 'x + 1' | PYTHONSTARTUP=start.py "$PYTHON" -i -q 2> /dev/null
echo '1 + 1' | PYTHONSTARTUP=nosuch.py "$PYTHON" -i -q 2>&1 | head -n 1
echo 'print("x" in globals())' | PYTHONSTARTUP=start.py "$PYTHON"
echo 'print(a)' | PYTHONINSPECT=1 "$PYTHON" -q -c 'a = 3' 2> /dev/null
echo 'print(__file__, __name__)' | "$PYTHON"
"$PYTHON" -bdEsSv -c 'import sys; print([name for name in dir(sys.flags) if getattr(sys.flags, name) is not 0 and name[0] != "_" and name[0] not in "chin" and name != "dont_write_bytecode" or name == "no_site"])' 2> /dev/null

# Hashes of strings and bytes, and the order of sets; what is no seed ends the start.
for seed in 0 1 12345 4294967295 ' 7' +3; do
    PYTHONHASHSEED=$seed "$PYTHON" -c 'import sys
print(hash("a"), hash(b"xyz"), hash("\xe9" * 5), {"a", "b", "c", "def"}, sys.flags.hash_randomization, hash(""))'
done
for seed in x -1 4294967296 '5 '; do
    PYTHONHASHSEED=$seed "$PYTHON" -c 'print("not started")' 2> /dev/null; echo $?
done
PYTHONHASHSEED=x "$PYTHON" -E -c 'print("started")'

# What standard streams do with text.
show='import sys; print([(s.encoding, s.errors, s.newlines) for s in (sys.stdin, sys.stdout, sys.stderr)])'
for value in '' ascii:backslashreplace latin-1 L1:ignore :replace UTF8 ascii: utf-8:nosuch; do
    PYTHONIOENCODING=$value "$PYTHON" -c "$show"
done
PYTHONIOENCODING=latin-1 "$PYTHON" -E -c "$show"
for name in '' C POSIX C.UTF-8; do
    env -u LC_ALL LANG="$name" "$PYTHON" -c "$show"
done
PYTHONIOENCODING=ascii:backslashreplace "$PYTHON" -c 'print("\xe9")'
printf 'caf\351\n' | "$PYTHON" -c 'import sys; line = sys.stdin.readline(); print(ascii(line)); sys.stdout.write(line)' | od -c
printf '7\r\nx\ry\n' | "$PYTHON" -c 'import sys; n = input(); print(repr(n), n.isdigit(), repr(sys.stdin.read()))'
printf 'a\r\nb\r' | "$PYTHON" -c 'import sys; print(sys.stdin.readlines(), sys.stdin.buffer.read())'
printf 'a\r\nb' | "$PYTHON" -c 'import sys; sys.stdin.reconfigure(newline=None); print(list(sys.stdin))'

# Names that are not UTF-8.
"$PYTHON" -c 'import sys; print(ascii(sys.argv))' "$(printf 'caf\351')"
name=$(printf 'caf\351'); mkdir "$name"; cd "$name" || exit
echo 'import helper; print(ascii(__file__.rpartition("/")[2]), ascii(helper.__file__.split("/")[-2])); helper.f()' > "$name.py"
printf 'def f():\n    1 / 0\n' > helper.py
"$PYTHON" "$name.py" 2>&1 | tail -n 3
"$PYTHON" -m helper; "$PYTHON" "$(printf 'nosuch\377.py')" 2> /dev/null; echo "status $?"
PYTHONPATH=$PWD "$PYTHON" -c 'import helper; print(ascii(helper.__file__.split("/")[-2]))'
