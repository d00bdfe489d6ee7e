# Programs in zip files and folders: `python app.pyz`, `python folder`, -m with a zip file in PYTHONPATH; a module that
# its package has imported already.
mkdir -p app/pkg early
cat > app/__main__.py <<'END'
import os, sys
import helper, pkg.inner
print(__name__, os.path.basename(__file__), __spec__.name, repr(__package__), os.path.basename(sys.path[0]))
print(os.path.basename(sys.argv[0]), sys.argv[1:], helper.f(), pkg.inner.y, __doc__, __cached__ is None)
sys.exit(3)
END
echo 'def f(): return "helped"' > app/helper.py; : > app/pkg/__init__.py; echo 'y = 3' > app/pkg/inner.py
echo 'import sys; print("run", __name__, __package__, __spec__.name, sys.argv[0][-20:])' > app/pkg/__main__.py
echo '1 / 0' > app/wrong.py
cat > pack.py <<'END'
"""pack.py TARGET FILE ...: a zip file of these, without compression, after a first line "#!"."""
import struct, sys, zlib
body, directory = bytearray(b"#!/usr/bin/env python3\n"), bytearray()
start = len(body)
for name in sys.argv[2:]:
    with open("app/" + name, "rb") as file:
        data = file.read()
    common = struct.pack("<HHHHHIIIHH", 20, 0, 0, 0, 33, zlib.crc32(data), len(data), len(data), len(name), 0)
    directory += b"PK\1\2\x14\0" + common + struct.pack("<HHHII", 0, 0, 0, 0, len(body) - start) + name.encode()
    body += b"PK\3\4" + common + name.encode() + data
end = struct.pack("<HHHHIIH", 0, 0, len(sys.argv) - 2, len(sys.argv) - 2, len(directory), len(body) - start, 0)
with open(sys.argv[1], "wb") as file:
    file.write(body + directory + b"PK\5\6" + end)
END
"$PYTHON" pack.py app.pyz __main__.py helper.py pkg/__init__.py pkg/inner.py pkg/__main__.py wrong.py
"$PYTHON" pack.py nomain.zip helper.py
run() { # a command, without what depends on who runs it
    echo "\$ $*"
    "$PYTHON" "$@" > out 2>&1
    status=$?
    sed 's,^[^ ]*\(python3.9\|minivm\): ,,; s,'"$PWD"',FOLDER,; s,^[^ ]*: \(RuntimeWarning\),\1,' out | grep -v 'runpy\.m*py\|  warn(RuntimeWarning\|_run_code\|exec(code'
    echo "status $status"
}
run app.pyz a b
run app a
run nomain.zip
export PYTHONPATH=app.pyz
for name in pkg pkg.inner pkg.nothing helper.f nothing wrong; do run -m $name x; done
unset PYTHONPATH
echo 'import early.part' > early/__init__.py; echo 'print("part", __name__)' > early/part.py
run -m early.part
run -m os.path
run -m runpy early.part
