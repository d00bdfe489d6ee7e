#!/bin/sh
# Checks the pages of --trace-html as far as that needs no browser: what they record is decoded and compared with --trace
# (tests/trace/read_page.mpy), the program's output and exit status are its own, nothing is loaded from elsewhere, the size
# per step, the limit, and what happens where the file cannot be written. The argument is the minivm to call.
cd "$(dirname "$0")/../trace" || exit 2
minivm=${1:-./minivm}
case $minivm in /*) ;; *) minivm=$OLDPWD/$minivm ;; esac
folder=$(mktemp -d) || exit 2
trap 'rm -rf "$folder"' EXIT
page=$folder/page.html
failed=0

wrong()
{
    echo "pages: $*"
    failed=1
}

# The decoded page is the trace; program, exit status
compare()
{
    "$minivm" --trace "$1" > "$folder/out" 2> "$folder/trace" < /dev/null
    [ $? -eq "$2" ] || wrong "$1: not exit status $2"
    "$minivm" --trace-html "$page" "$1" > "$folder/paged" 2> /dev/null < /dev/null
    [ $? -eq "$2" ] || wrong "$1: not exit status $2 with --trace-html"
    cmp "$folder/out" "$folder/paged" || wrong "$1: other output with --trace-html"
    "$minivm" read_page.mpy "$page" "$folder/trace" "$folder/out" > /dev/null || wrong "$1: the page is not the trace"
}

compare 001_walk.mpy 0
compare 002_events.mpy 1
compare 003_tensors.mpy 0
compare kinds.mpy 3
grep -v 'http://www.w3.org/2000/svg' "$page" | grep -E '(src|href)="?[^d"]|url\([^#]|@import|https?:' &&
    wrong "the page loads something"

# More than one chunk; at most 80 bytes a step; the run goes on after the limit.
"$minivm" --trace ../browser/long.mpy 2>&1 > /dev/null < /dev/null | head -n 8000 > "$folder/trace"
"$minivm" --trace-html "$page" --trace-steps 5000 ../browser/long.mpy > "$folder/out" 2> "$folder/err" ||
    wrong "long.mpy fails"
grep -q '^minivm: the record ends here, after 5000 instructions; the program goes on' "$folder/err" ||
    wrong "the limit is not told on stderr"
"$minivm" read_page.mpy "$page" "$folder/trace" > /dev/null || wrong "long.mpy: the page is not the trace"
grep -q '"end":5000,"limit":1' "$page" || wrong "the limit is not told"
grep -q '^round 300 ' "$folder/out" || wrong "the run does not go on after the limit"
size=$(wc -c < "$page") template=$(cat ../../vm/trace/page/trace_*.html ../../vm/trace/page/trace_*.js | wc -c)
[ $((size - template)) -le $((80 * 5000)) ] || wrong "5000 steps take $((size - template)) bytes"

# Where it cannot be written: at once, 2; in the middle, the program's output is complete, and the status 1.
"$minivm" --trace-html "$folder/none/page.html" 001_walk.mpy > "$folder/out" 2> "$folder/err"
[ $? -eq 2 ] && [ ! -s "$folder/out" ] && grep -q "^minivm: can't write '.*': No such file" "$folder/err" ||
    wrong "no folder: $(cat "$folder/err")"
(trap '' XFSZ; ulimit -f 200; "$minivm" --trace-html "$page" ../browser/long.mpy) > "$folder/out" 2> "$folder/err"
[ $? -eq 1 ] && grep -q '^round 300 ' "$folder/out" && grep -q "^minivm: can't write '.*': File too large" "$folder/err" ||
    wrong "full: $(cat "$folder/err")"
# More output between two steps than a chunk has room for: the page says that it leaves something out.
"$minivm" --trace-html "$page" -c 'print("\n".join(map(str, range(400000))))' > "$folder/out"
[ "$(tail -n 1 "$folder/out")" = 399999 ] && grep -qF '"\n...\n"' "$page" || wrong "output is left out without a word"

# Nor do a thousand frames that an exception leaves: its traceback is there.
echo 'f = lambda n: f(n + 1); f(0)' > "$folder/deep.mpy"
"$minivm" --trace-html "$page" "$folder/deep.mpy" 2> /dev/null
grep -q 'RecursionError: maximum' "$page" || wrong "the traceback of a deep recursion is left out"

# Neither --trace nor the page comes between a program and its files, and none but plain ones are read for the page.
cat > "$folder/files.mpy" << 'END'
for number in 2, *range(3, 20):
    try: open(number, "rb").close()
    except OSError: pass
with open(FOLDER + "/own", "w") as file:
    print("own", file.fileno(), file=file)
exec(compile("x = 1", "/dev/zero", "exec"))
END
sed -i "s|FOLDER|'$folder'|" "$folder/files.mpy"
for option in --trace "--trace-html $page"; do
    timeout 20 "$minivm" $option "$folder/files.mpy" 2> /dev/null || wrong "$option: files.mpy fails"
    [ "$(cat "$folder/own")" = "own 2" ] || wrong "$option: a file of the program is $(head -c 100 "$folder/own")"
done
grep -q '"end":' "$page" || wrong "the program closes the page"
for words in "--trace-html" "--trace-steps 0 001_walk.mpy" "--trace-steps 1x 001_walk.mpy" \
    "--trace-html $page --trace 001_walk.mpy"; do
    "$minivm" $words > /dev/null 2>&1 < /dev/null
    [ $? -eq 2 ] || wrong "$words: is no usage error"
done
exit $failed
