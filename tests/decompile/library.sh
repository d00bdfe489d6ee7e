#!/bin/sh
# Decompiles every function of CPython 3.9's standard library, without test, lib2to3, idlelib and site-packages, and
# compares the instructions of the texts with those of the functions. For developers.
#
#     tests/decompile/library.sh MINIVM PYTHON3.9
#
# Exit status 1 where a text is wrong, or where fewer than 98% are exact or 99.5% equivalent.
cd "$(dirname "$0")/../.." || exit 2
case $("$2" -V 2>&1) in
    "Python 3.9."*) ;;
    *) echo "decompile: $2 is not CPython 3.9: say make decompile PYTHON=..."; exit 2 ;;
esac
library=$("$2" -c 'import os; print(os.path.dirname(os.__file__))')
find "$library" -name '*.py' ! -path '*/test/*' ! -path '*/lib2to3/*' ! -path '*/idlelib/*' ! -path '*/site-packages/*' |
    LC_ALL=C sort | "$1" tests/decompile/library.mpy
