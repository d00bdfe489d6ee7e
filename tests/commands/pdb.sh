# python3 -m pdb: the program, its arguments, commands on the command line, and what is refused.
printf 'import sys\nx = 1\nfor i in range(5):\n    x += i\nprint(x, sys.argv)\n' > prog.py
printf 'p sys.argv, __name__, __file__\nn\np sys.path[0], sys.argv\nl\nq\n' | "$PYTHON" -m pdb prog.py a -c b
echo "status $?"
printf 'n\np sys.argv[1:], __name__\nq\n' | "$PYTHON" -m pdb -m prog x y
printf 'p x\nq\n' | "$PYTHON" -m pdb -c 'until 4' -c 'p x, "first"' prog.py
printf 'p i\nc\np i\nq\n' | "$PYTHON" -m pdb '-cb 4, i > 1' -c '# no command' -c '' --command=c --command '!y = 2' -c 'p y' -- prog.py
printf 'q\n' | "$PYTHON" -m pdb -c p -c 'undefined' prog.py
"$PYTHON" -m pdb -c 'p 1' -c q prog.py
echo "status $?"
"$PYTHON" -m pdb -c n -c q prog.py < /dev/null
"$PYTHON" -m pdb none.py
echo "status $?"
for words in "" -h "-h prog.py" "-c p"; do
    "$PYTHON" -m pdb $words > help
    echo "status $?"
    head -n 1 help
done
