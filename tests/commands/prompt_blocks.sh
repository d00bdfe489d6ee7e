# A block whose first error comes from the compiler is read to its end; an error of the parser ends it at once.
talk()
{
    printf '%b' "$1" | "$PYTHON" -i -q 2>&1 | sed 's/^\(\(>>>\|\.\.\.\) \)*//'
    echo "--"
}
talk 'def f(a, a):\n    x = 1\n    print("no")\n    return x\n\n1 + 1\n'
talk 'def f():\n    nonlocal x\n    print("no")\n\nprint("after")\n'
talk 'class C:\n    return 1\n    print("no")\n\nprint("after")\n'
talk 'for i in range(2):\n    def g():\n        global i; i = 1; global i\n    print("no")\n\nprint("after")\n'
talk 'def f():\n    x = = 1\nprint("runs")\n'
talk 'while False:\n    pass\nelse:\n    print("else")\n\nx = (1 +\n2)\nx\n'
talk 'break\nprint("after")\n'
talk 'def interrupted():\n    raise KeyboardInterrupt\n\ninterrupted()\nprint("goes on")\n'
