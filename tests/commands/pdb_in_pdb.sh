# python3 -m pdb -m pdb: the debugger under itself says how it is used.
printf 'c\nq\n' | "$PYTHON" -m pdb -m pdb | sed -n 's/^(Pdb) usage/usage/p'
