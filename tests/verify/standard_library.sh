#!/bin/sh
# Has minivm verify every code object of the standard library, as CPython 3.9 compiles it. For developers.
#
#     standard_library.sh MINIVM PYTHON3.9
#
# Prints those that are refused, and how many were verified. Exit status 1 where one is refused, or where there are fewer
# than CPython 3.9.18 has.
minivm=$1
folder=$(mktemp -d) || exit 2
trap 'rm -rf "$folder"' EXIT

PYTHONWARNINGS=ignore "$2" - "$folder" <<'END' || exit 2
import os
import py_compile
import sys

if sys.version_info[:2] != (3, 9):
    sys.exit("this is not CPython 3.9: " + sys.version)
library = os.path.dirname(os.__file__)
for folder, folders, files in os.walk(library):
    folders[:] = [name for name in folders if name not in ("__pycache__", "site-packages")]
    for name in files:
        path = os.path.join(folder, name)
        to = os.path.join(sys.argv[1], os.path.relpath(path, library)) + "c"
        try:
            if name.endswith(".py"):
                py_compile.compile(path, to, doraise=True)
        except py_compile.PyCompileError:
            pass  # tests of lib2to3 and of errors in syntax
END

find "$folder" -name '*.pyc' | LC_ALL=C sort | while read -r file; do
    "$minivm" --verify "$file" 2>&1
done > "$folder/answers"
grep -v ' verified$' "$folder/answers"
awk '/ verified$/ { files++; codes += $(NF - 1) }
     END { print codes " code objects of " files " files verified"; exit codes < 71433 || files < NR }' "$folder/answers"
