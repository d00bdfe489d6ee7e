# By hand, as CPython has no such options, and says nothing where its own help or a last word is lost.
# What a file or a disk does not take: each is said, and the status is not 0.
"$PYTHON" --help > /dev/full; echo "status $?"
"$PYTHON" --version > /dev/full; echo "status $?"
"$PYTHON" -c 'class Late:
    def __del__(self):
        print("late")
late = Late()' > /dev/full; echo "status $?"
trap '' XFSZ
(ulimit -f 8; "$PYTHON" --help > help; echo "status $?")
echo 'print(1)' > right.py
echo 'raise SystemExit(3)' > wrong.py
for program in right.py wrong.py; do
    "$PYTHON" --trace-html page.html $program > /dev/null
    size=$(wc -c < page.html)
    (ulimit -f $(((size - 1) / 512)); "$PYTHON" --trace-html page.html $program; echo "status $?")
done
"$PYTHON" --trace-html /dev/full right.py; echo "status $?"
# What is shown of a program that is not there.
"$PYTHON" --tokens nosuch.py; echo "status $?"
"$PYTHON" --tokens - <&-; echo "status $?"
"$PYTHON" --dis -m this; echo "status $?"
echo 'x' | "$PYTHON" --ast -; echo "status $?"
