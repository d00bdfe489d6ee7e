# trace -r and -R, and what it says of options that do not go together; the file of profile -o.
printf 'def f(n):\n    if n > 5:\n        return n\n    return 2 * n\nprint([f(i) for i in range(4)])\n' > program.py
"$PYTHON" -m trace --version
for options in '-c -f counts -C first program.py' '-c -R -f counts program.py' '-r -f counts -C covered -s -m' '-r' '-r -R' \
    '-s -t program.py' '-t nofile.py' '-r -f nofile' '-lc program.py' '-l'; do
    echo "\$ trace $options"
    "$PYTHON" -m trace $options > out 2> errors; status=$?
    cat out; tail -n 1 errors
    echo "status $status, $(ls *.cover 2> /dev/null | wc -l) covered"
done
ls first; cat covered/program.cover
mkdir folder
printf 'import os\nos.chdir("folder")\n' > leaves.py
for module in profile cProfile; do
    "$PYTHON" -m $module -o stats leaves.py; ls stats folder; rm -f stats
done
