# By hand, as CPython has no such options: what minivm says of itself and of its own options, a program that is shown in
# its stages wherever it comes from, and what is said where that cannot be.
says() # arguments: the first lines and the exit status
{
    "$PYTHON" "$@" > out 2> err < /dev/null
    echo "$(echo "$@" | cut -c 1-50): status $?, $(head -n 1 out), $(head -n 1 err)"
}
many() # how many times, words
{
    count=$1 words=
    shift
    while [ "$count" -gt 0 ]; do words="$words $*" count=$((count - 1)); done
    echo "$words"
}
echo "# of itself"
"$PYTHON" -h > short && "$PYTHON" --help > long && cmp short long && echo "the same help"
for option in --debug --trace --trace-cache --trace-compile --trace-html --compile-html --max-steps --sandbox --dis; do
    grep -q -e "$option" long || echo "$option is not in the help"
done
"$PYTHON" -V > short && "$PYTHON" --version > long && cmp short long && echo "the same version"
for option in --help --version; do
    "$PYTHON" $option > /dev/full 2> err || echo "$option: status $?, $(cat err)"
done
echo "# of its options"
says --nothing
says --trace-steps many -c pass
says --jit-after 65536 -c pass
says --jit-after many -c pass
says --jit-fail many -c pass
says --trace-cache --trace-compile -c pass
says --trace-html page --debug -c pass
says --trace-html page --trace -c pass
says --compile-html page --debug -c pass
says --compile-html page --trace-cache -c pass
says --compile-html page --trace-compile -c pass
says --check-heap=often -c pass
says --sandbox --debug -c pass
says --sandbox --eval-frame plugin -c pass
says $(many 100 --eval-frame plugin)
says $(many 100 -W ignore) -c pass
says $(many 100 -X x) -c pass
says --eval-frame
says --eval-frame ./missing -c pass
says --trace-html missing/page.html -c pass
says --compile-html missing/page.html -c pass
says --trace-steps 5 --trace-html page.html -c 'print("a page")'
[ -s page.html ] && echo "the page is there"
says --debug --max-output 1K -c pass
says --debug --max-steps 5 -c pass
says --debug --max-time 5 -c pass
says --debug --max-memory 5M -c pass
says --max-output 5K -c 'print("enough room")'
says -W error::::: -c pass
says --dap=port
says --jit -c 'print("with a JIT, or without")'
says --no-jit -c 'print("without a JIT")'
says --jit-after 65535 -c 'print("with a JIT, or without")'
says -W error -X dev -c 'print("warned")'
echo 'print(1)' | "$PYTHON" -c 'import os, sys
os.fork() and os._exit(os.wait()[1] >> 8)
os.setsid() # away from the terminal
os.execv(sys.argv[1], [sys.argv[1], "--debug"])' "$PYTHON" 2>&1
echo "# the stages of a program: the same from everywhere"
printf 'def f(x):\n    return [x, 1]\nprint(f(2))\n' > program.py
text=$(cat program.py; echo .)
for stage in --tokens --ast --symtable --dis --decompile --verify; do
    for from in program.py - '' -c; do
        [ "$from" = -c ] && set -- -c "${text%.}" || set -- $from
        "$PYTHON" $stage "$@" < program.py | sed 's/program.py\|<stdin>\|<string>/NAME/' > "shown$from"
    done
    cmp shownprogram.py shown- && cmp shown- shown && cmp shown shown-c && [ -s shown ] && echo "$stage: the same four times"
    says $stage missing.py
    says $stage -c 'x = '
    "$PYTHON" $stage -c 'x = 1' > /dev/full 2> err
    echo "no room: status $?, $(tail -n 1 err)"
    "$PYTHON" $stage <&- > out 2> err
    echo "no input: status $?, $(tail -n 1 err)"
done
