# A user's file that is called as a module of the library, beside a program that imports others, one after the other.
beside()
{
    rm -rf folder; mkdir folder; echo 'X = 1' > "folder/$1.py"; shift
    cat > folder/prog.py << 'END'
import sys
for name in sys.argv[1:]:
    try:
        __import__(name)
        print(f"{name}: fine")
    except Exception as error:
        print(f"{name}: {type(error).__name__}: {error}")
END
    "$PYTHON" folder/prog.py "$@" 2>&1 | sed "s,$PWD/,,"
}

# Loaded before the program starts, or built into the interpreter.
for name in abc io os stat codecs _collections_abc posixpath genericpath time itertools errno; do
    echo "== $name.py"
    beside "$name" dataclasses typing random csv tempfile logging argparse pathlib json
done
# Imported by the library here, and not in CPython.
for name in operator math _weakrefset weakref enum types copyreg re struct _json _heapq _bisect warnings; do
    echo "== $name.py"
    beside "$name" datetime heapq bisect zlib binascii
done
echo "== re.py"
beside re csv fnmatch rlcompleter
# Imported by the library there and here.
echo "== the user's"
beside random random statistics

# One's own module, before and after the library has imported one of its name.
rm -rf folder; mkdir folder
for name in operator copy math; do echo "print('mine', __name__)" > "folder/$name.py"; done
printf 'import datetime, zlib, pwd\nimport math, operator, copy\nprint(datetime.date.max)\n' > folder/prog.py
"$PYTHON" folder/prog.py 2>&1
printf 'import operator, math\nimport datetime, sys\nprint(sys.modules["operator"] is operator, math.__name__)\nprint(datetime.date.max)\n' > folder/prog.py
"$PYTHON" folder/prog.py 2>&1

# A program that has the name of a module runs once.
rm folder/*
for name in abc io os operator types enum dataclasses; do
    printf 'print("runs", __name__)\nimport datetime, zlib\nimport abc, os, io\nprint(abc.ABCMeta, os.sep)\n' > "folder/$name.py"
    "$PYTHON" "folder/$name.py" 2>&1 | tail -n 3 | sed "s,$PWD/,,"
    rm "folder/$name.py"
done
# What is None in sys.modules is hidden from the library too.
"$PYTHON" -c 'import sys
sys.modules["warnings"] = None
try:
    import warnings
except ImportError as error:
    print(error)'
