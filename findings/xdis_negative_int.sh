#!/bin/sh
# xdis cannot read the code of plistlib: an int constant below -2**31 is taken for 4 billion digits.
#
# marshal writes a larger int as a count of digits, whose sign is the sign of the number, and then
# the digits. The reader that xdis uses for .pyc files of other Python versions takes the count as
# unsigned, and so reads on to the end of the file: load_module() says "Ill-formed bytecode file" of
# a file with which nothing is wrong. Larger positive ints are right, and are shown with the L of
# Python 2. Of 1,202 files of CPython 3.13.0's library and tests, read by xdis in CPython 3.12.1, 38
# failed with this error, among them plistlib.py and _pydecimal.py.
#
# Seen with xdis 6.3.0 and CPython 3.12.1 (the constants alone also with 3.9.18):
#
# | -2**31 : (-2147483648,)
# | 2**31 : (2147483648L,)
# | -2**31 - 1 : error: unpack requires a buffer of 2 bytes
# | plistlib : error: unpack requires a buffer of 2 bytes
python=${PYTHON312:-python3.12}
packages='xdis==6.3.0'

folder=$(mktemp -d) || exit 2
trap 'rm -rf "$folder"' EXIT HUP INT TERM

cat > "$folder/program.py" << 'END'
import contextlib
import inspect
import io
import marshal
import plistlib

from xdis.magics import PYTHON_MAGIC_INT
from xdis.unmarshal import load_code

def show(name, text, mode):
    code = compile(text, name, mode)
    try:
        with contextlib.redirect_stderr(io.StringIO()):
            read = load_code(io.BytesIO(marshal.dumps(code)), PYTHON_MAGIC_INT, {})
        print(name, ":", read.co_consts)
    except Exception as error:
        print(name, ": error:", error)

for constant in "-2**31", "2**31", "-2**31 - 1":
    show(constant, constant, "eval")
show("plistlib", inspect.getsource(plistlib), "exec")
END

# The same in every finding: a new environment, and whether the output is the one stated above.
"$python" -m venv "$folder/env" > "$folder/log" 2>&1 || {
    echo "$0: cannot run: $python makes no virtual environment"
    exit 2
}
"$folder/env/bin/pip" install -q $packages > "$folder/log" 2>&1 || {
    echo "$0: cannot run: pip cannot install $packages"
    exit 2
}
(cd "$folder" && env/bin/python program.py) | tee "$folder/seen"
sed -n 's/^# | //p' "$0" | cmp -s - "$folder/seen" || {
    echo "$0: has changed: its first lines state another output"
    exit 1
}
