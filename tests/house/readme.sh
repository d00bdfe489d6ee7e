#!/bin/sh
# Runs the commands that README.md shows and that a test can run: those that call ./minivm, and what prepares them. Each
# must succeed, and print the lines that are shown below it. `make` and its targets are what runs this, and so are left
# out. The argument is the minivm to call; its plugins lie beside it.
cd "$(dirname "$0")/../.." || exit 2
minivm=${1:-./minivm}
build=$(dirname "$minivm")
failed=0 ran=0 shown=
output=$(mktemp) || exit 2
trap 'rm -f "$output"' EXIT

run()
{
    command=$(echo "${1##*make* && }" | sed "s#\./minivm#$minivm#g; s#build/release/#$build/#g")
    ran=$((ran + 1)) shown=$command
    sh -c "$command" > "$output" 2>&1 < /dev/null && return
    echo "readme: failed: $command"
    failed=1
}

while IFS= read -r line; do
    case $line in
    '    ./minivm '* | '    make'*' && ./minivm '* | '    echo '*) run "${line#    }" ;;
    '    '*)
        [ -z "$shown" ] || grep -qxF -- "${line#    }" "$output" && continue
        echo "readme: not printed by $shown: $line"
        failed=1
        ;;
    *) shown= ;;
    esac
done < README.md
[ $ran -gt 0 ] || { echo "readme: README.md shows no command"; exit 1; }
exit $failed
