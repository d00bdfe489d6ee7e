#!/bin/sh
# MonkeyType gives a function the types of another file's, because equal code objects are one key.
#
# Code objects compare by value, and the file's name has no part in it: two functions with the same
# text at the same line of two files have equal code (a small method after the same header will do).
# MonkeyType remembers in a dict with the code object as its key which function a frame runs. So the
# calls of words.keep() below are recorded as calls of lists.keep(), which gets an Optional that
# it never saw, and words.keep() was never called. A comment above the second function, which moves
# it to another line, makes both stubs right. One would expect the file's name to count.
#
# Seen with MonkeyType 23.3.0 and CPython 3.12.1 (such code is equal in 3.9.18 and 3.13.0 too):
#
# | the code of both functions is equal: True
# | lists: def keep(item: Optional[List[int]]) -> Optional[List[int]]: ...
# | words: no stub
# | after a comment was put above the second one:
# | the code of both functions is equal: False
# | lists: def keep(item: List[int]) -> List[int]: ...
# | words: def keep(item: None) -> None: ...
python=${PYTHON312:-python3.12}
packages='MonkeyType==23.3.0 libcst==1.9.0'

folder=$(mktemp -d) || exit 2
trap 'rm -rf "$folder"' EXIT HUP INT TERM

cat > "$folder/program.py" << 'END'
import os
import subprocess
import sys

KEEP = "def keep(item):\n    return item\n"
MAIN = "import lists, words\nlists.keep([1, 2])\nwords.keep(None)\n"
EQUAL = "import lists, words; print(lists.keep.__code__ == words.keep.__code__)"

def write(name, text):
    with open(name, "w") as file:
        file.write(text)

def output(*arguments):
    done = subprocess.run([sys.executable, *arguments], capture_output=True, text=True)
    return done.stdout.strip()

def show(words):
    write("lists.py", KEEP)
    write("words.py", words)
    write("main.py", MAIN)
    if os.path.exists("monkeytype.sqlite3"):
        os.remove("monkeytype.sqlite3")
    print("the code of both functions is equal:", output("-c", EQUAL))
    output("-m", "monkeytype", "run", "main.py")
    for module in "lists", "words":
        stub = output("-m", "monkeytype", "stub", module)
        print(f"{module}: {stub.splitlines()[-1] if stub else 'no stub'}")

show(KEEP)
print("after a comment was put above the second one:")
show("# words\n" + KEEP)
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
