# A program in a file: bytes that are no text, and an end in the middle of something.
runs() # the program, as printf has it
{
    printf "$1" > program.py
    printf '%s: ' "$1"
    "$PYTHON" program.py 2>&1
    echo "status $?"
    printf '%s: ' "$1"
    "$PYTHON" < program.py 2>&1 | sed '/^    *[^ ]/d;/^ *^/d'
}
runs 'x = "\377"\n'
runs 'print(1)\nx = "\377"\n'
runs 'print(1)\n\nif 1:\n    x = 2 # \303\n'
runs 'x = """\n\n\377"""\n'
runs 'x = 1 \\\n + "\377"\n'
runs '# -*- coding: latin-1 -*-\nprint(ascii("\377"))\n'
runs '# coding: nothing\nprint(1)\n'
runs '\357\273\277print(1)\n'
runs '\357\273\277# coding: latin-1\n'
runs 'print("no newline at the end")'
runs 'x = 1 \\'
runs 'x = 1 \\\n'
runs '\\'
runs '\\\n'
runs 'x = """open'
runs 'x = """open\n'
runs 'x = """open\n\n'
runs 'x = (1,\n'
runs 'x = (1,'
runs 'if 1:'
runs 'if 1:\n'
runs 'if 1:\n    x = 1\n  y = 2\n'
runs 'x = "open\n'
runs 'x = "open'
runs ''
runs '\n\n'
runs '#'
runs '    '
runs 'print(1)\r\nprint(2)\rprint(3)'
runs 'print(1)\n\000print(2)\n'
runs 'x = $\n'
runs 'x = 1 ? 2\n'
runs 'x = \303\251\nprint(1)\n'
runs 'x = \342\202\254\n'
